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
from engine.plan.physical import Filter, HashJoin, Physical, children, fragments_in
from federated.optimizer import FederatedOptimizer
from tests.oracle import evaluate
from tests.random_federated import history, query
from tests.real_sites import Facts, Sites, facts
from tests.three_sites import CATALOG, bound

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
    for leaf in fragments_in(made.optimize(plan)) if random.random() < 0.5 else ():
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
    joined = [leaf for leaf in fragments_in(plan) if leaf.site == "sensor" and "HashJoin" in str(leaf.plan)]
    return len(joined) <= 1


@pytest.mark.parametrize("start", range(0, 50, 10))
def test_for_some_queries(start, database):
    assert sum(every_placement_means_the_query(seed, database) for seed in range(start, start + 10)) > 10


SHAPES = (
    "SELECT desk FROM seats UNION ALL SELECT machine FROM loads UNION ALL SELECT m.machine FROM machines m",
    "SELECT s.desk, l.lux FROM seats s LEFT JOIN lights l ON s.room = l.room AND l.open WHERE s.n > 0",
    "SELECT m.machine, p.phone FROM machines m FULL JOIN people p ON m.owner = p.person AND p.n > 0",
    "SELECT s.desk FROM seats s WHERE EXISTS (SELECT 1 FROM lights l WHERE l.room = s.room AND l.lux > 1.0)",
    "SELECT m.machine FROM machines m WHERE m.owner NOT IN (SELECT person FROM people WHERE n > 0)",
    "SELECT s.room, (SELECT max(l.lux) FROM lights l WHERE l.room = s.room) FROM seats s",
    "SELECT desk, weight FROM seats WHERE room = 'a' ORDER BY weight, desk LIMIT 2",
    "SELECT room, count(*) FROM seats GROUP BY room HAVING count(*) > 1",
    "SELECT x.g, count(*) FROM (SELECT room AS g, max(n) AS m FROM seats GROUP BY room) x GROUP BY x.g",
    "SELECT s.desk, t.desk FROM seats s, seats t WHERE s.room = t.room AND s.n < t.n",
    "SELECT a.desk FROM seats a, lights l, seats b, machines m WHERE a.room = l.room AND l.room = b.room "
    "AND m.room = b.room AND b.n > 0",
    "WITH RECURSIVE up(a, b) AS (SELECT m.machine, m.owner FROM machines m UNION "
    "SELECT u.a, m.owner FROM up u, machines m WHERE u.b = m.machine) SELECT a, b FROM up",
    "WITH RECURSIVE near(a, b) AS (SELECT s.desk, s.room FROM seats s UNION "
    "SELECT n.a, l.lamp FROM near n, lights l WHERE n.b = l.room) "
    "SELECT n.a FROM near n, loads o WHERE n.b = o.room",
)


@pytest.mark.parametrize("sql", SHAPES)
def test_whatever_stands_above_the_fragments(sql, database):
    for seed in range(6):
        log = history(Random(seed))
        now, plan = log.stamps[-1], bound(sql)
        wanted, sites = evaluate(plan, log.readings, now), Sites(database, log.readings, now)
        every = FederatedOptimizer().considered(plan).every()
        assert all(fragments_in(each.plan) for each in every)
        for each in every:
            assert sites.run_placed(each.plan) == wanted, (seed, each.name)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_for_five_hundred_queries(database):
    ways = [every_placement_means_the_query(seed, database) for seed in range(1_000, 1_500)]
    assert sum(ways) > 1_000
