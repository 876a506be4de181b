"""Exact provenance of pass-through linear recursion, by the paths of its graph.

    H(x, ȳ) :- seed(x, ȳ).        H(x, ȳ) :- edge(x, z), H(z, ȳ).

A derivation of H(s, ȳ) is a path from s and a seed at its end: a path from s to an exit to which
every seed of ȳ is an edge. What is between two vertices is a product over blocks (``graph``).

An edge that is the same base row as a seed at its source is left out: whoever goes on over it could
have ended there, and the longer derivation is absorbed. So for reachability, whose edges are its
seeds, ȳ itself is the exit, and P(s, s) is the simple cycles through s, all of them in its blocks.

The graph is that of one moment; nothing is maintained. Several base rows may make the same edge, one
is enough; but a base row makes one edge, one seed, or one edge and one seed at its source, else the
rules of ``goal`` have to do.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section IV; that block-cut trees factor its annotations is our own.
"""

from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

from engine.views.why.effort import Effort
from engine.views.why.graph import Edges, Graph, Vertex
from engine.views.why.provenance import Provenance

T = TypeVar("T", bound=Hashable)
Rows = tuple[T, ...]
Seeds = Mapping[tuple[Vertex, Hashable], Rows[T]]


class Exit:
    """Where the seeds of one ȳ lead."""


EXIT = Exit()


class Ways(Generic[T]):
    """The edges and seeds of one moment, each with the base rows of which one makes it."""

    def __init__(self, edges: Edges[T], seeds: Seeds[T]) -> None:
        self.is_apart = are_apart(edges, seeds)
        self._edges = edges
        self._graph = Graph(edges)
        self._seeds: dict[Hashable, dict[Vertex, Rows[T]]] = {}
        for (x, y), rows in seeds.items():
            self._seeds.setdefault(y, {})[x] = rows

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


def with_exit(edges: Edges[T], seeds: Mapping[Vertex, Rows[T]]) -> Edges[T]:
    """Return the edges that a minimal derivation may use, with the seeds as edges to the exit."""
    used: dict[tuple[Vertex, Vertex], Rows[T]] = {}
    for (source, target), rows in edges.items():
        ends_here = seeds.get(source, ())
        left = tuple([row for row in rows if row not in ends_here]) if ends_here else rows
        if left:
            used[source, target] = left
    return used | {(vertex, EXIT): rows for vertex, rows in seeds.items()}


def are_apart(edges: Edges[T], seeds: Seeds[T]) -> bool:
    """Tell whether each base row makes one edge, one seed, or both at one source."""
    source_of = {row: source for (source, _), rows in edges.items() for row in rows}
    seeding = [(x, row) for (x, _), rows in seeds.items() for row in rows]
    return (
        len(source_of) == sum(map(len, edges.values()))
        and len({row for _, row in seeding}) == len(seeding)
        and all(source_of.get(row, x) == x for x, row in seeding)
    )
