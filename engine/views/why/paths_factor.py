"""A factor that is the paths through one block of a graph.

    factor  =  ∨ over the simple paths from entry to exit   ∧ of the base rows of their edges

Each edge is a base row of its own, so each simple path is a minimal derivation: none has all edges
of another. Where the states are more than the effort allows, the shortest paths stand for all, and
the factor is not complete; its cuts come from the graph and are exact even then.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import islice
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
    """The paths from an entry to an exit; there is one. ``base_row`` says what an arc needs."""

    def __init__(
        self, web: Web, entry: int, exit_: int, base_row: Callable[[Arc], T], effort: Effort
    ) -> None:
        self._web = web
        self._entry = entry
        self._exit = exit_
        self._base_row = base_row
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
        return len(self._some) if self._states is None else self._states.total()

    @cached_property
    def shortest(self) -> frozenset[T]:
        return self._rows(shortest_path(self._web, self._entry, self._exit))

    def base_rows(self) -> list[T]:
        """Return the base rows of the block's edges as a traversal meets them."""
        arcs = [(vertex, head) for vertex, heads in enumerate(self._web.out) for head in bits(heads)]
        arcs.sort(key=lambda arc: arc[0] != self._entry)
        order = suited([Edge(place, *arc) for place, arc in enumerate(arcs)])
        return [self._base_row(arcs[place]) for place in order]

    def derivations(self) -> Iterator[frozenset[T]]:
        if self._states is None:
            return map(self._rows, self._some)
        return map(self._rows, self._states.paths())

    def cuts(self, effort: Effort) -> Iterator[frozenset[T]]:
        return map(self._rows, minimal_cuts(self._web, self._entry, self._exit, effort))

    def smallest_cut(self, effort: Effort) -> frozenset[T]:
        return self._rows(smallest_cut(self._web, self._entry, self._exit, effort))

    def to_diagram(self, algebra: Absorption, number: Numbering[T], effort: Effort) -> Node:
        """Build the states' functions from the exit upwards, each once."""
        if self._states is None:
            return SetFactor(list(self.derivations())).to_diagram(algebra, number, effort)
        states = self._states
        variable = {arc: algebra.token(number(self._base_row(arc))) for arc in states.edges()}
        known = {states.arrived: algebra.one}
        for state in states.upwards():
            either = algebra.zero
            for following in states.following[state]:
                effort.spend(NODE_STEPS)
                onward = algebra.times(variable[states.arc(state, following)], known[following])
                either = algebra.plus(either, onward)
            known[state] = either
        return known[states.start]

    def _rows(self, arcs: Iterable[Arc]) -> frozenset[T]:
        return frozenset(map(self._base_row, arcs))
