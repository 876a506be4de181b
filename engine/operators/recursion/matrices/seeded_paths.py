"""Least costs from nodes to whatever the seeds name.

D[x, ȳ]  =  min( least seed(x, ȳ),  min over links (x, z, w) of  w ∘ D[z, ȳ] )

better   lowered from the rows of the new seeds and links
worse    a cell that stood on it may rise, and so may, link by link backwards, every cell that
         stands on one that may; no cell with a seed as cheap does. All these become absent, take
         their seeds again, and are lowered from what stands.
"""

from typing import Any

import numpy as np

from engine.operators.budget import Budget
from engine.operators.recursion.matrices.changes import Better, Worse
from engine.operators.recursion.matrices.costs import CostRule, Mask
from engine.operators.recursion.matrices.links import Indices, Links, places_of
from engine.operators.recursion.matrices.lowering import mask
from engine.operators.recursion.matrices.matrix import Cells, Difference, PathMatrix


class SeededPaths:
    """Nodes by number as rows, ȳ by number as columns."""

    def __init__(self, rule: CostRule, budget: Budget) -> None:
        self._rule = rule
        self._matrix = PathMatrix(rule, budget)
        self._seeds = Links(rule.dtype)

    def grow(self, nodes: int, passing: int) -> None:
        self._matrix.grow(nodes, passing)
        self._seeds.grow(len(self._matrix.values))

    def widen(self) -> None:
        self._matrix.widen()
        self._seeds.cost = self._rule.widened(self._seeds.cost)

    def worsen(self, links: Worse, seeds: Worse) -> None:
        """Take links and seeds away or make them dearer."""
        matrix, values = self._matrix, self._matrix.values
        matrix.links.put({link: new for link, (_, new) in links.items()})
        self._seeds.put({seed: new for seed, (_, new) in seeds.items()})
        rising = [(a, matrix.standing_on(a, b, old)) for (a, b), (old, _) in links.items()]
        rising += [(x, np.array([y])) for (x, y), (old, _) in seeds.items() if values[x, y] == old]
        if not any(len(columns) for _, columns in rising):
            return
        columns = np.unique(np.concatenate([columns for _, columns in rising]))
        marked = np.zeros((len(values), len(columns)), bool)
        for row, those in rising:
            marked[row, np.searchsorted(columns, those)] = True
        self._rise(marked, columns)

    def _rise(self, marked: Mask, columns: Indices) -> None:
        matrix = self._matrix
        seeded = self._seeded(columns)
        marked &= ~seeded
        self._spread(marked, seeded, columns)
        rows = np.flatnonzero(marked.any(axis=1))
        cells = matrix.flat(rows, columns)[marked[rows].reshape(-1)]
        matrix.clear(cells)
        self._sow(rows, columns)
        matrix.restore([cells])

    def _seeded(self, columns: Indices) -> Mask:
        """Return which cells have a seed as cheap as they are."""
        seeds, values = self._seeds, self._matrix.values
        seeded = np.zeros((len(values), len(columns)), bool)
        tight = seeds.cost == values[seeds.source, seeds.target]
        tight &= mask(columns, values.shape[1])[seeds.target]
        seeded[seeds.source[tight], np.searchsorted(columns, seeds.target[tight])] = True
        return seeded

    def _spread(self, marked: Mask, seeded: Mask, columns: Indices) -> None:
        """Mark what stands on a marked cell, and so on."""
        matrix, links = self._matrix, self._matrix.links
        rows = np.flatnonzero(marked.any(axis=1))
        while len(rows):
            rows, starts, counts = links.of(links.into(mask(rows, len(marked))))
            if not len(rows):
                return
            places, offsets = places_of(starts, counts)
            tight = matrix.through(places, columns) == matrix.cells(links.source[places], columns)
            tight &= marked[links.target[places]]
            new = np.logical_or.reduceat(tight, offsets, axis=0) & ~marked[rows] & ~seeded[rows]
            marked[rows] |= new
            rows = rows[new.any(axis=1)]

    def _sow(self, rows: Indices, columns: Indices) -> None:
        """Lower cells of a block to their seeds."""
        seeds, values = self._seeds, self._matrix.values
        inside = mask(rows, values.shape[0])[seeds.source] & mask(columns, values.shape[1])[seeds.target]
        at = seeds.source[inside], seeds.target[inside]
        values[at] = np.minimum(values[at], seeds.cost[inside])

    def improve(self, links: Better, seeds: Better) -> None:
        """Add links and seeds or make them cheaper."""
        matrix, values = self._matrix, self._matrix.values
        matrix.links.put(links)
        self._seeds.put(seeds)
        lower = [(seed, cost) for seed, cost in seeds.items() if cost < values[seed]]
        if lower:
            rows = np.unique(np.array([row for (row, _), _ in lower]))
            columns = np.unique(np.array([column for (_, column), _ in lower]))
            self._sow(rows, columns)
            matrix.touch(matrix.flat(rows, columns))
            matrix.relax(matrix.links.into(mask(rows, len(values))), columns)
        matrix.relax_over(links)

    def differences(self) -> list[Difference]:
        return self._matrix.differences()

    def present(self) -> list[Cells]:
        return [self._matrix.present()]

    def cost(self, row: int, column: int) -> Any:
        return self._matrix.values[row, column]

    def next_rows(self, row: int, column: int, cost: Any) -> list[int]:
        return self._matrix.tight(row, column, cost)
