"""Which sockets do not keep up: too much waits for one, or something has been waiting all the time.

A count alone would let a browser that takes five messages a second be forty seconds behind, and look live.
"""

from engine.model.clock import SECOND, Clock

MAX_BACKLOG = 200
FEW = 8  # what may wait between two looks at a browser that is well
LATE = 2 * SECOND


class Patience:
    """Since when more than a few messages wait for each socket."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: dict[str, int] = {}

    def is_over(self, sid: str, waiting: int) -> bool:
        """Tell whether the socket, for which so many messages wait, has fallen behind."""
        if waiting <= FEW:
            self._since.pop(sid, None)
            return False
        now = self._clock.now()
        return waiting > MAX_BACKLOG or now - self._since.setdefault(sid, now) > LATE

    def forget(self, sid: str) -> None:
        self._since.pop(sid, None)
