"""Why a row of the linear operators is there: the base rows of their inputs, best costs included."""

import time
from random import Random
from typing import Any

import pytest

from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.plan.physical import BestPaths
from engine.views.why.effort import Effort
from engine.views.why.linear import best_ways, closure_ways, decides_bound
from tests.oracle_recursion import best_paths, closure
from tests.possible_worlds import minimal_cuts, minimal_derivations, worlds

COLUMNS = tuple(Column(name, Type.BIGINT) for name in "xyc")
COMBINES = [("min", "greatest"), ("max", "least")]


def itself(number: int, row: Row) -> tuple[tuple[int, Row], ...]:
    """Take rows of the inputs for base rows."""
    return ((number, row),)


def plenty() -> Effort:
    return Effort(30, 10**7, time.monotonic)


def random_rows(random: Random, width: int, costs: list[Any]) -> tuple[list[Row], list[Row]]:
    def ends() -> Row:
        return tuple(random.choice((0, 1, 2, 2, 3, None)) for _ in range(2 * width))

    edges = list({(*ends(), *([random.choice(costs)] if costs else [])) for _ in range(6)})
    seeds = list({(*ends(), *([random.choice(costs)] if costs else [])) for _ in range(3)})
    return edges, seeds


def in_world(world: frozenset[Any]) -> tuple[list[Row], list[Row]]:
    return [row for number, row in world if number == 0], [row for number, row in world if number == 1]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("width", [1, 2])
def test_rows_of_a_closure_are_explained_by_the_rows_of_its_inputs(width: int, seed: int) -> None:
    edges, seeds = random_rows(Random(seed), width, [])
    base = [*((0, row) for row in edges), *((1, row) for row in seeds)]
    order = range(2 * width)
    following = {world: set(closure(*in_world(world), width, order)) for world in worlds(base)}
    ways = closure_ways(width, edges, seeds, itself)
    for row in following[frozenset(base)]:
        found = ways.why(row[:width], row[width:], plenty())
        assert found is not None

        def holds(world: frozenset[Any], row: Row = row) -> bool:
            return row in following[world]

        assert set(found.derivations()) == minimal_derivations(base, holds)
        assert set(found.cuts(plenty())) == minimal_cuts(base, holds)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(("best", "combine"), COMBINES)
def test_rows_of_best_cost_are_explained_by_what_decides_the_cost(best: str, combine: str, seed: int) -> None:
    edges, seeds = random_rows(Random(seed), 1, [0, 1, 2, None])
    base = [*((0, row) for row in edges), *((1, row) for row in seeds)]
    plan: Any = BestPaths(None, None, 1, best, combine, (0, 1, 2), COLUMNS)  # type: ignore[arg-type]
    following = {world: set(best_paths(*in_world(world), plan)) for world in worlds(base)}
    present = following[frozenset(base)]
    for x, y, cost in present:
        decides = decides_bound(1, (y,), best, cost)
        found = best_ways(1, edges, seeds, decides, itself).why((x,), (y,), plenty())
        assert found is not None

        def holds(world: frozenset[Any], row: Row = (x, y, cost)) -> bool:
            return row in following[world]

        assert set(found.derivations()) == minimal_derivations(base, holds)
        assert set(found.cuts(plenty())) == minimal_cuts(base, holds)
