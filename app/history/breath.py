"""Long work of one thread that is in no haste: it works, then rests as long, until it is done.

    work 10 ms, rest 10 ms, work …

Whoever owes somebody an answer goes on meanwhile.
"""

import time
from collections.abc import Callable

WORK_SECONDS = 0.01


class Breath:
    """Called wherever the work may rest; ``pause`` rests for so many seconds."""

    def __init__(self, pause: Callable[[float], object]) -> None:
        self._pause = pause
        self._since = time.monotonic()

    def __call__(self) -> None:
        worked = time.monotonic() - self._since
        if worked >= WORK_SECONDS:
            self._pause(worked)
            self._since = time.monotonic()


def breathless() -> None:
    """Go on without a rest."""
