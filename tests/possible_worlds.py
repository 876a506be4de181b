"""What follows in every subset of the base rows: provenance by definition."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations
from math import prod
from typing import Any

Holds = Callable[[frozenset[Any]], bool]


def worlds(rows: Sequence[Hashable]) -> Iterable[frozenset[Any]]:
    return (frozenset(chosen) for size in range(len(rows) + 1) for chosen in combinations(rows, size))


def minimal_derivations(rows: Sequence[Hashable], holds: Holds) -> set[frozenset[Any]]:
    """The least worlds in which a monotone condition holds."""
    found: set[frozenset[Any]] = set()
    for world in worlds(rows):
        if not any(smaller <= world for smaller in found) and holds(world):
            found.add(world)
    return found


def minimal_cuts(rows: Sequence[Hashable], holds: Holds) -> set[frozenset[Any]]:
    everything = frozenset(rows)
    return minimal_derivations(rows, lambda world: not holds(everything - world))


def probability(rows: Sequence[Hashable], holds: Holds, chance: Callable[[Any], float]) -> float:
    return sum(
        prod(chance(row) if row in world else 1 - chance(row) for row in rows)
        for world in worlds(rows)
        if holds(world)
    )
