"""Exact provenance by paths is provenance by definition, and a budget that is hit is said."""

import time
from collections.abc import Iterable
from itertools import islice
from random import Random
from typing import Any

import pytest

from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from engine.views.why.effort import Effort
from engine.views.why.provenance import Provenance
from engine.views.why.ways import Ways, are_apart
from tests.environment.waiting import PATIENCE
from tests.possible_worlds import minimal_cuts, minimal_derivations, probability, worlds

Edge = tuple[int, int]


def plenty() -> Effort:
    return Effort(30, 10**7, time.monotonic)


def random_edges(random: Random) -> list[Edge]:
    size = random.choice((3, 4, 5))
    pairs = [(a, b) for a in range(size) for b in range(size) if a != b or random.random() < 0.3]
    edges = random.sample(pairs, min(len(pairs), random.randrange(2, 10)))
    if random.random() < 0.4:
        edges = list(dict.fromkeys([*edges[:5], *((b, a) for a, b in edges[:5])]))
    return edges


def reaches(edges: Iterable[Edge], source: Any, seeds: Iterable[Any]) -> bool:
    """Some seed's vertex can be walked to, in any number of steps."""
    known, edges = {source}, list(edges)
    while True:
        gained = {b for a, b in edges if a in known} - known
        if not gained:
            return not known.isdisjoint(seeds)
        known |= gained


def is_reachable(world: frozenset[Edge], source: int, target: int) -> bool:
    return reaches(world, source, [a for a, b in world if b == target])


def reachable(edges: Iterable[Edge]) -> Ways[Edge]:
    rows = {edge: (edge,) for edge in edges}
    return Ways(rows, rows)


def check(found: Provenance[Any] | None, rows: list[Any], holds: Any) -> None:
    derivations = minimal_derivations(rows, holds)
    if found is None:
        assert not derivations
        return
    listed = list(found.derivations())
    assert len(listed) == len(set(listed)) == found.count
    assert set(listed) == derivations
    assert len(found.witness) == min(map(len, derivations))
    assert found.witness in derivations
    cuts = minimal_cuts(rows, holds)
    listed = list(found.cuts(plenty()))
    assert len(listed) == len(set(listed))
    assert set(listed) == cuts
    smallest = found.smallest_cut(plenty())
    assert smallest in cuts
    assert len(smallest) == min(map(len, cuts))
    assert not found.is_truncated


@pytest.mark.parametrize("seed", range(40))
def test_derivations_and_cuts_of_every_pair_are_those_of_all_possible_worlds(seed: int) -> None:
    edges = random_edges(Random(seed))
    ways = reachable(edges)
    for source in range(5):
        for target in range(5):
            check(
                ways.why(source, target, plenty()), edges, lambda w, s=source, t=target: is_reachable(w, s, t)
            )


@pytest.mark.parametrize("seed", range(40))
def test_seeds_that_are_no_edges_are_one_more_base_row(seed: int) -> None:
    random = Random(seed)
    edges = {("edge", edge): edge for edge in random_edges(random)[:7]}
    seeds = {("seed", (x, y)): (x, y) for x in range(4) for y in "pq" if random.random() < 0.3}
    ways = Ways({ends: (row,) for row, ends in edges.items()}, {ends: (row,) for row, ends in seeds.items()})
    for source in range(4):
        for y in "pq":

            def holds(world: frozenset[Any], source: int = source, y: str = y) -> bool:
                ends = [seed[0] for kind, seed in world if kind == "seed" and seed[1] == y]
                return reaches([edge for kind, edge in world if kind == "edge"], source, ends)

            check(ways.why(source, y, plenty()), [*edges, *seeds], holds)


@pytest.mark.parametrize("seed", range(40))
def test_an_edge_of_several_base_rows_is_there_as_long_as_one_of_them(seed: int) -> None:
    random = Random(seed)
    rows = [(*edge, cost) for edge in random_edges(random)[:6] for cost in range(random.choice((1, 1, 2)))]
    edges: dict[tuple[Any, Any], tuple[Any, ...]] = {}
    for row in rows:
        edges[row[:2]] = (*edges.get(row[:2], ()), row)
    ways = Ways(edges, edges)
    for source in range(4):
        for target in range(4):

            def holds(world: frozenset[Any], source: int = source, target: int = target) -> bool:
                return is_reachable(frozenset(row[:2] for row in world), source, target)

            check(ways.why(source, target, plenty()), rows, holds)


def test_a_base_row_of_two_edges_is_told_apart() -> None:
    assert are_apart({(1, 2): ("a", "b")}, {(1, 2): ("a", "b")})
    assert not are_apart({(1, 2): ("a",), (2, 1): ("a",)}, {})
    assert not are_apart({}, {(1, "p"): ("a",), (1, "q"): ("a",)})
    assert not are_apart({(1, 2): ("a",)}, {(2, "p"): ("a",)})


@pytest.mark.bdd
@pytest.mark.parametrize("seed", range(40))
def test_as_one_bdd_it_is_true_in_the_worlds_in_which_the_row_is_there(seed: int) -> None:
    random, algebra = Random(seed), Absorption()
    edges = random_edges(random)
    number = {edge: place for place, edge in enumerate(edges, 1)}
    source, target = random.choice([(a, b) for a, _ in edges for _, b in edges])
    found = reachable(edges).why(source, target, plenty())
    diagram = found.to_diagram(algebra, number.__getitem__, plenty()) if found else algebra.zero
    for world in worlds(edges):
        dead = {number[edge] for edge in edges if edge not in world}
        assert algebra.is_zero(algebra.retract(diagram, dead)) != is_reachable(world, source, target)


