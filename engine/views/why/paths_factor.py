"""A factor that is the paths through one block of a graph.

    factor  =  ∨ over the simple paths from entry to exit   ∧ over their edges   ∨ of the edge's base rows

No two edges share a base row, so a simple path with one base row for each of its edges is a minimal
derivation: it has not all edges of another. Where the states are more than the effort allows, the
shortest paths stand for all, and the factor is not complete; its cuts come from the graph and are
exact even then.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property, reduce
from itertools import islice, product
from math import prod
from typing import Generic, TypeVar

from engine.provenance.absorption import Absorption
from engine.provenance.bdd import Node
from engine.provenance.ordering import Edge, suited
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.factor import NODE_STEPS, Numbering, SetFactor
from engine.views.why.path_cuts import minimal_cuts, smallest_cut
from engine.views.why.states import States, all_states
from engine.views.why.web import Arc, Path, Web, bits, shortest_path, shortest_paths

T = TypeVar("T", bound=Hashable)
EXACT_PART = 0.8  # of the effort, before the shortest paths have to do
SOME = 100  # paths that stand for all
BEGINNINGS = 3_000  # of paths, tried for these whatever the effort left


class PathsFactor(Generic[T]):
    """The paths from an entry to an exit; there is one. ``rows_of`` says what each makes an arc."""

    def __init__(
        self, web: Web, entry: int, exit_: int, rows_of: Callable[[Arc], tuple[T, ...]], effort: Effort
    ) -> None:
        self._web = web
        self._entry = entry
        self._exit = exit_
        self._rows_of = rows_of
        self._some: list[Path] = []
        self._states: States | None = None
        try:
            with effort.part(EXACT_PART) as part:
                self._states = all_states(web, entry, exit_, part)
        except Exhausted:
            some = list(islice(shortest_paths(web, entry, exit_, BEGINNINGS), SOME))
            self._some = some or [shortest_path(web, entry, exit_)]

    @property
    def is_complete(self) -> bool:
        return self._states is not None

    @cached_property
    def count(self) -> int:
        if self._states is None:
            return sum(prod(map(self._ways, path)) for path in self._some)
        return self._states.total(self._ways)

    @cached_property
    def shortest(self) -> frozenset[T]:
        path = shortest_path(self._web, self._entry, self._exit)
        return frozenset([self._rows_of(arc)[0] for arc in path])

    def base_rows(self) -> list[T]:
        """Return the base rows of the block's edges as a traversal meets them."""
        arcs = [(vertex, head) for vertex, heads in enumerate(self._web.out) for head in bits(heads)]
        arcs.sort(key=lambda arc: arc[0] != self._entry)
        order = suited([Edge(place, *arc) for place, arc in enumerate(arcs)])
        return [row for place in order for row in self._rows_of(arcs[place])]

    def derivations(self) -> Iterator[frozenset[T]]:
        for path in self._some if self._states is None else self._states.paths():
            for chosen in product(*map(self._rows_of, path)):
                yield frozenset(chosen)

    def cuts(self, effort: Effort) -> Iterator[frozenset[T]]:
        return map(self._all_rows, minimal_cuts(self._web, self._entry, self._exit, effort))

    def smallest_cut(self, effort: Effort) -> frozenset[T]:
        return self._all_rows(smallest_cut(self._web, self._entry, self._exit, self._ways, effort))

    def to_diagram(self, algebra: Absorption, number: Numbering[T], effort: Effort) -> Node:
        """Build the states' functions from the exit upwards, each once."""
        if self._states is None:
            return SetFactor(list(self.derivations())).to_diagram(algebra, number, effort)
        states = self._states
        either_row = {
            arc: reduce(algebra.plus, [algebra.token(number(row)) for row in self._rows_of(arc)])
            for arc in states.edges()
        }
        known = {states.arrived: algebra.one}
        for state in states.upwards():
            either = algebra.zero
            for following in states.following[state]:
                effort.spend(NODE_STEPS)
                onward = algebra.times(either_row[states.arc(state, following)], known[following])
                either = algebra.plus(either, onward)
            known[state] = either
        return known[states.start]

    def _ways(self, arc: Arc) -> int:
        return len(self._rows_of(arc))

    def _all_rows(self, arcs: Iterable[Arc]) -> frozenset[T]:
        return frozenset([row for arc in arcs for row in self._rows_of(arc)])
