"""How far what is received is ahead of what is logged and what is shown.

    level 0     everything goes to the log
    level 1     from BEHIND[1] entries on that views are behind the log, or QUEUED[1] that wait to be logged
    level 2     from BEHIND[2] or QUEUED[2]
    back        below EASED of it

Whoever computes views says how far they are in a file; where it says nothing new for AWAY seconds nobody
computes, and the log takes everything: receiving outlives the engine.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

FILE = "views.json"
BEHIND = (0, 10_000, 40_000)
QUEUED = (0, 5_000, 8_000)
EASED = 0.1
LOOK_PERIOD = 0.1
AWAY = 10.0


class Progress:
    """How far views are, as their file says."""

    def __init__(self, file: Path, passing: Callable[[], float] = time.monotonic) -> None:
        self._file, self._passing = file, passing
        self._looked = self._moved = passing() - AWAY
        self._offset = self._read()  # what an engine of an earlier life said is no sign of life

    def behind(self, end: int) -> int:
        """Return how many entries views are behind the log's end; none where nobody computes them."""
        now = self._passing()
        if now - self._looked >= LOOK_PERIOD:
            self._looked = now
            found = self._read()
            if found is not None and found != self._offset:
                self._offset, self._moved = found, now
        return max(0, end - (self._offset or 0)) if now - self._moved < AWAY else 0

    def _read(self) -> int | None:
        try:
            return int(json.loads(self._file.read_text("utf-8"))["offset"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


class Pressure:
    """The level, which rises at once and falls when most is caught up."""

    def __init__(self, behind: Callable[[], int], queued: Callable[[], int]) -> None:
        self._behind, self._queued = behind, queued
        self.level = 0

    def look(self) -> int:
        """Return the level now."""
        behind, queued = self._behind(), self._queued()
        risen = sum(behind >= b or queued >= q for b, q in zip(BEHIND[1:], QUEUED[1:], strict=True))
        is_eased = behind <= BEHIND[self.level] * EASED and queued <= QUEUED[self.level] * EASED
        if risen >= self.level or is_eased:
            self.level = risen
        return self.level
