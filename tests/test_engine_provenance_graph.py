"""Relative provenance knows what is derivable, whatever died and however facts support each other."""

from collections.abc import Iterable
from random import Random

import pytest

from engine.provenance.derivation_graph import Body, DerivationGraph, Fact, fragment_size


def fact(number: int) -> Fact:
    return ("f", (number,))


def derivable(derivations: Iterable[tuple[Fact, Body]], dead: set[int]) -> set[Fact]:
    """The naive form: apply every derivation until nothing is gained."""
    known: set[Fact] = set()
    while True:
        gained = {
            head
            for head, body in derivations
            if all(node in known if isinstance(node, tuple) else node not in dead for node in body)
        }
        if gained <= known:
            return known
        known |= gained


def random_derivations(random: Random) -> list[tuple[Fact, Body]]:
    nodes = [*range(1, 6), *map(fact, range(8))]
    return [
        (fact(random.randrange(8)), tuple(random.sample(nodes, random.randrange(1, 4)))) for _ in range(25)
    ]


@pytest.mark.parametrize("seed", range(100))
def test_what_is_lost_is_what_no_living_token_derives(seed: int) -> None:
    random, graph = Random(seed), DerivationGraph()
    derivations = random_derivations(random)
    graph.merge(derivations)
    dead: set[int] = set()
    before = derivable(derivations, dead)
    assert set(graph.facts()) == before
    for token in random.sample(range(1, 6), 4):
        dead.add(token)
        after = derivable(derivations, dead)
        assert graph.retract({token}) == before - after
        assert set(graph.facts()) == after
        assert all(graph.bodies(each) for each in after)
        before = after


@pytest.mark.parametrize("seed", range(30))
def test_a_fragment_alone_derives_its_fact_somewhere_else(seed: int) -> None:
    here, there = DerivationGraph(), DerivationGraph()
    here.merge(random_derivations(Random(seed)))
    for each in tuple(here.facts()):
        fragment = here.fragment(each)
        there.merge(fragment)
        assert each in there
        assert there.fragment(each) >= fragment
        assert here.size(each) == fragment_size(fragment) > 0


def test_facts_that_derive_only_each_other_hold_nothing_up() -> None:
    graph = DerivationGraph()
    graph.derive(fact(1), (1,))
    graph.derive(fact(2), (fact(1),))
    graph.derive(fact(1), (fact(2),))
    assert graph.retract({1}) == {fact(1), fact(2)}
    assert len(graph) == 0


def test_what_is_under_way_with_a_dead_token_brings_nothing_back_until_it_is_drained() -> None:
    graph = DerivationGraph()
    graph.retract({1})
    assert not graph.derive(fact(1), (1,))
    graph.drain({1})
    assert graph.derive(fact(1), (1,))


def test_a_derivation_that_is_known_is_no_news_and_one_without_support_is_none() -> None:
    graph = DerivationGraph()
    assert graph.derive(fact(1), (1,))
    assert not graph.derive(fact(1), (1,))
    assert graph.derive(fact(1), (2,))
    assert not graph.derive(fact(2), (fact(3),))
    assert fact(2) not in graph
