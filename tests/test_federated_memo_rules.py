"""The declarative optimizer and its procedural peers, against the definition and the push."""

from collections.abc import Callable
from random import Random

import pytest

from federated.memo.graph import QueryGraph
from tests import random_memo
from tests.memo_searches import Everyone, by_recursion, random_change, random_graph, random_roots


def run_steps(seed: int, steps: int, draw: Callable[[Random], QueryGraph] = random_graph) -> int:
    """Change random joins until so many batches of changes were checked with every form; return how many."""
    random = Random(seed)
    checked = 0
    while checked < steps:
        graph = draw(random)
        everyone = Everyone(graph, random_roots(random, graph), physical=random.random() < 0.6, random=random)
        keys = everyone.keys()
        for _ in range(20):
            for _ in range(random.choice((1, 1, 1, 3, 6))):
                everyone.change(random_change(random, everyone, keys))
            everyone.settle()
            check(everyone)
            checked += 1
    return checked


def small_graph(random: Random) -> QueryGraph:
    return random_graph(random, most=4)


def check(everyone: Everyone) -> None:
    found: dict = {}
    for place, root in enumerate(everyone.space.roots):
        expected = pytest.approx(by_recursion(everyone.space, root, found), rel=1e-9)
        assert everyone.memo.cost(place) == expected
        for on, one in everyone.declarative.items():
            assert one.best(root) == expected, on
            assert cost_of_plan(everyone, one, root) == expected, on
        assert everyone.shuffled.best(root) == expected
        for name, peer in everyone.peers.items():
            assert peer.best(root) == expected, name


def cost_of_plan(everyone, one, root) -> float:
    return sum(everyone.space.local(key, way) for key, way in one.plan(root).items())


def test_every_form_of_the_optimizer_finds_the_same_best_cost_after_any_changes():
    assert run_steps(seed=1, steps=2_000, draw=small_graph) >= 2_000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_hundred_thousand_random_steps_have_no_mismatch(seed):
    assert run_steps(100 + seed, 5_000, random_graph if seed % 4 == 0 else small_graph) >= 5_000


@pytest.mark.slow
def test_the_queries_of_the_thesis_have_no_mismatch_either():
    assert run_steps(7, 500, random_memo.random_graph) >= 500
