"""Where time comes from. Nothing else reads a wall clock.

Time is an integer, microseconds since the epoch, UTC.
"""

import threading
import time
from collections.abc import Callable
from typing import Protocol

SECOND = 1_000_000


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> int:
        return time.time_ns() // 1_000


class SteadyClock:
    """The machine's time, but for its jumps back: it goes on nine tenths as fast until that is caught up.

        now = max(machine's time, now before + 9/10 of what passed since)

    Someone who sets the machine's clock back so neither stops time for what is computed by it, nor repeats
    it. A jump ahead is followed at once: after a sleep of the machine it is what happened.
    """

    def __init__(
        self,
        origin: int = 0,
        machine: Callable[[], int] = time.time_ns,
        passing: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._now, self._machine, self._passing = origin * 1_000, machine, passing
        self._passed = passing()
        self._lock = threading.Lock()

    def now(self) -> int:
        with self._lock:
            before, self._passed = self._passed, self._passing()
            self._now = max(self._machine(), self._now + (self._passed - before) * 9 // 10)
            return self._now // 1_000


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
