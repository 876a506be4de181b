"""How often somebody may ask for what is dear: so many a minute of each kind.

asked within the last minute  <  most of the kind   →   0        else   →   seconds to wait
"""

from collections import deque
from math import ceil
from threading import Lock
from typing import NamedTuple

from engine.model.clock import SECOND, Clock

MINUTE = 60 * SECOND
REMEMBERED = 10_000  # paces; those of whom nothing was heard for longest go first


class Paces(NamedTuple):
    """How many of each kind one account may ask in a minute, and how many queries it may follow at once."""

    queries: int = 60
    questions: int = 120
    checks: int = 300
    past: int = 240
    imports: int = 6
    at_once: int = 8


class Pace:
    """When each kind was asked for, and by whom; thread-safe."""

    def __init__(self, paces: Paces, clock: Clock) -> None:
        self._most = paces._asdict()
        self._clock, self._lock = clock, Lock()
        self._asked: dict[tuple[str, str], deque[int]] = {}

    def most(self, kind: str) -> int:
        return int(self._most[kind])

    def wait(self, who: str, kind: str) -> int:
        """Count what is asked; return the seconds until it may be asked again, 0 where it may be now."""
        now = self._clock.now()
        with self._lock:
            asked = self._asked.pop((who, kind), deque())
            while asked and asked[0] <= now - MINUTE:
                asked.popleft()
            self._asked[who, kind] = asked
            if len(self._asked) > REMEMBERED:
                del self._asked[next(iter(self._asked))]
            if len(asked) < self.most(kind):
                asked.append(now)
                return 0
            return ceil((asked[0] + MINUTE - now) / SECOND) if asked else MINUTE // SECOND
