"""A plan that shares its parts is looked at as often as it has nodes, and means what it meant."""

import random
import time
from unittest.mock import patch

import pytest

from engine.lang.streamsql import Query, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.explaining import as_text
from engine.plan.expressions import Call, Field
from engine.plan.logical import Distinct, Join, Plan, Scan, Select, Union, inputs_of
from engine.plan.rewriting import apart, bottom_up, each_once, paths, rewritten, size
from federated.optimizer import FederatedOptimizer
from federated.rules import rewrite
from federated.rules.push_selections import push_selections
from tests.environment.waiting import PATIENCE
from tests.memory_log import Change, Entry, MemoryLog
from tests.oracle import evaluate, run

NUMBERS = (Column("k", Type.BIGINT), Column("n", Type.BIGINT))
ROOMS = Relation("rooms", RelationKind.TABLE, NUMBERS)
STEPS = {
    "joins": "SELECT a.k, b.n FROM {0} a JOIN {0} b ON a.k = b.k AND a.n < b.n WHERE a.n > {1} AND b.k < 2",
    "left joins": "SELECT a.k, b.n FROM {0} a LEFT JOIN {0} b ON a.k = b.n AND a.n > {1}",
    "full joins": "SELECT a.k, b.n FROM {0} a FULL JOIN {0} b ON a.k = b.n WHERE a.n > {1}",
    "unions": "SELECT k, n + 1 AS n FROM {0} WHERE n < 2 UNION SELECT n, k FROM {0} WHERE n > {1}",
    "subqueries": "SELECT k, (SELECT max(n) FROM {0} b WHERE b.k = a.k AND b.n < a.k) AS n FROM {0} a",
    "negation": "SELECT DISTINCT k, n FROM {0} a WHERE n NOT IN (SELECT k FROM {0} b WHERE b.n > {1})",
}


def ladder(step: str, steps: int) -> Plan:
    """What is read twice by what is read twice."""
    names = ["rooms", *(f"c{i}" for i in range(steps))]
    written = [f"{names[i + 1]} AS ({STEPS[step].format(names[i], i - 1)})" for i in range(steps)]
    statement = parse(f"WITH {', '.join(written)} SELECT k FROM c{steps - 1} WHERE n < 3")
    assert isinstance(statement, Query)
    return SelectBinder(Catalog([ROOMS]), {}).bind(statement.select)


def doubled(times: int) -> Plan:
    plan: Plan = Scan(ROOMS, None)
    for _ in range(times):
        plan = Distinct(Union((plan, plan)))
    return plan


@pytest.mark.parametrize("most", [0, 1_000])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_shared_means_what_it_meant_however_it_is_rewritten(seed, step, most):
    chosen, plan = random.Random(seed), ladder(step, 3)
    rows = [tuple(chosen.choice([None, 0, 1, 2]) for _ in range(2)) for _ in range(5)]
    log = MemoryLog([Entry(1, [Change("rooms", 1, row) for row in rows])])
    with patch("federated.rules.push_selections.MOST_READ", most):
        wanted = evaluate(plan, log.readings, 1)
        assert evaluate(push_selections(plan), log.readings, 1) == wanted
        assert evaluate(rewrite(plan), log.readings, 1) == wanted
        assert run(FederatedOptimizer().optimize(plan), log.readings, 1) == wanted


def test_equal_plans_that_were_made_apart_are_found_equal_in_as_many_steps_as_they_have_nodes():
    began = time.monotonic()
    one, other, larger = doubled(60), doubled(60), doubled(61)
    assert one == other
    assert hash(one) == hash(other)
    assert one != larger
    assert len({one, other, larger, *inputs_of(larger)}) == 3
    assert time.monotonic() - began < 2 * PATIENCE


def test_nodes_are_counted_once_and_paths_as_often_as_they_lead_there():
    assert size(doubled(40)) == 81
    assert paths(doubled(3)) == 2 + 2 * (2 + 2 * (2 + 2))
    order = bottom_up(doubled(5))
    assert all(order.index(each) < order.index(node) for node in order for each in inputs_of(node))


def test_what_nothing_changes_stays_itself():
    plan = doubled(4)
    assert rewritten(plan, unchanged) is plan
    assert each_once(plan, lambda _, node: node) is plan
    assert apart(plan, unchanged) == plan


def unchanged(plan: Plan) -> Plan:
    return plan


def test_a_selection_goes_below_what_is_shared_in_a_small_plan_and_stays_above_it_in_a_large_one():
    shared = Distinct(Scan(ROOMS, None))
    known = Call("is_null", (Field(1, Type.BIGINT),), Type.BOOLEAN)
    plan = Join((Select(shared, known), shared), ())
    assert push_selections(plan) == Join((Distinct(Select(Scan(ROOMS, None), known)), shared), ())
    with patch("federated.rules.push_selections.MOST_READ", 0):
        assert push_selections(plan) == plan


def test_what_is_read_again_is_shown_by_its_number():
    optimizer = FederatedOptimizer()
    lines = as_text(optimizer.explain(optimizer.optimize(doubled(2)))).splitlines()
    assert [line.split("  stream")[0].strip() for line in lines] == [
        "distinct",
        "union",
        "(1) distinct",
        "union",
        "table rooms",
        "read rooms from table",
        "table rooms",
        "read rooms from table",
        "(1) as above",
    ]
