"""The worked example of the papers, message by message: links AB = 1, BC = 2, CA = 3, CB = 4.

Set semantics ships 4 + 5 + 6 + 1 = 16 rows, absorption 4 + 5 + 7 + 4 = 20. The twentieth is absorbed
where it arrives; a MinShip that sends eagerly absorbs it already where it leaves.
"""

import pytest

from engine.network.network import Network, Rows
from engine.network.wiring import Head, Side
from engine.operators.ship import EAGER, LAZY
from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from tests.network_fuzz import REACHABLE, implicants

pytestmark = pytest.mark.bdd

LINKS = [("A", "B"), ("B", "C"), ("C", "A"), ("C", "B")]
TABLE = {
    "AA": "123", "AB": "1", "AC": "12",
    "BA": "23", "BB": "24+123", "BC": "2",
    "CA": "3", "CB": "4+13", "CC": "24+123",
}  # fmt: skip
STEPS = [
    "AB A>B 1 | BC B>C 2 | CA C>A 3 | CB C>B 4",
    "AC B>A 12 | BA C>B 23 | BB C>B 24 | CB A>C 13 | CC B>C 24",
    "AA B>A 123 | AB B>A 124 | BB C>B 123 | BC C>B 24 | CA B>C 234 | CB B>C 24 | CC A>C 123",
    "AB B>A 123 | BC C>B 123 | CA A>C 123 | CB B>C 1234",
]


def network(policy):
    made = Network(REACHABLE, Absorption, 3, policy, owner="ABC".index)
    made.insert(0, LINKS)
    return made


def sums(text):
    return frozenset(frozenset(map(int, product)) for product in text.split("+"))


def steps(text):
    return sorted((*part.split()[:2], sums(part.split()[2])) for part in text.split("|"))


def provenance(made, relation=1):
    return {
        "".join(row): implicants(site.algebra.to_plain(annotation))
        for site in made.sites
        for row, annotation in site.fixpoints[relation].rows().items()
    }


def under_way(made):
    """What the next round delivers, as the example writes it."""
    return sorted(
        ("".join(row), f"{'ABC'[sender]}>{'ABC'[receiver]}", implicants(plain))
        for sender, receiver, message in made.channels.under_way()
        if isinstance(message.content, Rows)
        for row, plain in message.content.rows
    )


def shipped_by_round(made):
    counts = []
    while not made.channels.are_empty:
        before = made.channels.traffic.rows.total()
        counts.append(len(under_way(made)))
        made.channels.deliver_round()
        assert made.channels.traffic.rows.total() >= before
    return counts


def test_absorption_without_minship_ships_the_twenty_rows_of_the_example():
    made = network(None)
    for expected in STEPS:
        assert under_way(made) == steps(expected)
        made.channels.deliver_round()
    assert under_way(made) == []
    assert made.channels.traffic.rows == {"side": 4, "head": 16}


def test_an_eager_minship_absorbs_the_last_row_where_it_leaves():
    assert shipped_by_round(network(EAGER)) == [4, 5, 7, 3]


def test_a_lazy_minship_ships_no_more_than_set_semantics():
    assert shipped_by_round(network(LAZY)) == [4, 5, 6, 1]


@pytest.mark.parametrize("policy", [None, EAGER, LAZY])
def test_after_a_flush_every_row_has_the_provenance_of_the_example(policy):
    made = network(policy)
    made.flush()
    assert provenance(made) == {row: sums(text) for row, text in TABLE.items()}


@pytest.mark.parametrize("policy", [None, EAGER, LAZY])
def test_a_deletion_that_changes_no_row_costs_two_messages(policy):
    made = network(policy)
    made.flush()
    made.close()
    before = made.channels.traffic.messages.copy()
    made.delete(0, [("C", "B")])
    made.settle()
    assert made.channels.traffic.messages - before == {"dead": 2}
    assert made.close() == {1: {}}
    rest = {**TABLE, "BB": "123", "CC": "123", "CB": "13"}
    assert provenance(made) == {row: sums(text) for row, text in rest.items()}


def test_a_lazy_site_that_has_not_flushed_releases_what_it_kept_back():
    made = network(LAZY)
    made.settle()
    made.close()
    made.delete(0, [("C", "B")])
    assert under_way(made) == steps("BB C>B 123 | BC C>B 123")
    made.channels.deliver_round()
    assert under_way(made) == steps("AB B>A 123")
    made.settle()
    assert made.close() == {1: {}}


def test_rows_meet_where_the_papers_plan_lets_them_meet():
    """Links travel to their end, answers to the link's beginning; nothing else travels."""
    made = network(None)
    assert {message.content.port for _, _, message in made.channels.under_way()} == {Side(0, False)}
    made.channels.deliver_round()
    assert {message.content.port for _, _, message in made.channels.under_way()} == {Head(1)}


def test_sets_of_sets_give_the_same_network_as_bdds():
    counted = []
    for make in (Absorption, Why):
        made = Network(REACHABLE, make, 3, EAGER, owner="ABC".index)
        made.insert(0, LINKS)
        made.settle()
        counted.append(made.channels.traffic.rows)
    assert counted[0] == counted[1]
