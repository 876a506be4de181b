"""Exact provenance of pass-through linear recursion, by the paths of its graph.

    H(x, ȳ) :- seed(x, ȳ).        H(x, ȳ) :- edge(x, z), H(z, ȳ).

A derivation of H(s, ȳ) is a path from s and a seed at its end: a path from s to an exit to which
every seed of ȳ is an edge. What is between two vertices is a product over blocks (``graph``).

An edge that is the same base row as a seed at its source is left out: whoever goes on over it could
have ended there, and the longer derivation is absorbed. So for reachability, whose edges are its
seeds, ȳ itself is the exit, and P(s, s) is the simple cycles through s, all of them in its blocks.

The graph is that of one moment; nothing is maintained. A base row is of one edge, or of one edge
and one seed at its source; ``substitute`` goes on below edges that are derived themselves.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section IV; that block-cut trees factor its annotations is our own.
"""

from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

from engine.views.why.effort import Effort
from engine.views.why.graph import Graph, Vertex
from engine.views.why.provenance import Provenance

T = TypeVar("T", bound=Hashable)
Edges = Mapping[tuple[Vertex, Vertex], T]
Seeds = Mapping[tuple[Vertex, Hashable], T]


class Exit:
    """Where the seeds of one ȳ lead."""


EXIT = Exit()


class Ways(Generic[T]):
    """The edges and seeds of one moment, each with its base row."""

    def __init__(self, edges: Edges[T], seeds: Seeds[T]) -> None:
        self._edges = edges
        self._graph = Graph(edges)
        self._seeds: dict[Hashable, dict[Vertex, T]] = {}
        for (x, y), base_row in seeds.items():
            self._seeds.setdefault(y, {})[x] = base_row

    def forget(self) -> None:
        """Drop what was found so far; the blocks stay."""
        self._graph.forget()

    def why(self, x: Vertex, y: Hashable, effort: Effort) -> Provenance[T] | None:
        """Return the provenance of H(x, ȳ); None where it does not hold."""
        seeds = self._seeds.get(y, {})
        if seeds != self._graph.into(y):
            return Graph(with_exit(self._edges, seeds)).between(x, EXIT, effort)
        if x != y:
            return self._graph.between(x, y, effort)
        return Graph(with_exit(self._graph.around(x), seeds)).between(x, EXIT, effort) if seeds else None


def with_exit(edges: Edges[T], seeds: Mapping[Vertex, T]) -> dict[tuple[Vertex, Vertex], T]:
    """Return the edges that a minimal derivation may use, with the seeds as edges to the exit."""
    used = {ends: base_row for ends, base_row in edges.items() if seeds.get(ends[0]) != base_row}
    return used | {(vertex, EXIT): base_row for vertex, base_row in seeds.items()}
