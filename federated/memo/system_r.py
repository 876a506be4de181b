"""The procedural form from the bottom up: dynamic programming by level (System R, bushy).

    for each key, smaller sets first:  best = min over its ways of local + Σ best(children)
    again:  Δbest of the leaves, ΔPlanCost = ΔLocal + Δbest(l) + Δbest(r), level by level,
            no further than bests that changed

With ``remembers_all`` every way's cost is kept, and only ways with a changed input are computed again; else
the bests alone, and all ways of a key are computed when one of them may have changed: (3ⁿ−2ⁿ)/(2ⁿ−1) times
fewer numbers. The original was left-linear. It prunes nothing that is enumerated.

References:
    Selinger and others. Access Path Selection in a Relational Database Management System. SIGMOD 1979.
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 5.2.
"""

from heapq import heapify, heappop, heappush

from federated.memo.searched import Searched
from federated.memo.ways import Key, Way


class SystemR:
    """Optimizes a space by levels, and again after each change of its numbers, which the space has before."""

    def __init__(self, space: Searched, *, remembers_all: bool = True) -> None:
        self._space = space
        self._remembers_all = remembers_all
        self._ways = _below(space)
        self._order = {key: number for number, key in enumerate(sorted(self._ways, key=_level))}
        self._readers: dict[Key, list[tuple[Key, int]]] = {key: [] for key in self._order}
        self._best: dict[Key, float] = {}
        self._costs: dict[Key, list[float]] = {}
        self._dirty: dict[Key, set[int]] = {}
        for key in self._order:
            self._connect(key)
            costs = [self._cost(key, place) for place in range(len(self._ways[key]))]
            self._best[key] = min(costs)
            if remembers_all:
                self._costs[key] = costs

    def best(self, root: Key) -> float:
        return self._best[root]

    def scaled(self, mask: int, factor: float) -> None:
        """The space multiplied the rows of each set that contains one; ``settle`` draws what follows."""
        if factor == 1:
            return
        for key, ways in self._ways.items():
            if key[0] & mask == mask:
                self._dirty[key] = set(range(len(ways)))

    def step_scaled(self, key: Key, way: Way, factor: float) -> None:
        """The space multiplied the work of one step; ``settle`` draws what follows."""
        if factor == 1:
            return
        self._dirty.setdefault(key, set()).add(self._ways[key].index(way))

    def settle(self) -> None:
        """Compute what has a changed part, smaller sets first."""
        keys = list(self._order)
        waiting = [self._order[key] for key in self._dirty]
        heapify(waiting)
        while waiting:
            key = keys[heappop(waiting)]
            best = self._again(key, self._dirty.pop(key))
            if best == self._best[key]:
                continue
            self._best[key] = best
            for reader, place in self._readers[key]:
                if reader not in self._dirty:
                    self._dirty[reader] = set()
                    heappush(waiting, self._order[reader])
                self._dirty[reader].add(place)

    def _again(self, key: Key, places: set[int]) -> float:
        if not self._remembers_all:
            return min(self._cost(key, place) for place in range(len(self._ways[key])))
        costs = self._costs[key]
        for place in places:
            costs[place] = self._cost(key, place)
        return min(costs)

    def _cost(self, key: Key, place: int) -> float:
        cost = self._space.local(key, self._ways[key][place])
        for child in self._space.inputs(key)[place]:
            cost += self._best[child]
        return cost

    def _connect(self, key: Key) -> None:
        for place, inputs in enumerate(self._space.inputs(key)):
            for child in inputs:
                self._readers[child].append((key, place))


def _below(space: Searched) -> dict[Key, tuple[Way, ...]]:
    """Enumerate all that the roots may need."""
    found: dict[Key, tuple[Way, ...]] = {}
    waiting = list(space.roots)
    while waiting:
        key = waiting.pop()
        if key not in found:
            found[key] = space.ways(key)
            waiting += [child for inputs in space.inputs(key) for child in inputs if child not in found]
    return found


def _level(key: Key) -> tuple[int, int]:
    mask, has = key
    return mask.bit_count(), has.kind
