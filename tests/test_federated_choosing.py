"""Which of the ways to place a plan is chosen: never one that another beats, being worse in nothing."""

from random import Random

import pytest

from engine.plan.explaining import as_document
from engine.plan.goal import METRICS, Goal
from federated.choosing.price import Price
from federated.optimizer import FederatedOptimizer
from federated.sites.network import Network
from tests.random_federated import query
from tests.three_sites import bound

LINKS = {"a": ("base",), "b": ("a",), "c": ("b", "base")}


def random_network(random: Random) -> Network:
    devices = {name: {at: random.choice([1.0, 4.0, 50.0]) for at in LINKS} for name in ("seats", "lights")}
    return Network(
        links=LINKS,
        devices=devices,
        rates=dict.fromkeys(devices, random.choice([0.01, 1.0])),
        epoch=random.choice([None, 1.0]),
    )


def random_goal(random: Random) -> Goal:
    named = random.sample(METRICS, random.choice([1, 1, 2, 3]))
    return Goal(tuple((name, random.choice([0.3, 1.0])) for name in named))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_chosen_is_on_the_pareto_front(seed):
    random = Random(seed)
    plan = bound(query(random).sql)
    told = FederatedOptimizer(random_network(random)).considered(plan, random_goal(random))
    choice = told.told(told.chosen.plan)
    assert choice.chosen in choice.pareto()


def test_what_is_as_good_by_the_goal_falls_to_the_faster():
    sql = "SELECT s.desk, l.lamp FROM seats s, lights l WHERE s.room = l.room"
    for metric in ("bytes", "energy"):
        made = FederatedOptimizer(Network(links={"a": ("base",)}, devices={"seats": {"a": 3.0}}))
        found = made.considered(bound(sql), Goal(((metric, 1.0),)))
        alike = [each.price for each in found.every() if each.price[1:3] == found.chosen.price[1:3]]
        assert found.chosen.price.latency == min(price.latency for price in alike)


def test_prices_that_differ_by_rounding_alone_are_equal():
    assert Price(0.1 + 0.2, 1.0, 3e-4, 7.0).rounded() == Price(0.3, 1.0, 3e-4, 7.0).rounded()
    assert Price(0.300001, 1.0, 3e-4, 7.0).rounded() != Price(0.3, 1.0, 3e-4, 7.0).rounded()


def test_a_table_that_was_counted_is_as_big_as_that():
    made = FederatedOptimizer(Network(rows={"machines": 100_000.0}))
    plan = made.optimize(bound("SELECT machine, owner FROM machines"))
    (node,) = [each for each in as_document(made.explain(plan))["nodes"] if each["what"].startswith("table")]
    assert (node["rows"]["value"], node["rows"]["source"]) == (100_000, "catalog")
