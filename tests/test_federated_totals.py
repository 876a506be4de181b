"""Totals are begun at the gateways where parts make exactly the whole."""

import pytest

from engine.plan.goal import Goal
from engine.plan.physical import GroupBy, fragments_in
from federated.estimating.estimated import declared, exact, guessed, observed
from federated.optimizer import FederatedOptimizer
from federated.sites.network import Network
from tests.memory_log import MemoryLog
from tests.oracle import evaluate
from tests.placed import run_placed
from tests.three_sites import bound

BYTES = Goal((("bytes", 1.0),))


def is_begun(sql: str) -> bool:
    plans = FederatedOptimizer().considered(bound(sql), BYTES).every()
    return any(isinstance(leaf.plan, GroupBy) for each in plans for leaf in fragments_in(each.plan))


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ("count(*)", True),
        ("count(n), max(weight)", True),
        ("min(room), bool_and(n > 0)", True),
        ("sum(n)", False),
        ("avg(weight)", False),
        ("count(DISTINCT room)", False),
        ("count(*), sum(n)", False),
    ],
)
def test_what_is_begun_there_is_exact_in_parts(totals, expected):
    assert is_begun(f"SELECT room, {totals} FROM seats GROUP BY room") == expected


def test_of_no_device_at_all_the_count_is_none_and_the_least_unknown():
    sql, log = "SELECT count(*), min(n) FROM seats", MemoryLog()
    log.write(0, "loads", ("m", "r", 0.5, 1))
    now = log.stamps[-1]
    for each in FederatedOptimizer().considered(bound(sql), BYTES).every():
        assert (
            run_placed(each.plan, log.readings, now)
            == evaluate(bound(sql), log.readings, now)
            == {(0, None): 1}
        )


def test_an_estimate_is_as_good_as_the_worst_of_what_it_is_made_of():
    assert declared(3.0).times(exact(2.0)) == declared(6.0)
    made = observed(10.0).times(guessed(0.5))
    assert (made.value, made.source) == (5.0, "default")
    assert made.low < 5.0 < made.high
    assert guessed(0.5).at_most(1.0).high == 1.0


def test_hops_are_those_of_the_shortest_way():
    network = Network(
        links={"a": ("base",), "b": ("a",), "c": ("b", "a")},
        devices={"seats": {"b": 3, "c": 1}, "lights": {"a": 1, "b": 1}},
    )
    assert [network.hops(each, "base") for each in "abc"] == [1, 2, 2]
    assert (network.to_base("seats"), network.farthest("seats")) == (2, 2)
    assert network.between("seats", "lights") == 0.25
    assert network.number_of("seats") == declared(4.0)
    assert network.number_of("tags").source == "default"
