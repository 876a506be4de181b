"""The costs of large graphs: a level of or nodes at a time, as arrays.

    costs    of the level's and nodes: share + share, an addition of two gathered arrays
    best     minimum.reduceat over the and nodes of each or node, which are next to each other

All and nodes above a changed set are computed, not only those with a changed input: an array does twenty
in the time of one push. Several changes are followed one by one, or all is recosted where that is less.

References:
    Spec 004, I (numpy level arrays with reduceat).
"""

from collections.abc import Sequence

import numpy as np

from federated.memo.arrays import Arrays, Floats, Reach
from federated.memo.space import Space
from federated.memo.touched import NOTHING, Touched

KEPT = 2_000_000
"""And nodes in all kept reaches together: about 50 MB."""
LEVEL_AS_STEPS = 600
"""And nodes that take as long as a level's calls."""


class Levels:
    """The costs of a space's nodes, as arrays."""

    def __init__(self, space: Space, rows: Sequence[float]) -> None:
        self.rows: Floats = np.array(rows)
        self._space = space
        self._arrays = Arrays(space)
        self._all = self._arrays.above(0)
        self._bare: Floats = np.zeros(len(space.ors))
        self._values: Floats = np.zeros(len(self._arrays.weights))
        self._reached: dict[int, Reach] = {}
        self._kept = 0
        self._sets: dict[int, None] = {}
        self._steps: dict[int, None] = {}
        self.settle_all()

    def scale(self, mask: int, factor: float) -> None:
        """Multiply the rows of every set that contains one."""
        self.rows[self._reach(mask).expressions] *= factor
        self._sets[mask] = None

    def scale_step(self, step: int, factor: float) -> None:
        """Multiply the work of one step."""
        mask = self._space.ors[self._space.ands[step].of].mask
        if self._arrays.scale(step, factor):
            stale = [part for part in self._reached if part & mask == part]
            for part in stale:
                self._drop(part)
            self._all = self._arrays.above(0)
            self._values.resize(len(self._arrays.weights), refcheck=False)
        self._steps[step] = None

    def settle(self) -> Touched:
        """Bring every cost up to date; return how many nodes were computed."""
        for step in self._steps:
            self._reach_step(step)
        self._steps.clear()
        if not self._sets:
            return NOTHING
        reaches, effort = [], 0
        for mask in self._sets:
            reaches.append(self._reach(mask))
            effort += _effort(reaches[-1])
            if effort > _effort(self._all) and len(self._sets) > 1:
                return self.settle_all()
        self._sets.clear()
        for reach in reaches:
            self._follow(reach)
        return Touched(sum(r.touched.ors for r in reaches), sum(r.touched.ands for r in reaches))

    def settle_all(self) -> Touched:
        """Compute every cost from those below it."""
        self._follow(self._all)
        self._sets.clear()
        self._steps.clear()
        return self._all.touched

    def best(self, node: int) -> float:
        """Return the least cost of an or node."""
        return float(self._bare[node]) + self._out(node)

    def step(self, node: int) -> int:
        """Return the and node that has it; of several the first."""
        ways = self._space.ors[node].ways
        return ways.start + int(self._arrays.costs(self._values, ways).argmin())

    def costs(self, node: int) -> list[float]:
        """Return the costs of an or node's and nodes, in their order."""
        costs = self._arrays.costs(self._values, self._space.ors[node].ways) + self._out(node)
        return [float(cost) for cost in costs]

    def _out(self, node: int) -> float:
        return self._space.output[node] * float(self.rows[self._space.ors[node].expression])

    def _follow(self, reach: Reach) -> None:
        """Compute all that is touched, smallest sets first."""
        values, bare = self._values, self._bare
        weights = self._arrays.weights
        values[reach.scans.shares] = reach.scans.of(weights, self.rows)
        terms = reach.shares.of(weights, self.rows)
        for nodes, left, right, starts, shares, of, part in reach.levels:
            costs = values.take(left)
            costs += values.take(right)
            least = np.minimum.reduceat(costs, starts)
            bare[nodes] = least
            made = least.take(of)
            made += terms[part]
            values[shares] = made

    def _reach_step(self, step: int) -> None:
        """Compute one step; where that changes the least of its or node, touch all above."""
        self._arrays.compute(step, self._values, self._bare, self.rows)
        node = self._space.ors[self._space.ands[step].of]
        if self._arrays.costs(self._values, node.ways).min() != self._bare[node.id]:
            self._sets[node.mask] = None

    def _reach(self, mask: int) -> Reach:
        reach = self._reached.get(mask)
        if reach is None:
            reach = self._reached[mask] = self._arrays.above(mask)
            self._kept += reach.touched.ands
            while self._kept > KEPT and len(self._reached) > 1:
                self._drop(next(iter(self._reached)))
        return reach

    def _drop(self, mask: int) -> None:
        self._kept -= self._reached.pop(mask).touched.ands


def _effort(reach: Reach) -> int:
    return reach.touched.ands + LEVEL_AS_STEPS * len(reach.levels)
