"""Random links that nobody has to keep, and what is asked of them: what can be reached from some seeds.

    hot(x) :- seed(x).        hot(y) :- hot(x), link(x, y).

Every node has three links to nodes at random. They are made in pieces, each of a seed of its own, so whoever
needs links, or a sample of them, makes them again. Of rows that come and go a tally is kept in their place.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.leaves import StreamFragment, Table
from engine.plan.physical import Recursive
from tests.rules import program

DEGREE, SEEDS, PIECE = 3, 3, 30_000
COLUMNS = {"link": ("x", "y"), "seed": ("x",)}
HOT = program("hot(y) :- hot(x), link(x, y)", "hot(x) :- seed(x)")


def table(name: str) -> Table:
    columns = tuple(Column(each, Type.BIGINT) for each in COLUMNS[name])
    relation = Relation(name, RelationKind.TABLE, columns, key=COLUMNS[name])
    return Table(relation, StreamFragment(name, columns))


PLAN = Recursive((table("link"), table("seed")), HOT)


class Links:
    """So many links, up to two more or less, and the same ones each time."""

    def __init__(self, count: int) -> None:
        self.count, self.nodes = count, round(count / DEGREE)
        self.seeds = {(node,): 1 for node in range(SEEDS)}

    @property
    def depth(self) -> float:
        """How many links away the nodes are, about."""
        return math.log(self.nodes, DEGREE)

    def pieces(self) -> Iterator[Any]:
        """Yield arrays of links, each with both its nodes."""
        for first in range(0, self.nodes, PIECE):
            sources = np.repeat(np.arange(first, min(first + PIECE, self.nodes)), DEGREE)
            random = np.random.default_rng([1, first])
            # A step of its own third of the ring for each of a node's links: no link is made twice.
            steps = random.integers(0, self.nodes // DEGREE, len(sources))
            thirds = np.tile(np.arange(DEGREE) * (self.nodes // DEGREE), len(sources) // DEGREE)
            yield np.column_stack((sources, (sources + steps + thirds) % self.nodes))

    def batch(self, number: int, part: float) -> list[tuple[int, int]]:
        """Return a part of the links, others for each number."""
        return [link for piece in self.pieces() for link in rows(piece[self._taken(piece, number, part)])]

    def without(self, number: int, part: float) -> Any:
        """Return the links that a batch leaves."""
        return np.concatenate([piece[~self._taken(piece, number, part)] for piece in self.pieces()])

    def _taken(self, piece: Any, number: int, part: float) -> Any:
        return np.random.default_rng([2, number, int(piece[0][0])]).random(len(piece)) < part


def rows(links: Any) -> list[tuple[int, int]]:
    return [(x, y) for x, y in links.tolist()]


class Tally:
    """How many rows there are, and two sums over them."""

    def __init__(self) -> None:
        self.count = self.sum = self.squares = 0

    def take(self, change: dict[Any, int]) -> int:
        """Take rows in and out; return how many they are."""
        for (x,), sign in change.items():
            self.count += sign
            self.sum += sign * x
            self.squares += sign * x * x
        return len(change)

    @property
    def told(self) -> tuple[int, int, int]:
        return self.count, self.sum, self.squares
