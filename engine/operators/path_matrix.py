"""A matrix of least costs, and how its rows are lowered to the fixpoint.

    D[x, y]  =  min( base[x, y],  min over links (x, z, w) of  w ∘ D[z, y] )

Columns do not depend on each other, so any of them can be lowered alone. Each round takes what the
links offer to the rows that link to a row which the round before lowered.
"""

import numpy as np

from engine.operators.budget import Budget
from engine.operators.path_changes import Better
from engine.operators.path_costs import ABSENT, CostRule, Costs, Mask
from engine.operators.path_links import Indices, Links, places_of

FEW_OFFERS = 3_000
MANY_OFFERS = 250_000
CELLS_A_ROW = 16
Columns = Indices | slice
Block = tuple[Indices, Indices]
Cells = tuple[Indices, Indices, Costs]
Difference = tuple[Indices, Indices, Costs, Costs]


class PathMatrix:
    """Costs by row and column; ``shown`` is what was put out of them."""

    def __init__(self, rule: CostRule, budget: Budget) -> None:
        self._rule = rule
        self._budget = budget
        self.links = Links(rule.dtype)
        self.values: Costs = np.empty((0, 0))
        self._shown: Costs = np.empty((0, 0))
        self._touched: list[Indices] = []

    def grow(self, rows: int, columns: int) -> None:
        """Make room: twice as much, where there is not enough."""
        height, width = self.values.shape
        if rows > height or columns > width:
            height = height if rows <= height else max(rows, 2 * height)
            width = width if columns <= width else max(columns, 2 * width)
            self._budget.check(height * width // CELLS_A_ROW, "a matrix of path costs")
            self.values = self._grown(self.values, height, width)
            self._shown = self._grown(self._shown, height, width)
            self.links.grow(height)

    def _grown(self, old: Costs, height: int, width: int) -> Costs:
        new: Costs = np.full((height, width), ABSENT, self._rule.dtype)
        new[: old.shape[0], : old.shape[1]] = old
        return new

    def settle_diagonal(self) -> None:
        """Let every node reach itself by no step; that is never put out."""
        np.fill_diagonal(self.values, self._rule.of_no_step)
        np.fill_diagonal(self._shown, self._rule.of_no_step)

    def widen(self) -> None:
        """Go on with Python's integers."""
        self.values, self._shown = self._rule.widened(self.values), self._rule.widened(self._shown)
        self.links.cost = self._rule.widened(self.links.cost)

    def cells(self, rows: Indices, columns: Columns) -> Costs:
        cells: Costs = self.values[rows if isinstance(columns, slice) else rows[:, None], columns]
        return cells

    def flat(self, rows: Indices, columns: Columns) -> Indices:
        """Return the places of a block's cells in the flat matrix."""
        width = self.values.shape[1]
        places: Indices = rows[:, None] * width + np.arange(width)[columns]
        return places.reshape(-1)

    def put(self, rows: Indices, columns: Columns, costs: Costs) -> None:
        self.values[rows if isinstance(columns, slice) else rows[:, None], columns] = costs

    # Lowering

    def relax_over(self, links: Better) -> None:
        """Lower what links that are new or cheaper can lower."""
        gains = np.zeros(self.values.shape[1], bool)
        for (source, target), cost in links.items():
            gains |= self._rule.combined(self.values[target], cost) < self.values[source]
        if gains.any():
            sources = np.unique(np.array([source for source, _ in links], np.int64))
            self.relax(sources, slice(None) if gains.mean() > 1 / 2 else np.flatnonzero(gains))

    def relax(self, rows: Indices, columns: Columns) -> None:
        """Lower ``columns`` to the fixpoint, beginning with ``rows``."""
        width = max(32, MANY_OFFERS // max(1, len(self.links)))
        some = [columns]
        if isinstance(columns, slice):
            some = [slice(start, start + width) for start in range(0, self.values.shape[1], width)]
        for part in some:
            self.touch(self.flat(self._relax(rows, part), part))

    def _relax(self, rows: Indices, columns: Columns, within: Mask | None = None) -> Indices:
        """Lower columns to the fixpoint; no rows but ``within`` can change. Return the rows that did."""
        lowered = np.zeros(len(self.values), bool)
        while len(rows):
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

    # Rising

    def clear(self, cells: Indices) -> None:
        """Make cells absent, until they are lowered again from what stands."""
        self.values.reshape(-1)[cells] = ABSENT
        self.touch(cells)

    def restore(self, parts: list[Indices]) -> None:
        """Lower cleared cells to the fixpoint: one by one where they are few, else in blocks."""
        if not parts:
            return
        cells = np.concatenate(parts)
        rows, columns = np.divmod(cells, self.values.shape[1])
        starts, counts = self.links.spans(rows)
        if counts.sum() <= FEW_OFFERS:
            linked = counts > 0
            self._restore(cells[linked], columns[linked], starts[linked], counts[linked])
            return
        for rows, columns in apart([self._block(part) for part in parts]):
            self._relax(rows, columns, mask(rows, len(self.values)))

    def _restore(self, cells: Indices, columns: Indices, starts: Indices, counts: Indices) -> None:
        if not len(cells):
            return
        values, links = self.values.reshape(-1), self.links
        places, offsets = places_of(starts, counts)
        sources = links.target[places] * self.values.shape[1] + np.repeat(columns, counts)
        costs = links.cost[places]
        while True:
            best = np.minimum.reduceat(self._rule.combined(costs, values[sources]), offsets)
            held = values[cells]
            if not (best < held).any():
                return
            values[cells] = np.minimum(best, held)

    def _block(self, cells: Indices) -> Block:
        height, width = self.values.shape
        rows, columns = np.divmod(cells, width)
        return np.flatnonzero(mask(rows, height)), np.flatnonzero(mask(columns, width))

    # Standing on a link

    def standing_on(self, a: int, b: int, cost: float) -> Indices:
        """Return the columns that row a reaches best over b, and over no other link as well."""
        row, links, combined = self.values[a], self.links, self._rule.combined
        columns = np.flatnonzero((combined(self.values[b], cost) == row) & (row < ABSENT))
        places = links.places(a)
        targets = links.target[places]
        if len(columns) and len(targets):
            costs, onwards = row[columns], self.cells(targets, columns)
            again = combined(links.cost[places][:, None], onwards) == costs
            again &= onwards < costs
            columns = columns[~again.any(axis=0)]
        return columns

    def tight(self, row: int, column: int, cost: float) -> list[int]:
        """Return the rows over which ``row`` comes to ``column`` at this cost."""
        places = self.links.places(row)
        targets = self.links.target[places]
        offers = self._rule.combined(self.links.cost[places], self.values[targets, column])
        listed: list[int] = targets[offers == cost].tolist()
        return listed

    def present(self) -> Cells:
        """Return row, column and cost of every cell that has one."""
        rows, columns = np.nonzero(self.values < ABSENT)
        return rows, columns, self.values[rows, columns]

    # What changed

    def touch(self, cells: Indices) -> None:
        """Remember cells, by their place in the flat matrix, that may be other than what was put out."""
        self._touched.append(cells)

    def differences(self) -> list[Difference]:
        """Return row, column, cost before and cost now of all that changed; it counts as put out."""
        found = []
        values, shown = self.values.reshape(-1), self._shown.reshape(-1)
        for cells in self._touched:
            now, before = values[cells], shown[cells]
            differ = now != before
            if differ.any():
                cells, now, before = cells[differ], now[differ], before[differ]
                shown[cells] = now
                rows, columns = np.divmod(cells, self.values.shape[1])
                found.append((rows, columns, before, now))
        self._touched.clear()
        return found


def mask(rows: Indices, size: int) -> Mask:
    """Return which of ``size`` rows are among these."""
    chosen = np.zeros(size, bool)
    chosen[rows] = True
    return chosen


def apart(blocks: list[tuple[Indices, Indices]]) -> list[tuple[Indices, Indices]]:
    """Return blocks as they are where no two share a column, else one block around them all."""
    columns = np.concatenate([np.empty(0, np.int64), *[columns for _, columns in blocks]])
    apart = np.unique(columns)
    if len(apart) == len(columns):
        return blocks
    return [(np.unique(np.concatenate([rows for rows, _ in blocks])), apart)]
