"""The costs of large graphs: a level of or nodes at a time, as arrays.

    costs    of the level's and nodes: share + share, an addition of two gathered arrays
    best     minimum.reduceat over the and nodes of each or node, which are next to each other

All and nodes above a changed set are computed, not only those with a changed input: an array does twenty
in the time of one push. Several changes are followed one by one. All is recosted where that is less; also
where a set changes for the first time, since to cut out what it touches takes longer.
"""

from collections.abc import Sequence

import numpy as np

from federated.memo.arrays import Arrays, Floats, Ints, Reach
from federated.memo.space import Space
from federated.memo.touched import NOTHING, Touched

KEPT = 2_000_000
"""And nodes in all kept reaches together: about 50 MB."""
LEVEL_AS_STEPS = 1_700
"""And nodes that take as long as the calls for one level."""
WORTH = 0.8
"""The part of all effort below which following is faster than recosting: gathering is not free."""

SAMPLED = 16
"""Of so many sets of a size one is looked at."""


class Levels:
    """The costs of a space's nodes, as arrays."""

    def __init__(self, space: Space, rows: Sequence[float]) -> None:
        self.rows: Floats = np.array(rows)
        self._space = space
        self._arrays = Arrays(space)
        self._all = self._arrays.above(0)
        self._values: Floats = np.zeros(len(self._arrays.weights))
        self._above: dict[int, Ints] = {}
        self._efforts = self._efforts_by_size()
        self._again: dict[int, None] = {}
        self._enough = WORTH * self._efforts[0]
        self._reached: dict[int, Reach] = {}
        self._kept = 0
        self._sets: dict[int, None] = {}
        self._steps: dict[int, None] = {}
        self._is_stale = False
        self.settle_all()

    def scale(self, mask: int, factor: float) -> None:
        """Multiply the rows of every set that contains one."""
        above = self._above.get(mask)
        if above is None:
            above = self._above[mask] = self._arrays.supersets(mask)
        self.rows[above] *= factor
        self._sets[mask] = None

    def scale_step(self, step: int, factor: float) -> None:
        """Multiply the work of one step."""
        self._is_stale |= self._arrays.scale(step, factor)
        self._steps[step] = None

    def settle(self) -> Touched:
        """Bring every cost up to date; return how many nodes were computed."""
        if self._is_stale:
            return self.settle_all()
        for step in self._steps:
            self._compute(step)
        self._steps.clear()
        if not self._sets:
            return NOTHING
        if not self._worth_following():
            return self.settle_all()
        reaches = [self._reach(mask) for mask in self._sets]
        self._sets.clear()
        for reach in reaches:
            self._follow(reach)
        return Touched(sum(r.touched.ors for r in reaches), sum(r.touched.ands for r in reaches))

    def settle_all(self) -> Touched:
        """Compute every cost from those below it."""
        if self._is_stale:
            self._cut_anew()
        self._follow(self._all)
        self._sets.clear()
        self._steps.clear()
        return self._all.touched

    def _cut_anew(self) -> None:
        """Take in that steps have shares of their own: what was cut out before knows nothing of them."""
        self._arrays.read_shares()
        self._reached.clear()
        self._kept = 0
        self._all = self._arrays.above(0)
        self._values.resize(len(self._arrays.weights), refcheck=False)
        self._is_stale = False

    def best(self, node: int) -> float:
        """Return the least cost of an or node."""
        return self._least(node) + self._out(node)

    def step(self, node: int) -> int:
        """Return the and node that has it; of several the first."""
        ways = self._space.ors[node].ways
        return ways.start + int(self._arrays.costs(self._values, ways).argmin())

    def costs(self, node: int) -> list[float]:
        """Return the costs of an or node's and nodes, in their order."""
        costs = self._arrays.costs(self._values, self._space.ors[node].ways) + self._out(node)
        return [float(cost) for cost in costs]

    def _least(self, node: int) -> float:
        return float(self._arrays.costs(self._values, self._space.ors[node].ways).min())

    def _out(self, node: int) -> float:
        return self._space.output[node] * float(self.rows[self._space.ors[node].expression])

    def _follow(self, reach: Reach) -> None:
        """Compute all that is touched, smallest sets first."""
        values, weights = self._values, self._arrays.weights
        values[reach.scans.shares] = reach.scans.of(weights, self.rows)
        terms = reach.shares.of(weights, self.rows)
        for left, right, starts, shares, of, part in reach.levels:
            costs = values.take(left)
            costs += values.take(right)
            least = np.minimum.reduceat(costs, starts)
            made = least if of is None else least.take(of)
            made += terms[part]
            values[shares] = made

    def _compute(self, step: int) -> None:
        """Compute one step; where that changes the least of its or node, touch all above."""
        node = self._space.ors[self._space.ands[step].of]
        before = self._least(node.id)
        least = [self._least(i) for i in self._arrays.inputs(step)]
        self._arrays.compute(step, self._values, least, self.rows)
        if self._least(node.id) != before:
            self.scale(node.mask, 1.0)

    def _worth_following(self) -> bool:
        """Tell whether to follow each changed set: all are less effort than everything, and none is new."""
        left = self._enough
        for mask in self._sets:
            left -= self._efforts[mask.bit_count()]
            if left < 0.0:
                return False
        known = all(mask in self._again for mask in self._sets)
        self._again.update(self._sets)
        return known

    def _efforts_by_size(self) -> list[float]:
        """Return what following a set of each size takes, in and nodes: of some that there are, the mean."""
        n = len(self._space.graph.bases)
        efforts = []
        for k in range(n + 1):
            some = [mask for mask in self._space.masks if mask.bit_count() == k][::SAMPLED] or [0]
            ways = sum(map(self._arrays.ways_of, some)) / len(some)
            efforts.append(ways + LEVEL_AS_STEPS * (n - k + 1))
        return efforts

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
