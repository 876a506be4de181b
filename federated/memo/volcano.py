"""The procedural form from the top down: branch and bound with a memo (Volcano).

    solve(key, limit):  ways by lower bound, local + Σ low(children), until one exceeds limit or best so far
                        each child is solved within what the way's other parts leave
    memo                best where it is known (exact), else a lower bound: failed limits are kept too

Again after a change the memo stays, as lower bounds: exact no more are the sets that contain what changed.
An increase leaves their values, a decrease by f lowers them by fᵉ: e is the highest elasticity of a local
cost, 1.4 for a sort (n · log n rises faster than n; f¹ is unsound). On increases few ways are looked at; on
decreases of much-used sets the search may begin anew, which is why the push is what runs.

References:
    Graefe, McKenna. The Volcano Optimizer Generator: Extensibility and Efficient Search. ICDE 1993.
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 5.2.
"""

import math

from federated.memo.searched import Searched
from federated.memo.ways import Key, Way

ELASTICITY = 1.4
ROUNDING = 1e-12


class Volcano:
    """Optimizes a space within bounds, and again after each change of its numbers, made there before."""

    def __init__(self, space: Searched) -> None:
        self._space = space
        self._low: dict[Key, float] = {}
        self._exact: set[Key] = set()
        self._locals: dict[Key, list[float]] = {}
        self.looked_at = 0
        self.settle()

    def best(self, root: Key) -> float:
        return self._low[root]

    def scaled(self, mask: int, factor: float) -> None:
        """The space multiplied the rows of each set that contains one; ``settle`` draws what follows."""
        lowered = min(1.0, factor) ** ELASTICITY
        for key in self._low:
            if key[0] & mask == mask:
                self._low[key] *= lowered
                self._exact.discard(key)
                self._locals.pop(key, None)

    def step_scaled(self, key: Key, way: Way, factor: float) -> None:
        """The space multiplied the work of one step; ``settle`` draws what follows."""
        saved = max(0.0, self._space.local(key, way) * (1 / factor - 1))
        self._locals.pop(key, None)
        for other in self._low:
            if other[0] & key[0] == key[0]:
                self._low[other] = max(0.0, self._low[other] - saved)
                self._exact.discard(other)

    def settle(self) -> None:
        """Find the bests of the roots."""
        for root in self._space.roots:
            self._solve(root, math.inf)

    def _solve(self, key: Key, limit: float) -> bool:
        """Find the best of a key if it is within the limit; else raise its lower bound."""
        if key in self._exact:
            return self._low[key] <= limit
        if self._low.get(key, 0.0) > limit:
            return False
        best, least = math.inf, math.inf
        for low, place in sorted(self._lower_bounds(key)):
            if low > _loosened(min(limit, best)):
                least = min(least, low)
                break
            best = min(best, self._try(key, place, min(limit, best)))
            least = min(least, self._lower_bound(key, place))
        self._low[key] = best if best <= _loosened(limit) else max(self._low.get(key, 0.0), least)
        if best <= _loosened(limit):
            self._exact.add(key)
        return key in self._exact

    def _lower_bounds(self, key: Key) -> list[tuple[float, int]]:
        if key not in self._locals:
            self._locals[key] = [self._space.local(key, way) for way in self._space.ways(key)]
        return [(self._lower_bound(key, place), place) for place in range(len(self._locals[key]))]

    def _lower_bound(self, key: Key, place: int) -> float:
        low = self._locals[key][place]
        for child in self._space.inputs(key)[place]:
            low += self._low.get(child, 0.0)
        return low

    def _try(self, key: Key, place: int, limit: float) -> float:
        """Return the cost of one way, +∞ when it exceeds the limit."""
        self.looked_at += 1
        for child in self._space.inputs(key)[place]:
            rest = self._lower_bound(key, place) - self._low.get(child, 0.0)
            if not self._solve(child, _loosened(limit) - rest):
                return math.inf
        return self._lower_bound(key, place)


def _loosened(limit: float) -> float:
    """A limit is a difference of sums: what exceeds it by rounding is within."""
    return limit * (1 + ROUNDING)
