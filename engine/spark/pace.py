"""How fast ticks follow one another: at most one per interval, and the interval may change at any time."""

import threading
import time
from collections.abc import Callable


class Pace:
    """Holds ticks back; ``interval`` says in seconds how far apart their starts should be."""

    def __init__(self, interval: Callable[[], float]) -> None:
        self._interval = interval
        self._changed = threading.Condition()
        self._is_released = False
        self._started = time.monotonic()

    def hold(self, is_behind: bool = False) -> None:
        """Return when the next tick may start: at once for one that is behind."""
        with self._changed:
            while not (is_behind or self._is_released) and (left := self._left()) > 0:
                self._changed.wait(left)
            self._started = time.monotonic()

    def hurry(self) -> None:
        """Look at the interval again at once."""
        with self._changed:
            self._changed.notify_all()

    def release(self) -> None:
        """Hold nothing back any more."""
        with self._changed:
            self._is_released = True
            self._changed.notify_all()

    def _left(self) -> float:
        return self._started + self._interval() - time.monotonic()
