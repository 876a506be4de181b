"""BDD nodes under each variable order, relative to edges in the order of a random arrival.

Exact reachability provenance of all pairs of small graphs, each pair a BDD of its own, in one manager; the
number is the sum over pairs and graphs of the internal nodes. Graphs: one way with an edge back, layers that
lead one way, links both ways of a small transit-stub network, random links both ways. `sift` is the back
end's own reordering; it looks at all pairs at once and is what an order can reach, at its price in time.
"""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from engine.provenance.absorption import RECORD, Absorption
from engine.provenance.bdd import Node, back_end
from engine.provenance.ordering import Edge, breadth_first, depth_first, frontier, suited
from tests.benchmarks._report import Result, report

GRAPHS = 12
Pair = tuple[int, int]
Leaving = dict[int, list[Edge]]


def one_way(random: Random) -> set[Pair]:
    size = 10
    pairs = {(random.randrange(target), target) for target in range(1, size)}
    while len(pairs) < 19:
        source, target = sorted(random.sample(range(size), 2))
        pairs.add((source, target))
    pairs.add((random.randrange(6, size), random.randrange(4)))
    return pairs


def layered(random: Random) -> set[Pair]:
    layers = [[0]]
    for _ in range(5):
        first = layers[-1][-1] + 1
        layers.append(list(range(first, first + random.choice((1, 2, 3)))))
    pairs = {(random.choice(layers[0]), target) for target in layers[1]}
    for here, there in pairwise(layers):
        pairs |= {(source, random.choice(there)) for source in here}
        pairs |= {(random.choice(here), target) for target in there}
    for _ in range(3):
        place = random.randrange(len(layers) - 2)
        pairs.add((random.choice(layers[place]), random.choice(layers[place + 2])))
    return pairs


def transit_stub(random: Random) -> set[Pair]:
    links = {(0, 1)}
    for stub, gateway in enumerate((0, 0, 1)):
        inside = [2 + 3 * stub + i for i in range(3)]
        links |= {
            (gateway, inside[0]),
            (inside[0], inside[1]),
            (inside[1], inside[2]),
            (inside[0], inside[2]),
        }
    links.add((random.randrange(2, 5), random.randrange(5, 8)))
    links.add((random.randrange(5, 8), random.randrange(8, 11)))
    return both_ways(links)


def random_links(random: Random) -> set[Pair]:
    size = 9
    links = {(random.randrange(target), target) for target in range(1, size)}
    while len(links) < 15:
        source, target = sorted(random.sample(range(size), 2))
        links.add((source, target))
    return both_ways(links)


def both_ways(links: set[Pair]) -> set[Pair]:
    return links | {(target, source) for source, target in links}


def arrived(pairs: set[Pair], random: Random) -> list[Edge]:
    listed = sorted(pairs)
    random.shuffle(listed)
    return [Edge(token, *pair) for token, pair in enumerate(listed, 1)]


def simple_paths(
    leaving: dict[int, list[Edge]], at: int, passed: tuple[int, ...]
) -> Iterator[tuple[Edge, ...]]:
    for edge in leaving.get(at, ()):
        if edge.target in passed:
            continue
        yield (edge,)
        for rest in simple_paths(leaving, edge.target, (*passed, edge.target)):
            yield (edge, *rest)


def provenance(algebra: Absorption, edges: list[Edge]) -> dict[Pair, Node]:
    leaving: Leaving = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
        algebra.token(edge.token)
    found: dict[Pair, Node] = {}
    for source in leaving:
        for path in simple_paths(leaving, source, (source,)):
            product = algebra.one
            for edge in path:
                product = algebra.times(product, algebra.token(edge.token))
            pair = (source, path[-1].target)
            found[pair] = algebra.plus(found.get(pair, algebra.zero), product)
    return found


def nodes(algebra: Absorption, found: dict[Pair, Node]) -> int:
    return sum(algebra.size(node) for node in found.values()) // RECORD


ORDERS: dict[str, Callable[[list[Edge]], list[int]]] = {
    "arrival": lambda edges: [edge.token for edge in edges],
    "depth first": depth_first,
    "breadth first": breadth_first,
    "frontier": frontier,
    "suited": suited,
}


def measured(kind: str, make: Callable[[Random], set[Pair]]) -> list[Result]:
    totals = dict.fromkeys([*ORDERS, "sift"], 0)
    spent = dict.fromkeys(totals, 0.0)
    for seed in range(GRAPHS):
        random = Random(seed)
        edges = arrived(make(random), random)
        algebra = Absorption()
        found = provenance(algebra, edges)
        for name, order in ORDERS.items():
            started = time.perf_counter()
            algebra.order(order(edges))
            spent[name] += time.perf_counter() - started
            totals[name] += nodes(algebra, found)
        started = time.perf_counter()
        algebra.sift()
        spent["sift"] += time.perf_counter() - started
        totals["sift"] += nodes(algebra, found)
    return [
        Result(
            f"{kind}, {name}",
            totals[name] / totals["arrival"],
            "of arrival",
            floor=1.0 if name == "suited" else None,
            ratio=totals[name] / totals["arrival"],
            peer=f"{totals[name]:,} nodes, {1000 * spent[name] / GRAPHS:.2f} ms to reorder",
        )
        for name in totals
    ]


def main() -> int:
    print(f"back end: {back_end()}; {GRAPHS} graphs of each kind")
    kinds = {
        "one way": one_way,
        "layers": layered,
        "transit-stub": transit_stub,
        "random links": random_links,
    }
    results = [result for kind, make in kinds.items() for result in measured(kind, make)]
    for result in results:
        print(f"  {result.case}: {result.peer}")
    return report("ordering", results)


if __name__ == "__main__":
    sys.exit(main())
