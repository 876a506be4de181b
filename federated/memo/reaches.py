"""What a changed set reaches, found once and kept: all that reads a superset of it is a superset itself.

    rows      of every T ⊇ S
    costs     of every T ⊃ S, and of S where sorted: what S itself is joined from costs what it did

References:
    Spec 004, A6 (supers_bits, cached by set).
"""

from typing import NamedTuple

from federated.memo.feeds import Fed, Feeds
from federated.memo.space import Space
from federated.memo.touched import Touched
from federated.memo.ways import NONE


class Node(NamedTuple):
    """What a pass needs of an or node; no costs where none of them can have changed."""

    id: int
    costs: list[float] | None
    expression: int
    joined: Fed
    sorted: Fed
    parents: int


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

    def of(self, mask: int) -> Reach:
        expressions = tuple(i for i, other in enumerate(self._space.masks) if other & mask == mask)
        above = set(expressions)
        nodes = tuple(self._reached(mask, node) for node in self.nodes if node.expression in above)
        nodes = tuple(node for node in nodes if node.costs or node.joined or node.sorted)
        scans = tuple(self._feeds.scanned.get(mask, ()))
        pushes = sum(self._feeds.fed[node.id] for node in nodes)
        bits = sum(1 << node.id for node in nodes)
        touched = Touched(len(nodes), pushes + len(scans))
        return Reach(expressions, nodes, bits, scans, pushes / self._pushes, touched)

    def _reached(self, mask: int, node: Node) -> Node:
        joins = self._space.ors[node.id][1:3] == (mask, NONE) and mask.bit_count() > 1
        return node._replace(costs=None) if joins else node
