"""Costs pushed from what changed to what reads it, smallest sets first.

    dirty := the or nodes of every T ⊇ S, for each changed S; that of each changed step
    while dirty:  o := its lowest
        b := min of o's and nodes; where neither b nor rows(o) changed: go no further
        each share of o := b + w · rows(o);  each and node that reads it := share + share
        dirty ∪= those that read o

Or nodes are numbered bottom up and dirty is one integer, so its lowest bit is next and every node is
looked at once (any order ends the same; the reverse visits ten times as many). Costs are computed again,
never corrected by a difference: sums would drift. Where most of the graph would be touched, recosting
all of it is cheaper: an and node is then computed once, not once for each of its inputs.

References:
    Spec 004, A6 and I.
"""

from collections.abc import Sequence

from federated.memo.cardinality import Cardinalities
from federated.memo.costs import Operator, sized
from federated.memo.feeds import Feeds
from federated.memo.space import Space
from federated.memo.touched import Touched

ALL_AGAIN_FROM = 0.75
"""The part of all pushes from which recosting everything costs less."""


class Push:
    """The costs of a space's nodes, as lists."""

    def __init__(self, space: Space, cards: Cardinalities, rows: Sequence[float]) -> None:
        self.rows = list(rows)
        self._space = space
        self._cards = cards
        self._feeds = Feeds(space)
        self._expressions = [node.expression for node in space.ors]
        self._bare = [0.0] * len(space.ors)
        self._reached: dict[int, tuple[tuple[int, ...], int, float]] = {}
        self._pushes = max(1, sum(self._feeds.fed))
        self._forget()
        self.settle_all()

    def scale(self, mask: int, factor: float) -> None:
        """Multiply the rows of every set that contains one."""
        reached = self._reached.get(mask)
        if reached is None:
            reached = self._reached[mask] = self._reach(mask)
        expressions, nodes, part = reached
        rows = self.rows
        for i in expressions:
            rows[i] *= factor
        self._dirty |= nodes
        self._changed |= nodes
        self._spared *= 1.0 - part
        if not mask & (mask - 1):
            self._steps.update(self._feeds.scanned.get(mask, {}))

    def scale_step(self, step: int, factor: float) -> None:
        """Multiply the work of one step."""
        self._feeds.scale(step, factor)
        self._steps[step] = None
        self._dirty |= 1 << self._space.ands[step].of

    def settle(self) -> Touched:
        """Bring every cost up to date; return how many nodes were computed."""
        if not self._dirty:
            return Touched(0, 0)
        if self._spared < 1.0 - ALL_AGAIN_FROM:
            return self.settle_all()
        for step in self._steps:
            self._compute(step)
        ors, ands = self._push(self._dirty, self._changed)
        touched = Touched(ors, ands + len(self._steps))
        self._forget()
        return touched

    def settle_all(self) -> Touched:
        """Compute every cost from those below it."""
        feeds, rows = self._feeds, self.rows
        values, read, bare = feeds.values, feeds.read, self._bare
        for steps in feeds.scanned.values():
            for step in steps:
                self._compute(step)
        for o, node in enumerate(self._space.ors):
            reading = read[node.ways.start : node.ways.stop]
            feeds.costs[o][:] = costs = [values[left] + values[right] for left, right in reading]
            bare[o] = least = min(costs)
            size = rows[node.expression]
            for share, weight, _ in feeds.joined[o]:
                values[share] = least + weight * size
            for share, weight, _ in feeds.sorted[o]:
                values[share] = least + weight * sized(size)
        self._forget()
        return Touched(len(bare), len(read))

    def best(self, node: int) -> float:
        """Return the least cost of an or node."""
        return self._bare[node] + self._space.output(node) * self.rows[self._expressions[node]]

    def step(self, node: int) -> int:
        """Return the and node that has it; of several the first."""
        costs = self._feeds.costs[node]
        return self._space.ors[node].ways.start + costs.index(min(costs))

    def costs(self, node: int) -> list[float]:
        """Return the costs of an or node's and nodes, in their order."""
        out = self._space.output(node) * self.rows[self._expressions[node]]
        return [cost + out for cost in self._feeds.costs[node]]

    def _push(self, dirty: int, changed: int) -> Touched:
        feeds, bare, rows, expressions = self._feeds, self._bare, self.rows, self._expressions
        values, costs, joined, sorting = feeds.values, feeds.costs, feeds.joined, feeds.sorted
        ors = ands = 0
        while dirty:
            low = dirty & -dirty
            dirty ^= low
            o = low.bit_length() - 1
            ors += 1
            least = min(costs[o])
            if least == bare[o] and not changed & low:
                continue
            bare[o] = least
            size = rows[expressions[o]]
            for share, weight, readers in joined[o]:
                values[share] = value = least + weight * size
                for row, at, sibling in readers:
                    row[at] = value + values[sibling]
            for share, weight, readers in sorting[o]:
                values[share] = value = least + weight * sized(size)
                for row, at, _ in readers:
                    row[at] = value
            dirty |= feeds.parents[o]
            ands += feeds.fed[o]
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

    def _value(self, share: int) -> float:
        if not share:
            return 0.0
        of, operator, weight = self._feeds.node(share), self._feeds.operator(share), self._feeds.weight(share)
        size = self.rows[self._expressions[of]]
        if operator.scans:
            return weight * size
        return self._bare[of] + weight * (sized(size) if operator is Operator.SORT else size)

    def _reach(self, mask: int) -> tuple[tuple[int, ...], int, float]:
        """Return the expressions above a set, their or nodes, and the part of all pushes that they make."""
        expressions = self._cards.supersets(mask)
        above, nodes, pushes = set(expressions), 0, 0
        for node, expression in enumerate(self._expressions):
            if expression in above:
                nodes |= 1 << node
                pushes += self._feeds.fed[node]
        return expressions, nodes, pushes / self._pushes

    def _forget(self) -> None:
        self._dirty = self._changed = 0
        self._spared = 1.0
        self._steps: dict[int, None] = {}
