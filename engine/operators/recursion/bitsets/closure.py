"""Pass-through linear recursion, one witness for each row, in bitsets.

    H(x, ȳ) :- seed(x, ȳ).        H(x, ȳ) :- edge(x, z), H(z, ȳ).

    R[x]  =  B[x]  ∪  ⋃ W[x, z]        disjoint: the ȳ of x by what bears them witness

As ȳ passes through, a set of ȳ is one integer, and W[x, z] ⊆ R[z] the part of R[x] that stands on
the edge. The other derivations are not kept: they are read from the edges when a witness is lost.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009: lazy shipping of the first derivation, here with bitsets for its tuples.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.operators.operator import ITSELF, Origin, Origins, Quiet
from engine.operators.recursion.bitsets.settling import Settling
from engine.operators.recursion.bitsets.vertices import Edge, Vertex, Vertices
from engine.operators.recursion.interned import Interned
from engine.operators.recursion.passing import Layout, Part, has_null


class ClosureForm(Quiet):
    """``width`` columns of x and of z, ``passing`` of ȳ; ``order`` as in the plan's ``Closure``."""

    def __init__(self, width: int, passing: int, order: tuple[int, ...], budget: Budget) -> None:
        self._layout = Layout(width, passing, order)
        self._budget = budget
        self._vertices = Vertices()
        self._passing = Interned()
        self._inputs = self._rows = 0

    def entries(self) -> int:
        """Count the rows of the inputs and of the view."""
        return self._inputs + self._rows

    def step(self, *changes: Delta[int]) -> Delta[int]:
        edges, seeds = changes
        self._inputs += sum(edges.values()) + sum(seeds.values())
        settling = Settling(self._budget)
        connected = self._take_edges(edges, settling)
        settling.settle(self._take_seeds(seeds, settling), connected)
        output = self._decoded(settling.before)
        self._forget(edges, seeds)
        return output

    # The inputs

    def _take_edges(self, change: Delta[int], settling: Settling) -> list[Edge]:
        """Add and remove edges; return the new ones."""
        x_of, z_of, width = self._layout.x, self._layout.z, self._layout.width
        added = []
        for row, sign in change.items():
            x, z = x_of(row), z_of(row)
            if has_null(z, width):
                continue
            if sign > 0:
                added.append(self._vertices.connect(x, z))
            else:
                edge = self._vertices.disconnect(x, z)
                settling.fall(edge.source, edge.bears)
        return added

    def _take_seeds(self, change: Delta[int], settling: Settling) -> list[Vertex]:
        """Add and remove seeds; return where there are new ones."""
        x_of, y_of = self._layout.x, self._layout.y
        seeded = []
        for row, sign in change.items():
            vertex, y = self._vertices.of(x_of(row)), y_of(row)
            if sign > 0:
                vertex.seeds |= 1 << self._passing.take(y)
                seeded.append(vertex)
            else:
                number = self._passing.number(y)
                vertex.seeds ^= 1 << number
                bears = vertex.by_seed & 1 << number
                vertex.by_seed ^= bears
                settling.fall(vertex, bears)
        return seeded

    # The output

    def _decoded(self, reached: dict[Vertex, int]) -> Delta[int]:
        """Return what is other than before the step, as rows."""
        gone: dict[int, list[Part]] = {}
        new: dict[int, list[Part]] = {}
        for vertex, before in reached.items():
            reach = vertex.reach
            if reach != before:
                gone.setdefault(before & ~reach, []).append(vertex.x)
                new.setdefault(reach & ~before, []).append(vertex.x)
        lost, gained = size(gone), size(new)
        self._rows += gained - lost
        self._budget.check(max(self._rows, lost + gained), "recursion")
        output = dict.fromkeys(self._rows_of(gone), -1)
        output.update(dict.fromkeys(self._rows_of(new), 1))
        return output

    def _rows_of(self, sets: dict[int, list[Part]]) -> Iterable[Row]:
        """Decode sets of ȳ, each once, with all x that have it."""
        return chain.from_iterable(
            [self._layout.rows(xs, self._passing.members(bits)) for bits, xs in sets.items()]
        )

    def _forget(self, edges: Delta[int], seeds: Delta[int]) -> None:
        """Let go of vertices and of ȳ that no input row names any more."""
        layout = self._layout
        for row in [row for row, sign in seeds.items() if sign < 0]:
            self._passing.drop(layout.y(row))
            self._vertices.forget(layout.x(row))
        for row in [row for row, sign in edges.items() if sign < 0]:
            self._vertices.forget(layout.x(row))
            self._vertices.forget(layout.z(row))

    # What is asked

    def rows(self) -> Iterator[Row]:
        """Yield what the view holds."""
        for vertex in self._vertices:
            yield from self._layout.rows([vertex.x], self._passing.members(vertex.reach))

    def witness(self, row: Row) -> Origins:
        """Return one derivation: the edges from x, input 0, and the seed at their end, input 1."""
        layout = self._layout
        wanted = layout.inputs_of(row)
        vertex, y = self._vertices.find(layout.x(wanted)), layout.y(wanted)
        number = self._passing.number(y)
        found: list[Origin] = []
        while not vertex.by_seed >> number & 1:
            edge = next(edge for edge in vertex.out.values() if edge.bears >> number & 1)
            found.append((0, layout.edge(vertex.x, edge.target.x)))
            vertex = edge.target
        return (*found, (1, layout.seed(vertex.x, y)))

    def derivations(self, row: Row) -> Iterator[Origins]:
        """Yield what derives a row of the view in one step."""
        layout = self._layout
        wanted = layout.inputs_of(row)
        vertex, y = self._vertices.find(layout.x(wanted)), layout.y(wanted)
        number = self._passing.number(y)
        if vertex.seeds >> number & 1:
            yield ((1, layout.seed(vertex.x, y)),)
        for edge in vertex.out.values():
            if edge.target.reach >> number & 1:
                (below,) = layout.rows([edge.target.x], [y])
                yield (0, layout.edge(vertex.x, edge.target.x)), (ITSELF, below)


def size(sets: dict[int, list[Part]]) -> int:
    """Count the pairs of a set's ȳ and the x that have it."""
    return sum([bits.bit_count() * len(xs) for bits, xs in sets.items()])
