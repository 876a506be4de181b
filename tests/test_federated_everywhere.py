"""Every placement that could have been chosen answers as everything in one place does.

Gateways run their own runner, the database what its wrapper writes in SQL.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine.model.relation import RelationKind
from engine.plan.expressions import conjuncts
from engine.plan.goal import METRICS, Goal
from engine.plan.leaves import Shipped
from engine.plan.physical import Filter, HashJoin, Physical, children
from federated.optimizer import FederatedOptimizer
from tests.oracle import evaluate
from tests.random_federated import history, query
from tests.real_sites import Facts, Sites, facts
from tests.three_sites import CATALOG, bound, fragments

TABLES = [each for each in CATALOG if not each.comes_by_itself and each.kind is RelationKind.TABLE]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Facts]:
    with facts(tmp_path, TABLES) as made:
        yield made


def every_placement_means_the_query(seed: int, database: Facts) -> int:
    random = Random(seed)
    asked, log = query(random), history(random)
    now = log.stamps[-1]
    plan = bound(asked.sql)
    wanted = evaluate(plan, log.readings, now)
    made = FederatedOptimizer()
    for leaf in fragments(made.optimize(plan)) if random.random() < 0.5 else ():
        made.observe(leaf, random.choice([0, 1, 50]))
    found = made.considered(plan, Goal(((random.choice(METRICS), 1.0),)))
    every, sites = found.every(), Sites(database, log.readings, now)
    for each in every:
        assert sites.run_placed(each.plan) == wanted, (seed, asked.sql, each.name)
        assert conditions(each.plan) == asked.conditions, (seed, asked.sql, each.name)
        assert at_most_one_pair(each.plan)
    return len(every)


def conditions(plan: Physical) -> int:
    """How many conditions are asked, wherever: each once."""
    match plan:
        case Shipped():
            return conditions(plan.plan)
        case HashJoin(left_keys=keys):
            own = len(keys)
        case Filter(predicate=predicate):
            own = len(conjuncts(predicate))
        case _:
            own = 0
    predicate = getattr(getattr(plan, "fragment", None), "predicate", None)
    own += 0 if predicate is None else len(conjuncts(predicate))
    return own + sum(map(conditions, children(plan)))


def at_most_one_pair(plan: Physical) -> bool:
    joined = [leaf for leaf in fragments(plan) if leaf.site == "sensor" and "HashJoin" in str(leaf.plan)]
    return len(joined) <= 1


@pytest.mark.parametrize("start", range(0, 50, 10))
def test_for_some_queries(start, database):
    assert sum(every_placement_means_the_query(seed, database) for seed in range(start, start + 10)) > 10


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_for_five_hundred_queries(database):
    ways = [every_placement_means_the_query(seed, database) for seed in range(1_000, 1_500)]
    assert sum(ways) > 1_000
