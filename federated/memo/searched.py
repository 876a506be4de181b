"""What the optimizers of one query share: the ways to get a key, rows of sets, local costs.

    rows(T)    =  estimated(T) · Π factors of S, S ⊆ T               one number, however T is joined
    local(a)   =  factor(a) · work(operator, rows of its inputs) + output · rows(T)

These are the functions fn_ of the thesis: split and phyOp (memoised), summaries, costs. They know nothing of
plans; what is asked of them lazily is never computed for what is pruned before.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.1, figure 19.
"""

from collections.abc import Sequence

from federated.memo.cardinality import estimated
from federated.memo.costs import Costs
from federated.memo.graph import QueryGraph
from federated.memo.ways import NONE, Key, Way, Ways


class Searched:
    """One query graph, what is believed of it, and how its sets may be had."""

    def __init__(
        self,
        graph: QueryGraph,
        roots: Sequence[int] = (),
        *,
        physical: bool = True,
    ) -> None:
        self.graph = graph
        self.roots: tuple[Key, ...] = tuple((mask, NONE) for mask in roots or (graph.everything,))
        self._costs = Costs()
        self._ways = Ways(graph, physical=physical)
        self._found: dict[Key, tuple[Way, ...]] = {}
        self._inputs: dict[Key, tuple[tuple[Key, ...], ...]] = {}
        self._rows: dict[int, float] = {}
        self._scaled: dict[int, float] = {}
        self._factors: dict[tuple[Key, Way], float] = {}

    def ways(self, key: Key) -> tuple[Way, ...]:
        """Return the ways to get a key, in the order of ties."""
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(self._ways.of(key))
        return found

    def inputs(self, key: Key) -> tuple[tuple[Key, ...], ...]:
        """Return what each way to get a key reads."""
        found = self._inputs.get(key)
        if found is None:
            found = self._inputs[key] = tuple(map(children, self.ways(key)))
        return found

    def rows(self, mask: int) -> float:
        found = self._rows.get(mask)
        if found is None:
            found = estimated(self.graph, mask)
            for part, factor in self._scaled.items():
                found *= factor if part & mask == part else 1
            self._rows[mask] = found
        return found

    def local(self, key: Key, way: Way) -> float:
        """Return the cost of one step by itself."""
        operator, left, right = way
        rows = self.rows(key[0])
        read = [self.rows(child[0]) for child in (left, right) if child is not None] or [rows]
        work = self._costs.work(operator, read)
        if self._factors:
            work *= self._factors.get((key, way), 1)
        return work + self._costs.putting_out(operator) * rows

    def scale(self, mask: int, factor: float) -> None:
        """Multiply the rows of every set that contains one."""
        self._scaled[mask] = self._scaled.get(mask, 1) * factor
        for other in self._rows:
            if other & mask == mask:
                self._rows[other] *= factor

    def scale_step(self, key: Key, way: Way, factor: float) -> None:
        """Multiply the work of one step."""
        self._factors[key, way] = self._factors.get((key, way), 1) * factor


def children(way: Way) -> tuple[Key, ...]:
    """Return the keys that a way reads."""
    return tuple(child for child in (way.left, way.right) if child is not None)
