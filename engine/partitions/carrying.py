"""Rounds, and who makes them: in turn for one plan, or for several abreast, since a round is a job for all.

carrier  has shares carry out an order, and brings their parcels to each other in the round after
course   asks for a round  →  is told what it led to  →  asks for the next  …  →  what came of all
abreast  all that wait ask in one job, until none waits
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from engine.operators.budget import Budget
from engine.partitions.hashing import Partition
from engine.partitions.orders import Order, Parcel, Rows
from engine.partitions.round import Make, Round


class Carrier(Protocol):
    """Has shares carry out orders, and brings their parcels to each other in the round after."""

    partitions: int

    def begin(self, make: Make, budget: Budget) -> None: ...
    def round(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Round: ...
    def rounds(self, asked: "Sequence[Asking]") -> list[Round | Exception]: ...
    def end(self) -> None: ...


class Asking(NamedTuple):
    """A round that a carrier is to make; several of a kind make theirs together (``rounds``)."""

    carrier: Carrier
    order: Order
    parcels: Mapping[Partition, Sequence[Parcel]]

    def outcome(self) -> Round | Exception:
        """Make it alone."""
        try:
            return self.carrier.round(self.order, self.parcels)
        except Exception as error:
            return error


Course = Generator[Asking, Round, Rows]
Key = TypeVar("Key")


def alone(course: Course) -> Rows:
    """Make the rounds of one course."""
    found: Any = None
    try:
        while True:
            asking = course.send(found)
            found = asking.carrier.round(asking.order, asking.parcels)
    except StopIteration as end:
        rows: Rows = end.value
        return rows


def abreast(courses: Mapping[Key, Course]) -> dict[Key, Rows | Exception]:
    """Make the rounds of several; return what came of each, or what it failed with."""
    ended: dict[Key, Rows | Exception] = {}
    waiting: dict[Key, Asking] = {}

    def go_on(key: Key, found: Any) -> None:
        try:
            waiting[key] = courses[key].send(found)
        except StopIteration as end:
            ended[key] = end.value
        except Exception as error:
            ended[key] = error

    for key in courses:
        go_on(key, None)
    while waiting:
        asked, waiting = waiting, {}
        outcomes = next(iter(asked.values())).carrier.rounds(list(asked.values()))
        for key, outcome in zip(asked, outcomes, strict=True):
            if isinstance(outcome, Exception):
                ended[key] = outcome
            else:
                go_on(key, outcome)
    return ended
