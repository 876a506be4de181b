"""What a new window would hold had it always been there: the log, read back.

    [RANGE r]     from the first entry with  received > T - r;  from further back the more a row may be
                  skewed, late, or of a period that began before
    [… ROWS n]    from the newest ``MAX_ENTRIES`` on: a partition that was silent for longer starts
    [UNBOUNDED]   empty
    a table       from where it was declared on; one that the building has itself was never missed

No window is filled from more than ``MAX_ENTRIES``, which take most of a second.
"""

from collections.abc import Iterator

from engine.model.reading import Reading
from engine.plan.expressions import compiled
from engine.plan.leaves import Leaf, Totalled, Windowed
from engine.plan.windows import reach
from ingest.log import Log
from ingest.reader import LogReader

MAX_ENTRIES = 200_000


class LogHistory:
    """Reads a window's past from the log."""

    def __init__(self, log: Log, reader: LogReader) -> None:
        self._log = log
        self._reader = reader

    def __call__(self, leaf: Leaf, end: int, at: int) -> Iterator[Reading]:
        fragment = leaf.fragment
        start = max(self._start(leaf, end, at), end - MAX_ENTRIES)
        takes = compiled(fragment.predicate) if fragment.predicate is not None else lambda _: True
        while start < end:
            batch = self._reader.read(start, fragment.relation)
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

    def _start(self, leaf: Leaf, end: int, at: int) -> int:
        if not isinstance(leaf, Windowed | Totalled):
            declared = self._reader.since(leaf.relation.name)
            return end if declared is None else declared
        back = reach(leaf.relation, leaf.window, leaf.sample if isinstance(leaf, Windowed) else None)
        return 0 if back is None else offset_at(self._log, at - back, end)


def offset_at(log: Log, stamp: int, end: int) -> int:
    """Return the last offset whose entry was received at ``stamp`` or before; stamps ascend."""
    low, high = 0, end
    while low < high:
        middle = (low + high) // 2
        following = log.read(middle, max_rows=1)
        if not following or following[0].received > stamp:
            high = middle
        else:
            low = max(middle + 1, following[0].offset)
    return low
