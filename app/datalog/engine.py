"""A program over a session of its own, without Spark: facts in, rows and changes of relations out.

    load(facts), then of each transaction     Δ(relation) = rows after − rows before

Facts are sets, whatever a transaction says twice: only what it changes, seen from its end, goes on.
"""

from collections.abc import Callable, Iterable

from engine.model.catalog import Catalog
from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.model.relation import Relation, RelationKind
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.plan.expressions import compiled
from engine.plan.logical import Plan
from engine.plan.physical import StreamFragment, Windowed
from engine.session import Session
from federated.optimizer import FederatedOptimizer

PREFIX = "relation "
ROWS = 20_000_000
Change = tuple[str, int, Row]


class Engine:
    """Relations of facts, and views over them by name."""

    def __init__(self, inputs: Iterable[Relation], now: Callable[[], int]) -> None:
        self._relations = {relation.name: relation for relation in inputs}
        self._facts: dict[str, dict[Row, None]] = {name: {} for name in self._relations}
        self._past: list[Reading] = []
        self._now = now
        self._asked = 0
        catalog = Catalog(self._relations.values())
        self.session = Session(catalog, FederatedOptimizer(), self._history, Budget(rows=ROWS))

    def view(self, name: str, plan: Plan) -> None:
        """Keep a relation current from here on."""
        self.session.install(PREFIX + name, plan)

    def rows(self, name: str) -> list[Row]:
        return [row for row, _ in self.session.snapshot(PREFIX + name).rows]

    def rows_of(self, plan: Plan) -> list[Row]:
        """Return the rows of a plan once, without keeping them current."""
        self._asked += 1
        name = f"{PREFIX}{self._asked}"
        self.session.install(name, plan)
        return [row for row, _ in self.session.snapshot(name).rows]

    def facts(self, name: str) -> list[Row]:
        """Return the facts that were read of a relation."""
        return list(self._facts.get(name, ()))

    def apply(self, changes: Iterable[Change]) -> dict[str, list[tuple[Row, int]]]:
        """Apply a transaction; return the changes of each view that has some."""
        offset = self.session.stamp.offset + 1
        at = max(self._now(), self.session.stamp.at)
        readings = [
            Reading(name, sign, row, offset, number, at)
            for number, (name, sign, row) in enumerate(self._net(changes))
        ]
        self._past += [r for r in readings if self._is_stream(r.relation)]
        fragments = self.session.fragments()
        deltas = self.session.advance(offset, at, {f: selected(f, readings) for f in fragments})
        for view in self.session.views():
            if view.suspended is not None:
                message = f"{view.name.removeprefix(PREFIX)} cannot be kept: {view.suspended}"
                raise SourceError(message)
        return {delta.view.removeprefix(PREFIX): list(delta.changes) for delta in deltas}

    def _net(self, changes: Iterable[Change]) -> list[Change]:
        """Return what is another at the end than it was before."""
        last = {(name, row): sign for name, sign, row in changes}
        net = [(name, sign, row) for (name, row), sign in last.items() if self._differs(name, sign, row)]
        for name, sign, row in net:
            if sign < 0:
                del self._facts[name][row]
            elif not self._is_stream(name):
                self._facts[name][row] = None
        return net

    def _differs(self, name: str, sign: int, row: Row) -> bool:
        if self._is_stream(name):
            return sign > 0
        return (row in self._facts[name]) != (sign > 0)

    def _is_stream(self, name: str) -> bool:
        return self._relations[name].kind is RelationKind.STREAM

    def _history(self, leaf: Windowed, end: int, at: int) -> Iterable[Reading]:
        return selected(leaf.fragment, self._past)


def selected(fragment: StreamFragment, readings: Iterable[Reading]) -> list[Reading]:
    """Return what a fragment reads."""
    keeps = compiled(fragment.predicate) if fragment.predicate is not None else lambda _: True
    return [r for r in readings if r.relation == fragment.relation and keeps(r.row) is True]
