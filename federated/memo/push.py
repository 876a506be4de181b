"""Costs pushed from what changed to what reads it, smallest sets first.

    dirty := the or nodes of every T ⊇ S, for each changed S; that of each changed step
    while dirty:  o := its lowest
        b := min of o's and nodes; where neither b nor rows(o) changed: go no further
        each share of o := b + w · rows(o);  each and node that reads it := share + share
        dirty ∪= those that read o

Or nodes are numbered bottom up and dirty is one integer, so its lowest bit is next and every node is
looked at once (any order ends the same; the reverse visits ten times as many). Costs are computed again,
never corrected by a difference: sums would drift. Of a wide node only the costs that were written are
looked at, unless what was least is among them.

What reads a superset of S is one too: of one changed set, dirty is known before, and kept. Where most of
the graph would be touched, recosting all of it is cheaper: an and node is then computed once, not once
for each of its inputs.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.3, of what a change
    touches; that it is one pass over a numbered graph is ours.
"""

from collections.abc import Sequence

from federated.memo.costs import Operator, sized
from federated.memo.feeds import Feeds
from federated.memo.reaches import Node, Places, Reach, Reaches
from federated.memo.space import Space
from federated.memo.touched import NOTHING, Touched

ALL_AGAIN_FROM = 0.82
"""The part of all pushes from which recosting everything costs less: measured, 0.8 to 0.93."""
UNKNOWN = -1
"""Where the least cost of a wide node stands, when it was looked at otherwise since."""


