"""Plans that are cut into shares: the same rows and deltas as by recomputation, however many there are."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import RelationKind
from engine.model.values import Type
from engine.operators.budget import Budget
from engine.partitions.cutting import cut
from engine.partitions.hashing import stable
from engine.partitions.in_place import InPlace
from engine.partitions.placing import Everywhere, Gathered, Staying
from engine.partitions.recursion.tokens import ByToken, both
from engine.partitions.strata import rules_of
from engine.plan.explaining import Room, as_text
from engine.plan.logical import Scan
from engine.plan.physical import Partitioned
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from federated.placing.outgrown import Outgrown, kept
from tests.forgetful_shares import Forgetful
from tests.memory_log import Change, MemoryLog
from tests.paper_queries import LINK, QUERIES
from tests.paper_queries import live as live_query
from tests.partitioned_programs import programs
from tests.strategies import relation
from tests.watched_plan import PARTITIONED, WatchedPlan

EFFORT = Effort(100, 10_000, lambda: 0.0)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_in_shares_equal_recomputation(seed: int) -> None:
    programs(InPlace, seed, 8, range(1, 25))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_many_random_programs_in_shares_equal_recomputation(seed: int) -> None:
    programs(InPlace, seed, 10, range(1, 25))


@pytest.mark.parametrize("partitions", [1, 2, 5, 24])
@pytest.mark.parametrize("query", QUERIES)
def test_the_papers_queries_in_shares_equal_recomputation(query: str, partitions: int) -> None:
    plan, relations = QUERIES[query]
    watched = WatchedPlan(plan, relations, [PARTITIONED], lambda: InPlace(partitions))
    assert isinstance(watched.watches[0].physical, Partitioned)
    assert any(live_query(query, watched, ticks=12))


@pytest.mark.parametrize("query", ["reachable", "cheapest", "region sizes", "same generation"])
def test_what_is_lost_in_the_middle_of_a_tick_is_made_anew_and_nobody_sees_it(query: str) -> None:
    plan, relations = QUERIES[query]
    rounds = count(1)
    watched = WatchedPlan(plan, relations, [PARTITIONED], lambda: Forgetful(3, 97, rounds))
    live_query(query, watched, ticks=40)
    assert next(rounds) > 200


def test_a_view_whose_shares_are_lost_again_and_again_is_suspended_and_the_tick_closes() -> None:
    plan, relations = QUERIES["reachable"]
    log = MemoryLog()
    steady = InPlace(2)
    session = log.session(Catalog(relations), optimizer=partitioning(), carry=lambda: steady)
    session.install("seen", plan)
    steady.round = Forgetful(2, 1).round  # type: ignore[method-assign]
    log.write(1, "link", ("a", "b", 1, 1.0))
    log.tick(session)
    (info,) = session.views()
    assert info.suspended is not None
    assert "lost 3 times in a row" in info.suspended
    assert "executors" in info.suspended


def partitioning() -> FederatedOptimizer:
    return FederatedOptimizer(outgrown=Outgrown(2, -1))


# How a plan is cut


def test_links_of_a_recursion_go_to_their_owner_at_once_and_nothing_is_exchanged_before_it() -> None:
    plan = QUERIES["reachable"][0]
    found = cut(inner(plan))
    assert all(isinstance(edge.route, tuple) for feed in found.feeds for edge in feed)
    within = [edge for part in found.parts for edge in part.edges if edge.to >= 0]
    assert all(isinstance(edge.route, Staying) for edge in within)


def test_what_cannot_be_split_has_one_home() -> None:
    table = relation("t", RelationKind.TABLE, None, (), a=Type.BIGINT, b=Type.BIGINT)
    log = MemoryLog()
    session = log.session(Catalog([table]), optimizer=partitioning())
    session.create_view("CREATE VIEW top AS SELECT t.a, t.b FROM t ORDER BY t.a LIMIT 2")
    session.create_view("CREATE VIEW total AS SELECT count(*) AS n FROM t")
    session.create_view("CREATE VIEW pairs AS SELECT x.a, y.b FROM t x, t y")
    homes = {}
    for view in session._views:
        assert isinstance(view.physical, Partitioned)
        parts = cut(view.physical.child).parts
        homes[view.name] = [type(part.plan).__name__ for part in parts if isinstance(part.home, Gathered)]
    assert homes == {"top": ["FirstRows"], "total": ["GroupBy"], "pairs": []}
    crossed = cut(session._views["pairs"].physical.child)  # type: ignore[union-attr]
    routes = [edge.route for feed in crossed.feeds for edge in feed]
    assert any(isinstance(route, Everywhere) for route in routes)
    for n in range(5):
        log.write(1, "t", (n, n))
        log.tick(session)
    assert [row for row, _ in session.snapshot("total").rows] == [(5,)]
    assert sorted(row for row, _ in session.snapshot("top").rows) == [(0, 0), (1, 1)]
    assert len(session.snapshot("pairs").rows) == 25


@pytest.mark.parametrize("query", ["shortest paths", "cheapest", "even", "heap", "reachable"])
def test_a_stratum_is_split_unless_one_of_several_definitions_selects(query: str) -> None:
    found = [part for part in cut(inner(QUERIES[query][0])).parts if rules_of(part.plan) is not None]
    assert found
    for part in found:
        program = rules_of(part.plan)
        assert program is not None
        selects = any(definition.best for definition in program.definitions)
        assert (part.program is None) == (selects and len(program.definitions) > 1)


def inner(plan):
    found = partitioning().optimize(plan)
    assert isinstance(found, Partitioned)
    return found.child


# The planner's choice


def test_a_view_is_partitioned_once_it_outgrows_the_driver_and_put_together_once_it_fits() -> None:
    table = relation("t", RelationKind.TABLE, None, ("a",), a=Type.BIGINT, b=Type.BIGINT)
    log = MemoryLog()
    session = log.session(Catalog([table]), optimizer=FederatedOptimizer(outgrown=Outgrown(2, 300)))
    session.create_view("CREATE VIEW met AS SELECT x.a, y.b FROM t x, t y WHERE x.a = y.b")
    view = session._views["met"]

    def turn(sign: int, numbers: range) -> None:
        for n in numbers:
            log.write(1, "t", (n, n), sign=sign)
        for _ in range(60):
            log.write(1, "t", (-1, 0))
            log.tick(session)

    turn(1, range(20))
    assert not isinstance(view.physical, Partitioned)
    assert "in one process: its operators keep 42 rows, of at most 300" in as_text(session.explain("met"))
    turn(1, range(20, 400))
    assert isinstance(view.physical, Partitioned)
    assert {row for row, _ in session.snapshot("met").rows} >= {(n, n) for n in range(400)}
    assert "in shares: project" in as_text(session.explain("EXPLAIN ANALYZE met"))
    assert "4 shares keep" in as_text(session.explain("EXPLAIN ANALYZE met"))
    why = "in 2 shares: its operators had 316 rows to keep, of at most 300 in one process"
    again = "back in one when what feeds them has under 39 rows, 401 now"
    assert f"{why}; {again}" in as_text(session.explain("met"))
    turn(-1, range(20, 400))
    turn(1, range(0))
    assert not isinstance(view.physical, Partitioned)
    assert "in one process" in as_text(session.explain("met"))
    assert [turn.compared is not None for turn in view.turns] == [True, True]


@pytest.mark.parametrize(
    ("total", "keeps"),
    [("count(*)", 0), ("sum(w)", 0), ("max(w)", 1), ("count(DISTINCT w)", 1), ("array_agg(w)", 1)],
)
def test_groups_that_keep_values_hold_as_many_as_their_input_has_rows(total: str, keeps: int) -> None:
    table = relation("t", RelationKind.TABLE, None, ("a",), a=Type.BIGINT, w=Type.BIGINT)
    log = MemoryLog()
    session = log.session(Catalog([table]), optimizer=FederatedOptimizer(outgrown=Outgrown(2, 300)))
    session.create_view(f"CREATE VIEW totals AS SELECT {total} AS found FROM t")
    for n in range(400):
        log.write(1, "t", (n, n))
    for _ in range(40):
        log.write(1, "t", (-1, 0))
        log.tick(session)
    assert isinstance(session._views["totals"].physical, Partitioned) == bool(keeps)


def test_a_view_that_is_still_to_be_cut_is_explained_as_such() -> None:
    told = str(Room(400, 300, spread=(("t", 401),)))
    assert told == (
        "in one process: its operators keep 400 rows, of at most 300; it goes to shares when its turn comes; "
        "t is in shares, with 401 rows"
    )


def test_without_partitions_nothing_is_partitioned_and_what_holds_nothing_never_is() -> None:
    plan = QUERIES["reachable"][0]
    alone = FederatedOptimizer(outgrown=Outgrown(0, -1))
    assert not isinstance(alone.optimize(plan), Partitioned)
    assert alone.explain(alone.optimize(plan)).room is None
    optimizer = partitioning()
    assert kept(optimizer.optimize(Scan(LINK, None)), lambda _: 1.0) == 0
    assert kept(inner(plan), lambda _: None) == 0
    assert not isinstance(optimizer.optimize(Scan(LINK, None)), Partitioned)


def test_who_asks_for_what_a_partitioned_view_shows_costs_no_shares() -> None:
    made = []

    def carry() -> InPlace:
        made.append(InPlace(2))
        return made[-1]

    log, (plan, relations) = MemoryLog(), QUERIES["reachable"]
    session = log.session(Catalog(relations), optimizer=partitioning(), carry=carry)
    session.install("seen", plan)
    log.write(1, "link", ("a", "b", 1, 1.0))
    log.tick(session)
    rounds = [each.round for each in made]
    name = session.query("SELECT * FROM seen")
    assert [row for row, _ in session.snapshot(name).rows] == [("a", "b")]
    assert all(not each._shares for each in made[len(rounds) :])


def test_a_view_that_reads_another_from_its_shares_outgrows_the_driver_itself() -> None:
    tables = [relation(name, RelationKind.TABLE, None, ("a",), a=Type.BIGINT, b=Type.BIGINT) for name in "tu"]
    log = MemoryLog()
    session = log.session(Catalog(tables), optimizer=FederatedOptimizer(outgrown=Outgrown(2, 300)))
    session.create_view("CREATE VIEW met AS SELECT x.a, y.b FROM t x, t y WHERE x.a = y.b AND x.a < 20")

    def turn(table: str, numbers: range) -> None:
        for n in numbers:
            log.write(1, table, (n, n))
        for _ in range(16):
            log.write(1, table, (-1, -1))
            log.tick(session)

    turn("t", range(600))
    session.create_view("CREATE VIEW over AS SELECT m.a, u.b FROM met m, u WHERE m.a = u.a")
    turn("u", range(10))
    met, over = session._views["met"], session._views["over"]
    assert isinstance(met.physical, Partitioned)
    assert not isinstance(over.physical, Partitioned)
    assert any(isinstance(node.plan, Partitioned) for node in over.nodes)
    turn("u", range(10, 900))
    assert isinstance(over.physical, Partitioned)
    assert {row for row, _ in session.snapshot("over").rows} == {(n, n) for n in range(-1, 20)}
    assert [view.suspended for view in session.views()] == [None, None]


# Why, limits


def test_why_and_why_not_are_asked_of_a_partitioned_view_as_of_any_other() -> None:
    plan, relations = QUERIES["reachable"]
    watched = WatchedPlan(plan, relations, [PARTITIONED])
    rows = [("a", "b", 1, 1.0), ("b", "c", 1, 1.0)]
    watched.tick(*[Change("link", 1, row) for row in rows])
    session = watched.watches[0].session
    told = session.why("watched", ("a", "c"), EFFORT)
    assert {base.row for base in told.witness} == set(rows)
    assert session.why_not("watched", ("c", "a"), EFFORT).gaps


def test_a_view_over_its_rows_is_suspended_with_the_reason_and_the_shares_are_gone() -> None:
    plan, relations = QUERIES["reachable"]
    log = MemoryLog()
    session = log.session(Catalog(relations), Budget(rows=10), partitioning(), lambda: InPlace(1))
    session.install("seen", plan)
    for n in range(9):
        log.write(1, "link", (str(n), str(n + 1), 1, 1.0))
    log.tick(session)
    (info,) = session.views()
    assert info.suspended is not None
    assert "a recursive relation went over 10 rows" in info.suspended
    with pytest.raises(QueryError, match="suspended"):
        session.why("seen", ("1", "2"), EFFORT)


def test_a_recursion_without_end_is_stopped_with_what_to_do() -> None:
    table = relation("t", RelationKind.TABLE, None, (), a=Type.BIGINT)
    log = MemoryLog()
    session = log.session(Catalog([table]), None, partitioning(), lambda: InPlace(3))
    counting = "WITH RECURSIVE n(x) AS (SELECT t.a FROM t UNION SELECT n.x + 1 FROM n) SELECT n.x FROM n"
    session.create_view(f"CREATE VIEW up AS {counting}")
    log.write(1, "t", (1,))
    log.tick(session)
    (info,) = session.views()
    assert info.suspended is not None
    assert "does not settle: after 1,000 rounds between partitions" in info.suspended
    assert "bound what its rules count up" in info.suspended


# The small parts


def test_equal_values_have_one_owner_in_every_process() -> None:
    values = [0, 1, -1, 2**63 - 1, 0.5, -0.0, float("inf"), True, None, "a", "é", ("a", 1, None), ()]
    told = "print([stable(v) for v in eval(sys.argv[1])])"
    program = f"import sys; from engine.partitions.hashing import stable; {told}"
    text = repr(values).replace("inf", "float('inf')")
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program, text]
        root = Path(__file__).resolve().parents[1]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, cwd=root)
        assert run.stdout.strip() == str([stable(value) for value in values])
    assert stable(1) == stable(1.0) == stable(True)
    assert stable(float("nan")) == stable(float("nan"))
    assert stable(0.0) == stable(-0.0) == stable(0)


def test_witnesses_together_have_each_token_once() -> None:
    assert both((), (1, 2)) == (1, 2)
    assert both((1,), (1, 2)) == (1, 2)
    assert sorted(both((3, 1), (1, 2))) == [1, 2, 3]


def test_what_is_no_longer_held_is_not_found_for_ever() -> None:
    held: dict[str, tuple[int, ...]] = {}
    index: ByToken[str] = ByToken(lambda: held.items())
    for number in range(30_000):
        index.note(str(number), (1, 2, number + 10))
        index.leave((1, 2, number + 10))
    held["kept"] = (1, 2)
    index.note("kept", (1, 2))
    assert index.pop([2]) == ["kept"]
