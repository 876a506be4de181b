"""How the rows of a matrix of least costs are lowered to the fixpoint.

    D[x, y]  =  min( D[x, y],  min over links (x, z, w) of  w ∘ D[z, y] )

Columns do not depend on each other, so any of them can be lowered alone. Each round takes what the
links offer to the rows that link to a row which the round before lowered.
"""

import numpy as np

from engine.operators.budget import Meter
from engine.operators.recursion.matrices.costs import CostRule, Costs, Mask
from engine.operators.recursion.matrices.links import Indices, Links, places_of

FEW_OFFERS = 3_000
Columns = Indices | slice


class Lowering:
    """A matrix, or one seen the other way round, under the links that lower its rows."""

    def __init__(self, rule: CostRule, meter: Meter) -> None:
        self._rule = rule
        self._meter = meter
        self.links = Links(rule.dtype)
        self.values: Costs = np.empty((0, 0))

    def cells(self, rows: Indices, columns: Columns) -> Costs:
        cells: Costs = self.values[rows if isinstance(columns, slice) else rows[:, None], columns]
        return cells

    def put(self, rows: Indices, columns: Columns, costs: Costs) -> None:
        self.values[rows if isinstance(columns, slice) else rows[:, None], columns] = costs

    def lower(self, rows: Indices, columns: Columns, within: Mask | None = None) -> Indices:
        """Lower columns to the fixpoint; no rows but ``within`` can change. Return the rows that did."""
        lowered = np.zeros(len(self.values), bool)
        while len(rows):
            self._meter.look()
            rows, best = self._offered(rows, columns)
            held = self.cells(rows, columns)
            lower = (best < held).any(axis=1)
            rows = rows[lower]
            self.put(rows, columns, np.minimum(best[lower], held[lower]))
            lowered[rows] = True
            rows = self.links.into(mask(rows, len(lowered)))
            if within is not None:
                rows = rows[within[rows]]
        return np.flatnonzero(lowered)

    def _offered(self, rows: Indices, columns: Columns) -> tuple[Indices, Costs]:
        """Return the rows that have links, and the least that these offer to each column."""
        rows, starts, counts = self.links.of(rows)
        width = self.values.shape[1] if isinstance(columns, slice) else len(columns)
        if not len(rows) or counts.sum() * width > FEW_OFFERS:
            return self._offered_by_turns(rows, columns, starts, counts)
        places, offsets = places_of(starts, counts)
        return rows, np.minimum.reduceat(self.through(places, columns), offsets, axis=0)

    def _offered_by_turns(
        self, rows: Indices, columns: Columns, starts: Indices, counts: Indices
    ) -> tuple[Indices, Costs]:
        """Take the first link of each row, then the second, …: several times faster for many columns."""
        order = np.argsort(-counts, kind="stable")
        rows, starts, counts = rows[order], starts[order], counts[order]
        best = self.through(starts, columns)
        for turn in range(1, int(counts[0]) if len(counts) else 0):
            with_more = int(np.searchsorted(-counts, -turn))
            offers = self.through(starts[:with_more] + turn, columns)
            np.minimum(best[:with_more], offers, out=best[:with_more])
        return rows, best

    def through(self, places: Indices, columns: Columns) -> Costs:
        """Return what the links at some places offer to their sources."""
        links = self.links
        offers: Costs = self._rule.combined(
            links.cost[places][:, None], self.cells(links.target[places], columns)
        )
        return offers

    def maybe_lower_cells(self, cells: Indices) -> bool:
        """Lower cells to the fixpoint where they are few; no others can change."""
        rows, columns = np.divmod(cells, self.values.shape[1])
        starts, counts = self.links.spans(rows)
        if counts.sum() > FEW_OFFERS:
            return False
        linked = counts > 0
        if linked.any():
            self._lower_cells(cells[linked], columns[linked], starts[linked], counts[linked])
        return True

    def _lower_cells(self, cells: Indices, columns: Indices, starts: Indices, counts: Indices) -> None:
        values, links = self.values.reshape(-1), self.links
        places, offsets = places_of(starts, counts)
        sources = links.target[places] * self.values.shape[1] + np.repeat(columns, counts)
        costs = links.cost[places]
        while True:
            self._meter.look()
            best = np.minimum.reduceat(self._rule.combined(costs, values[sources]), offsets)
            held = values[cells]
            if not (best < held).any():
                return
            values[cells] = np.minimum(best, held)


def mask(rows: Indices, size: int) -> Mask:
    """Return which of ``size`` rows are among these."""
    chosen = np.zeros(size, bool)
    chosen[rows] = True
    return chosen
