"""The parts of the message-level engine alone: placement, wiring, channels, drained tokens, bytes."""

from random import Random

import pytest

from engine.network.channels import Channels, Message, row_size
from engine.network.drain import Drain
from engine.network.network import Network
from engine.network.placement import hashed
from engine.network.wiring import Head, Side, wired
from engine.operators.ship import LAZY, Policy
from engine.provenance.absorption import RECORD, Absorption
from engine.provenance.why import Why
from tests.network_fuzz import REACHABLE
from tests.rules import program


class Post:
    """Who owns channels, and writes down what arrives."""

    def __init__(self):
        self.channels = Channels(self.take)
        self.taken = []
        self.answers = {}

    def take(self, sender, receiver, content):
        self.taken.append((sender, receiver, content))
        for answer in self.answers.pop(content, ()):
            self.send(receiver, sender, answer)

    def send(self, sender, receiver, content):
        self.channels.send(sender, receiver, Message("note", 1, 4, 0, content))


# Placement


def test_equal_values_have_one_owner():
    owner = hashed(7)
    assert owner(1) == owner(1.0) == owner(True)
    assert owner(None) == 0
    assert {owner(f"desk {n}") for n in range(100)} == set(range(7))


def test_a_text_has_the_same_owner_in_every_process():
    assert [hashed(1000)(text) for text in ("a", "ä", "room 12")] == [907, 35, 547]


# Wiring


def places(rules):
    """Where the rows of each relation go: the port, and the position whose owner they go to."""
    wiring = wired(rules)
    probe = tuple(range(100, 110))
    return [[(outlet.port, outlet.place(probe) - 100) for outlet in each] for each in wiring.outlets]


def test_links_go_to_their_end_and_reachable_stays_where_it_is():
    links, reach = places(REACHABLE)
    assert links == [(Head(1), 0), (Side(0, False), 1)]
    assert reach == [(Side(0, True), 0)]


def test_a_chain_meets_where_the_next_relation_lives():
    up, same = places(program("same(x, y) :- up(x, u), same(u, v), up(y, v)"))
    assert up == [(Side(0, False), 1), (Side(1, True), 1)]
    assert same == [(Side(0, True), 0)]


def test_conditions_are_asked_before_anything_travels():
    wiring = wired(program("far(x, z) :- a(x, y, w), w < 3, b(y, z), z < 9, x < z"))
    (a,), (b,), _ = wiring.outlets
    assert (a.sent((1, 2, 2)), a.sent((1, 2, 3)), a.sent((1, 2, None))) == ((1, 2, 2), None, None)
    assert (b.sent((2, 8)), b.sent((2, 9))) == ((2, 8), None)
    (join,) = wiring.joins
    assert (join.outlet.sent((1, 2, 2, 2, 8)), join.outlet.sent((8, 2, 2, 2, 8))) == ((1, 8), None)


def test_a_product_meets_at_one_site():
    wiring = wired(program("pair(x, y) :- a(x), b(y)"))
    assert {outlet.place((n,)) for outlets in wiring.outlets[:2] for outlet in outlets for n in range(9)} == {
        None
    }


# Channels


def test_a_channel_keeps_its_order_whatever_chance_chooses():
    post = Post()
    for number in range(20):
        for receiver in (1, 2, 3):
            post.send(0, receiver, number)
    post.channels.drain(Random(3))
    assert [content for _, receiver, content in post.taken if receiver == 2] == list(range(20))
    assert [receiver for _, receiver, _ in post.taken] != [1, 2, 3] * 20


def test_a_round_delivers_what_was_under_way_and_not_what_that_causes():
    post = Post()
    post.answers = {"question": ["answer"]}
    post.send(0, 1, "question")
    post.channels.deliver_round()
    assert post.taken == [(0, 1, "question")]
    assert not post.channels.are_empty
    post.channels.drain()
    assert post.taken[-1] == (1, 0, "answer")
    assert post.channels.traffic.rounds == 2


# Drained tokens


def test_a_token_is_drained_when_all_were_told_and_all_sent_before_has_arrived():
    post = Post()
    drain = Drain(post.channels, 2)
    post.send(1, 0, "carries the token")
    drain.told(0, {7})
    assert drain.take_drained() == []
    drain.told(1, {7})
    assert drain.take_drained() == []
    post.send(1, 0, "sent later")
    post.channels.deliver(1, 0)
    assert drain.take_drained() == [7]
    assert drain.take_drained() == []


# Bytes and state


def test_a_row_weighs_its_values():
    assert row_size((1, 2.5, True, None, "añb")) == 4 * 8 + 4


@pytest.mark.bdd
def test_a_shipped_row_weighs_itself_and_its_annotation():
    network = Network(REACHABLE, Absorption, 2, LAZY, owner=lambda value: value)
    network.insert(0, [(0, 1)])
    traffic = network.channels.traffic
    assert (traffic.size, traffic.provenance) == (2 * 8 + RECORD, RECORD)
    network.settle()
    # Site 0 holds the row in MinShip, Fixpoint and the right side of the join, site 1 the link on the left.
    assert [site.state_size() for site in network.sites] == [3 * (16 + RECORD), 16 + RECORD]


@pytest.mark.parametrize("make", [Absorption, Why])
def test_what_is_assumed_needs_no_token(make):
    network = Network(REACHABLE, make, 3)
    network.assume(0, [(1, 2), (2, 3)])
    network.settle()
    assert set(network.close()[1]) == {(1, 2), (2, 3), (1, 3)}
    assert all(
        site.algebra.support(a) == type(site.algebra.support(a))()
        for site in network.sites
        for _, a in site.held()
    )


def test_a_waiting_derivation_goes_when_the_network_is_told_the_time():
    network = Network(REACHABLE, Why, 4, Policy(age=5), owner=lambda value: value)
    network.insert(0, [(0, 1), (1, 3), (3, 3)])
    network.settle()
    shipped = network.channels.traffic.rows["head"]
    network.insert(0, [(1, 2), (2, 3)])
    network.settle()
    for now in (4, 5, 9, 10, 15):
        network.advance(now)
        network.settle()
    assert network.channels.traffic.rows["head"] > shipped
    ways = next(a for site in network.sites for row, a in site.fixpoints[1].rows().items() if row == (0, 3))
    assert len(ways) == 2
