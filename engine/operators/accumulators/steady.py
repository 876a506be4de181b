"""The strongest place, that does not flap.

    steady  =  the place that last was stronger than every other heard by more than the margin

At a moment a place is as strong as its readings of the last five seconds are on average; one that is
heard alone is stronger than every other. The first five seconds decide nothing, since who was heard
before them is not known. Where no reading decides, it is the first by name of the
places whose mean strength lies within the margin of the greatest mean: so of two that are much alike it
is the same one throughout, whatever noise says. The walk goes backwards and ends at the reading that
decides, which mostly is among the last few.

The window is the memory: a decision that has left it is forgotten.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from engine.model.clock import SECOND
from engine.model.values import Value
from engine.operators.accumulators.walk import Walk
from engine.plan.meanings import in_order

HEARD = 5 * SECOND
MARGIN = 6.0


class Steady(Walk):
    """Hysteresis over the readings (time, place, strength, margin) of one group."""

    def reading(self, given: Any) -> Any:
        place, strength, at, *margin = given
        return (at, place, strength, *(margin or (MARGIN,)))

    def walked(self, readings: list[Any]) -> Value:
        margin = max(reading[3] for reading in readings)
        known = readings[0][0] + HEARD  # what was heard before a moment until then lies outside of the window
        for last in reversed(range(len(readings))):
            if readings[last][0] < known:
                break
            means = heard_until(readings, last)
            first, *others = sorted(means, key=means.__getitem__, reverse=True)
            if not others or means[first] - means[others[0]] > margin:
                return first
        means = mean_by_place(readings)
        alike = [place for place, mean in means.items() if max(means.values()) - mean <= margin]
        return min(alike, key=in_order)


def heard_until(readings: Sequence[Any], last: int) -> dict[Value, float]:
    """Return how strong each place is at the moment of a reading."""
    first = last
    while first and readings[last][0] - readings[first - 1][0] <= HEARD:
        first -= 1
    return mean_by_place(readings[first : last + 1])


def mean_by_place(readings: Sequence[Any]) -> dict[Value, float]:
    strengths: dict[Value, list[float]] = defaultdict(list)
    for _, place, strength, _ in readings:
        strengths[place].append(strength)
    return {place: sum(found) / len(found) for place, found in strengths.items()}
