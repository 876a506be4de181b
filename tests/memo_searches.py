"""Random joins, and every form of the optimizer over them, told of the same changes."""

from itertools import combinations, product
from math import inf
from random import Random
from typing import NamedTuple

from federated.memo.graph import QueryGraph
from federated.memo.joining import Catalog, join_graph
from federated.memo.memo import Memo
from federated.memo.rules.agenda import Agenda, Entry, Kind
from federated.memo.rules.declarative import Declarative
from federated.memo.rules.tables import Prunings
from federated.memo.searched import Searched, children
from federated.memo.system_r import SystemR
from federated.memo.volcano import Volcano
from federated.memo.ways import Key

EACH_PRUNING = [Prunings(*on) for on in product((False, True), repeat=3)]
FACTORS = (0.125, 0.5, 0.9, 1.1, 2.0, 8.0)


def random_graph(random: Random, most: int = 5) -> QueryGraph:
    """Few different numbers, so that many plans cost the same."""
    shape = random.choice(("chain", "star", "clique", "shared"))
    size = random.randint(1, most if shape != "clique" else min(most, 4))
    rows = {f"r{i}": float(random.choice((10, 50, 100, 1000))) for i in range(size)}
    if shape == "shared":
        joins = [("r0.k", f"r{i}.k") for i in range(1, size)]
    else:
        pairs = {
            "chain": [(i, i + 1) for i in range(size - 1)],
            "star": [(0, i) for i in range(1, size)],
            "clique": list(combinations(range(size), 2)),
        }[shape]
        joins = [(f"r{a}.c{a}{b}", f"r{b}.c{a}{b}") for a, b in pairs]
    columns = [column for join in joins for column in join]
    catalog = Catalog(
        {column: float(random.choice((5, 20, 50))) for column in columns},
        frozenset(column for column in columns if random.random() < 0.3),
        frozenset(column for column in columns if random.random() < 0.4),
    )
    return join_graph(rows, joins, catalog)


def random_roots(random: Random, graph: QueryGraph) -> list[int]:
    """Return the whole query, and at times a second one that shares a part with it."""
    roots = [graph.everything]
    if random.random() < 0.4 and len(graph.bases) > 2:
        connected = [mask for mask in range(1, graph.everything) if not mask & 1 or mask & 3 == 3]
        roots += [mask for mask in random.sample(connected, 1) if _is_connected(graph, mask)]
    return roots


def _is_connected(graph: QueryGraph, mask: int) -> bool:
    grown = mask & -mask
    for _ in graph.bases:
        for r, near in enumerate(graph.neighbours):
            if grown >> r & 1:
                grown |= near & mask
    return grown == mask


def by_recursion(space: Searched, key: Key, found: dict[Key, float]) -> float:
    """Return the best cost, by the definition."""
    if key not in found:
        found[key] = min(
            (
                space.local(key, way) + sum(by_recursion(space, child, found) for child in children(way))
                for way in space.ways(key)
            ),
            default=inf,
        )
    return found[key]


class Shuffled(Agenda):
    """An agenda with no order at all."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self._random = random
        self._waiting: list[Entry] = []

    def pop(self) -> Entry | None:
        while (entry := super().pop()) is not None:
            self._waiting.append(entry)
        if not self._waiting:
            return None
        i = self._random.randrange(len(self._waiting))
        self._waiting[i], self._waiting[-1] = self._waiting[-1], self._waiting[i]
        return self._waiting.pop()


class Steady(Agenda):
    """An agenda that records what is kept and dropped, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[Kind] = []

    def pop(self) -> Entry | None:
        entry = super().pop()
        if entry is not None:
            self.taken.append(entry[0])
        return entry


class Change(NamedTuple):
    """Of the rows of a set and all that contain it, or, with a place, of the work of one way of a key."""

    key: Key
    factor: float
    place: int | None = None


class Everyone:
    """All forms of the optimizer over one graph; each change is told to all."""

    def __init__(self, graph: QueryGraph, roots: list[int], *, physical: bool, random: Random) -> None:
        self.space = Searched(graph, roots, physical=physical)
        self.memo = Memo(graph, roots, physical=physical)
        self.declarative = {on: Declarative(self.space, on) for on in EACH_PRUNING}
        self.shuffled = Declarative(self.space, random.choice(EACH_PRUNING), agenda=Shuffled(random))
        self.peers = {
            "system r, all": SystemR(self.space),
            "system r, best": SystemR(self.space, remembers_all=False),
            "volcano": Volcano(self.space),
        }

    @property
    def told(self) -> list[Declarative | SystemR | Volcano]:
        return [*self.declarative.values(), self.shuffled, *self.peers.values()]

    def change(self, change: Change) -> None:
        key, factor, place = change
        if place is None:
            self.space.scale(key[0], factor)
            self.memo.change(key[0], factor)
            for one in self.told:
                one.scaled(key[0], factor)
            return
        way = self.space.ways(key)[place]
        self.space.scale_step(key, way, factor)
        node = self.memo.space.ors[self.memo.space.number(*key)]
        self.memo.change_step(node.ways[place], factor)
        for one in self.told:
            one.step_scaled(key, way, factor)

    def settle(self) -> None:
        for one in self.told:
            one.settle()

    def keys(self) -> list[Key]:
        found: dict[Key, float] = {}
        for root in self.space.roots:
            by_recursion(self.space, root, found)
        return list(found)


def random_change(random: Random, everyone: Everyone, keys: list[Key]) -> Change:
    key = random.choice(keys)
    factor = random.choice(FACTORS)
    if random.random() < 0.6:
        return Change(key, factor)
    return Change(key, factor, random.randrange(len(everyone.space.ways(key))))
