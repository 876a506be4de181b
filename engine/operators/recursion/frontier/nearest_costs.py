"""The least cost of each node, kept while links and seeds change.

    v(x)  =  min( least seed(x),  min over links (x, z, w) of  w ∘ v(z) )

fall    what stood on a link or seed that went, lowest cost first: it stays on another support of a lower
        cost, or falls and takes along what stood on it
rise    what fell, and what got a better offer, is settled as Dijkstra does, cheapest first

A support counts only if its own cost is strictly lower, since by then it is known whether that stands; so
links of no cost never hold each other up in a circle. The work is that of the nodes whose cost changes and
their links, whatever the size of the graph.

References:
    Ramalingam, Reps. An Incremental Algorithm for a Generalization of the Shortest-Path Problem.
    J. Algorithms 21 (1996).
"""

from collections.abc import Callable, KeysView
from heapq import heappop, heappush
from itertools import count
from typing import Any

from engine.operators.budget import Meter
from engine.operators.recursion.matrices.changes import Parallels
from engine.operators.recursion.matrices.costs import ABSENT

Node = Any
Cost = Any
Combine = Callable[[Cost, Cost], Cost]
Queue = list[tuple[Cost, int, Node]]
NOTHING: dict[Node, Cost] = {}


class NearestCosts:
    """Costs by node; one of ``limit`` or more is absent."""

    def __init__(self, combine: Combine, limit: float, meter: Meter) -> None:
        self._combine, self._limit, self._meter = combine, limit, meter
        self.links, self.seeds = Parallels(), Parallels()
        self.onward: dict[Node, dict[Node, Cost]] = {}
        self._into: dict[Node, dict[Node, Cost]] = {}
        self._seeded: dict[Node, Cost] = {}
        self.values: dict[Node, Cost] = {}
        self._before: dict[Node, Cost] = {}
        self._order = count()

    def settle(self) -> dict[Node, Cost]:
        """Take the changes of links and seeds in; return of each node that changed the cost before."""
        values = self.values
        worse_links, better_links = self.links.changes()
        worse_seeds, better_seeds = self.seeds.changes()
        suspects: Queue = []
        for (x, z), (old, now) in worse_links.items():
            if z in values and x in values and self._combine(old, values[z]) == values[x]:
                self._push(suspects, values[x], x)
            self._put_link(x, z, now)
        for (x, _), (old, now) in worse_seeds.items():
            if values.get(x) == old:
                self._push(suspects, old, x)
            self._put_seed(x, now)
        waiting = self._fallen(suspects)
        for (x, z), now in better_links.items():
            self._put_link(x, z, now)
            if z in values:
                self._offer(waiting, x, self._combine(now, values[z]))
        for (x, _), now in better_seeds.items():
            self._put_seed(x, now)
            self._offer(waiting, x, now)
        self._rise(waiting)
        before, self._before = self._before, {}
        return {x: cost for x, cost in before.items() if values.get(x, ABSENT) != cost}

    def into(self, x: Node) -> KeysView[Node]:
        """Return the nodes that have a link to one."""
        return self._into.get(x, NOTHING).keys()

    def supports(self, x: Node) -> list[Node]:
        """Return the nodes over which a node comes at its cost."""
        cost, values, combine = self.values[x], self.values, self._combine
        onward = self.onward.get(x, NOTHING).items()
        return [z for z, weight in onward if z in values and combine(weight, values[z]) == cost]

    def support(self, x: Node) -> Node:
        """Return the least of ``supports``."""
        cost, values, combine, least = self.values[x], self.values, self._combine, None
        for z, weight in self.onward[x].items():
            if z in values and combine(weight, values[z]) == cost and (least is None or z < least):
                least = z
        return least

    def is_seeded(self, x: Node) -> bool:
        """Tell whether a node has a seed as cheap as it is."""
        return bool(self._seeded.get(x, ABSENT) == self.values[x])

    def _put_link(self, x: Node, z: Node, cost: Cost) -> None:
        if cost != ABSENT:
            self.onward.setdefault(x, {})[z] = cost
            self._into.setdefault(z, {})[x] = cost
            return
        self.onward[x].pop(z)
        self._into[z].pop(x)
        if not self.onward[x]:
            del self.onward[x]
        if not self._into[z]:
            del self._into[z]

    def _put_seed(self, x: Node, cost: Cost) -> None:
        if cost == ABSENT:
            del self._seeded[x]
        else:
            self._seeded[x] = cost

    def _push(self, queue: Queue, cost: Cost, x: Node) -> None:
        heappush(queue, (cost, next(self._order), x))

    def _offer(self, waiting: Queue, x: Node, cost: Cost) -> None:
        if cost < self._limit and cost < self.values.get(x, ABSENT):
            self._push(waiting, cost, x)

    def _fallen(self, suspects: Queue) -> Queue:
        """Make absent what has lost its support; return what the rest offers to it."""
        values, combine, fallen = self.values, self._combine, dict[Node, Cost]()
        while suspects:
            cost, _, x = heappop(suspects)
            if x in fallen or self._is_supported(x, cost, fallen):
                continue
            self._meter.check()
            fallen[x] = cost
            for p, weight in self._into.get(x, NOTHING).items():
                if p in values and p not in fallen and combine(weight, cost) == values[p]:
                    self._push(suspects, values[p], p)
        for x, cost in fallen.items():
            self._before.setdefault(x, cost)
            del values[x]
        waiting: Queue = []
        for x in fallen:
            self._offer(waiting, x, self._best(x))
        return waiting

    def _is_supported(self, x: Node, cost: Cost, fallen: dict[Node, Cost]) -> bool:
        if self._seeded.get(x) == cost:
            return True
        values = self.values
        for z, weight in self.onward.get(x, NOTHING).items():
            held = values.get(z, ABSENT)
            if held < cost and z not in fallen and self._combine(weight, held) == cost:
                return True
        return False

    def _best(self, x: Node) -> Cost:
        best, values, combine = self._seeded.get(x, ABSENT), self.values, self._combine
        for z, weight in self.onward.get(x, NOTHING).items():
            if z in values:
                offered = combine(weight, values[z])
                if offered < best:
                    best = offered
        return best

    def _rise(self, waiting: Queue) -> None:
        values, combine, limit, order = self.values, self._combine, self._limit, self._order
        while waiting:
            cost, _, x = heappop(waiting)
            held = values.get(x, ABSENT)
            if cost >= held:
                continue
            self._meter.check()
            self._before.setdefault(x, held)
            values[x] = cost
            for p, weight in self._into.get(x, NOTHING).items():
                offered = combine(weight, cost)
                if offered < values.get(p, ABSENT) and offered < limit:
                    heappush(waiting, (offered, next(order), p))
