"""Example 14: where the seats and the rooms are joined flips as the formulas say."""

from itertools import pairwise, product
from random import Random

import pytest

from engine.plan.goal import Goal
from engine.plan.leaves import AT_BASE, BLOOM, NATURAL, SEMI
from engine.plan.physical import Physical, fragments_in, leaves
from federated.choosing.considering import Considered
from federated.optimizer import FederatedOptimizer
from federated.sites.network import Network
from federated.sites.radio import Radio
from federated.sites.sensor import Pair, apart, flips, hop_messages
from tests.three_sites import EXAMPLE14, bound14, goal_of

BATTERIES = Goal((("energy", 1.0),))


def pair(free: float, occupied_room: float, between: float, to_base: float) -> Pair:
    return Pair(40, 4, free, occupied_room, between, to_base)


@pytest.mark.parametrize(
    ("given", "natural", "semi", "shipped"),
    [
        (pair(0.5, 0.1, 1, 6), 32, 16, 122.4),
        (pair(0.5, 0.9, 1, 6), 128, 144, 141.6),
        (pair(0.9, 0.5, 2, 3), 126, 94, 114),
    ],
)
def test_the_messages_of_the_thesis(given, natural, semi, shipped):
    found = (hop_messages(given, NATURAL), hop_messages(given, SEMI), apart(given))
    assert found == pytest.approx((natural, semi, shipped))


def test_by_event_what_travels_is_what_begins_or_ceases():
    assert flips(0.5, 2.0) == 1.0
    assert flips(0.0, 2.0) == flips(1.0, 2.0) == 0.0
    by_event = Pair(40, 4, 0.5, 0.1, 1, 6, rate=1.0)
    assert hop_messages(by_event, NATURAL) == pytest.approx(40 * 0.5 + 40 * 2 * 0.05 * 0.95 * 6)
    assert hop_messages(by_event, AT_BASE) < apart(by_event)


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.1), (0.3, 0.9)])
def test_a_pair_begins_or_ceases_with_either_where_each_speaks_at_its_own_time(p, q):
    random, steps, flipped = Random(14), 40_000, 0
    left = right = False
    for step in range(2 * steps):
        before = left and right
        left, right = (random.random() < p, right) if step % 2 else (left, random.random() < q)
        flipped += before != (left and right)
    assert flipped / steps == pytest.approx(
        Pair(1, 1, p, q, 0, 1, rate=1.0, right_rate=1.0).of_both(q), rel=0.05
    )


def test_a_bitmap_pays_where_few_rooms_are_open_and_few_gateways_are_flooded():
    few = Pair(400, 4, 0.5, 0.1, 3, 6, motes=5)
    many = few._replace(motes=700)
    assert hop_messages(few, BLOOM) < hop_messages(few, NATURAL) < hop_messages(many, BLOOM)


SEATS, ROOMS = 40, 4
BY_MESSAGES = Radio(header=0.0, a_byte=0.0, a_sample=0.0)
"""The batteries pay by the message, so that the formulas' messages are what is compared."""


def mesh(to_base: int, between: int) -> dict[str, tuple[str, ...]]:
    """Seats and rooms each at the end of a chain of h hops, and d hops between their gateways."""
    links: dict[str, tuple[str, ...]] = {}
    for kind in ("seat", "room"):
        chain = ["base", *(f"{kind}{i}" for i in range(1, to_base + 1))]
        links |= {b: (a,) for a, b in pairwise(chain)}
    bridge = [f"seat{to_base}", *(f"bridge{i}" for i in range(1, between)), f"room{to_base}"]
    for a, b in pairwise(bridge):
        links[a] = (*links.get(a, ()), b)
    return links


def optimizer(free: float, is_open: float, between: int, to_base: int) -> FederatedOptimizer:
    """An optimizer that has seen which part of the seats is free and of the rooms is open."""
    network = Network(
        links=mesh(to_base, between),
        devices={"seat_sensor": {f"seat{to_base}": SEATS}, "room_sensor": {f"room{to_base}": ROOMS}},
        rates={"seat_sensor": 1.0, "room_sensor": 1.0},
        epoch=1.0,
        radio=BY_MESSAGES,
    )
    made = FederatedOptimizer(network)
    kept = {"seat_sensor": free * SEATS, "room_sensor": is_open * ROOMS}
    for leaf in fragments_in(alone(made.considered(bound14(EXAMPLE14)))):
        (window,) = leaves(leaf.plan)
        made.observe(leaf, kept[window.relation.name])
    return made


