"""Networks and rooms for the benchmarks, generated from a seed.

    transit-stub    a ring of transit nodes; stubs of a few nodes on each; more links within stubs and
                    between them until each node has so many on average; every link both ways
    sensors         points on a square; two that are closer than a bound are neighbours

References:
    Zegura, Calvert, Bhattacharjee. How to Model an Internetwork. INFOCOM 1996 (GT-ITM).
"""

from itertools import combinations
from math import dist
from random import Random
from typing import NamedTuple

Link = tuple[int, int]


class Shape(NamedTuple):
    """Transit nodes, stubs on each of them, nodes in each stub."""

    transits: int
    stubs: int
    members: int

    @property
    def nodes(self) -> int:
        return self.transits * (1 + self.stubs * self.members)


def transit_stub(shape: Shape, degree: int, random: Random) -> list[Link]:
    """Return tuples (from, to), about ``degree`` of them for each node, both ways of a link together."""
    transits = list(range(shape.transits))
    links = {link(a, b) for a, b in zip(transits, transits[1:] + transits[:1], strict=True) if a != b}
    stubs = []
    for transit in transits:
        for _ in range(shape.stubs):
            first = shape.transits + sum(map(len, stubs))
            stub = list(range(first, first + shape.members))
            links.add(link(transit, stub[0]))
            links |= {link(random.choice(stub[:i]), stub[i]) for i in range(1, len(stub))}
            stubs.append(stub)
    wanted = shape.nodes * degree // 2
    spare = [link(a, b) for stub in stubs for a, b in combinations(stub, 2)]
    random.shuffle(spare)
    for extra in spare:
        if len(links) < wanted:
            links.add(extra)
    while len(links) < wanted:
        links.add(link(*random.sample(range(shape.nodes), 2)))
    return [pair for a, b in sorted(links) for pair in ((a, b), (b, a))]


def link(a: int, b: int) -> Link:
    return (a, b) if a < b else (b, a)


def sensors(count: int, side: float, reach: float, random: Random) -> list[Link]:
    """Return the pairs of points that are closer than ``reach``, both ways."""
    points = [(random.uniform(0, side), random.uniform(0, side)) for _ in range(count)]
    near = [(a, b) for a, b in combinations(range(count), 2) if dist(points[a], points[b]) < reach]
    return [pair for a, b in near for pair in ((a, b), (b, a))]
