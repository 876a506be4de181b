"""The declarative optimizer: facts in, consequences until nothing waits.

    start         Expr(root): R0, R1
    rows scaled   C1: Card(E) → Local of what reads or makes E
    local cost    Local(a)
    then          select, limit, keep, drop, in any order, until the agenda is empty

Enumeration, costing and pruning are not phases: an alternative is enumerated, costed and perhaps suppressed
before the next is looked at. What is waiting after a batch of changes is drawn once.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, sections 4.1.3, 4.2 and 4.3.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from federated.memo.rules.agenda import Agenda, Kind
from federated.memo.rules.bounding import limit
from federated.memo.rules.costing import cost_again, local_again, low_again
from federated.memo.rules.counting import drop, keep
from federated.memo.rules.enumeration import reach
from federated.memo.rules.selection import best_plan, select
from federated.memo.rules.tables import ROUNDING, And, Or, Prunings, Tables
from federated.memo.searched import Searched
from federated.memo.ways import Key, Way

RULES: dict[Kind, Callable[..., None]] = {
    Kind.SELECT: select,
    Kind.LIMIT: limit,
    Kind.KEEP: keep,
    Kind.DROP: drop,
}


class Held(NamedTuple):
    """How many entries of the plan table and alternatives are enumerated, and how many are kept."""

    entries: int
    alternatives: int
    kept_entries: int
    kept_alternatives: int


class Declarative:
    """Optimizes a space, and again after each change of its numbers, which the space has before."""

    def __init__(
        self,
        space: Searched,
        prunings: Prunings | None = None,
        *,
        rounding: float = ROUNDING,
        agenda: Agenda | None = None,
    ) -> None:
        self.tables = Tables(space, prunings or Prunings(), agenda or Agenda(), rounding)
        self.tables.roots = [self.tables.entry(key) for key in space.roots]
        for root in self.tables.roots:
            root.pinned = True
            reach(self.tables, root)
        self.settle()

    def settle(self) -> None:
        """Draw the consequences of everything that changed."""
        tables, agenda = self.tables, self.tables.agenda
        while (entry := agenda.pop()) is not None:
            kind, node = entry
            RULES[kind](tables, node)

    def best(self, root: Key) -> float:
        return self.tables.entries[root].best

    def plan(self, root: Key) -> dict[Key, Way]:
        """Return the chosen alternative of each key in the best plan."""
        chosen: dict[Key, Way] = {}
        waiting = [self.tables.entries[root]]
        while waiting:
            node = waiting.pop()
            best = best_plan(node)
            chosen[node.key] = best.way
            waiting.extend(best.children)
        return chosen

    def scaled(self, mask: int, factor: float) -> None:
        """C1: the space multiplied the rows of each set that contains one; ``settle`` draws what follows."""
        self.tables.changes += 1
        touched: dict[And, None] = {}
        for expression, nodes in self.tables.of_expression.items():
            if expression & mask == mask:
                for node in nodes:
                    touched.update(dict.fromkeys(_reading(node, fell=factor < 1)))
        for alternative in touched:
            self._recost(alternative)

    def step_scaled(self, key: Key, way: Way, factor: float) -> None:
        """The space multiplied the work of one step: Local(a); ``settle`` draws what follows."""
        self.tables.changes += 1
        node = self.tables.entries.get(key)
        for alternative in node.alternatives if node else ():
            if alternative.way == way and (alternative.kept or factor < 1):
                self._recost(alternative)

    def _recost(self, alternative: And) -> None:
        local_again(self.tables, alternative)
        low_again(self.tables, alternative)
        if alternative.kept:
            cost_again(self.tables, alternative)
            for child in alternative.children:
                self.tables.agenda.limit(child)

    @property
    def held(self) -> Held:
        reached = [node for node in self.tables.entries.values() if node.reached]
        kept = [sum(a.kept for a in node.alternatives) for node in reached]
        every = sum(len(node.alternatives) for node in reached)
        return Held(len(reached), every, sum(map(bool, kept)), sum(kept))


def _reading(node: Or, *, fell: bool) -> Iterator[And]:
    """Yield whose local cost reads a node's number of rows: if it fell all, if it rose only the kept."""
    if fell:
        yield from node.alternatives
        yield from node.parents
    else:
        yield from (a for a in node.alternatives if a.kept)
        yield from node.users
