"""Shares beside Spark's executors: the same rows and deltas as by recomputation, also when they are lost."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.relation import RelationKind
from engine.model.values import Type
from engine.operators.budget import Budget
from engine.operators.of_plan import leaf_of
from engine.partitions.cutting import cut
from engine.partitions.epoch import Epochs
from engine.partitions.in_place import InPlace
from engine.partitions.leaves.abreast import abreast
from engine.partitions.leaves.leaf import spread_leaf
from engine.partitions.orders import Count
from engine.partitions.round import PlanShare
from engine.plan.leaves import StreamFragment, Table
from engine.plan.physical import Partitioned
from engine.spark import SparkCarrier, SparkSettings, close_spark, open_spark
from engine.spark.partitions.framing import receive, send
from engine.spark.partitions.places import Places
from engine.spark.partitions.shelf import LITTLE, Bounds, Drop, Hold, Missing, Place, Shelf, Take
from federated.optimizer import FederatedOptimizer
from federated.placing.outgrown import Outgrown
from tests.environment.waiting import until
from tests.memory_log import MemoryLog, rows_of
from tests.paper_queries import QUERIES, Change
from tests.paper_queries import live as live_query
from tests.partitioned_programs import TABLES, VIEWS, programs, spread_out
from tests.strategies import relation
from tests.watched_plan import PARTITIONED, WatchedPlan


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSettings]:
    close_spark()
    yield SparkSettings(tmp_path_factory.mktemp("spark"), partitions=4)
    close_spark()


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def carrier(settings: SparkSettings, partitions: int) -> SparkCarrier:
    return SparkCarrier(partial(open_spark, settings), partitions)


def keepers() -> list[psutil.Process]:
    """The keepers below this process: those whose daemon is."""
    daemons = {child.pid for child in psutil.Process().children(recursive=True)}
    found = []
    for process in psutil.process_iter(["cmdline"]):
        said = process.info["cmdline"] or []
        if "engine.spark.partitions.keeper" in said and int(said[-1]) in daemons:
            found.append(process)
    return found


@pytest.mark.parametrize(
    ("query", "partitions"),
    [
        ("reachable", 4),
        ("cheapest", 2),
        ("region sizes", 3),
        *[pytest.param(*each, marks=pytest.mark.slow) for each in spread_out(QUERIES)],
    ],
)
def test_a_papers_query_beside_spark_equals_recomputation(
    query: str, partitions: int, settings: SparkSettings
) -> None:
    plan, relations = QUERIES[query]
    watched = WatchedPlan(plan, relations, [PARTITIONED], lambda: carrier(settings, partitions))
    assert any(live_query(query, watched, ticks=3))
    watched.end()


def test_a_table_beside_spark_is_as_it_would_be_in_the_driver_also_when_it_is_lost(
    settings: SparkSettings,
) -> None:
    table = relation("t", RelationKind.TABLE, key=("k",), k=Type.TEXT, n=Type.BIGINT)
    plan = Table(table, StreamFragment(table.name, table.columns))
    here, spread = leaf_of(plan), spread_leaf(plan, Budget(), lambda: carrier(settings, 3))
    rows = [Reading("t", 1, (f"k{i}", i % 7), i, 0, i) for i in range(5_000)]
    spread.restore(here.state())
    assert spread.advance(rows, 1) == here.advance(rows, 1)
    for number in range(4):
        if number % 2:
            for each in keepers():
                os.kill(each.pid, signal.SIGKILL)
        changed = [
            Reading("t", 1, (f"k{i}", number), i, 1, i) for i in range(100 * number, 100 * number + 150)
        ]
        assert spread.advance(changed, 2 + number) == here.advance(changed, 2 + number)
    assert spread.contents() == here.contents()
    assert sum(spread.shares().kept) == len(here) == 5_000
    spread.end()


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs of rounds, by whether what they carry goes through a shuffle."""
    found: list[str] = []
    for name in ("run", "run_shuffled"):
        run = getattr(Places, name)

        def counted(*args: Any, name: str = name, run: Callable[..., Any] = run) -> Any:
            found.append(name)
            return run(*args)

        monkeypatch.setattr(Places, name, counted)
    return found


def test_tables_that_advance_together_take_one_job_also_when_they_are_lost(
    settings: SparkSettings, ran: list[str]
) -> None:
    tables = [relation(name, RelationKind.TABLE, key=("k",), k=Type.TEXT, n=Type.BIGINT) for name in "tuv"]
    plans = [Table(each, StreamFragment(each.name, each.columns)) for each in tables]
    here = [leaf_of(plan) for plan in plans]
    spread = [spread_leaf(plan, Budget(), lambda: carrier(settings, 2)) for plan in plans]
    for leaf in spread:
        leaf.restore([])
    for now, jobs in enumerate(["one", "one", "lost", "one", "much"]):
        for keeper in keepers() if jobs == "lost" else ():
            os.kill(keeper.pid, signal.SIGKILL)
        ran.clear()
        count = 5_000 if jobs == "much" else 20
        came = [[Reading(each.name, 1, (f"k{i}", now), i, 0, now) for i in range(count)] for each in tables]
        found = abreast(zip(spread, came, strict=True), now)
        for leaf, other, rows in zip(spread, here, came, strict=True):
            assert leaf.advance(rows, now, found.get(leaf)) == other.advance(rows, now)
        assert len(ran) > 7 if jobs == "lost" else ran == {"one": ["run"], "much": ["run_shuffled"] * 3}[jobs]
    for leaf in spread:
        leaf.end()


