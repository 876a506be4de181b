"""What a node uses: the rows that it gave, those that stand, the time that it took, and what it keeps.

    bytes  ≈  entries × the size of a row, sampled        came  =  what its inputs gave since it started
    stands  =  Σ counts of all that it gave               kept without its rows, so for any node

A tick pays two additions for it; time is taken in one tick of eight, which stands for all of them, and in
every tick while one is too long; rows are sampled more seldom still. A node keeps no more than came to
it, so it is counted anew only when what passed since may have changed that by an eighth.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from sys import getsizeof

from engine.model.values import Row, Value
from engine.operators.budget import UNBOUNDED
from engine.plan.explaining import Passed

EACH = 8
EACH_SAMPLED = 64
SAMPLED = 4
FEW = 256
# A row's place in a hash table, with its count.
PLACE = 100


class Usage:
    """One node's; ``counted`` is what it kept when last looked at, ``allowed`` what a step may take.

    ``settled`` is how it was after its first tick: what it began with says nothing of what goes on.
    """

    __slots__ = (
        "allowed", "counted", "inputs_gave", "row_bytes", "seconds", "seen", "settled", "stands", "went",
    )  # fmt: skip

    def __init__(self) -> None:
        self.went = 0
        self.stands = 0
        self.seconds = 0.0
        self.allowed = UNBOUNDED
        self.row_bytes = 0.0
        self.inputs_gave = 0
        self.counted = 0
        self.seen = 0
        self.settled: Passed | None = None

    def begin(self, contents: Mapping[Row, int], came: int, gave: int) -> None:
        """Start with what a node contains at first, of so many rows; its inputs gave so many before."""
        self.went, self.inputs_gave = len(contents), gave - came
        self.stands = sum(contents.values())
        self.sample(contents)

    def as_of(self, tick: int, at: int) -> Passed:
        return Passed(tick, at, self.went, self.seconds)

    def passed(self, tick: int, at: int) -> Passed | None:
        """Return what passed between its first tick and this one."""
        begun = self.settled
        if begun is None or tick <= begun.ticks:
            return None
        return Passed(
            tick - begun.ticks, at - begun.lasted, self.went - begun.rows, self.seconds - begun.seconds
        )

    def sample(self, rows: Iterable[Row]) -> None:
        """Correct the size of a row by the first of these."""
        sizes = [size_of(row) for row in islice(rows, SAMPLED)]
        if sizes:
            mean = sum(sizes) / len(sizes)
            self.row_bytes = (3 * self.row_bytes + mean) / 4 if self.row_bytes else mean

    def is_due(self, passed: int) -> bool:
        """Tell whether, so many rows having passed, the count may have become wrong."""
        return passed - self.seen > self.counted / 8 + FEW

    def count(self, entries: int, passed: int) -> None:
        self.counted, self.seen = entries, passed


def size_of(value: Row | Value) -> int:
    """Return the bytes of a value with all that is in it."""
    inner = sum(map(size_of, value)) if isinstance(value, tuple) else -PLACE
    return getsizeof(value) + PLACE + inner
