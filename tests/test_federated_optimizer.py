"""Every rewrite alone, all together, and the plan that is run mean what the query means."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lang.streamsql import CreateView, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.plan.leaves import Table, Windowed
from engine.plan.logical import Plan
from engine.plan.physical import Physical, leaves
from federated.estimating.cost import CostModel
from federated.estimating.statistics import Statistics
from federated.optimizer import FederatedOptimizer
from federated.placing.placement import place
from federated.rules import RULES
from tests.memory_log import MemoryLog
from tests.oracle import evaluate, run
from tests.random_queries import views
from tests.strategies import CATALOG, entries, few, many


def bound(statements: list[str]) -> list[Plan]:
    """The plans of views, each over those before it."""
    plans: dict[str, Plan] = {}
    for text in statements:
        statement = parse(text)
        assert isinstance(statement, CreateView)
        plans[statement.name] = SelectBinder(CATALOG, plans).bind(statement.select)
    return list(plans.values())


def log_of(written) -> tuple[list, int]:
    log = MemoryLog(written)
    return log.readings, log.stamps[-1]


def rewritten(plan: Plan) -> Plan:
    for rule in RULES:
        plan = rule(plan)
    return plan


def each_rule_preserves_meaning(statements, written) -> None:
    readings, now = log_of(written)
    for plan in bound(statements):
        wanted = evaluate(plan, readings, now)
        for rule in RULES:
            changed = rule(plan)
            assert changed.columns == plan.columns
            assert evaluate(changed, readings, now) == wanted, rule.__name__
            assert rule(changed) is changed, f"{rule.__name__} declines what it has done"
        assert evaluate(rewritten(plan), readings, now) == wanted


def the_plan_that_is_run_means_the_query(statements, written, seed) -> None:
    """Whatever was observed of the leaves, and so whatever the order of joins."""
    readings, now = log_of(written)
    for plan in bound(statements):
        wanted = evaluate(plan, readings, now)
        optimizer = FederatedOptimizer()
        assert run(optimizer.optimize(plan), readings, now) == wanted
        observe_at_random(optimizer, optimizer.optimize(plan), Random(seed))
        assert run(optimizer.optimize(plan), readings, now) == wanted
        assert run(place(plan, CostModel(Statistics())), readings, now) == wanted, "without any rule"


def observe_at_random(optimizer: FederatedOptimizer, plan: Physical, random: Random) -> None:
    for leaf in leaves(plan):
        assert isinstance(leaf, Table | Windowed)
        optimizer.observe(leaf, random.choice([0, 1, 3, 1_000, 10**6]))


PROPERTIES = {
    each_rule_preserves_meaning: (views(inputs=3), entries(16)),
    the_plan_that_is_run_means_the_query: (views(inputs=3), entries(16), st.integers(0, 10**6)),
}


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.__name__)
def test_for_some_queries(prop):
    few(150)(given(*PROPERTIES[prop])(prop))()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.__name__)
def test_for_many_queries(prop):
    many(3000)(given(*PROPERTIES[prop])(prop))()
