"""Why a row of a view is there, from the plan that runs.

    the plan backwards (``lineage``)  →  a witness, at once
                                      →  exact provenance over base rows, within an effort

Where what is asked is a closure over edges that are base rows, each by itself, its provenance is
factored over the blocks of the graph (``ways``), and so is a bottleneck's, which may go through rows
that are not best themselves; anywhere else the ground rules below the row are collected and solved
(``goal``). An aggregate stands on all rows of its group, and a row of an
anti-join on its left row: what must not be there is said apart.
"""

from collections.abc import Callable
from itertools import islice

from engine.model.values import Row
from engine.operators.operator import Recursion
from engine.plan.physical import BestPaths, Closure
from engine.views.lineage import BaseRow, Fact, Lineage, base_row
from engine.views.nodes import InnerNode, LeafNode, Node
from engine.views.why.effort import Effort
from engine.views.why.factor import SetFactor
from engine.views.why.goal import GROUND_PART, solved
from engine.views.why.ground import collect
from engine.views.why.linear import best_ways, closure_ways, decides_bound
from engine.views.why.missing import Absence, Absent, Missing
from engine.views.why.necessary import GOAL, derivable
from engine.views.why.provenance import Provenance
from engine.views.why.ways import Ways

ABSENT_PART = 0.25


class SeveralAtOnce(Exception):
    """An edge takes more than one base row."""


class Explainer:
    """Explains rows as of one tick."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._ways: dict[Node, Ways[BaseRow] | None] = {}

    def witness(self, fact: Fact) -> tuple[BaseRow, ...]:
        """Return base rows that suffice for a fact."""
        return self._lineage.witness(fact)

    def absent(self, fact: Fact, effort: Effort) -> tuple[Absent, ...]:
        """Return what the witness's negations ask not to be there, each with why it is not."""
        unmet = dict.fromkeys(
            u for each in self._lineage.derivation(fact) for u in self._lineage.absent(each)
        )
        with effort.part(ABSENT_PART) as share:
            absence = Absence(self._lineage, share)
            return tuple([absence.absent(each) for each in unmet])

    def provenance(self, fact: Fact, effort: Effort) -> Provenance[BaseRow]:
        """Return what a fact stands on, as far as the effort goes."""
        node, row = self._transparent(fact)
        if isinstance(node, InnerNode):
            match node.plan:
                case Closure(width=width, order=order):
                    wanted = in_order(row, order)
                    ways = self._closure_ways(node, width)
                    found = ways and ways.why(wanted[:width], wanted[width:], effort)
                    return found or self._solved(fact, effort)
                case BestPaths(combine=combine) if combine != "+":
                    return self._bounded(node, node.plan, row, effort) or self._cut_short(fact)
        return self._solved(fact, effort)

    def missing(self, fact: Fact, effort: Effort) -> Missing:
        """Say why a row is not among those of a node."""
        return Absence(self._lineage, effort).missing(fact.node, dict(enumerate(fact.row)))

    def _cut_short(self, fact: Fact) -> Provenance[BaseRow]:
        return Provenance((SetFactor([frozenset(self.witness(fact))], is_complete=False),))

    # Ways through base rows

    def _transparent(self, fact: Fact) -> Fact:
        """Go down while there is one way to go."""
        while isinstance(fact.node, InnerNode) and not isinstance(fact.node.operator, Recursion):
            bodies = list(islice(self._lineage.bodies(fact), 2))
            if len(bodies) != 1 or len(bodies[0]) != 1 or self._lineage.absent(fact):
                break
            ((fact,),) = bodies
        return fact

    def _closure_ways(self, node: InnerNode, width: int) -> Ways[BaseRow] | None:
        if node not in self._ways:
            edges, seeds = map(self._lineage.rows, node.inputs)
            self._ways[node] = self._usable(lambda: closure_ways(width, edges, seeds, self._made_by(node)))
        return self._ways[node]

    def _bounded(
        self, node: InnerNode, plan: BestPaths, row: Row, effort: Effort
    ) -> Provenance[BaseRow] | None:
        """Explain a least greatest cost, or a greatest least: its ways need not be best on the way."""
        edges, seeds = map(self._lineage.rows, node.inputs)
        wanted, width = in_order(row, plan.order), plan.width
        x, y = wanted[:width], wanted[width:-1]
        decides = decides_bound(width, y, plan.best, wanted[-1])
        ways = self._usable(lambda: best_ways(width, edges, seeds, decides, self._made_by(node)))
        return ways.why(x, y, effort) if ways is not None else None

    def _usable(self, make: Callable[[], Ways[BaseRow]]) -> Ways[BaseRow] | None:
        """Return ways whose edges are base rows, each by itself; None where they are more than that."""
        try:
            ways = make()
        except SeveralAtOnce:
            return None
        return ways if ways.is_apart else None

    def _made_by(self, node: InnerNode) -> Callable[[int, Row], tuple[BaseRow, ...]]:
        return lambda number, row: self._alternatives(Fact(node.inputs[number], row))

    def _alternatives(self, fact: Fact) -> tuple[BaseRow, ...]:
        """Return the base rows of which one is enough."""
        found: dict[BaseRow, None] = {}
        unseen = [fact]
        while unseen:
            each = unseen.pop()
            if isinstance(each.node, LeafNode):
                found[base_row(each)] = None
                continue
            if isinstance(each.node.operator, Recursion) or self._lineage.absent(each):
                raise SeveralAtOnce
            bodies = list(self._lineage.bodies(each))
            if any(len(body) != 1 for body in bodies):
                raise SeveralAtOnce
            unseen += [body[0] for body in bodies]
        return tuple(found)

    # Anything else

    def _solved(self, fact: Fact, effort: Effort) -> Provenance[BaseRow]:
        with effort.part(GROUND_PART) as share:
            rules = collect(fact, self._lineage.bodies, maybe_base_row, share)
        return solved(rules, effort) if GOAL in derivable(rules) else self._cut_short(fact)


def maybe_base_row(fact: Fact) -> BaseRow | None:
    return base_row(fact) if isinstance(fact.node, LeafNode) else None


def in_order(row: Row, order: tuple[int, ...]) -> Row:
    """Return a row put out as x and ȳ."""
    return tuple([row[order.index(i)] for i in range(len(order))])
