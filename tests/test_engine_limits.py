"""What a query may use: one that goes over is suspended with the reason, and the others go on."""

import pytest

from engine.lang.streamsql import parse
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.operators.budget import Allowance, Budget, BudgetExceeded, Meter
from engine.plan.explaining import as_text
from engine.running import RETRY_SUSPENDED
from engine.session import Session
from engine.statements import Statements
from engine.views.usage import Usage, size_of
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from tests.memory_log import MemoryLog, rows_of

EVENTS = Relation(
    "events", RelationKind.STREAM, (Column("k", Type.TEXT), Column("x", Type.BIGINT)), window="RANGE 1 HOURS"
)
LINKS = Relation("links", RelationKind.TABLE, (Column("a", Type.BIGINT), Column("b", Type.BIGINT)))
CATALOG = Catalog([EVENTS, LINKS])


class Clock:
    """Computing time that passes by a step with each look."""

    def __init__(self, step=0.0):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def log():
    return MemoryLog()


@pytest.fixture
def session(log, clock):
    budget = Budget(10_000, 1_000, 10_000_000, 1.0, Meter(clock))
    return Session(CATALOG, FederatedOptimizer(), log.history, budget)


def fill(log, session, count, text="k"):
    log.write(1, "events", *((f"{text}{i}", i) for i in range(count)))
    return log.tick(session)


def suspended(session):
    return {view.name: view.suspended for view in session.views() if view.suspended is not None}


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (
            "ROWS 50",
            "the view small went over 50 rows, with 60; "
            "add a condition that relates its inputs, or a shorter window",
        ),
        ("STATE 10 KB", "the view small went over 0.01 MB of state, with "),
    ],
)
def test_a_view_over_its_own_limit_goes_and_the_others_stay(session, log, limits, reason):
    session.create_view(f"CREATE VIEW small AS SELECT k, x + 1 AS y FROM events LIMITED TO {limits}")
    session.create_view("CREATE VIEW large AS SELECT k, x + 1 AS y FROM events")
    fill(log, session, 10, "first")
    assert not suspended(session)
    deltas = fill(log, session, 50)
    for _ in range(8):
        fill(log, session, 50)
    assert suspended(session).keys() == {"small"}
    assert suspended(session)["small"].startswith(reason)
    assert len(rows_of(session, "large")) == 60
    assert any(delta.view == "large" for delta in deltas)


def test_a_suspended_views_nodes_are_let_go(session, log):
    before = len(session._upkeep._dataflow._nodes)
    session.create_view("CREATE VIEW v AS SELECT DISTINCT k FROM events LIMITED TO ROWS 5")
    fill(log, session, 20)
    assert suspended(session).keys() == {"v"}
    assert len(session._upkeep._dataflow._nodes) == before


def test_a_query_that_is_over_at_once_is_refused(session, log):
    fill(log, session, 100)
    before = len(session._upkeep._dataflow._nodes)
    with pytest.raises(QueryError, match="went over 99 rows, with 100"):
        session.query("SELECT k FROM events LIMITED TO ROWS 99")
    with pytest.raises(QueryError, match=r"went over 0\.001 MB of state"):
        session.query("SELECT DISTINCT k FROM events LIMITED TO STATE 1 KB")
    assert len(session._upkeep._dataflow._nodes) == before


def test_a_query_may_not_have_more_than_the_settings_say(session, log):
    session.create_view("CREATE VIEW v AS SELECT k FROM events LIMITED TO ROWS 50000, TIME 60 S")
    assert session._running._limiter.of(session._views["v"]) == Budget(10_000, 1_000, 10_000_000, 1.0)


def test_a_slow_tick_is_forgiven_and_three_in_a_row_are_not(session, log, clock):
    """One too many makes the next be timed, node by node."""
    session.create_view("CREATE VIEW v AS SELECT k, x * 2 AS y FROM events LIMITED TO TIME 50 MS")
    session.create_view("CREATE VIEW w AS SELECT k, x * 3 AS y FROM events")
    for clock.step in (0.06, 0.0, 0.06, 0.06, 0.06, 0.0, 0.06, 0.06, 0.06):
        fill(log, session, 3)
        assert not suspended(session)
    clock.step = 0.06
    fill(log, session, 3)
    assert suspended(session) == {
        "v": "the view v went over 50 ms a tick, with 120 ms, 3 ticks in a row; "
        "add a condition that relates its inputs, or a shorter window"
    }


