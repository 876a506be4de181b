"""What a step of a plan costs: the one set of functions that every form of the optimizer shares.

    scan     w · |T|                 index access     0: the probe pays
    hash     α (|L| + |R|)           merge            β (|L| + |R|)
    lookup   |outer| · w             sort             s · |T| · log₂(|T| + 2)
    and every step but a sort and an index access puts out γ · |T|

A step's cost is a sum of one share for each input. So an input's best cost and its share are added up
once for all the steps that read it in one way, and a changed number of rows is never looked up twice.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.1; that a cost is
    a share for each input is ours.
"""

from collections.abc import Sequence
from enum import StrEnum
from math import log2
from typing import NamedTuple


class Operator(StrEnum):
    """How a step is done."""

    SCAN = "scan"
    INDEX_SCAN = "index scan"
    INDEX_ACCESS = "index access"
    HASH = "hash"
    MERGE = "merge"
    LOOKUP = "lookup"
    SORT = "sort"

    @property
    def scans(self) -> bool:
        return self in (Operator.SCAN, Operator.INDEX_SCAN)


class Costs(NamedTuple):
    """Weights by row; the defaults are in units of one row put out."""

    output: float = 1.0
    scan: float = 1.0
    index_scan: float = 2.0
    hash: float = 2.0
    merge: float = 1.0
    lookup: float = 3.0
    sort: float = 0.5

    def weight(self, operator: Operator) -> float:
        """Return what one row of an input costs; a sort's is by row and doubling."""
        return 0.0 if operator is Operator.INDEX_ACCESS else float(getattr(self, operator.name.lower()))

    def work(self, operator: Operator, rows: Sequence[float]) -> float:
        """Return the cost of one step over its inputs; a scan's one input is what it puts out."""
        if operator is Operator.SORT:
            return self.sort * sized(rows[0])
        read = rows[:1] if operator is Operator.LOOKUP else rows
        return self.weight(operator) * sum(read)

    def putting_out(self, operator: Operator) -> float:
        """Return what one row of a step's result costs."""
        return 0.0 if operator in (Operator.SORT, Operator.INDEX_ACCESS) else self.output


def sized(rows: float) -> float:
    """Return the comparisons of a sort."""
    return rows * log2(rows + 2.0)
