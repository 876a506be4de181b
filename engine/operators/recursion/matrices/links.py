"""The links of a graph with their costs, in arrays sorted by source.

source   0 0 0 1 3 3 …        a row's links stand together
target   1 4 7 0 3 5 …
cost     2 9 ∞ 1 4 4 …        ∞: the link is gone, its place is kept for its return
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.operators.recursion.matrices.changes import Better
from engine.operators.recursion.matrices.costs import ABSENT, Costs, Mask

Indices = NDArray[np.int64]
SHIFT = 32
MASK = (1 << SHIFT) - 1


class Links:
    """At most one cost from a source to a target."""

    def __init__(self, dtype: Any) -> None:
        self._codes = np.empty(0, np.int64)
        self.cost: Costs = np.empty(0, dtype)
        self._gone = self._rows = 0
        self._index()

    def grow(self, rows: int) -> None:
        """Make room for links of as many rows."""
        self._rows = rows
        self._index()

    def __len__(self) -> int:
        return len(self._codes) - self._gone

    def _index(self) -> None:
        self.source = self._codes >> SHIFT
        self.target = self._codes & MASK
        self._counts = np.bincount(self.source, minlength=self._rows)
        self._starts = np.cumsum(self._counts) - self._counts

    def put(self, costs: Better) -> None:
        """Set the costs of links; ``ABSENT`` takes a link away."""
        come: Better = {}
        for (source, target), cost in costs.items():
            code = source << SHIFT | target
            place = self._codes.searchsorted(code)
            if place < len(self._codes) and self._codes[place] == code:
                self._gone += (cost == ABSENT) - bool(self.cost[place] == ABSENT)
                self.cost[place] = cost
            elif cost < ABSENT:
                come[source, target] = cost
        if come:
            self._insert(come)
        if self._gone > 16 + len(self._codes) // 2:
            self._compact()

    def _insert(self, links: Better) -> None:
        ordered = sorted(links)
        codes = np.array([source << SHIFT | target for source, target in ordered], np.int64)
        values = np.array([links[link] for link in ordered], self.cost.dtype)
        places = np.searchsorted(self._codes, codes)
        self._codes = np.insert(self._codes, places, codes)
        self.cost = np.insert(self.cost, places, values)
        self._index()

    def _compact(self) -> None:
        there = self.cost < ABSENT
        self._codes, self.cost, self._gone = self._codes[there], self.cost[there], 0
        self._index()

    def of(self, rows: Indices) -> tuple[Indices, Indices, Indices]:
        """Return the rows that have links, where each one's begin, and how many it has."""
        starts, counts = self.spans(rows)
        linked = counts > 0
        return (rows, starts, counts) if linked.all() else (rows[linked], starts[linked], counts[linked])

    def spans(self, rows: Indices) -> tuple[Indices, Indices]:
        """Return where the links of each row begin, and how many there are."""
        return self._starts[rows], self._counts[rows]

    def places(self, row: int) -> slice:
        """Return where the links of a row are."""
        return slice(self._starts[row], self._starts[row] + self._counts[row])

    def into(self, marked: Mask) -> Indices:
        """Return the rows with a link to a marked row."""
        sources: Indices = self.source[marked[self.target]]
        if len(sources) < 2:
            return sources
        first = np.empty(len(sources), bool)
        first[0] = True
        np.not_equal(sources[1:], sources[:-1], out=first[1:])
        return sources[first]


def places_of(starts: Indices, counts: Indices) -> tuple[Indices, Indices]:
    """Return the places of several rows' links, one row after the other, and where each row begins."""
    offsets = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(starts - offsets, counts), offsets