def test_one_gross_excess_is_enough(session, log, clock):
    session.create_view("CREATE VIEW v AS SELECT k, x * 2 AS y FROM events LIMITED TO TIME 10 MS")
    clock.step = 0.2
    fill(log, session, 3)
    assert suspended(session).keys() == {"v"}


def test_a_shared_node_counts_for_each_view(session, log, clock):
    for name in ("v", "w"):
        session.create_view(f"CREATE VIEW {name} AS SELECT DISTINCT k FROM events LIMITED TO TIME 10 MS")
    clock.step = 0.2
    fill(log, session, 3)
    assert suspended(session).keys() == {"v", "w"}


def test_a_step_that_runs_on_is_stopped_while_it_runs(session, log, clock):
    session.create_view(
        "CREATE VIEW pairs AS SELECT e.k FROM events e, links l WHERE e.x = l.a LIMITED TO TIME 1 MS"
    )
    session.create_view("CREATE VIEW count AS SELECT count(*) AS n FROM events")
    clock.step = 0.02
    log.write(1, "events", *((f"k{i}", i) for i in range(3_000)))
    log.tick(session)
    assert suspended(session)["pairs"].startswith("one step took three times what a tick is allowed")
    assert rows_of(session, "count") == {(3_000,): 1}


def test_rounds_of_a_recursion_without_end_may_be_limited_by_the_query(session, log):
    log.write(1, "links", (0, 1), (1, 0))
    log.tick(session)
    reach = (
        "WITH RECURSIVE reach(a, b, n) AS (SELECT a, b, 1 FROM links UNION "
        "SELECT r.a, l.b, n + 1 FROM reach r, links l WHERE r.b = l.a) SELECT a, b, n FROM reach"
    )
    with pytest.raises(QueryError, match="reach passes its limit of 20 rounds"):
        session.query(f"{reach} LIMITED TO ROUNDS 20")


def test_what_a_node_keeps_is_counted_again_only_when_much_passed():
    usage = Usage()
    usage.count(80_000, 100_000)
    assert not usage.is_due(109_000)
    assert usage.is_due(111_000)
    usage.count(81_000, 111_000)
    assert not usage.is_due(111_000)


def test_a_row_is_as_large_as_all_that_is_in_it():
    assert size_of(("a" * 1_000,)) > 1_000 + size_of(())
    assert size_of((1, (2, (3, "x")))) > size_of((1, 2))


def test_a_meter_without_a_clock_stops_nothing():
    meter = Meter()
    meter.begin(Allowance(0.0))
    for _ in range(5_000):
        meter.check()
    with pytest.raises(BudgetExceeded):
        Budget(rows=3).check(4, "a join")


def test_an_analyzed_view_tells_what_passed_each_node(session, log, clock):
    session.create_view("CREATE VIEW v AS SELECT DISTINCT k FROM events WHERE x > 1")
    clock.step = 0.001
    fill(log, session, 10)
    plan = as_text(session.questions.running("v", analyzes=True)).splitlines()
    top = next(line for line in plan if line.startswith("distinct"))
    assert "in        8  out        8" in top
    assert "ms  there        8" in top
    assert "keeps        8" in top


# While it runs

COUNTED = "WITH RECURSIVE r(n) AS (VALUES {}) SELECT count(*) FROM r"
DOUBLING = COUNTED.format("('a') UNION SELECT n || 'b' FROM r UNION SELECT n || n FROM r")
DIVERGENT = {
    "doubling": DOUBLING,
    "branching": COUNTED.format("(1) UNION SELECT n * 2 FROM r UNION SELECT n * 3 + 1 FROM r"),
    "long": COUNTED.format("(1) UNION SELECT n + 1 FROM r WHERE n < 900"),
    "squared": COUNTED.format("(1) UNION SELECT a.n + b.n FROM r a, r b"),
    "nested": COUNTED.format("(1) UNION SELECT r.n + a.x + b.x FROM r, events a, events b WHERE a.x < b.x"),
    "closure": (
        "WITH RECURSIVE r(a, b) AS (SELECT a, b FROM links UNION "
        "SELECT r.a, l.b FROM r JOIN links l ON r.b = l.a) SELECT a, b FROM r"
    ),
    "join": "SELECT count(*) FROM events a, events b, events c WHERE a.x <= b.x",
    "outer": "SELECT count(*) FROM events a LEFT JOIN events b ON a.x <> b.x",
}


@pytest.fixture
def filled(session, log):
    """A building that runs, with sixty events and a chain of as many links."""
    log.write(1, "links", *((i, i + 1) for i in range(60)))
    fill(log, session, 60)
    session.restored(pytest.fail)
    return session


