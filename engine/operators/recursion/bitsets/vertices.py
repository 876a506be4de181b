"""The graph below a pass-through closure: its vertices, its edges, and what each bears witness to.

R[x]  =  B[x]  ∪  ⋃ W[x, z]        sets of ȳ as integers, a bit for each ȳ
"""

from collections.abc import Iterator

from engine.operators.recursion.passing import Part


class Vertex:
    """One x: R[x] is ``reach``, B[x] ``by_seed``, and ``seeds`` all that seeds give it."""

    __slots__ = ("by_seed", "into", "out", "reach", "seeds", "x")

    def __init__(self, x: Part) -> None:
        self.x = x
        self.reach = self.by_seed = self.seeds = 0
        self.out: dict[Part, Edge] = {}
        self.into: dict[Part, Edge] = {}


class Edge:
    """One edge: W[x, z] is ``bears``."""

    __slots__ = ("bears", "source", "target")

    def __init__(self, source: Vertex, target: Vertex) -> None:
        self.source = source
        self.target = target
        self.bears = 0


class Vertices:
    """The vertices by x, as long as an input row names them."""

    def __init__(self) -> None:
        self._vertices: dict[Part, Vertex] = {}

    def __len__(self) -> int:
        return len(self._vertices)

    def __iter__(self) -> Iterator[Vertex]:
        return iter(self._vertices.values())

    def find(self, x: Part) -> Vertex:
        return self._vertices[x]

    def of(self, x: Part) -> Vertex:
        """Return the vertex of an x, made where it was not there."""
        vertex = self._vertices.get(x)
        if vertex is None:
            vertex = self._vertices[x] = Vertex(x)
        return vertex

    def connect(self, x: Part, z: Part) -> Edge:
        source, target = self.of(x), self.of(z)
        edge = source.out[z] = target.into[x] = Edge(source, target)
        return edge

    def disconnect(self, x: Part, z: Part) -> Edge:
        edge = self._vertices[x].out.pop(z)
        del edge.target.into[x]
        return edge

    def forget(self, x: Part) -> None:
        """Let go of a vertex that has neither edges nor seeds."""
        vertex = self._vertices.get(x)
        if vertex is not None and not (vertex.out or vertex.into or vertex.seeds):
            del self._vertices[x]
