"""When a base row came, and on which topic: the newest entry that says it, the log read backwards.

    first looked at  …  piece₂  piece₁ | end        until every row is found, or the time is over

What came earlier than that is not found, and from when on was looked is said. Rows of devices and their
measurements are not looked for: decoding them needs what was announced before, and they say their own time.
"""

import time
from collections.abc import Callable, Collection, Mapping
from threading import Lock
from typing import NamedTuple

from engine.model.values import Row
from ingest.log import Log
from ingest.reader import BY_DEVICES, LogReader

PIECE = 1_000  # entries
SECONDS = 0.4
BaseRow = tuple[str, Row]


class Came(NamedTuple):
    """When an entry was received, and its topic."""

    at: int
    topic: str


class Lately(NamedTuple):
    """What was found, and the stamp of the first entry that was looked at; None where none was."""

    came: Mapping[BaseRow, Came]
    since: int | None


class LookingBack:
    """Reads the log for whoever asks, one after the other."""

    def __init__(
        self, log: Log, reader: LogReader, seconds: float = SECONDS, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._reader = reader
        self._seconds = seconds
        self._now = now
        self._lock = Lock()

    def __call__(self, rows: Collection[BaseRow], end: int) -> Lately:
        """Look for rows as they were said up to offset ``end``."""
        wanted = {row for row in rows if row[0] not in BY_DEVICES}
        found: dict[BaseRow, Came] = {}
        since: int | None = None
        with self._lock:
            until = self._now() + self._seconds
            while wanted and end > 0 and self._now() < until:
                start = max(end - PIECE, 0)
                offsets = self._piece(start, end, wanted)
                found |= {row: self._told(offset) for row, offset in offsets.items()}
                wanted -= offsets.keys()
                since = next((record.received for record in self._log.read(start, max_rows=1)), since)
                end = start
        return Lately(found, since)

    def _piece(self, start: int, end: int, wanted: Collection[BaseRow]) -> dict[BaseRow, int]:
        """Return the last offset in a piece at which each row was said."""
        offsets: dict[BaseRow, int] = {}
        relation = next(iter(wanted))[0]
        while start < end:
            batch = self._reader.read(start, relation)
            if batch.end == start:
                break
            start = batch.end
            for reading in batch.readings:
                row = (reading.relation, reading.row)
                if reading.sign > 0 and reading.offset <= end and row in wanted:
                    offsets[row] = reading.offset
        return offsets

    def _told(self, offset: int) -> Came:
        (record,) = self._log.read(offset - 1, max_rows=1)
        return Came(record.received, record.topic)


def nothing_kept(rows: Collection[BaseRow], end: int) -> Lately:
    """Know of no log."""
    return Lately({}, None)
