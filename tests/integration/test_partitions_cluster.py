"""Shares on a standalone Spark master with two workers: as recomputed, also when one of these dies."""

import threading
from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from engine.spark import SparkCarrier, SparkSettings, close_spark, open_spark
from tests.environment.spark_cluster import SparkCluster
from tests.environment.waiting import until
from tests.memory_log import Change
from tests.paper_queries import QUERIES
from tests.paper_queries import live as live_query
from tests.partitioned_programs import programs, spread_out
from tests.watched_plan import PARTITIONED, WatchedPlan

pytestmark = [pytest.mark.integration]
NODES = "abcdefgh"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    with SparkCluster(tmp_path_factory.mktemp("cluster"), workers=2, cores=1) as running:
        yield running
        close_spark()


@pytest.fixture(scope="module")
def settings(cluster: SparkCluster, tmp_path_factory: pytest.TempPathFactory) -> SparkSettings:
    close_spark()
    return SparkSettings(tmp_path_factory.mktemp("spark"), master=cluster.url, partitions=2)


def carrier(settings: SparkSettings, partitions: int) -> SparkCarrier:
    return SparkCarrier(partial(open_spark, settings), partitions)


def watched_on(settings: SparkSettings, query: str, partitions: int) -> WatchedPlan:
    plan, relations = QUERIES[query]
    return WatchedPlan(plan, relations, [PARTITIONED], lambda: carrier(settings, partitions))


def test_a_papers_query_on_two_workers_equals_recomputation(
    settings: SparkSettings, cluster: SparkCluster
) -> None:
    watched = watched_on(settings, "region sizes", 3)
    assert any(live_query("region sizes", watched, ticks=3))
    until(lambda: len(cluster.executors()) == 2, 30, "both workers to have an executor")
    watched.end()


@pytest.mark.slow
@pytest.mark.parametrize(("query", "partitions"), spread_out(QUERIES))
def test_papers_queries_on_two_workers_equal_recomputation(
    query: str, partitions: int, settings: SparkSettings
) -> None:
    watched = watched_on(settings, query, partitions)
    assert any(live_query(query, watched, ticks=3))
    watched.end()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_300_random_programs_on_two_workers_equal_recomputation(seed: int, settings: SparkSettings) -> None:
    programs(partial(carrier, settings), seed, 30, range(1, 25), 12)


def test_an_executor_that_dies_in_the_middle_of_a_tick_costs_no_row(
    settings: SparkSettings, cluster: SparkCluster
) -> None:
    kills(settings, cluster, seed=1, count=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_workers_and_executors_that_die_at_random_moments_cost_no_row(
    settings: SparkSettings, cluster: SparkCluster
) -> None:
    kills(settings, cluster, seed=2, count=10)


def kills(settings: SparkSettings, cluster: SparkCluster, seed: int, count: int) -> None:
    """Kill an executor, or a worker with its own, while ticks go on, each held against recomputation."""
    random = Random(seed)
    watched = watched_on(settings, "reachable", 2)
    standing: set[tuple[str, str]] = set()
    for number in range(count):
        until(lambda: len(cluster.executors()) == 2, 30, "both workers to have an executor")
        worker, victim = random.choice(cluster.workers), random.choice(cluster.executors())
        is_worker = number % 2 == 1
        kill = partial(cluster.lose_worker, worker) if is_worker else victim.kill
        killer = threading.Timer(random.uniform(0.0, 0.6), kill)
        killer.start()
        while killer.is_alive() or (worker if is_worker else victim).is_running():
            turn(watched, standing, random)
        if is_worker:
            cluster.add_worker()
        for _ in range(2):
            turn(watched, standing, random)
    watched.end()


def turn(watched: WatchedPlan, standing: set[tuple[str, str]], random: Random) -> None:
    """Add and take links; the watched plan checks the rows and the delta of the tick."""
    changes = []
    for _ in range(3):
        link = (random.choice(NODES), random.choice(NODES))
        sign = -1 if link in standing else 1
        (standing.discard if sign < 0 else standing.add)(link)
        changes.append(Change("link", sign, (*link, 1, 1.0)))
    watched.tick(*changes)
