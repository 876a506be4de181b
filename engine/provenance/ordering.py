"""The order of a BDD's variables: edges as a traversal of their graph meets them.

    depth first      follows an edge on from where it ends before it takes the next one
    breadth first    takes all edges of a vertex before those of the vertices they lead to
    frontier         takes the vertices breadth first, and an edge with the later one of its ends

All are computed anew from the present edges, O(V + E), and applied lazily, where a BDD is about to
be built (``Absorption.order``); nothing is maintained between batches. The incremental labelling of
the paper has the same bound for an insertion, and followed as printed it loses the depth-first
property it is there to keep. Dynamic reordering is ``Absorption.sift``.

``suited`` is the default, by measurement (``make bench-ordering``): where links lead both ways the
frontier's order is the smallest by far, where they mostly lead one way depth first is about as
small and sometimes smaller, and breadth first is never the best.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section VI.
    Rudell. Dynamic Variable Ordering for Ordered Binary Decision Diagrams. ICCAD 1993.
"""

from collections import deque
from collections.abc import Collection, Hashable, Iterator
from typing import NamedTuple

from engine.provenance.algebra import Token


class Edge(NamedTuple):
    """A base row that leads somewhere."""

    token: Token
    source: Hashable
    target: Hashable


Leaving = dict[Hashable, list[Edge]]


def depth_first(edges: Collection[Edge]) -> list[Token]:
    """Return every edge's token, those that close a cycle included."""
    leaving = by_source(edges)
    order: list[Token] = []
    seen: set[Hashable] = set()
    for root in roots(edges, leaving):
        if root in seen:
            continue
        seen.add(root)
        paths = [iter(leaving[root])]
        while paths:
            edge = next(paths[-1], None)
            if edge is None:
                paths.pop()
                continue
            order.append(edge.token)
            if edge.target not in seen:
                seen.add(edge.target)
                paths.append(iter(leaving.get(edge.target, ())))
    return order


def breadth_first(edges: Collection[Edge]) -> list[Token]:
    leaving = by_source(edges)
    order: list[Token] = []
    seen: set[Hashable] = set()
    for root in roots(edges, leaving):
        waiting = deque([root] if root not in seen else [])
        seen.add(root)
        while waiting:
            for edge in leaving.get(waiting.popleft(), ()):
                order.append(edge.token)
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
    return order


def frontier(edges: Collection[Edge]) -> list[Token]:
    """Return the edges so that few vertices at a time have some edges behind and some ahead."""
    token_edges = {edge.token: edge for edge in edges}
    places: dict[Hashable, int] = {}
    for token in breadth_first(edges):
        for vertex in (token_edges[token].source, token_edges[token].target):
            places.setdefault(vertex, len(places))

    def when(edge: Edge) -> tuple[int, int]:
        ends = places[edge.source], places[edge.target]
        return max(ends), min(ends)

    return [edge.token for edge in sorted(edges, key=when)]


def suited(edges: Collection[Edge]) -> list[Token]:
    """Return the order that suits the graph: by frontier where most edges have their opposite."""
    pairs = {(edge.source, edge.target) for edge in edges}
    opposed = sum((target, source) in pairs for source, target in pairs)
    return frontier(edges) if 2 * opposed > len(pairs) else depth_first(edges)


def by_source(edges: Collection[Edge]) -> Leaving:
    leaving: Leaving = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    return leaving


def roots(edges: Collection[Edge], leaving: Leaving) -> Iterator[Hashable]:
    """Yield the vertices that nothing leads to, then, for the cycles that none of them reaches, all."""
    targets = {edge.target for edge in edges}
    yield from (vertex for vertex in leaving if vertex not in targets)
    yield from leaving
