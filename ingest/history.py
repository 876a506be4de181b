"""What a new window would hold had it always been there: the log, read back.

    [RANGE r]  from the first entry with  received > T - r          exact; the sooner the more it may be
                                                                    skewed, late, or a sample's
    [… ROWS n] from the last hour on                                a bound, not the truth: a partition
                                                                    silent for longer starts empty

At most ``MAX_ENTRIES`` are read, the newest.
"""

from collections.abc import Iterator

from engine.model.reading import Reader, Reading
from engine.plan.expressions import compiled
from engine.plan.physical import Windowed
from engine.plan.windows import reach
from ingest.log import Log

MAX_ENTRIES = 200_000
HOUR = 3_600_000_000


class LogHistory:
    """Reads a window's past from the log."""

    def __init__(self, log: Log, reader: Reader) -> None:
        self._log = log
        self._reader = reader

    def __call__(self, leaf: Windowed, end: int, at: int) -> Iterator[Reading]:
        fragment = leaf.fragment
        back = reach(leaf.relation, leaf.window, leaf.sample) or HOUR
        start = max(self.offset_at(at - back, end), end - MAX_ENTRIES)
        takes = compiled(fragment.predicate) if fragment.predicate is not None else lambda _: True
        while start < end:
            batch = self._reader.read(start)
            if batch.end == start:
                return
            start = batch.end
            for reading in batch.readings:
                if (
                    reading.relation == fragment.relation
                    and reading.offset <= end
                    and takes(reading.row) is True
                ):
                    yield reading

    def offset_at(self, stamp: int, end: int) -> int:
        """Return the last offset whose entry was received at ``stamp`` or before; stamps ascend."""
        low, high = 0, end
        while low < high:
            middle = (low + high) // 2
            following = self._log.read(middle, max_rows=1)
            if not following or following[0].received > stamp:
                high = middle
            else:
                low = max(middle + 1, following[0].offset)
        return low
