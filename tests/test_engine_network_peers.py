"""The peers of absorption on the same sites: delete and rederive, and relative provenance.

The worked example: a deletion of CB over-deletes 3 + 3 + 3 rows and rederives 3 + 3 + 3. Messages
are 1 for the link, 12 deletes (three more, of rows gone already) and 9 inserts, where absorption
sends 2.
"""

import pytest

from engine.model.errors import PlanError
from engine.network.dred import DRed
from engine.network.relative import Relative
from engine.operators.ship import EAGER, LAZY
from tests.network_fuzz import CHEAPEST, REACHABLE, fuzz_peers
from tests.rules import program

LINKS = [("A", "B"), ("B", "C"), ("C", "A"), ("C", "B")]


def settled(engine):
    engine.insert(0, LINKS)
    engine.settle()
    assert len(engine.close()[1]) == 9
    return engine


def by_round(engine, kind):
    counts = []
    while not engine.channels.are_empty:
        counts.append(sum(m.rows for _, _, m in engine.channels.under_way() if m.kind == kind))
        engine.channels.deliver_round()
    return counts


def test_set_semantics_ships_the_sixteen_rows_of_the_example():
    engine = settled(DRed(REACHABLE, 3, owner="ABC".index))
    assert engine.channels.traffic.rows == {"side": 4, "insert": 12}


def test_dred_ships_twelve_deletes_and_nine_inserts_for_a_link_that_changes_nothing():
    engine = settled(DRed(REACHABLE, 3, owner="ABC".index))
    before = engine.channels.traffic.rows.copy()
    engine.delete(0, LINKS[3:])
    engine.settle()
    assert engine.channels.traffic.rows - before == {"side": 1, "delete": 12, "insert": 9}
    assert engine.close() == {1: {}}


def test_dred_deletes_all_nine_rows_and_brings_all_nine_back():
    engine = settled(DRed(REACHABLE, 3, owner="ABC".index))
    engine.delete_only(0, {2: LINKS[3:]}, None)
    assert engine.view(1) == set()
    assert sum(len(site.relations[1].deleted) for site in engine.sites) == 9
    engine.rederive()
    assert by_round(engine, "insert") == [3, 3, 3]
    assert len(engine.view(1)) == 9


@pytest.mark.parametrize("policy", [EAGER, LAZY])
def test_relative_provenance_asks_around_where_absorption_knows(policy):
    engine = settled(Relative(REACHABLE, 3, policy, owner="ABC".index))
    before = engine.channels.traffic.rows.copy()
    engine.delete(0, LINKS[3:])
    engine.settle()
    shipped = engine.channels.traffic.rows - before
    assert shipped["dead"] == 2
    assert shipped["ask"] == shipped["yes"] > 0
    assert engine.close() == {1: {}}


@pytest.mark.parametrize("make", [DRed, Relative])
def test_a_cycle_that_loses_its_support_is_gone(make):
    rules = program("hot(x) :- seed(x)", "hot(y) :- hot(x), near(x, y)")
    engine = make(rules, 3)
    engine.insert(0, [(1,)])
    engine.insert(1, [(1, 2), (2, 3), (3, 2)])
    engine.settle()
    engine.close()
    engine.delete(1, [(1, 2)])
    engine.settle()
    assert engine.close() == {2: {(2,): -1, (3,): -1}}


@pytest.mark.parametrize("make", [DRed, Relative])
def test_a_peer_refuses_aggregate_selection(make):
    with pytest.raises(PlanError, match="only absorption selects within recursion, found path"):
        make(CHEAPEST, 3)


@pytest.mark.parametrize("make", [DRed, Relative])
def test_a_peer_holds_nothing_once_all_is_deleted(make):
    engine = make(REACHABLE, 3)
    for change in (engine.insert, engine.delete):
        change(0, [(n, (n + 1) % 5) for n in range(5)])
        change(0, [(n, (n + 2) % 5) for n in range(5)])
        engine.settle()
    assert not engine.view(1)
    assert sum(site.state_size() for site in engine.sites) == 0


def test_random_trials_of_the_peers_find_nothing_wrong():
    assert fuzz_peers(steps=10_000, seed=11) > 3_000
