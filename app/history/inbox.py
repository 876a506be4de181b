"""What waits to be recorded, in the order in which it happened.

    engine thread ─ Begun Delta … Stamp Delta … Stamp ─→ recorder

Putting never blocks. Where more rows wait than a bound, a view loses its changes from then on until it is
begun again from a snapshot: the recorder then writes what is different, and that there was a gap.
"""

from collections import deque
from threading import Condition
from typing import NamedTuple

from app.facade import Delta, Snapshot, Stamp
from app.history.recorded import Mark

MAX_ROWS_WAITING = 200_000


class Begun(NamedTuple):
    """A view as of a tick, from which its deltas go on; ``is_whole`` unless ticks before it were missed."""

    mark: Mark
    snapshot: Snapshot
    stamp: Stamp
    is_whole: bool = True


class Lost(NamedTuple):
    """A view that goes on without being recorded."""

    view: str


class Ended(NamedTuple):
    """A view that is dropped, or no longer marked."""

    view: str


Item = Begun | Delta | Lost | Ended | Stamp


class RecorderInbox:
    """Filled on the engine thread, emptied by the recorder."""

    def __init__(self, max_rows: int = MAX_ROWS_WAITING) -> None:
        self._max_rows = max_rows
        self._items: deque[Item] = deque()
        self._rows = 0
        self._lost: set[str] = set()
        self._waiting = Condition()
        self.dropped = 0

    def put(self, item: Item) -> None:
        with self._waiting:
            if isinstance(item, Delta):
                self._put_delta(item)
            else:
                if isinstance(item, Begun):
                    self._lost.discard(item.mark.name)
                self._items.append(item)
            self._waiting.notify()

    def _put_delta(self, change: Delta) -> None:
        if change.view not in self._lost and self._rows + len(change.changes) <= self._max_rows:
            self._rows += len(change.changes)
            self._items.append(change)
            return
        self.dropped += len(change.changes)
        if change.view not in self._lost:
            self._lost.add(change.view)
            self._items.append(Lost(change.view))

    def take(self, seconds: float) -> list[Item]:
        """Return whole ticks, at the latest after ``seconds``; what came after the last stamp stays."""
        with self._waiting:
            self._waiting.wait_for(lambda: self._items and isinstance(self._items[-1], Stamp), seconds)
            after = next((n for n, item in enumerate(reversed(self._items)) if isinstance(item, Stamp)), None)
            if after is None:
                return []
            taken = [self._items.popleft() for _ in range(len(self._items) - after)]
            self._rows -= sum(len(item.changes) for item in taken if isinstance(item, Delta))
            return taken
