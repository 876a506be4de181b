"""A partitioned plan as one operator of the dataflow.

    step(Δ of its leaves)  →  an epoch of all shares  →  Δ of its rows

What its shares hold may be lost with whoever holds them (``Lost``); then it is made anew of what its leaves
hold (``engine.views.dataflow``).
"""

from collections.abc import Callable
from contextlib import suppress

from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.partitions.carrying import Carrier, Course
from engine.partitions.cutting import cut
from engine.partitions.epoch import Epochs
from engine.partitions.lost import Lost
from engine.plan.explaining.shares import Shares
from engine.plan.physical import Partitioned

Carry = Callable[[], Carrier]


class PartitionedPlan:
    """The shares of a plan; ``carry`` says where they are."""

    def __init__(self, plan: Partitioned, budget: Budget, carry: Carry) -> None:
        self._epochs = Epochs(cut(plan.child), carry(), budget)
        self._kept: tuple[int, ...] = ()

    def shares(self) -> Shares:
        """Return what the shares hold, and what they sent each other; as last seen, of some that are lost."""
        with suppress(Lost):
            self._kept = tuple(rows for _, rows in sorted(self._epochs.entries().items()))
        traffic = self._epochs.traffic
        return Shares(self._kept, traffic.rounds, traffic.last_rounds, traffic.sent)

    def start(self) -> Delta[int]:
        return self._epochs.begin()

    def step(self, *changes: Delta[int]) -> Delta[int]:
        return self._epochs.advance(changes)

    def course(self, *changes: Delta[int]) -> Course:
        """Return the rounds of the same step, for other plans' to go along."""
        return self._epochs.course(changes)

    def entries(self) -> int:
        return sum(self.shares().kept)

    def end(self) -> None:
        """Let go of the shares."""
        self._epochs.end()
