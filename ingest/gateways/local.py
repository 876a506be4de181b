"""A plan over what a gateway has itself, by the engine's own operators.

start:  windows are filled with what was kept, operators start from these      →  the whole answer
step:   what came since, and the time                                          →  Δ
"""

import time
from collections.abc import Callable, Mapping, Sequence

from engine.build import build
from engine.model.reading import Reading
from engine.model.values import Row, Value
from engine.operators.budget import Budget, BudgetExceeded, Meter
from engine.operators.delta import Delta
from engine.plan.expressions import compiled
from engine.plan.leaves import StreamFragment
from engine.plan.physical import Physical
from engine.views.dataflow import Dataflow
from ingest.gateways.devices import Readings

ROWS, BYTES, SECONDS = 100_000, 100_000_000, 0.5

Rows = Delta[int]
Predicate = Callable[[Row], Value]


def budget_of_a_fragment() -> Budget:
    """Return what one fragment may use: a gateway is a small machine with other fragments to run."""
    return Budget(ROWS, bytes=BYTES, seconds=SECONDS, meter=Meter(time.thread_time))


class Local:
    """One plan, and its state."""

    def __init__(self, plan: Physical) -> None:
        self._budget = budget_of_a_fragment()
        self._dataflow = Dataflow(self._budget)
        self._root, _ = build(plan, self._dataflow, self._budget)
        self._predicates = {each: _predicate_of(each) for each in self._dataflow.fragments()}

    def start(self, recent: Callable[[str], Sequence[Reading]], now: int) -> Rows:
        """Return the answer over what was kept."""
        for node in self._dataflow.leaves():
            fragment = node.plan.fragment
            node.leaf.advance(self._chosen(fragment, recent(fragment.relation)), now)
        return self._dataflow.fill(self._root, self._budget.of_start)

    def step(self, readings: Readings, now: int) -> Rows:
        """Return what changes; raise BudgetExceeded with the reason why it cannot go on."""
        fed = {each: self._chosen(each, readings.get(each.relation, ())) for each in self._predicates}
        changes, failed = self._dataflow.advance(fed, now)
        if self._root in failed:
            raise BudgetExceeded(failed[self._root])
        return changes.get(self._root, {})

    def contents(self) -> Rows:
        """Return the whole answer."""
        return self._dataflow.contents(self._root, {})

    def _chosen(self, fragment: StreamFragment, readings: Sequence[Reading]) -> Sequence[Reading]:
        predicate = self._predicates[fragment]
        if predicate is None:
            return readings
        return [reading for reading in readings if predicate(reading.row) is True]


def _predicate_of(fragment: StreamFragment) -> Predicate | None:
    return None if fragment.predicate is None else compiled(fragment.predicate)


def signed(change: Mapping[Row, int]) -> list[tuple[int, Row]]:
    """Return a change as rows that come or go, those that go first."""
    pairs = [(1 if count > 0 else -1, row) for row, count in change.items() for _ in range(abs(count))]
    return sorted(pairs, key=lambda pair: pair[0])
