"""What a changed set reaches, found once and kept: all that reads a superset of it is a superset itself.

rows      of every T ⊇ S
costs     of every T ⊃ S, and of S where sorted: what S itself is joined from costs what it did
"""

from collections.abc import Container, Iterable
from typing import NamedTuple, Protocol

from federated.memo.feeds import Fed, Feeds
from federated.memo.sets import members
from federated.memo.space import Space
from federated.memo.touched import Touched

WIDE = 16
"""And nodes of one or node from which it pays to look at those alone that a pass has written."""


class Places(Container[int], Iterable[int], Protocol):
    """Places among an or node's and nodes."""


class Node(NamedTuple):
    """What a pass needs of an or node; no costs where none of them can have changed.

    ``written`` are the places among the costs of a wide one that the pass writes.
    """

    id: int
    costs: list[float] | None
    expression: int
    joined: Fed
    sorted: Fed
    parents: int
    written: Places | None = None


class Reach(NamedTuple):
    """What a changed set touches: expressions, or nodes (also as bits), scans; its part of all pushes."""

    expressions: tuple[int, ...]
    nodes: tuple[Node, ...]
    bits: int
    scans: tuple[int, ...]
    part: float
    touched: Touched


class Reaches:
    """Or nodes with what a pass needs of each, and which of them a set reaches."""

    def __init__(self, space: Space, feeds: Feeds) -> None:
        self._space = space
        self._feeds = feeds
        self._pushes = max(1, sum(feeds.fed))
        parts = zip(feeds.costs, feeds.joined, feeds.sorted, feeds.parents, strict=True)
        self.nodes = [
            Node(o.id, costs, o.expression, joined, sorting, parents)
            for o, (costs, joined, sorting, parents) in zip(space.ors, parts, strict=True)
        ]
        relations = range(len(space.graph.bases))
        self._expressions_with = [_bits(mask >> r & 1 for mask in space.masks) for r in relations]
        self._nodes_with = [_bits(o.mask >> r & 1 for o in space.ors) for r in relations]

    def of(self, mask: int) -> Reach:
        expressions, bits = -1, -1
        for r in members(mask):
            expressions &= self._expressions_with[r]
            bits &= self._nodes_with[r]
        nodes = [self.nodes[o] for o in members(bits)]
        joins = self._space.number(mask) if mask.bit_count() > 1 else None
        if joins is not None:
            nodes[0] = self.nodes[joins]._replace(costs=None)
        nodes = self._with_places([node for node in nodes if node.costs or node.joined or node.sorted])
        scans = tuple(self._feeds.scanned.get(mask, ()))
        pushes = sum(self._feeds.fed[node.id] for node in nodes)
        touched = Touched(len(nodes), pushes + len(scans))
        return Reach(tuple(members(expressions)), tuple(nodes), bits, scans, pushes / self._pushes, touched)

    def _with_places(self, nodes: list[Node]) -> list[Node]:
        """Tell of each wide node which of its costs these write; where that is most, all of them."""
        written: dict[int, list[int]] = {
            id(node.costs): [] for node in nodes if node.costs and len(node.costs) >= WIDE
        }
        for node in nodes if written else ():
            for _, _, readers in (*node.joined, *node.sorted):
                for row, at, _ in readers:
                    if id(row) in written:
                        written[id(row)].append(at)
        return [
            node._replace(written=_few(written[id(node.costs)], len(node.costs)))
            if node.costs and id(node.costs) in written
            else node
            for node in nodes
        ]


def _few(places: list[int], of: int) -> Places:
    return frozenset(places) if 2 * len(places) < of else range(of)


def _bits(answers: Iterable[int]) -> int:
    """Return the numbers of those that are 1, as bits."""
    bits = 0
    for number, answer in enumerate(answers):
        bits |= answer << number
    return bits
