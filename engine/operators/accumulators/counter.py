"""What a counter counted: an energy meter's kWh, a water meter's litres, packets.

    C(t)  =  the counter set right, joined by straight lines;   consumed  =  C(until) − C(since)

Set right, a counter never falls. One that reads less than before by

    less than a tenth    dipped: noise, or rounding. Nothing is counted until it is above its mark again.
    a tenth or more      began anew: what it shows is counted on top of what there was. Where the next step
                         up leads from under half of the old mark back to it, or past it, within the hour,
                         it never fell: what lay between were wrong readings, and what they counted is
                         taken back.
    almost all that it   (``wraps``, where declared) went round: what was missing to the end is counted too.
    can hold

Negative readings are left out, and so are those at or beyond ``wraps``. What a gap between two readings
consumed is spread evenly over it. Since C is one curve, what adjoining times consumed adds up to what
both did, over the same readings and up to the rounding of doubles; outside of the readings nothing is
known, and an interval that lies there altogether consumed NULL.
"""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from engine.model.clock import SECOND
from engine.model.values import Value
from engine.operators.accumulators.walk import Walk
from engine.plan.meanings import bounded

DIP, HALF, ROUND = 0.9, 0.5, 0.1
RETURNS_WITHIN = 3_600 * SECOND

Knot = tuple[int, float]


class Fallen(NamedTuple):
    """What there was before a counter fell."""

    at: int
    mark: float
    knots: int


class Counter:
    """The walk: ``mark`` is how high the counter stood since it began, ``knots`` the corners of C."""

    def __init__(self, at: int, value: float, wraps: float | None) -> None:
        self.knots: list[Knot] = [(at, 0.0)]
        self._mark = value
        self._wraps = wraps
        self._fallen: Fallen | None = None

    def take(self, at: int, value: float) -> None:
        """Go on to the next reading."""
        fallen = self._fallen
        if fallen is not None and (self._mark >= HALF * fallen.mark or at - fallen.at > RETURNS_WITHIN):
            fallen = self._fallen = None
        if fallen is not None and value >= DIP * fallen.mark:
            del self.knots[fallen.knots :]
            self._mark, self._fallen = fallen.mark, None
        total = self.knots[-1][1]
        if value < DIP * self._mark:
            self._fallen = self._fallen or Fallen(at, self._mark, len(self.knots))
            total += self._anew(value)
            self._mark = value
        else:
            total += max(value - self._mark, 0.0)
            self._mark = max(self._mark, value)
        self.knots.append((at, total))

    def _anew(self, value: float) -> float:
        if self._wraps is None:
            return value
        round_the_end = self._wraps - self._mark + value
        return round_the_end if round_the_end < ROUND * self._wraps else value


class Consumed(Walk):
    """The consumption between two moments, or from the first reading to the last."""

    def reading(self, given: Any) -> Any:
        value, at, *more = given
        wraps = more.pop() if len(more) % 2 else None
        if value < 0 or (wraps is not None and value >= wraps):
            return None
        return (at, value, wraps, *(more or (None, None)))

    def walked(self, readings: list[Any]) -> Value:
        knots = set_right(readings)
        since = min((each[3] for each in readings if each[3] is not None), default=knots[0][0])
        until = max((each[4] for each in readings if each[4] is not None), default=knots[-1][0])
        if until < knots[0][0] or since > knots[-1][0] or until < since:
            return None
        return bounded(height(knots, until) - height(knots, since))


def set_right(readings: Iterable[Any]) -> list[Knot]:
    """Return the corners of a counter that was set right."""
    (at, value, wraps, *_), *others = readings
    counter = Counter(at, value, wraps)
    for one, other in pairwise([(at, value, wraps), *others]):
        if one[:2] != other[:2]:
            counter.take(other[0], other[1])
    return counter.knots


def height(knots: list[Knot], at: int) -> float:
    """Return C at a moment; before the first corner and after the last it is flat."""
    after = bisect_right(knots, at, key=lambda knot: knot[0])
    if after == 0 or after == len(knots):
        return knots[max(after - 1, 0)][1]
    (begins, low), (ends, high) = knots[after - 1], knots[after]
    return low + (high - low) * ((at - begins) / (ends - begins))