class Push:
    """The costs of a space's nodes, as lists."""

    def __init__(self, space: Space, rows: Sequence[float]) -> None:
        self.rows = list(rows)
        self._space = space
        self._feeds = feeds = Feeds(space)
        self._reaches = Reaches(space, feeds)
        self._nodes = self._reaches.nodes
        self._bare = [0.0] * len(space.ors)
        self._least_at = [UNKNOWN] * len(space.ors)
        self._reached: dict[int, Reach] = {}
        self._sets: dict[int, Reach] = {}
        self._steps: dict[int, None] = {}
        self.settle_all()

    def scale(self, mask: int, factor: float) -> None:
        """Multiply the rows of every set that contains one."""
        reach = self._reached.get(mask)
        if reach is None:
            reach = self._reached[mask] = self._reaches.of(mask)
        rows = self.rows
        for i in reach.expressions:
            rows[i] *= factor
        self._sets[mask] = reach

    def scale_step(self, step: int, factor: float) -> None:
        """Multiply the work of one step."""
        if self._feeds.scale(step, factor):
            self._reached.clear()
        self._steps[step] = None

    def settle(self) -> Touched:
        """Bring every cost up to date; return how many nodes were computed."""
        if self._steps or len(self._sets) != 1:
            return self._settle_many() if self._steps or self._sets else NOTHING
        _, reach = self._sets.popitem()
        for step in reach.scans:
            self._compute(step)
        self._follow(reach.nodes)
        return reach.touched

    def settle_all(self) -> Touched:
        """Compute every cost from those below it."""
        values, read, bare, rows = self._feeds.values, self._feeds.read, self._bare, self.rows
        for steps in self._feeds.scanned.values():
            for step in steps:
                self._compute(step)
        ways = [node.ways for node in self._space.ors]
        self._least_at = [UNKNOWN] * len(ways)
        for o, _, expression, joined, sorting, _, _ in self._nodes:
            costs = self._feeds.costs[o]
            costs[:] = [values[left] + values[right] for left, right in read[ways[o].start : ways[o].stop]]
            bare[o] = least = min(costs)
            size = rows[expression]
            for share, weight, _ in joined:
                values[share] = least + weight * size
            for share, weight, _ in sorting:
                values[share] = least + weight * sized(size)
        self._sets.clear()
        self._steps.clear()
        return Touched(len(bare), len(read))

    def best(self, node: int) -> float:
        """Return the least cost of an or node."""
        return self._bare[node] + self._space.output[node] * self.rows[self._nodes[node].expression]

    def step(self, node: int) -> int:
        """Return the and node that has it; of several the first."""
        costs = self._feeds.costs[node]
        return self._space.ors[node].ways.start + costs.index(min(costs))

    def costs(self, node: int) -> list[float]:
        """Return the costs of an or node's and nodes, in their order."""
        out = self._space.output[node] * self.rows[self._nodes[node].expression]
        return [cost + out for cost in self._feeds.costs[node]]

    def _settle_many(self) -> Touched:
        changed, spared = 0, 1.0
        for reach in self._sets.values():
            changed |= reach.bits
            spared *= 1.0 - reach.part
            if spared < 1.0 - ALL_AGAIN_FROM:
                return self.settle_all()
            self._steps.update(dict.fromkeys(reach.scans))
        dirty = changed
        for step in self._steps:
            self._compute(step)
            dirty |= 1 << self._space.ands[step].of
        ors, ands = self._spread(dirty, changed)
        touched = Touched(ors, ands + len(self._steps))
        self._sets.clear()
        self._steps.clear()
        return touched

    def _follow(self, nodes: Sequence[Node]) -> None:
        """Push through nodes whose rows have all changed."""
        values, bare, rows = self._feeds.values, self._bare, self.rows
        for o, costs, expression, joined, sorting, _, written in nodes:
            if costs is None:
                least = bare[o]
            elif written is None:
                bare[o] = least = min(costs)
            else:
                bare[o] = least = self._least_of(o, costs, written)
            size = rows[expression]
            for share, weight, readers in joined:
                values[share] = value = least + weight * size
                for row, at, sibling in readers:
                    row[at] = value + values[sibling]
            if sorting:
                comparisons = sized(size)
                for share, weight, readers in sorting:
                    values[share] = value = least + weight * comparisons
                    for row, at, _ in readers:
                        row[at] = value

    def _least_of(self, o: int, costs: list[float], written: Places) -> float:
        """Return the least cost of a wide node of which only these were written since it was looked at."""
        least_at = self._least_at
        if least_at[o] == UNKNOWN or least_at[o] in written:
            least = min(costs)
            least_at[o] = costs.index(least)
            return least
        least = self._bare[o]
        for at in written:
            if costs[at] < least:
                least, least_at[o] = costs[at], at
        return least

    def _spread(self, dirty: int, changed: int) -> Touched:
        """Push through dirty nodes and what they dirty; ``changed`` are those whose rows have."""
        bare, costs, fed, nodes = self._bare, self._feeds.costs, self._feeds.fed, self._nodes
        ors = ands = 0
        while dirty:
            low = dirty & -dirty
            dirty ^= low
            node = nodes[low.bit_length() - 1]
            ors += 1
            self._least_at[node.id] = UNKNOWN
            if changed & low or min(costs[node.id]) != bare[node.id]:
                self._follow((node,))
                dirty |= node.parents
                ands += fed[node.id]
        return Touched(ors, ands)

    def _compute(self, step: int) -> None:
        """Compute one step from its inputs as they stand; what changes in them comes by a push."""
        feeds = self._feeds
        left, right = feeds.read[step]
        for share in (left, right):
            feeds.values[share] = self._value(share)
        node = self._space.ands[step].of
        at = step - self._space.ors[node].ways.start
        feeds.costs[node][at] = feeds.values[left] + feeds.values[right]
        self._least_at[node] = UNKNOWN

    def _value(self, share: int) -> float:
        if not share:
            return 0.0
        of, operator, weight = self._feeds.node(share), self._feeds.operator(share), self._feeds.weight(share)
        size = self.rows[self._nodes[of].expression]
        if operator.scans:
            return weight * size
        return self._bare[of] + weight * (sized(size) if operator is Operator.SORT else size)
