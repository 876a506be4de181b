"""Where time comes from. Nothing else reads a wall clock.

Time is an integer, microseconds since the epoch, UTC.
"""

import time
from typing import Protocol

SECOND = 1_000_000


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> int:
        return time.time_ns() // 1_000


class SpedClock:
    """Time that runs ``speed`` times as fast as the machine's from ``origin`` on."""

    def __init__(self, speed: float, origin: int) -> None:
        self._speed = speed
        self._origin = origin
        self._started = time.monotonic_ns()

    def now(self) -> int:
        return self._origin + int((time.monotonic_ns() - self._started) * self._speed) // 1_000


class ManualClock:
    """Time that stands until it is told to move."""

    def __init__(self, now: int = 0) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def advance(self, microseconds: int) -> None:
        self._now += microseconds
