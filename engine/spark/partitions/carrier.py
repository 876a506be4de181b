"""Rounds as jobs of Spark: every partition's task carries its order to the share, and back what came of it.

    little is sent    one stage: what arrives goes with the task, what is sent comes back with its answer
    much              two: what shares keep of the last round is shuffled to whom it is for, then as above

A job that is tried again finds the answers of the first try; a share that is not where its task runs, or not
as far, is lost, and with it all of the plan (``Lost``): they are made anew from what the leaves hold.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, cast

import structlog
from pyspark.sql import SparkSession

from engine.model.errors import InternalError
from engine.operators.budget import Budget, BudgetExceeded
from engine.partitions.carrying import Asking
from engine.partitions.hashing import Partition
from engine.partitions.lost import Lost
from engine.partitions.orders import Order, Parcel
from engine.partitions.packing import packed
from engine.partitions.round import Make, Round, together
from engine.spark.partitions.asking import ask
from engine.spark.partitions.places import Places, places_of
from engine.spark.partitions.shelf import (
    LITTLE,
    Answer,
    Bounds,
    Drop,
    Failed,
    Hold,
    Missing,
    Place,
    Send,
    Several,
    Take,
)
from engine.spark.trouble import in_one_line

log = structlog.get_logger(__name__)
Arriving = dict[Partition, list[bytes]]
LOST = "an executor does not have what it held"


class SparkCarrier:
    """The shares of one plan, in the executors of whichever session there is."""

    def __init__(self, session: Callable[[], SparkSession], partitions: int) -> None:
        self.partitions = partitions
        self._session = session
        self._name = uuid.uuid4().hex
        self._lives = count(1)
        self._plan = ""
        self._number = 0
        self._places: Places | None = None
        self._little: Arriving = {}
        self._keep = False

    def begin(self, make: Make, budget: Budget) -> None:
        """Have fresh shares, whatever became of those before."""
        self._plan, self._number = f"{self._name}/{next(self._lives)}", 0
        self._little, self._keep = {}, False
        place_of = _places(self._plan, self.partitions)
        bounds = Bounds(budget.rows, budget.rounds, budget.bytes)

        def hold(number: Partition, _: Iterable[bytes]) -> Iterator[None]:
            ask(number, Hold(place_of(number), make, bounds))
            yield None

        try:
            self._places = places_of(self._session().sparkContext, self.partitions)
            self._places.run(hold)
        except Exception as error:
            raise Lost(in_one_line(error)) from error

    def round(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Round:
        arriving = self._arriving(parcels)
        try:
            answers = self._answers(order, arriving)
        except Exception as error:
            raise Lost(in_one_line(error)) from error
        return self._together(answers)

    def rounds(self, asked: Sequence[Asking]) -> list[Round | Exception]:
        """Make rounds of several like this one, those of whom little is sent in one job."""
        places, carriers = self._places, [cast(SparkCarrier, each.carrier) for each in asked]
        given = [carrier._arriving(each.parcels) for carrier, each in zip(carriers, asked, strict=True)]
        joined = {
            number: carrier._take(asked[number].order, arriving)
            for number, (carrier, arriving) in enumerate(zip(carriers, given, strict=True))
            if places is not None and carrier._places is places and carrier._is_little(arriving)
        }

        def take(partition: Partition, _: Iterable[bytes]) -> Iterator[Any]:
            yield ask(partition, Several([each(partition, ()) for each in joined.values()]))

        found: dict[int, Round | Exception]
        try:
            by_partition = places.run(take) if joined and places is not None else []
            found = {
                number: carriers[number]._outcome([answers.each[place] for answers in by_partition])
                for place, number in enumerate(joined)
            }
        except Exception as error:
            found = dict.fromkeys(joined, Lost(in_one_line(error)))
        return [found[n] if n in found else each.outcome() for n, each in enumerate(asked)]

    def _outcome(self, answers: list[Any]) -> Round | Exception:
        try:
            return self._together(answers)
        except Exception as error:
            return error

    def end(self) -> None:
        """Let go of the shares."""
        plan = self._name

        def drop(number: Partition, _: Iterable[bytes]) -> Iterator[None]:
            ask(number, Drop(plan))
            yield None

        try:
            if self._places is not None:
                self._places.run(drop)
        except Exception as error:
            log.debug("shares were gone before they were dropped", reason=in_one_line(error))
        self._places = None

    def _arriving(self, parcels: Mapping[Partition, Sequence[Parcel]]) -> Arriving:
        """Return what is to arrive at each share: what was sent in the round before, and these."""
        arriving: Arriving = {number: list(contents) for number, contents in self._little.items()}
        for receiver, several in parcels.items():
            arriving.setdefault(receiver, []).extend(packed(parcel).content for parcel in several)
        return arriving

    def _is_little(self, arriving: Arriving) -> bool:
        size = sum(len(content) for contents in arriving.values() for content in contents)
        return not self._keep and size <= LITTLE * self.partitions

    def _take(self, order: Order, given: Arriving) -> Callable[[Partition, Iterable[bytes]], Take]:
        """Begin the next round; return what each share is asked in it."""
        self._number += 1
        place_of, number = _places(self._plan, self.partitions), self._number

        def take(partition: Partition, moved: Iterable[bytes]) -> Take:
            return Take(place_of(partition), number, order, [*given.get(partition, ()), *moved])

        return take

    def _answers(self, order: Order, arriving: Arriving) -> list[Any]:
        """Run a round; what is much, or what shares keep, is shuffled."""
        assert self._places is not None
        before, place_of = self._number, _places(self._plan, self.partitions)
        is_little = self._is_little(arriving)
        asks, loose = self._take(order, arriving if is_little else {}), {} if is_little else arriving

        def take(partition: Partition, moved: Iterable[bytes]) -> Iterator[Any]:
            yield ask(partition, asks(partition, moved))

        def sends(partition: Partition) -> Iterator[tuple[Partition, bytes]]:
            found = ask(partition, Send(place_of(partition), before)) if before else []
            if not isinstance(found, list):  # half of what was sent would be half of a tick
                raise LookupError(LOST)
            yield from found
            yield from ((partition, content) for content in loose.get(partition, ()))

        return self._places.run(take) if is_little else self._places.run_shuffled(sends, take)

    def _together(self, answers: list[Any]) -> Round:
        """Take in what shares answered; raise where one is missing or cannot go on."""
        found = Round()
        self._little, self._keep = {}, False
        for answer in answers:
            match answer:
                case Answer(told, sending, keeps):
                    found = together(found, told)
                    self._keep = self._keep or keeps
                    for receiver, content in sending:
                        self._little.setdefault(receiver, []).append(content)
                case Failed(reason, is_ours):
                    raise InternalError(reason) if is_ours else BudgetExceeded(reason)
                case Missing() | _:
                    raise Lost(LOST)
        return found


def _places(plan: str, partitions: int) -> Callable[[Partition], Place]:
    return lambda partition: Place(plan, partition, partitions)
