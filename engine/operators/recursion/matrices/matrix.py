"""A matrix of least costs: what is held, what was put out of it, and what stands on a link.

    D[x, y]  =  min( base[x, y],  min over links (x, z, w) of  w ∘ D[z, y] )

A change of it first makes absent what may rise, then lowers.
"""

import numpy as np

from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.recursion.matrices.changes import Better
from engine.operators.recursion.matrices.costs import ABSENT, CostRule, Costs
from engine.operators.recursion.matrices.links import Indices
from engine.operators.recursion.matrices.lowering import Columns, Lowering, mask

MANY_OFFERS = 250_000
CELLS_A_ROW = 16
Cells = tuple[Indices, Indices, Costs]
Block = tuple[Indices, Indices]
Difference = tuple[Indices, Indices, Costs, Costs]


class PathMatrix(Lowering):
    """Costs by row and column; ``shown`` is what was put out of them."""

    def __init__(self, rule: CostRule, budget: Budget) -> None:
        super().__init__(rule, budget.meter)
        self._budget = budget
        self._shown: Costs = np.empty((0, 0))
        self._touched: list[Indices] = []

    def grow(self, rows: int, columns: int) -> None:
        """Make room: twice as much, where there is not enough."""
        height, width = self.values.shape
        if rows > height or columns > width:
            height = height if rows <= height else max(rows, 2 * height)
            width = width if columns <= width else max(columns, 2 * width)
            self._check(height, width)
            self.values = self._grown(self.values, height, width)
            self._shown = self._grown(self._shown, height, width)
            self.links.grow(height)

    def _check(self, height: int, width: int) -> None:
        most = self._budget.rows * CELLS_A_ROW
        if height * width > most:
            message = (
                f"best paths over {height:,} by {width:,} nodes take more than {most:,} cells; "
                "ask for paths over fewer links, or to fewer ends, by a condition on them"
            )
            raise BudgetExceeded(message)

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

    def flat(self, rows: Indices, columns: Columns) -> Indices:
        """Return the places of a block's cells in the flat matrix."""
        width = self.values.shape[1]
        places: Indices = rows[:, None] * width + np.arange(width)[columns]
        return places.reshape(-1)

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
            self.touch(self.flat(self.lower(rows, part), part))

    # Rising

    def clear(self, cells: Indices) -> None:
        """Make cells absent, until they are lowered again from what stands."""
        self.values.reshape(-1)[cells] = ABSENT
        self.touch(cells)

    def restore(self, parts: list[Indices], backward: Lowering | None = None) -> None:
        """Lower cleared cells to the fixpoint: one by one where they are few, else in blocks.

        A block with fewer columns than rows is lowered ``backward`` in fewer rounds, where that is given.
        """
        if not parts or self.maybe_lower_cells(np.concatenate(parts)):
            return
        blocks = [self._block(part) for part in parts]
        if not are_apart([columns for _, columns in blocks]):
            blocks = [self._block(np.concatenate(parts))]
        either_way = backward is not None and are_apart([rows for rows, _ in blocks])
        for rows, columns in blocks:
            if backward is not None and either_way and len(columns) < len(rows):
                backward.lower(columns, rows, mask(columns, len(backward.values)))
            else:
                self.lower(rows, columns, mask(rows, len(self.values)))

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
        with np.errstate(over="ignore"):  # what is beyond the largest double is absent
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


def are_apart(parts: list[Indices]) -> bool:
    """Tell whether no two of some sets of numbers share one."""
    together = np.concatenate(parts)
    return len(np.unique(together)) == len(together)
