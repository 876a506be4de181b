"""A view as its watchers have it.

    fold:  state ← state + Δ          gap unless  Δ.after ≤ tick < Δ.tick
    flush: the sum of what was folded since the last flush, as one delta

Deltas that wait together so become one, and rows that came and went inside it cancel out. A
snapshot given between two flushes has the number the next delta starts from, so a watcher that joins
then misses nothing and sees nothing twice.
"""

from collections import Counter

from engine.model.values import Row
from engine.views.view import Delta, Snapshot


class Replica:
    """The rows of one view with their counts, and the numbers of what was last sent."""

    def __init__(self, start: Snapshot) -> None:
        self.columns = start.columns
        self._sent = start
        self._rows: Counter[Row] = Counter()
        for row, count in start.rows:
            self._rows[row] += count
        self._pending: Counter[Row] = Counter()
        self._tick, self._at = start.tick, start.at

    def fold(self, change: Delta) -> bool:
        """Take a delta in; False says that one before it is missing."""
        if change.tick <= self._tick:
            return True  # already in the snapshot this replica began with
        if change.after > self._tick or change.run != self._sent.run:
            return False
        for row, count in change.changes:
            self._pending[row] += count
        self._tick, self._at = change.tick, change.at
        return True

    def flush(self) -> Delta | None:
        """Return everything folded since the last flush as one delta, or None where it cancelled out."""
        changes = tuple((row, count) for row, count in self._pending.items() if count)
        self._pending.clear()
        if not changes:
            return None
        for row, count in changes:
            self._rows[row] += count
            if not self._rows[row]:
                del self._rows[row]
        before = self._sent
        self._sent = before._replace(tick=self._tick, at=self._at, rows=())
        return Delta(before.view, before.run, self._tick, before.tick, self._at, changes)

    def snapshot(self) -> Snapshot:
        """Return the state as of the last flush."""
        return self._sent._replace(rows=tuple(self._rows.items()))