@pytest.mark.parametrize("sql", DIVERGENT.values(), ids=DIVERGENT)
def test_rows_bound_what_a_recursion_holds_and_a_join_puts_out(filled, sql):
    before = len(filled._upkeep._dataflow._nodes)
    for make in ("", "CREATE VIEW v AS "):
        with pytest.raises(QueryError, match=r"over 100 rows|rows, over 100,"):
            (filled.create_view if make else filled.query)(f"{make}{sql} LIMITED TO ROWS 100")
    assert len(filled._upkeep._dataflow._nodes) == before
    assert filled.views() == ()


@pytest.mark.parametrize("sql", DIVERGENT.values(), ids=DIVERGENT)
def test_time_bounds_a_start_as_a_whole(filled, clock, sql):
    before = len(filled._upkeep._dataflow._nodes)
    clock.step = 0.02
    with pytest.raises(QueryError, match="what it asks was computed for over 50 ms; bound what it counts up"):
        filled.query(f"{sql} LIMITED TO TIME 50 MS")
    assert len(filled._upkeep._dataflow._nodes) == before


def test_a_start_may_compute_for_a_second_where_nothing_else_is_said(filled, clock):
    clock.step = 0.3
    with pytest.raises(QueryError, match="what it asks was computed for over 1,000 ms"):
        filled.query(DOUBLING)
    clock.step = 0.0
    with pytest.raises(QueryError, match=r"it holds 10,\d\d\d rows, over 10,000, and still derives"):
        filled.query(DOUBLING)


def test_a_plan_that_is_explained_with_its_rows_is_bounded_too(filled, clock):
    clock.step = 0.3
    with pytest.raises(QueryError, match="what it asks was computed for over 1,000 ms"):
        Statements(filled, Effort).execute(parse(f"EXPLAIN ANALYZE {DOUBLING}"), NO_PARAMETERS)


def test_a_restart_and_an_installed_view_have_longer(session, log, clock):
    log.write(1, "links", *((i, i + 1) for i in range(60)))
    log.tick(session)
    clock.step = 0.05
    session.create_view(f"CREATE VIEW reach AS {DIVERGENT['closure']}")
    session.bring(parse(f"CREATE VIEW brought AS {DIVERGENT['closure']}"))
    session.restored(pytest.fail)
    assert not suspended(session)
    for name in ("reach", "brought"):
        session._views[name].suspend("for a test", -RETRY_SUSPENDED)
    clock.step = 0.3
    session._running.forget_unused()
    fill(log, session, 1)
    assert suspended(session).keys() == {"reach"}
    assert suspended(session)["reach"].startswith("what it asks was computed for over 1,000 ms")
    session._views["reach"].suspend("for a test", -RETRY_SUSPENDED)
    clock.step = 0.0
    fill(log, session, 1)
    clock.step = 0.05
    with pytest.raises(QueryError, match="what it asks was computed for over 500 ms"):
        session.create_view(f"CREATE VIEW again AS SELECT x.b, x.a FROM ({DIVERGENT['long']}) c, reach x "
                            "WHERE x.a > 0 LIMITED TO TIME 500 MS")  # fmt: skip
    session.install("further", session._views["reach"].logical)
    assert sum(rows_of(session, "further").values()) == 60 * 61 // 2


def test_a_step_may_use_what_the_largest_of_the_views_above_it_may(session, log):
    reach = DIVERGENT["closure"]
    session.create_view(f"CREATE VIEW small AS SELECT a FROM ({reach}) r WHERE a < 0 LIMITED TO ROWS 1000")
    log.write(1, "links", *((i, i + 1) for i in range(40)))
    log.tick(session)
    assert not suspended(session)
    log.write(1, "links", *((i, i + 1) for i in range(40, 60)))
    log.tick(session)
    assert suspended(session)["small"].startswith("recursion went over 1,000 rows")
    session.create_view(f"CREATE VIEW large AS {reach}")
    with pytest.raises(QueryError, match="recursion went over 1,000 rows"):
        session.create_view(
            f"CREATE VIEW other AS SELECT a FROM ({reach}) r WHERE a < 0 LIMITED TO ROWS 1000"
        )
    log.write(1, "links", (100, 101))
    log.tick(session)
    assert suspended(session).keys() == {"small"}


def test_what_reads_a_suspended_view_has_its_own_limits(session, log):
    session.create_view("CREATE VIEW few AS SELECT k FROM events LIMITED TO ROWS 20")
    fill(log, session, 36)
    assert suspended(session).keys() == {"few"}
    name = session.query("SELECT k FROM few")
    assert len(rows_of(session, name)) == 36
