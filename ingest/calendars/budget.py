"""A bound on the work that a rule may cause, counted in calls and so the same on every machine.

A rule may ask for every second since 1970, for a day that never comes, or go on without end at INTERVAL=0;
its reader goes through them one by one and cannot be told to stop. So its calls are counted by the
interpreter's profiling hook of the thread, from which an exception reaches the loop.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

EACH = 500_000  # daily since 1955, hourly for three years
ALL = 100_000_000


class TooMuchError(Exception):
    """A rule was given up."""


class Budget:
    """The calls that the events of one file may take; each event at most ``each`` of them."""

    def __init__(self, each: int = EACH, total: int = ALL) -> None:
        self._each, self._left = each, total

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Count what happens inside."""
        most = min(self._each, self._left)
        spent = 0

        def count(_frame: FrameType, _event: str, _argument: Any) -> None:
            nonlocal spent
            spent += 1
            if spent > most:
                raise TooMuchError

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            yield
        finally:
            sys.setprofile(before)
            self._left -= spent
