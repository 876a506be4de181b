"""Shares of one process: the carrier of tests, and of plans looked at without Spark."""

import pickle
from collections.abc import Mapping, Sequence

from engine.operators.budget import Budget
from engine.partitions.carrying import Asking
from engine.partitions.hashing import Partition
from engine.partitions.orders import Order, Parcel
from engine.partitions.packing import packed
from engine.partitions.round import Held, Make, Round, together


class InPlace:
    """As many shares as are asked for, here; what goes from one to the other is packed as it is anywhere."""

    def __init__(self, partitions: int = 4) -> None:
        self.partitions = partitions
        self._shares: list[Held] = []
        self._under_way: dict[Partition, list[bytes]] = {}

    def begin(self, make: Make, budget: Budget) -> None:
        known: Make = pickle.loads(pickle.dumps(make))  # noqa: S301  # our own
        self._shares = [known(each, self.partitions, budget) for each in range(self.partitions)]
        self._under_way = {}

    def round(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Round:
        arriving, self._under_way = self._under_way, {}
        found = Round()
        for number, share in enumerate(self._shares):
            given = [packed(each).content for each in parcels.get(number, ())]
            out, told = share.carry_out(order, [*given, *arriving.get(number, ())])
            for receiver, each in out:
                self._under_way.setdefault(receiver, []).append(each.content)
            found = together(found, told)
        return found

    def rounds(self, asked: Sequence[Asking]) -> list[Round | Exception]:
        return [each.outcome() for each in asked]

    def end(self) -> None:
        self._shares = []
