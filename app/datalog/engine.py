"""A program over a session of its own, without Spark: facts in, rows and changes of relations out.

    load(facts), then of each transaction     Δ(relation) = rows after − rows before

Facts are sets, whatever a transaction says twice: only what it changes, seen from its end, goes on. The
facts are tables, which stay until they are taken back, so time is the number of the transaction.
"""

import sys
from collections.abc import Iterable

from engine.model.catalog import Catalog
from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.model.relation import Relation
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.plan.expressions import compiled
from engine.plan.leaves import StreamFragment
from engine.plan.logical import Plan
from engine.session import Session
from federated.optimizer import FederatedOptimizer

PREFIX = "relation "
ROWS = 20_000_000
ROUNDS = 100_000
Change = tuple[str, int, Row]


class Engine:
    """Relations of facts, and views over them by name."""

    def __init__(self, inputs: Iterable[Relation], rounds: int) -> None:
        relations = tuple(inputs)
        self._facts: dict[str, dict[Row, None]] = {relation.name: {} for relation in relations}
        self._asked = 0
        self.session = Session(
            Catalog(relations), FederatedOptimizer(), budget=Budget(ROWS, rounds, sys.maxsize)
        )

    def view(self, name: str, plan: Plan) -> None:
        """Keep a relation current from here on."""
        self.session.install(PREFIX + name, plan)

    def rows(self, name: str) -> list[Row]:
        return [row for row, _ in self.session.snapshot(PREFIX + name).rows]

    def rows_of(self, plan: Plan) -> list[Row]:
        """Return the rows of a plan that is asked once."""
        self._asked += 1
        name = str(self._asked)
        self.view(name, plan)
        return self.rows(name)

    def facts(self, name: str) -> list[Row]:
        """Return the facts that were read of a relation."""
        return list(self._facts.get(name, ()))

    def apply(self, changes: Iterable[Change]) -> dict[str, list[tuple[Row, int]]]:
        """Apply a transaction; return the changes of each view that has some."""
        offset = self.session.stamp.offset + 1
        readings = [
            Reading(name, sign, row, offset, number, offset)
            for number, (name, sign, row) in enumerate(self._net(changes))
        ]
        fragments = self.session.fragments()
        deltas = self.session.advance(offset, offset, {f: selected(f, readings) for f in fragments})
        for view in self.session.views():
            if view.suspended is not None:
                message = f"{view.name.removeprefix(PREFIX)} cannot be kept: {view.suspended}"
                raise SourceError(message)
        return {delta.view.removeprefix(PREFIX): list(delta.changes) for delta in deltas}

    def _net(self, changes: Iterable[Change]) -> list[Change]:
        """Take in what is another at the end than it was before."""
        last = {(name, row): sign for name, sign, row in changes}
        net = [
            (name, sign, row)
            for (name, row), sign in last.items()
            if (row in self._facts[name]) != (sign > 0)
        ]
        for name, sign, row in net:
            if sign > 0:
                self._facts[name][row] = None
            else:
                del self._facts[name][row]
        return net


def selected(fragment: StreamFragment, readings: Iterable[Reading]) -> list[Reading]:
    """Return what a fragment reads."""
    keeps = compiled(fragment.predicate) if fragment.predicate is not None else lambda _: True
    return [r for r in readings if r.relation == fragment.relation and keeps(r.row) is True]
