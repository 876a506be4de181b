"""A graph of base rows, and the provenance of a way from one vertex to another.

    P(s, t)  =  ∧ over the blocks between s and t   P(entry, exit) within the block

The blocks are found once; what is between an entry and an exit is found when somebody asks and kept
as long as the graph. A loop at a vertex is on no simple path and is left out.
"""

from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

from engine.views.why.blocks import BlockCutTree, Passage
from engine.views.why.effort import Effort
from engine.views.why.factor import Factor, SetFactor
from engine.views.why.paths_factor import PathsFactor
from engine.views.why.provenance import Provenance
from engine.views.why.web import Arc, Web

T = TypeVar("T", bound=Hashable)
Vertex = Hashable
Edges = Mapping[tuple[Vertex, Vertex], tuple[T, ...]]


class Block(Generic[T]):
    """One block: its vertices by place, its edges as bits, and the factors asked for."""

    def __init__(self, members: tuple[int, ...], out: list[dict[int, tuple[T, ...]]]) -> None:
        self._members = members
        self._out = out
        self.place = {vertex: place for place, vertex in enumerate(members)}
        self._factors: dict[tuple[int, int], Factor[T]] = {}
        self.web = Web([self._targets(vertex) for vertex in members])

    def _targets(self, vertex: int) -> int:
        return sum(1 << self.place[target] for target in self._out[vertex] if target in self.place)

    def factor(self, passage: Passage, effort: Effort) -> Factor[T] | None:
        """Return the factor between two vertices; None where no path is."""
        ends = entry, exit_ = self.place[passage.entry], self.place[passage.exit]
        found = self._factors.get(ends)
        if found is not None:
            return found
        if not self.web.leading_to(exit_, (1 << len(self._members)) - 1) >> entry & 1:
            return None
        made: Factor[T] = (
            SetFactor([frozenset([row]) for row in self._rows_of(ends)])
            if len(self._members) == 2
            else PathsFactor(self.web, entry, exit_, self._rows_of, effort)
        )
        if made.is_complete:
            self._factors[ends] = made
        return made

    def _rows_of(self, arc: Arc) -> tuple[T, ...]:
        source, target = arc
        return self._out[self._members[source]][self._members[target]]


class Graph(Generic[T]):
    """Edges, each with the base rows of which one makes it; no two share one."""

    def __init__(self, edges: Edges[T]) -> None:
        self._number: dict[Vertex, int] = {}
        self._names: list[Vertex] = []
        self._out: list[dict[int, tuple[T, ...]]] = []
        self._neighbours: list[dict[int, None]] = []
        for (source, target), rows in edges.items():
            if source != target:
                self._add(self._at(source), self._at(target), rows)
        self._tree = BlockCutTree(self._neighbours)
        self._blocks: dict[int, Block[T]] = {}

    def _at(self, vertex: Vertex) -> int:
        number = self._number.get(vertex)
        if number is None:
            number = self._number[vertex] = len(self._names)
            self._names.append(vertex)
            self._out.append({})
            self._neighbours.append({})
        return number

    def _add(self, source: int, target: int, rows: tuple[T, ...]) -> None:
        self._out[source][target] = rows
        self._neighbours[source][target] = self._neighbours[target][source] = None

    def into(self, vertex: Vertex) -> dict[Vertex, tuple[T, ...]]:
        """Return the edges that lead to a vertex, by where they come from."""
        number = self._number.get(vertex)
        if number is None:
            return {}
        sources = [source for source in self._neighbours[number] if number in self._out[source]]
        return {self._names[source]: self._out[source][number] for source in sources}

    def around(self, vertex: Vertex) -> Edges[T]:
        """Return the edges of the blocks that a vertex is in: those that a cycle through it may use."""
        found: dict[tuple[Vertex, Vertex], tuple[T, ...]] = {}
        for members in self._tree.members_around(self._number[vertex]):
            for source in members:
                for target in members & self._out[source].keys():
                    found[self._names[source], self._names[target]] = self._out[source][target]
        return found

    def between(self, source: Vertex, target: Vertex, effort: Effort) -> Provenance[T] | None:
        """Return the provenance of a way between two vertices; None where there is none."""
        if source not in self._number or target not in self._number:
            return None
        chain = self._tree.chain(self._number[source], self._number[target])
        if chain is None:
            return None
        factors = []
        for passage in chain:
            factor = self._block(passage.block).factor(passage, effort)
            if factor is None:
                return None
            factors.append(factor)
        return Provenance(tuple(factors))

    def forget(self) -> None:
        """Drop the factors found so far."""
        self._blocks.clear()

    def _block(self, number: int) -> Block[T]:
        block = self._blocks.get(number)
        if block is None:
            block = self._blocks[number] = Block(self._tree.members[number], self._out)
        return block
