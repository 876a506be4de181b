"""Networks of random programs equal recomputation, however messages are ordered and epochs overlap."""

from random import Random

import pytest

from engine.model.errors import InternalError
from engine.network.network import Network
from engine.operators.ship import EAGER, LAZY, Policy
from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from tests.network_fuzz import CHEAPEST, POLICIES, PROGRAMS, REACHABLE, Trial, fuzz_network, make_network, run
from tests.rules import program

RING = [(n, (n + 1) % 6) for n in range(6)]


@pytest.mark.bdd
@pytest.mark.parametrize("name", PROGRAMS)
def test_views_deltas_and_provenance_equal_recomputation(name):
    random = Random(name)
    for policy in POLICIES:
        for overlap in (0.0, 0.8):
            trial = Trial(
                name,
                PROGRAMS[name],
                random.choice((1, 2, 3, 5)),
                policy,
                overlap,
                12,
                random.randrange(10**6),
            )
            run(trial, make_network)


def test_random_trials_find_nothing_wrong():
    assert fuzz_network(steps=14_000, seed=20090331) > 5_000


@pytest.mark.slow
def test_many_random_trials_find_nothing_wrong():
    fuzz_network(steps=100_000, seed=7)


def test_one_manager_for_all_sites_gives_the_same_traffic():
    shared = Absorption()
    counted = []
    for make in (Absorption, lambda: shared):
        network = Network(REACHABLE, make, 3, LAZY)
        network.insert(0, RING)
        network.settle()
        network.delete(0, RING[:1])
        network.settle()
        counted.append((network.channels.traffic, network.close()))
    assert counted[0] == counted[1]


def test_an_epoch_is_not_closed_while_messages_are_under_way():
    network = Network(REACHABLE, Absorption, 3)
    network.insert(0, RING)
    with pytest.raises(InternalError, match="settle first"):
        network.close()


def test_a_duplicate_and_a_delete_of_the_absent_change_nothing():
    network = Network(REACHABLE, Absorption, 2)
    network.insert(0, [(1, 2), (1, 2)])
    network.settle()
    assert network.close() == {1: {(1, 2): 1}}
    network.insert(0, [(1, 2)])
    network.delete(0, [(2, 1)])
    assert network.channels.are_empty
    assert network.close() == {1: {}}
    network.delete(0, [(1, 2)])
    network.settle()
    assert network.close() == {1: {(1, 2): -1}}


def test_a_cycle_that_loses_its_support_is_gone():
    rules = program("hot(x) :- seed(x)", "hot(y) :- hot(x), near(x, y)")
    network = Network(rules, Absorption, 3)
    network.insert(0, [(1,)])
    network.insert(1, [(1, 2), (2, 3), (3, 2)])
    network.settle()
    network.close()
    network.delete(1, [(1, 2)])
    network.settle()
    assert network.close() == {2: {(2,): -1, (3,): -1}}


def test_variables_and_tombstones_are_used_again_once_drained():
    network = Network(REACHABLE, Absorption, 3)
    random = Random(5)
    for _ in range(300):
        row = (random.randrange(4), random.randrange(4))
        network.insert(0, [row])
        network.settle(random)
        network.delete(0, [row])
        network.settle(random)
    assert all(len(site.tombstones) == 0 for site in network.sites)
    assert all(site.algebra.declared <= 2 for site in network.sites)
    assert all(not list(site.held()) for site in network.sites)


def test_tombstones_go_although_the_network_is_never_quiet():
    network = Network(REACHABLE, Absorption, 3)
    random = Random(5)
    most = 0
    for n in range(400):
        network.insert(0, [(n % 7, (n + 1) % 7)])
        network.delete(0, [((n - 4) % 7, (n - 3) % 7)])
        while len(list(network.channels.under_way())) > 6:
            network.channels.deliver_any(random)
        network.recycle()
        assert not network.channels.are_empty
        most = max(most, *(len(site.tombstones) for site in network.sites))
    assert most < 40


@pytest.mark.parametrize("make", [Absorption, Why])
@pytest.mark.parametrize("policy", [EAGER, LAZY, Policy(count=4)])
def test_a_dearer_path_comes_back_when_the_cheaper_dies(make, policy):
    network = Network(CHEAPEST, make, 3, policy)
    network.insert(0, [(1, 2, 1), (2, 3, 1), (1, 3, 5), (3, 1, 1)])
    network.settle()
    assert (1, 3, 2) in network.view(1)
    network.close()
    network.delete(0, [(2, 3, 1)])
    network.settle()
    delta = network.close()[1]
    assert delta[1, 3, 2] == -1
    assert delta[1, 3, 5] == 1
    assert (1, 1, 6) in network.view(1)


def test_a_body_is_joined_along_its_keys_whatever_order_it_was_written_in():
    written = program("far(x, y) :- a(x, u), c(v, y), b(u, v), x <> y")
    network = Network(written, Absorption, 4)
    network.insert(0, [(1, 10), (2, 10)])
    network.insert(1, [(20, 5), (20, 1)])
    network.insert(2, [(10, 20), (10, 21)])
    network.settle()
    assert set(network.view(3)) == {(1, 5), (2, 5), (2, 1)}
