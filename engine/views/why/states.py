"""The simple paths through one block, as a graph of states instead of a list.

    state (v, U)          at v, with the vertices U still to use; every one of U leads to the exit
    (v, U)  ─v→w→  (w, what of U − w leads to the exit without w)

Two ways to the same place with the same vertices left have the same ways on, so they share a state;
and no state is a dead end. 14 vertices with 763,840 simple paths have 14,255 states. Paths are
counted, streamed and turned into a BDD without ever being listed. A state is one integer, v in its
lowest bits, so that a million of them are nothing to a garbage collector.

The naive form walks on from each vertex to every neighbour not yet passed, and lists what arrives.

References:
    Valiant. The Complexity of Enumeration and Reliability Problems. SIAM J. Comput. 1979: to count
    simple paths is #P-complete, so some block is always too large, and the effort is bounded.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from engine.views.why.effort import Effort
from engine.views.why.web import CHUNK, Arc, Path, Web

State = int


class States(NamedTuple):
    """All states between an entry and an exit; ``following`` leads from each state to the next ones."""

    start: State
    arrived: State
    width: int
    following: dict[State, list[State]]

    def arc(self, state: State, following: State) -> Arc:
        """Return the edge between the vertices of two states."""
        mask = (1 << self.width) - 1
        return (state & mask, following & mask)

    def upwards(self) -> list[State]:
        """Return the states so that each comes after those that it leads to."""
        return sorted(self.following, key=lambda state: (state >> self.width).bit_count())

    def total(self, ways: Callable[[Arc], int]) -> int:
        """Count the paths, each as often as there are ways over its edges."""
        counts = {self.arrived: 1}
        for state in self.upwards():
            counts[state] = sum([ways(self.arc(state, n)) * counts[n] for n in self.following[state]])
        return counts[self.start]

    def edges(self) -> set[Arc]:
        """Return the arcs that some path uses."""
        return {self.arc(state, each) for state, following in self.following.items() for each in following}

    def paths(self) -> Iterator[Path]:
        """Yield every path, the next one in time linear in its length."""
        states = [self.start]
        ways = [iter(self.following[self.start])]
        while ways:
            state = next(ways[-1], None)
            if state is None:
                ways.pop()
                states.pop()
            elif state == self.arrived:
                yield tuple(map(self.arc, states, [*states[1:], state]))
            else:
                states.append(state)
                ways.append(iter(self.following[state]))


def all_states(web: Web, entry: int, exit_: int, effort: Effort) -> States:
    """Return the states between two vertices; ``leading`` remembers what leads to the exit."""
    width = len(web.out).bit_length()
    mask, cost, spend = (1 << width) - 1, 1 + len(web.out) // CHUNK, effort.spend
    everything = (1 << len(web.out)) - 1
    start = web.leading_to(exit_, everything ^ 1 << entry) << width | entry
    leading: dict[int, int] = {}
    following: dict[State, list[State]] = {}
    unseen = [start]
    while unseen:
        state = unseen.pop()
        if state in following:
            continue
        spend()
        usable = state >> width
        ways = following[state] = []
        targets = web.out[state & mask] & usable
        while targets:
            target = targets & -targets
            targets ^= target
            vertex = target.bit_length() - 1
            if vertex == exit_:
                ways.append(exit_)
                continue
            left = leading.get(usable ^ target)
            if left is None:
                spend(cost)
                left = leading[usable ^ target] = web.leading_to(exit_, usable ^ target) << width
            ways.append(left | vertex)
            unseen.append(left | vertex)
    return States(start, exit_, width, following)
