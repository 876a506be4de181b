"""A tick of a partitioned plan: rounds, until none ships anything.

    rows of the leaves  →  run stage s  →  settle, settle, …  →  close s  →  the next stage with mail  →  Δ

A round is one order to every share, and brings each what was sent to it in the round before (``carrying``).
The change of the plan's rows is put out when the last round is over, so half of a tick is never seen.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.delta import merge
from engine.partitions.carrying import Asking, Carrier, Course, alone
from engine.partitions.cutting import Cut
from engine.partitions.hashing import Partition
from engine.partitions.orders import Begin, Close, Count, Order, Parcel, Rows, Run, Settle
from engine.partitions.roads import fed
from engine.partitions.round import PlanShare, Round
from engine.plan.explaining.shares import Sent, added
from engine.provenance.counting import COUNTING

MOST_ROUNDS = 1_000
"""So many take half a minute beside Spark, in which no tick closes."""


@dataclass
class Traffic:
    """What was sent so far, by kind, and in how many rounds."""

    rounds: int = 0
    last_rounds: int = 0
    sent: Mapping[str, Sent] = field(default_factory=dict)


class Epochs:
    """A cut plan, tick after tick."""

    def __init__(self, cut: Cut, carrier: Carrier, budget: Budget) -> None:
        self.cut, self._carrier, self._budget = cut, carrier, budget
        self.traffic = Traffic()

    def begin(self) -> Rows:
        """Have fresh shares; return what is there before anything came."""
        self._carrier.begin(partial(PlanShare, self.cut), self._budget)
        return alone(self._run(Begin(), {}))

    def advance(self, changes: Sequence[Rows]) -> Rows:
        """Take changes of the leaves; return the change of the plan's rows."""
        return alone(self.course(changes))

    def course(self, changes: Sequence[Rows]) -> Course:
        """Yield the rounds of the same, one after the other."""
        parcels = fed(self.cut, self._carrier.partitions, dict(enumerate(changes)))
        if not parcels:
            return {}
        fed_parts = [
            edge.to for feed, rows in zip(self.cut.feeds, changes, strict=True) if rows for edge in feed
        ]
        first = min(self.cut.parts[part].stage for part in fed_parts)
        return (yield from self._run(Run(first), parcels))

    def entries(self) -> Mapping[Partition, int]:
        """Return how much each share holds."""
        return self._carrier.round(Count(), {}).entries

    def end(self) -> None:
        """Let go of the shares."""
        self._carrier.end()

    def _run(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Course:
        output: Rows = {}
        self.traffic.last_rounds = 0
        while True:
            found = yield from self._round(order, parcels, output)
            parcels = {}
            if isinstance(order, Run) and found.unsettled:
                settled = 0
                while found.told:
                    settled += 1
                    self._check(settled)
                    found = yield from self._round(Settle(), parcels, output)
                order = Close(order.stage)
            elif found.waiting:
                order = Run(min(found.waiting))
            else:
                return output

    def _round(
        self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]], output: Rows
    ) -> Generator[Asking, Round, Round]:
        found = yield Asking(self._carrier, order, parcels)
        merge(output, found.rows, COUNTING)
        traffic = self.traffic
        traffic.rounds += 1
        traffic.last_rounds += 1
        traffic.sent = added(traffic.sent, found.sent)
        return found

    def _check(self, settled: int) -> None:
        self._budget.meter.look()
        if settled > min(self._budget.rounds, MOST_ROUNDS):
            message = (
                f"a recursion does not settle: after {settled - 1:,} rounds between partitions it still "
                "derives; bound what its rules count up, or take a shorter window"
            )
            raise BudgetExceeded(message)
