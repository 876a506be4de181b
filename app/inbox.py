"""What waits for the broadcaster: deltas from the engine thread, requests from sockets.

Putting never blocks. A view's deltas are bounded in rows; one that overflows loses them all and is
marked as *lost*, to be begun again from a snapshot.
"""

from collections.abc import Callable
from threading import Condition
from typing import NamedTuple

from engine.views.view import Delta

Request = Callable[[], None]
MAX_ROWS_WAITING = 50_000


class Taken(NamedTuple):
    """Everything that waited."""

    requests: list[Request]
    deltas: dict[str, list[Delta]]
    lost: set[str]


class Inbox:
    """Filled by any thread, emptied by one."""

    def __init__(self, max_rows: int = MAX_ROWS_WAITING) -> None:
        self._max_rows = max_rows
        self._waiting = Condition()
        self._requests: list[Request] = []
        self._deltas: dict[str, list[Delta]] = {}
        self._rows: dict[str, int] = {}
        self._lost: set[str] = set()

    def ask(self, request: Request) -> None:
        with self._waiting:
            self._requests.append(request)
            self._waiting.notify()

    def put(self, change: Delta) -> None:
        """Take a delta; called on the engine thread."""
        with self._waiting:
            rows = self._rows.get(change.view, 0) + len(change.changes)
            if change.view in self._lost or rows > self._max_rows:
                self._deltas.pop(change.view, None)
                self._lost.add(change.view)
            else:
                self._deltas.setdefault(change.view, []).append(change)
                self._rows[change.view] = rows
            self._waiting.notify()

    def take(self, seconds: float) -> Taken:
        """Return what waits, at the latest after ``seconds``."""
        with self._waiting:
            self._waiting.wait_for(lambda: self._requests or self._deltas or self._lost, max(seconds, 0.0))
            taken = Taken(self._requests, self._deltas, self._lost)
            self._requests, self._deltas, self._lost, self._rows = [], {}, set(), {}
            return taken
