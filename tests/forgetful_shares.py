"""Shares that are lost now and then, as with an executor that goes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from engine.partitions.hashing import Partition
from engine.partitions.in_place import InPlace
from engine.partitions.lost import Lost
from engine.partitions.orders import Order, Parcel
from engine.partitions.round import Round


class Forgetful(InPlace):
    """Loses its shares in one round of so many, of those that are ``made`` together; never with 0."""

    def __init__(self, partitions: int = 3, each: int = 0, made: Iterator[int] | None = None) -> None:
        super().__init__(partitions)
        self.each, self._made = each, made or count(1)

    def round(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Round:
        if self.each and not next(self._made) % self.each:
            message = "an executor is gone"
            raise Lost(message)
        return super().round(order, parcels)
