"""Base relations of a network that are keyed or bags, and whose rows expire: windows under recursion."""

from random import Random

import pytest

from engine.network.network import Network
from engine.operators.base_tokens import Kind
from engine.operators.ship import EAGER, LAZY
from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from tests.base_rows import BaseRows
from tests.naive_rules import Sets, evaluate
from tests.network_fuzz import (
    ANY,
    POLICIES,
    PROGRAMS,
    REACHABLE,
    Trial,
    fuzz_windows,
    make_windows,
    random_rules,
    run,
)

MINUTE, HOUR = 60, 3600
WINDOW = Kind((0, 1), 10)
KINDS = {
    "set": WINDOW,
    "keyed": Kind((0,), 10),
    "bag": Kind(None, 10),
    "keyed without expiry": Kind((0,)),
    "bag without expiry": Kind(None),
}


def links(kind: Kind, sites: int = 3, make=Why) -> Network:
    return Network(REACHABLE, make, sites, LAZY, kinds={0: kind})


def told(network: Network) -> dict:
    network.settle()
    return network.close()[1]


@pytest.mark.bdd
@pytest.mark.parametrize("name", [*PROGRAMS, ANY])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_base_relation_equals_recomputation_of_what_stands(name, kind):
    random = Random(name + kind)
    for overlap in (0.0, 0.8):
        rules = random_rules(random) if name == ANY else PROGRAMS[name]
        lengths = [len(columns) for columns in rules.inputs]
        key, lifetime = KINDS[kind]
        kinds = tuple(Kind(key and tuple(range(min(len(key), n))), lifetime) for n in lengths)
        policy, seed = random.choice(POLICIES), random.randrange(10**6)
        trial = Trial(name, rules, random.choice((1, 2, 3, 5)), policy, overlap, 24, seed, kinds=kinds)
        assert run(trial, make_windows(trial)) > 1


def test_random_windows_under_random_rules_find_nothing_wrong():
    assert fuzz_windows(steps=6_000, seed=20240229) > 2_000


@pytest.mark.slow
def test_many_random_windows_find_nothing_wrong():
    fuzz_windows(steps=40_000, seed=11)


def test_expiry_is_one_message_of_dead_tokens_to_every_other_site():
    network = Network(REACHABLE, Why, 3, LAZY, owner=lambda _: 0, kinds={0: WINDOW})
    network.insert(0, [(1, 2), (2, 3), (3, 1)])
    assert len(told(network)) == 9
    network.advance(9)
    assert network.channels.are_empty
    network.advance(10)
    sent = [(a, b, message.kind, message.rows) for a, b, message in network.channels.under_way()]
    assert sorted(sent) == [(0, 1, "dead", 3), (0, 2, "dead", 3)]
    assert set(told(network).values()) == {-1}
    assert not network.view(1)


def test_a_renewed_row_stays_with_the_token_it_had_and_nothing_is_sent():
    network = links(WINDOW)
    network.insert(0, [(1, 2)])
    assert told(network) == {(1, 2): 1}
    token = network.token_of(0, (1, 2))
    network.advance(8)
    network.insert(0, [(1, 2)])
    network.advance(17)
    assert (network.channels.are_empty, network.token_of(0, (1, 2))) == (True, token)
    network.advance(18)
    assert told(network) == {(1, 2): -1}


def test_an_old_timer_of_a_row_that_was_inserted_again_does_nothing():
    network = links(WINDOW)
    network.insert(0, [(1, 2), (2, 1)])
    network.advance(4)
    network.delete(0, [(1, 2)])
    network.advance(6)
    network.insert(0, [(1, 2)])
    assert len(told(network)) == 4
    network.advance(10)
    assert told(network) == {(2, 1): -1, (1, 1): -1, (2, 2): -1}
    network.advance(16)
    assert told(network) == {(1, 2): -1}


def test_another_row_under_a_key_replaces_the_first_wherever_that_one_lives():
    network = links(Kind((1,)))
    network.insert(0, [(1, 9), (2, 1)])
    assert set(told(network)) == {(1, 9), (2, 1), (2, 9)}
    network.insert(0, [(5, 9)])
    assert told(network) == {(1, 9): -1, (2, 9): -1, (5, 9): 1}
    assert (network.has(0, (1, 9)), network.has(0, (5, 9))) == (False, True)


def test_a_row_of_a_bag_goes_with_its_last_incarnation():
    network = links(Kind(None, 10))
    network.insert(0, [(1, 2), (1, 2)])
    network.advance(5)
    network.insert(0, [(1, 2)])
    assert told(network) == {(1, 2): 1}
    network.flush()
    assert network.view(1)[1, 2] == {frozenset({token}) for token in network.bases[0].tokens_of((1, 2))}
    network.delete(0, [(1, 2)])
    network.advance(10)
    assert told(network) == {}
    network.delete(0, [(1, 2), (1, 2)])
    assert told(network) == {(1, 2): -1}
    assert network.bases[0].ignored_deletes == 1


@pytest.mark.bdd
@pytest.mark.parametrize("policy", [EAGER, LAZY])
def test_a_day_of_expiries_keeps_variables_state_and_tokens_flat(policy):
    """A sighting lasts a quarter of an hour; who saw whom, directly or through others, in a building."""
    random, seen = Random(24), BaseRows(Kind((0, 1), 15 * MINUTE))
    network = Network(REACHABLE, Absorption, 3, policy, kinds={0: seen.kind})
    most, states = 0, []
    for now in range(0, 24 * HOUR, 2 * MINUTE):
        standing = network.incarnations.live
        network.advance(now)
        seen.expire(now)
        rows = [(random.randrange(9), random.randrange(9)) for _ in range(random.choice((0, 1, 2)))]
        network.insert(0, rows)
        for row in rows:
            seen.insert(row, now)
        network.settle()
        network.close()
        most = max(most, standing + len(rows))
        assert network.incarnations.live == len(seen.listed)
        assert all(site.algebra.variables <= network.incarnations.live for site in network.sites)
        assert all(site.algebra.declared <= most for site in network.sites)
        expected = evaluate(REACHABLE, [dict.fromkeys(seen.standing, True)], Sets())[1]
        assert set(network.view(1)) == set(expected)
        states.append(sum(site.state_size() for site in network.sites))
    assert most < 30
    assert network.incarnations.dead == set()
    assert max(states[-240:]) < 2 * max(states[:240])
    network.advance(25 * HOUR)
    network.settle()
    assert not any(list(site.held()) or len(site.tombstones) for site in network.sites)
