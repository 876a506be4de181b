"""The parts of a space's arrays that a changed set touches, cut out level by level.

level    the or nodes of sets of one size, first those without an order, then those with one
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from federated.memo.costs import Operator
from federated.memo.reads import Reads
from federated.memo.space import Space
from federated.memo.touched import Touched
from federated.memo.ways import Kind

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


class Level(NamedTuple):
    """Of touched or nodes: their and nodes' two shares, where each one's begin; the shares that they make.

    ``of`` says which of the nodes makes each share, where that is not one each; ``terms`` where the rows'
    part of the shares stands.
    """

    left: Ints
    right: Ints
    starts: Ints
    shares: Ints
    of: Ints | None
    terms: slice


class Terms(NamedTuple):
    """Shares, the expressions whose rows they weigh, and which of them weigh comparisons."""

    shares: Ints
    expressions: Ints
    sorts: Ints

    def of(self, weights: Floats, rows: Floats) -> Floats:
        """Return the rows' part of each share."""
        sizes = rows.take(self.expressions)
        if len(self.sorts):
            sorted_ = sizes[self.sorts]
            sizes[self.sorts] = sorted_ * np.log2(sorted_ + 2.0)
        sizes *= weights.take(self.shares)
        return sizes


class Reach(NamedTuple):
    """What is touched: expressions, shares of scans, levels, and the shares of them all."""

    expressions: Ints
    scans: Terms
    levels: tuple[Level, ...]
    shares: Terms
    touched: Touched


class Arrays:
    """And nodes, or nodes and shares by number."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._reads = Reads(space)
        self.expressions: Ints = np.array([node.expression for node in space.ors])
        self._masks = np.array(space.masks, dtype=np.int64)
        self._levels = np.array(
            [2 * node.mask.bit_count() + (node.property.kind is Kind.ORDER) for node in space.ors]
        )
        ways = np.array([len(node.ways) for node in space.ors])
        self._ways = np.bincount(self.expressions, weights=ways)
        self._nodes_of_steps = np.array([step.of for step in space.ands])
        self.read_shares()

    def scale(self, step: int, factor: float) -> bool:
        """Multiply a step's work; tell whether it has other shares than before, which are to be read."""
        before = self._reads.read[step]
        after = self._reads.scale(step, factor)
        if after != before:
            return True
        for share in after:
            if share < len(self.weights):
                self.weights[share] = self._weight(share)
        return False

    def costs(self, values: Floats, ways: range) -> Floats:
        """Return the costs of and nodes without what they put out."""
        left, right = self._left[ways.start : ways.stop], self._right[ways.start : ways.stop]
        costs: Floats = values[left] + values[right]
        return costs

    def inputs(self, step: int) -> list[int]:
        """Return the or nodes whose best costs a step adds up."""
        return [int(self._of[share]) for share in self._reads.read[step] if share and not self._scans[share]]

    def compute(self, step: int, values: Floats, least: list[float], rows: Floats) -> None:
        """Compute the shares that one step reads, from its inputs' least costs."""
        shares = np.array([share for share in self._reads.read[step] if share], dtype=np.intp)
        values[shares] = self._terms(shares).of(self.weights, rows)
        values[shares[~self._scans[shares]]] += least

    def supersets(self, mask: int) -> Ints:
        """Return the expressions that contain a set."""
        return np.flatnonzero((self._masks & mask) == mask)

    def ways_of(self, mask: int) -> float:
        """Return how many and nodes they have."""
        return float(self._ways[self.supersets(mask)].sum())

    def above(self, mask: int) -> Reach:
        """Cut out what a set touches; the empty set touches all."""
        return self._cut((self._masks & mask) == mask)

    def read_shares(self) -> None:
        """Read which shares each step has by now; once for many steps, for it goes through all."""
        shares = self._reads.shares
        read = np.array(self._reads.read)
        self._left, self._right = np.ascontiguousarray(read[:, 0]), np.ascontiguousarray(read[:, 1])
        self._of: Ints = np.array([share.of for share in shares])
        self._scans = np.array([share.operator.scans for share in shares])
        self._sorts = np.array([share.operator is Operator.SORT for share in shares])
        self.weights: Floats = np.array([self._weight(number) for number in range(len(shares))])

    def _weight(self, share: int) -> float:
        of, operator, weight = self._reads.shares[share]
        put_out = share and not operator.scans and operator is not Operator.SORT
        return weight + self._space.output[of] if put_out else weight

    def _cut(self, touched: Bools) -> Reach:
        nodes = touched[self.expressions]
        made = nodes[self._of]
        made[0] = False
        shares = np.flatnonzero(made & ~self._scans)
        shares = shares[np.argsort(self._levels[self._of[shares]], kind="stable")]
        steps = np.flatnonzero(nodes[self._nodes_of_steps])
        return Reach(
            np.flatnonzero(touched),
            self._terms(np.flatnonzero(made & self._scans)),
            tuple(self._cut_levels(np.flatnonzero(nodes), steps, shares)),
            self._terms(shares),
            Touched(int(nodes.sum()), len(steps)),
        )

    def _terms(self, shares: Ints) -> Terms:
        return Terms(shares, self.expressions[self._of[shares]], np.flatnonzero(self._sorts[shares]))

    def _cut_levels(self, nodes: Ints, steps: Ints, shares: Ints) -> list[Level]:
        """Cut by levels; nodes and steps are in their order, shares by the level of who makes them."""
        levels = self._levels[nodes]
        by_step, by_share = self._levels[self._nodes_of_steps[steps]], self._levels[self._of[shares]]
        cut = []
        for level in np.unique(levels):
            of_level = nodes[_slice(levels, level)]
            reading = steps[_slice(by_step, level)]
            terms = _slice(by_share, level)
            of = np.searchsorted(of_level, self._of[shares[terms]])
            each_one = np.array_equal(of, np.arange(len(of_level)))
            cut.append(
                Level(
                    self._left[reading],
                    self._right[reading],
                    np.searchsorted(self._nodes_of_steps[reading], of_level),
                    shares[terms],
                    None if each_one else of,
                    terms,
                )
            )
        return cut


def _slice(ordered: Ints, value: int) -> slice:
    return slice(int(np.searchsorted(ordered, value)), int(np.searchsorted(ordered, value, "right")))
