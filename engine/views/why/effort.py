"""How much may be spent on one explanation.

    steps   what was expanded, joined or combined          seconds   by a monotonic clock

An explanation can be exponentially larger than its row, so whoever builds one pays for each step
and is stopped, by an exception, once the steps or the seconds are used up. What was found by then
is given as far as it goes, and is said to be truncated. The clock is read once in so many steps.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

BETWEEN_LOOKS = 256


class Exhausted(Exception):
    """The effort allowed is used up."""


class Effort:
    """Seconds and steps that are left."""

    def __init__(self, seconds: float, steps: int, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._deadline = monotonic() + seconds
        self._steps = steps
        self._until_look = 0

    def spend(self, steps: int = 1) -> None:
        """Pay for steps."""
        self._steps -= steps
        self._until_look -= steps
        if self._until_look <= 0:
            self._until_look = BETWEEN_LOOKS
            if self._monotonic() > self._deadline:
                raise Exhausted
        if self._steps < 0:
            raise Exhausted

    @contextmanager
    def part(self, fraction: float) -> Iterator["Effort"]:
        """Set a part of what is left aside for one piece of work; what that leaves comes back."""
        steps = int(fraction * self._steps)
        seconds = fraction * max(0.0, self._deadline - self._monotonic())
        set_aside = Effort(seconds, steps, self._monotonic)
        self._steps -= steps
        try:
            yield set_aside
        finally:
            self._steps += max(0, set_aside._steps)