@pytest.mark.bdd
@pytest.mark.parametrize("seed", range(40))
def test_the_probability_is_the_sum_over_the_worlds(seed: int) -> None:
    random = Random(seed)
    edges = random_edges(random)
    chances = {edge: random.choice((0.0, 0.1, 0.5, 0.9, 1.0)) for edge in edges}
    source, target = random.choice([(a, b) for a, _ in edges for _, b in edges])
    found = reachable(edges).why(source, target, plenty())
    if found is None:
        return
    chance = chances.__getitem__
    exact = probability(edges, lambda world: is_reachable(world, source, target), chance)
    assert found.probability(chance, plenty()) == pytest.approx((exact, exact))
    bounds = found.probability(chance, Effort(30, 0, time.monotonic))
    assert bounds.low <= exact + 1e-9
    assert bounds.high >= exact - 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_an_explanation_alone_derives_the_row_and_less_does_not(seed: int) -> None:
    random = Random(seed)
    links = {tuple(sorted(random.sample(range(9), 2))) for _ in range(14)}
    edges = [*links, *((b, a) for a, b in links)]
    source, target = random.sample(range(9), 2)
    found = reachable(edges).why(source, target, plenty())
    if found is None:
        return
    for derivation in islice(found.derivations(), 200):
        assert is_reachable(derivation, source, target)
        assert not any(is_reachable(derivation - {row}, source, target) for row in derivation)
    for cut in islice(found.cuts(plenty()), 200):
        rest = frozenset(edges) - cut
        assert not is_reachable(rest, source, target)
        assert all(is_reachable(rest | {row}, source, target) for row in cut)


@pytest.mark.parametrize("seed", range(20))
def test_paths_are_the_boolean_fixpoint(seed: int) -> None:
    random, why = Random(seed), Why()
    links = {tuple(sorted(random.sample(range(7), 2))) for _ in range(9)}
    edges = [*links, *((b, a) for a, b in links)]
    number = {edge: place for place, edge in enumerate(edges)}
    ways = reachable(edges)
    for (source, target), annotation in fixpoint(edges, number, why).items():
        found = ways.why(source, target, plenty())
        assert found is not None
        assert {frozenset(map(number.__getitem__, d)) for d in found.derivations()} == annotation


def fixpoint(edges: list[Edge], number: dict[Edge, int], why: Why) -> dict[Edge, Any]:
    known = {edge: why.token(number[edge]) for edge in edges}
    while True:
        later = dict(known)
        for a, b in edges:
            for (c, d), annotation in known.items():
                if b == c:
                    longer = why.times(why.token(number[a, b]), annotation)
                    later[a, d] = why.plus(later.get((a, d), why.zero), longer)
        if later == known:
            return known
        known = later


def complete(size: int) -> list[Edge]:
    return [(a, b) for a in range(size) for b in range(size) if a != b]


@pytest.mark.bdd
def test_what_is_over_its_budget_is_said_and_still_explained() -> None:
    started = time.monotonic()
    edges = complete(30)
    found = reachable(edges).why(0, 29, Effort(0.2, 10**9, time.monotonic))
    assert time.monotonic() - started < 2 * PATIENCE
    assert found is not None
    assert found.is_truncated
    assert found.witness == {(0, 29)}
    for derivation in found.derivations():
        assert is_reachable(derivation, 0, 29)
        assert not any(is_reachable(derivation - {row}, 0, 29) for row in derivation)
    assert len(found.smallest_cut(plenty()) or ()) == 29
    for cut in islice(found.cuts(plenty()), 50):
        assert not is_reachable(frozenset(edges) - cut, 0, 29)
    bounds = found.probability(lambda _: 0.5, Effort(0.2, 10**4, time.monotonic))
    assert 0.5 < bounds.low < bounds.high <= 1


def test_without_any_effort_there_is_still_a_witness() -> None:
    found = reachable(complete(6)).why(0, 5, Effort(0, 0, time.monotonic))
    assert found is not None
    assert found.is_truncated
    assert next(found.derivations()) == found.witness == {(0, 5)}


def test_a_long_ring_is_no_deep_recursion() -> None:
    ring = [(i, (i + 1) % 1200) for i in range(1200)]
    found = reachable([*ring, *((b, a) for a, b in ring)]).why(0, 600, Effort(20, 10**8, time.monotonic))
    assert found is not None
    assert found.count == 2
    assert not found.is_truncated


def test_a_chain_of_blocks_is_a_factor_each_and_the_product_is_never_listed() -> None:
    edges = [(4 * i + a, 4 * i + b) for i in range(40) for a, b in ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4))]
    found = reachable(edges).why(0, 160, plenty())
    assert found is not None
    assert len(found.factors) == 80
    assert found.count == 2**40
    assert len(found.witness) == 3 * 40
    assert len(found.smallest_cut(plenty()) or ()) == 1
    assert len(list(islice(found.derivations(), 10))) == 10