def test_plans_in_shares_take_their_rounds_together(settings: SparkSettings, ran: list[str]) -> None:
    log, beside = MemoryLog(), MemoryLog()
    session = log.session(
        Catalog(TABLES),
        optimizer=FederatedOptimizer(outgrown=Outgrown(2, -1)),
        carry=lambda: carrier(settings, 2),
    )
    plain = beside.session(Catalog(TABLES))
    for name, text in VIEWS.items():
        session.create_view(f"CREATE VIEW {name} AS {text}")
        plain.create_view(f"CREATE VIEW {name} AS {text}")
    for turn in range(12):
        for each in (log, beside):
            for name in "tuv":
                each.write(1_000, name, *[(f"k{key}", (turn + key) % 5) for key in range(turn, turn + 6)])
        ran.clear()
        log.tick(session)
        beside.tick(plain)
        for name in VIEWS:
            assert rows_of(session, name) == rows_of(plain, name), name
    assert len(ran) < session.shares().last_rounds
    close_spark()


def test_random_programs_beside_spark_equal_recomputation(settings: SparkSettings) -> None:
    programs(partial(carrier, settings), 11, 2, [2, 3], 5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_300_random_programs_beside_spark_equal_recomputation(seed: int, settings: SparkSettings) -> None:
    programs(partial(carrier, settings), seed, 30, range(1, 25), 12)


def test_keepers_that_are_killed_in_between_are_replaced_and_no_delta_is_wrong(
    settings: SparkSettings,
) -> None:
    plan, relations = QUERIES["reachable"]
    watched = WatchedPlan(plan, relations, [PARTITIONED], lambda: carrier(settings, 4))
    watched.tick(*[Change("link", 1, (a, b, 1, 1.0)) for a, b in ("ab", "bc", "cd")])
    for row in (("d", "a", 1, 1.0), ("d", "b", 1, 1.0)):
        killed = keepers()
        assert killed
        for each in killed:
            os.kill(each.pid, signal.SIGKILL)
            until(
                lambda gone=each: not gone.is_running() or gone.status() == psutil.STATUS_ZOMBIE, 10, "an end"
            )
        watched.tick(Change("link", 1, row))
    watched.end()


def test_what_is_much_is_shuffled_and_what_is_little_is_not(settings: SparkSettings) -> None:
    found = FederatedOptimizer(outgrown=Outgrown(1, -1)).optimize(QUERIES["reachable"][0])
    assert isinstance(found, Partitioned)
    ours, here = (Epochs(cut(found.child), each, Budget()) for each in (carrier(settings, 3), InPlace(3)))
    rows = {(str(n), str(n + 1), 1, 1.0): 1 for n in range(120)}
    assert ours.begin() == here.begin() == {}
    assert ours.advance([rows]) == here.advance([rows])
    assert sum(sent.bytes for sent in ours.traffic.sent.values()) > LITTLE
    gone = dict.fromkeys(list(rows)[50:53], -1)
    assert ours.advance([gone]) == here.advance([gone])
    assert ours.traffic.sent == here.traffic.sent
    assert ours.entries() == here.entries()
    ours.end()


def test_keepers_end_with_spark(tmp_path: Path) -> None:
    close_spark()
    own = SparkSettings(tmp_path, partitions=2)
    plan, relations = QUERIES["reachable"]
    watched = WatchedPlan(plan, relations, [PARTITIONED], lambda: carrier(own, 2))
    watched.tick(Change("link", 1, ("a", "b", 1, 1.0)))
    there = keepers()
    assert there
    sockets = [Path(each.cmdline()[-2]) for each in there]
    close_spark()
    until(lambda: all(map(is_gone, there)), 20, "keepers to end with Spark")
    until(lambda: not any(map(Path.exists, sockets)), 20, "their sockets to be gone")


def test_a_round_that_is_asked_for_again_is_answered_and_not_run_again() -> None:
    shelf, place = Shelf(), Place("plan/1", 0, 1)

    found = FederatedOptimizer(outgrown=Outgrown(1, -1)).optimize(QUERIES["reachable"][0])
    assert isinstance(found, Partitioned)
    assert shelf.answer(Take(place, 1, Count(), [])) == Missing()
    make = partial(PlanShare, cut(found.child))
    shelf.answer(Hold(place, make, Bounds(100, 100, 1000)))
    first = shelf.answer(Take(place, 1, Count(), []))
    assert shelf.answer(Take(place, 1, Count(), [])) is first
    assert shelf.answer(Take(place, 3, Count(), [])) == Missing()
    shelf.answer(Hold(place._replace(plan="plan/2"), make, Bounds(100, 100, 1000)))
    assert shelf.answer(Take(place, 2, Count(), [])) == Missing()
    shelf.answer(Drop("plan"))
    assert shelf.answer(Take(place._replace(plan="plan/2"), 1, Count(), [])) == Missing()


def test_values_go_whole_over_a_socket_and_an_end_is_told() -> None:

    left, right = socket.socketpair()
    with left, right:
        send(left, {"rows": [("a", None, 1.5)] * 1_000})
        assert receive(right) == {"rows": [("a", None, 1.5)] * 1_000}
        left.shutdown(socket.SHUT_WR)
        with pytest.raises(EOFError):
            receive(right)
