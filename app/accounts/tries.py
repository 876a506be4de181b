"""How often a password may be guessed: ten times in a quarter of an hour for a name, from anywhere.

    failed(name) × 10 within 15 minutes   →   is_held(name) until the oldest of them is over

Beside the limit by address, which a guesser with many addresses does not feel. Whoever knows the password and
is held by somebody else's tries can still get in by a link.
"""

from collections import OrderedDict, deque
from threading import Lock

from engine.model.clock import SECOND, Clock

MOST = 10
WITHIN_SECONDS = 15 * 60
NAMES = 10_000  # that are remembered; a guesser of names fills no memory


class Tries:
    """Failed tries by name; thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._lock = clock, Lock()
        self._failed: OrderedDict[str, deque[int]] = OrderedDict()

    def is_held(self, name: str) -> bool:
        with self._lock:
            return len(self._lately(name)) >= MOST

    def failed(self, name: str) -> None:
        with self._lock:
            tries = self._lately(name)
            tries.append(self._clock.now())
            self._failed[_key(name)] = tries
            self._failed.move_to_end(_key(name))
            while len(self._failed) > NAMES:
                self._failed.popitem(last=False)

    def passed(self, name: str) -> None:
        with self._lock:
            self._failed.pop(_key(name), None)

    def _lately(self, name: str) -> deque[int]:
        tries = self._failed.get(_key(name), deque())
        while tries and tries[0] <= self._clock.now() - WITHIN_SECONDS * SECOND:
            tries.popleft()
        return tries


def _key(name: str) -> str:
    return name.strip().casefold()[:100]
