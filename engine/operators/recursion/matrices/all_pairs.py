"""Least costs between all pairs of nodes, where the seeds are the edges themselves.

    D[x, y]  the least cost from x to y, D[x, x] that of no step        cycle[x]  =  min  w ∘ D[z, x]

    a better link (a, b, w)   lowers (x, y) only where it lowers (x, b) and (a, y)
    a worse link (a, b, w)    can only raise (x, y) where  D[x, a] ∘ w ∘ D[b, y]  =  D[x, y]

Both are outer products of a column and a row. What may rise becomes absent and is lowered again from
what stands. Where a reaches y as cheaply over another z that is nearer to y than a, nothing rises:
that way does not lead back over a. Rounded sums are marked within a tolerance, as marking too much
costs time only, and lowered link by link from the front, as their association matters; exact sums
are lowered from whichever end is nearer.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009: AggSel, whose buffered alternates w ∘ D[z, y] are read from the links here.
"""

from typing import Any

import numpy as np

from engine.operators.budget import Budget
from engine.operators.recursion.matrices.changes import Better, Worse
from engine.operators.recursion.matrices.costs import ABSENT, CostRule, Costs
from engine.operators.recursion.matrices.links import Indices
from engine.operators.recursion.matrices.lowering import Lowering
from engine.operators.recursion.matrices.matrix import Cells, Difference, PathMatrix

FEW = 8


class AllPairs:
    """Nodes by number, as rows and as columns."""

    def __init__(self, rule: CostRule, budget: Budget) -> None:
        self._rule = rule
        self._matrix = PathMatrix(rule, budget)
        self._backward = Lowering(rule, budget.meter)
        self._cycles: Costs = np.empty(0)

    def grow(self, nodes: int, _: int) -> None:
        matrix = self._matrix
        matrix.grow(nodes, nodes)
        more = len(matrix.values) - len(self._cycles)
        if more:
            self._cycles = np.concatenate([self._cycles, np.full(more, ABSENT)])
            matrix.settle_diagonal()
            self._see_backward()
            self._backward.links.grow(len(matrix.values))

    def widen(self) -> None:
        self._matrix.widen()
        self._backward.links.cost = self._rule.widened(self._backward.links.cost)
        self._see_backward()
        self._cycles = self._rule.widened(self._cycles)

    def _see_backward(self) -> None:
        """Let the matrix be seen from y to x, under the links from target to source."""
        self._backward.values = self._matrix.values.T

    def _put(self, links: Better) -> None:
        self._matrix.links.put(links)
        self._backward.links.put({(target, source): cost for (source, target), cost in links.items()})

    def worsen(self, links: Worse, _: Worse) -> None:
        """Take links away or make them dearer."""
        matrix = self._matrix
        self._put({link: new for link, (_, new) in links.items()})
        rising = [cells for link, (old, _) in links.items() if len(cells := self._rising(link, old))]
        for cells in rising:
            matrix.clear(cells)
        matrix.restore(rising, self._backward if self._rule.is_exact else None)

    def _rising(self, link: tuple[int, int], cost: float) -> Indices:
        """Return the cells that may have stood on a link."""
        (a, b), matrix, rule = link, self._matrix, self._rule
        values = matrix.values
        columns = matrix.standing_on(a, b, cost)
        if not len(columns):
            return columns
        towards = rule.combined(values[:, a], cost)
        may_lead = towards < ABSENT
        if rule.adds:
            may_lead &= towards <= rule.at_most(values[:, b])
        rows = np.flatnonzero(may_lead)
        over = rule.combined(towards[rows][:, None], values[b, columns])
        may_rise = (over <= rule.at_most(matrix.cells(rows, columns))) & (rows[:, None] != columns)
        cells: Indices = matrix.flat(rows, columns)[may_rise.reshape(-1)]
        return cells

    def improve(self, links: Better, _: Better) -> None:
        """Add links or make them cheaper."""
        self._put(links)
        if self._rule.is_exact and len(links) <= FEW:
            for link, cost in links.items():
                self._gain(link, cost)
        else:
            self._matrix.relax_over(links)

    def _gain(self, link: tuple[int, int], cost: float) -> None:
        (a, b), matrix, rule = link, self._matrix, self._rule
        values = matrix.values
        columns = np.flatnonzero(rule.combined(values[b], cost) < values[a])
        towards = rule.combined(values[:, a], cost)
        rows = np.flatnonzero(towards < values[:, b])
        if len(rows) and len(columns):
            offers = rule.combined(towards[rows][:, None], values[b, columns])
            matrix.put(rows, columns, np.minimum(offers, matrix.cells(rows, columns)))
            matrix.touch(matrix.flat(rows, columns))

    def differences(self) -> list[Difference]:
        """Return what changed, a node's own cell being its cheapest cycle."""
        return [*self._matrix.differences(), self._cycle_differences()]

    def _cycle_differences(self) -> Difference:
        links, before = self._matrix.links, self._cycles
        now: Costs = np.full(len(before), ABSENT, before.dtype)
        if len(links.source):
            back = self._rule.combined(links.cost, self._matrix.values[links.target, links.source])
            rows, starts, _ = links.of(np.arange(len(before)))
            now[rows] = np.minimum.reduceat(back, starts)
        self._cycles = now
        nodes = np.flatnonzero(now != before)
        return nodes, nodes, before[nodes], now[nodes]

    def present(self) -> list[Cells]:
        """Return row, column and cost of all that there is."""
        others = self._matrix.present()
        apart = others[0] != others[1]
        rows, columns, costs = (part[apart] for part in others)
        nodes = np.flatnonzero(self._cycles < ABSENT)
        return [(rows, columns, costs), (nodes, nodes, self._cycles[nodes])]

    def cost(self, row: int, column: int) -> Any:
        return self._cycles[row] if row == column else self._matrix.values[row, column]

    def next_rows(self, row: int, column: int, cost: Any) -> list[int]:
        return self._matrix.tight(row, column, cost)
