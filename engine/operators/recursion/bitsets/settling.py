"""One step of a closure: what falls, what comes back, what comes.

    R[x]  =  B[x]  ∪  ⋃ W[x, z]        disjoint: the ȳ of x by what bears them witness

    cascade      what lost its witness leaves R[x], and W[p, x] of every edge into x
    rederive     of that, what a seed or another edge still derives comes back
    propagate    what came, back or new, is offered to every edge into x

All that falls leaves before any of it comes back, so a witness never stands on itself.
"""

from engine.operators.budget import Budget
from engine.operators.recursion.bitsets.vertices import Edge, Vertex

Sets = dict[Vertex, int]


class Settling:
    """``before`` is what R was of every vertex that the step reached."""

    def __init__(self, budget: Budget) -> None:
        self.before: Sets = {}
        self._budget = budget
        self._fallen: Sets = {}

    def fall(self, vertex: Vertex, bits: int) -> None:
        """Take away what a seed or an edge bore that is gone."""
        if bits:
            self.before.setdefault(vertex, vertex.reach)
            vertex.reach ^= bits
            self._fallen[vertex] = self._fallen.get(vertex, 0) | bits

    def settle(self, seeded: list[Vertex], edges: list[Edge]) -> None:
        """Come to the fixpoint, with vertices that have new seeds and with new edges."""
        self._cascade(self._fallen)
        came = self._rederive()
        self._offer(seeded, edges, came)
        self._propagate(came)

    def _cascade(self, fallen: Sets) -> None:
        before = self.before
        while fallen:
            falling, fallen = fallen, {}
            self._budget.meter.check(len(falling))
            for vertex, bits in falling.items():
                for edge in vertex.into.values():
                    bears = edge.bears & bits
                    if bears:
                        edge.bears ^= bears
                        source = edge.source
                        if source not in before:
                            before[source] = source.reach
                        source.reach ^= bears
                        fallen[source] = fallen.get(source, 0) | bears

    def _rederive(self) -> Sets:
        """Bring back what has another derivation from what stands; return it."""
        came: Sets = {}
        for vertex, before in self.before.items():
            self._budget.meter.check()
            lost = before & ~vertex.reach
            again = lost & vertex.seeds
            vertex.by_seed |= again
            missing = lost ^ again
            for edge in vertex.out.values():
                if not missing:
                    break
                bears = missing & edge.target.reach
                if bears:
                    edge.bears |= bears
                    missing ^= bears
            if missing != lost:
                vertex.reach |= lost ^ missing
                came[vertex] = lost ^ missing
        return came

    def _offer(self, seeded: list[Vertex], edges: list[Edge], came: Sets) -> None:
        """Take what new seeds and new edges derive."""
        for vertex in seeded:
            bits = vertex.seeds & ~vertex.reach
            if bits:
                vertex.by_seed |= bits
                self._come(vertex, bits, came)
        for edge in edges:
            bits = edge.target.reach & ~edge.source.reach
            if bits:
                edge.bears |= bits
                self._come(edge.source, bits, came)

    def _come(self, vertex: Vertex, bits: int, came: Sets) -> None:
        if vertex not in self.before:
            self.before[vertex] = vertex.reach
        vertex.reach |= bits
        came[vertex] = came.get(vertex, 0) | bits

    def _propagate(self, came: Sets) -> None:
        before, coming = self.before, 0
        while came:
            new = sum(map(int.bit_count, came.values()))
            coming += new
            self._budget.check(coming, "recursion", new)
            arrived, came = came, {}
            for vertex, bits in arrived.items():
                for edge in vertex.into.values():
                    source = edge.source
                    bears = bits & ~source.reach
                    if bears:
                        edge.bears |= bears
                        if source not in before:
                            before[source] = source.reach
                        source.reach |= bears
                        came[source] = came.get(source, 0) | bears