def alone(found: Considered) -> Physical:
    """The plan in which each fragment is of one relation."""
    return next(each.plan for each in found.every() if each.name == "each site by itself")


def chosen(made: FederatedOptimizer) -> str:
    """By which method seats and rooms meet, or that they come apart."""
    text = f"{EXAMPLE14} OPTIMIZE FOR energy"
    plan = made.optimize(bound14(text), goal_of(text))
    joined = [leaf for leaf in fragments_in(plan) if len(leaves(leaf.plan)) == 2]
    return joined[0].method if joined else "apart"


def messages(given: Pair) -> dict[str, float]:
    """What each way to join costs by the formulas."""
    found = {method: hop_messages(given, method) for method in (NATURAL, SEMI, BLOOM, AT_BASE)}
    return {"apart": apart(given), **found}


CHANCES = (0.1, 0.5, 0.9)


@pytest.mark.parametrize(("between", "to_base"), [(1, 6), (2, 3), (5, 3)])
def test_what_is_chosen_has_the_fewest_messages(between, to_base):
    for free, is_open in product(CHANCES, CHANCES):
        made = optimizer(free, is_open, between, to_base)
        given = Pair(SEATS, ROOMS, free, is_open, between, to_base, motes=made.network.motes)
        found = messages(given)
        assert found[chosen(made)] == pytest.approx(min(found.values())), (free, is_open, found)


def considered_messages(made: FederatedOptimizer, method: str) -> float:
    """What the optimizer says of one method, seats first, in messages."""
    found = made.considered(bound14(EXAMPLE14), BATTERIES)
    for each in found.every():
        if (each.way.met.method if each.way.met else "apart") == method:
            return each.price.energy / BY_MESSAGES.a_message
    raise AssertionError(method)


@pytest.mark.parametrize("is_open", CHANCES)
def test_the_network_wins_where_the_seats_are_nearer_to_the_rooms_than_the_formula_says(is_open):
    """P1 < P2 iff d < h(1 - p_o) + h N_r p_o / (N_s p_f)."""
    free, to_base = 0.5, 6
    border = to_base * (1 - is_open) + to_base * ROOMS * is_open / (SEATS * free)
    for between in range(1, 2 * to_base, 2):
        made = optimizer(free, is_open, between, to_base)
        natural, shipped = considered_messages(made, NATURAL), considered_messages(made, "apart")
        assert (natural < shipped) == (between < border), (between, border)


@pytest.mark.parametrize(("free", "is_open"), [(0.5, 0.1), (0.1, 0.5), (0.5, 0.49), (0.49, 0.5)])
def test_the_rooms_announce_themselves_where_fewer_are_open_than_seats_are_free(free, is_open):
    """P1' < P1 iff p_o < p_f."""
    made = optimizer(free, is_open, 1, 6)
    announced, told = considered_messages(made, SEMI), considered_messages(made, NATURAL)
    assert (announced < told) == (is_open < free)


def test_what_runs_moves_into_the_network_when_few_rooms_are_open_and_stays_there():
    made = optimizer(0.9, 0.9, 4, 4)
    plan, goal = bound14(EXAMPLE14), BATTERIES
    running = alone(made.considered(plan, goal))
    sent = {leaves(leaf.plan)[0].relation.name: leaf for leaf in fragments_in(running)}
    assert chosen(made) == BLOOM
    made.runs(sent.values())
    assert made.reconsider(plan, running, lambda _: True, goal) is None, "a tenth is not worth it"
    for tick in range(1, 30):
        made.observe(sent["room_sensor"], 0.1 * ROOMS, tick, tick)
        made.observe(sent["seat_sensor"], 0.3 * SEATS, tick, tick)
    switch = made.reconsider(plan, running, lambda _: True, goal)
    assert switch is not None
    assert switch.then < 0.8 * switch.now
    assert [len(leaves(leaf.plan)) for leaf in fragments_in(switch.plan)] == [2]
    made.runs(fragments_in(switch.plan))
    assert made.reconsider(plan, switch.plan, lambda _: True, goal) is None
