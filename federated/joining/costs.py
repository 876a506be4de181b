"""What a tree of joins costs in a tick, in rows handled.

    changes(T)  =  rows(T) · Σ_{r ∈ T} changes(r) / rows(r)     an input's change meets what the rest holds
    effort(T)   =  changes(T) + rows(T) / 100                   each is handled, and what stands is held
    cost(tree)  =  Σ over its joins (L, R) of T:  effort(L) + effort(R) + effort(T) + in_vain(L, R)
    in_vain     =  what meets there and a selection above drops, and that it is asked

A set's effort is the same in every tree, so the best tree of a set is made of best trees.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, chapter 5: rates times
    probing work, and state.
"""

from collections.abc import Callable
from functools import cache
from math import prod

from federated.estimating.cost import kept_by
from federated.joining.predicates import Predicates
from federated.joining.trees import Tree, joins

HELD = 0.01
SELECTING = 0.5


class StreamCosts:
    """Costs over sets of so many rows, of inputs that are renewed so many times in a tick."""

    def __init__(
        self, predicates: Predicates, turnover: tuple[float, ...], rows: Callable[[int], float]
    ) -> None:
        self._predicates = predicates
        self._turnover = turnover
        self._rows = rows
        self._renewed = cache(self._sum)
        self.effort = cache(self._effort)

    def in_vain(self, left: int, right: int) -> float:
        """Return what the join of two sets brings together, and what stands above it drops."""
        _, rest = self._predicates.between(left, right)
        if not rest:
            return 0.0
        changes = self._rows(left | right) * self._renewed(left | right)
        return changes * ((1 + SELECTING) / prod(map(kept_by, rest)) - 1)

    def join(self, left: int, right: int) -> float:
        """Return what the join of two sets costs, without what it costs to have them."""
        return self.effort(left) + self.effort(right) + self.effort(left | right) + self.in_vain(left, right)

    def of(self, tree: Tree) -> float:
        """Return what a tree costs."""
        return sum(self.join(left, right) for left, right in joins(tree))

    def _effort(self, mask: int) -> float:
        return self._rows(mask) * (self._renewed(mask) + HELD)

    def _sum(self, mask: int) -> float:
        return sum(each for number, each in enumerate(self._turnover) if mask >> number & 1)
