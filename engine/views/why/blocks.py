"""The block-cut tree of a graph: what is connected twice, and the vertices that hold it together.

    block        a largest set of vertices that no single vertex, taken away, falls apart
    cut vertex   a vertex of several blocks

Blocks and cut vertices form a tree. A simple path from s to t goes through the blocks between s and
t and no others, from cut vertex to cut vertex, so that what happens in one block is independent of
what happens in the next:

    paths(s, t)  =  paths(s, c₁) in B₁  ×  paths(c₁, c₂) in B₂  ×  …  ×  paths(cₖ, t) in Bₖ₊₁

The direction of edges does not matter here: what the undirected graph separates, the directed does.

References:
    Hopcroft, Tarjan. Algorithm 447: Efficient Algorithms for Graph Manipulation. CACM 1973.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

NONE = -1


class Passage(NamedTuple):
    """A block on the way, where it is entered and where it is left."""

    block: int
    entry: int
    exit: int


class BlockCutTree:
    """The tree above numbered vertices; ``members[b]`` are the vertices of block b."""

    def __init__(self, neighbours: Sequence[Collection[int]]) -> None:
        self._neighbours = neighbours
        self.members: list[tuple[int, ...]] = []
        self._top: list[int] = []
        self._below = [NONE] * len(neighbours)
        self._root = [NONE] * len(neighbours)
        self._found = [0] * len(neighbours)
        self._low = [0] * len(neighbours)
        self._place = [0] * len(neighbours)
        clock = 0
        for root in range(len(neighbours)):
            if not self._found[root]:
                clock = self._search(root, clock)

    def _search(self, root: int, clock: int) -> int:
        found, low = self._found, self._low
        clock += 1
        found[root] = low[root] = clock
        self._root[root] = root
        open_ = [root]
        path: list[tuple[int, Iterator[int]]] = [(root, iter(self._neighbours[root]))]
        while path:
            vertex, rest = path[-1]
            following = next(rest, NONE)
            if following == NONE:
                path.pop()
                if path:
                    self._close(path[-1][0], vertex, open_)
            elif found[following]:
                low[vertex] = min(low[vertex], found[following])
            else:
                clock += 1
                found[following] = low[following] = clock
                self._root[following] = root
                self._place[following] = len(open_)
                open_.append(following)
                path.append((following, iter(self._neighbours[following])))
        return clock

    def _close(self, above: int, vertex: int, open_: list[int]) -> None:
        """Leave a vertex for the one above it; what cannot go higher without that one is a block."""
        self._low[above] = min(self._low[above], self._low[vertex])
        if self._low[vertex] < self._found[above]:
            return
        start = self._place[vertex]
        block = len(self.members)
        for member in open_[start:]:
            self._below[member] = block
        self.members.append((above, *open_[start:]))
        self._top.append(above)
        del open_[start:]

    def chain(self, source: int, target: int) -> list[Passage] | None:
        """Return the passages from a vertex to another; None where nothing connects them."""
        if self._root[source] != self._root[target]:
            return None
        entries, up = self._climb(source)
        down: list[Passage] = []
        at = target
        while at not in up:
            block = self._below[at]
            if block in entries:
                down.append(Passage(block, entries[block], at))
                at = entries[block]
                break
            down.append(Passage(block, self._top[block], at))
            at = self._top[block]
        climbed = [Passage(block, entry, self._top[block]) for block, entry in entries.items()]
        return climbed[: up[at]] + down[::-1]

    def members_around(self, vertex: int) -> list[set[int]]:
        """Return the members of the blocks that a vertex is in."""
        return [set(members) for members in self.members if vertex in members]

    def _climb(self, source: int) -> tuple[dict[int, int], dict[int, int]]:
        """Return the blocks above a vertex with where each is entered, and how many lie below each vertex."""
        entries: dict[int, int] = {}
        up = {source: 0}
        at = source
        while self._below[at] != NONE:
            block = self._below[at]
            entries[block] = at
            at = self._top[block]
            up[at] = len(entries)
        return entries, up
