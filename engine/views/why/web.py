"""A block's edges as bit sets, and the shortest ways through it.

    out[v]  =  the vertices that v leads to, a bit for each

The vertices from which something can be reached are found a whole front at a time; the predecessors
of a front are looked up six vertices at once.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise

CHUNK = 6
WIDE = 600  # vertices for which the tables would be larger than they are worth

Arc = tuple[int, int]
Path = tuple[Arc, ...]


class Web:
    """A block's edges as bit sets: ``out[v]`` are the vertices that v leads to."""

    def __init__(self, out: Sequence[int]) -> None:
        self.out = out
        self._into = [0] * len(out)
        for vertex, targets in enumerate(out):
            for target in bits(targets):
                self._into[target] |= 1 << vertex

    @cached_property
    def _tables(self) -> list[list[int]]:
        """For each few vertices, the predecessors of every set of them."""
        tables = []
        for start in range(0, len(self._into), CHUNK):
            table = [0]
            for into in self._into[start : start + CHUNK]:
                table += [held | into for held in table]
            tables.append(table)
        return tables

    def leading_to(self, exit_: int, allowed: int) -> int:
        """Return the allowed vertices from which the exit can be reached through allowed ones."""
        before = self._before if len(self.out) <= WIDE else self._before_each
        back = front = 1 << exit_
        while front:
            front = before(front) & allowed & ~back
            back |= front
        return back

    def _before(self, front: int) -> int:
        found = 0
        for table in self._tables:
            found |= table[front & (1 << CHUNK) - 1]
            front >>= CHUNK
            if not front:
                break
        return found

    def _before_each(self, front: int) -> int:
        found = 0
        for vertex in bits(front):
            found |= self._into[vertex]
        return found


def shortest_paths(web: Web, entry: int, exit_: int, steps: int) -> Iterator[Path]:
    """Yield simple paths, the shortest first, as long as no more than so many beginnings were made."""
    distance = distances(web, exit_)
    waiting: list[tuple[int, int, int, tuple[int, ...]]] = []
    if entry in distance:
        waiting.append((distance[entry], 0, 1 << entry, (entry,)))
    while waiting and steps > 0:
        _, back, passed, vertices = heappop(waiting)
        if vertices[-1] == exit_:
            yield tuple(pairwise(vertices))
            continue
        for target in bits(web.out[vertices[-1]] & ~passed):
            if target in distance:
                steps -= 1
                least = len(vertices) + distance[target]
                heappush(waiting, (least, back - 1, passed | 1 << target, (*vertices, target)))


def shortest_path(web: Web, entry: int, exit_: int) -> Path:
    """Return a path of the fewest edges; there must be one."""
    distance = distances(web, exit_)
    path: list[Arc] = []
    at = entry
    while at != exit_:
        nearer = next(v for v in bits(web.out[at]) if distance.get(v, len(distance)) < distance[at])
        path.append((at, nearer))
        at = nearer
    return tuple(path)


def distances(web: Web, exit_: int) -> dict[int, int]:
    """Return how many edges every vertex that leads to the exit is away from it."""
    found = {exit_: 0}
    everything = (1 << len(web.out)) - 1
    reached, steps = 1 << exit_, 0
    while True:
        steps += 1
        before = reached
        for vertex in bits(everything & ~reached):
            if web.out[vertex] & before:
                found[vertex] = steps
                reached |= 1 << vertex
        if reached == before:
            return found


def bits(of: int) -> Iterator[int]:
    while of:
        lowest = of & -of
        yield lowest.bit_length() - 1
        of ^= lowest
