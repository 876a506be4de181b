"""What a node uses: the rows that passed it, the time that it took, and what it keeps, estimated.

    bytes  ≈  entries × the size of a row, sampled

A node keeps no more than came to it, so it is counted anew only when what passed since the last
count may have changed it by an eighth: counting costs a share of the work that was done anyway.
"""

from collections.abc import Iterable
from itertools import islice
from sys import getsizeof

from engine.model.values import Row, Value

SAMPLED = 8
FEW = 256
# A row's place in a hash table, with its count.
PLACE = 100


class Usage:
    """One node's; ``counted`` is what it kept when it was last looked at."""

    __slots__ = ("_passed", "_runs", "counted", "row_bytes", "rows_in", "rows_out", "seconds")

    def __init__(self) -> None:
        self.rows_in = self.rows_out = 0
        self.seconds = 0.0
        self.row_bytes = float(PLACE)
        self.counted = 0
        self._passed = 0
        self._runs = 0

    def ran(self, rows_in: int, out: Iterable[Row], rows_out: int, seconds: float) -> None:
        """Take a step in; one in eight is sampled."""
        self.rows_in += rows_in
        self.rows_out += rows_out
        self.seconds += seconds
        self._passed += rows_in + rows_out
        if rows_out and not self._runs % SAMPLED:
            self.sample(out)
        self._runs += 1

    def sample(self, rows: Iterable[Row]) -> None:
        """Correct the size of a row by the first of these."""
        sizes = [size_of(row) for row in islice(rows, SAMPLED)]
        if sizes:
            mean = sum(sizes) / len(sizes)
            self.row_bytes = mean if not self._runs else (3 * self.row_bytes + mean) / 4

    @property
    def is_due(self) -> bool:
        """Tell whether what the node keeps may be much else than when it was counted."""
        return self._passed > self.counted / 8 + FEW

    def count(self, entries: int) -> None:
        self.counted, self._passed = entries, 0


def size_of(value: Row | Value) -> int:
    """Return the bytes of a value with all that is in it."""
    inner = sum(map(size_of, value)) if isinstance(value, tuple) else -PLACE
    return getsizeof(value) + PLACE + inner
