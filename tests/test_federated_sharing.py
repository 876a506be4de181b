"""Two queries that are alike run one fragment; what runs already costs nothing more."""

import pytest

from engine.model.errors import PlanError
from engine.plan.explaining import as_text
from engine.plan.goal import Goal
from engine.plan.leaves import Shipped
from engine.plan.physical import Physical, fragments_in
from federated.optimizer import FederatedOptimizer
from federated.placing.running import maybe_from
from tests.memory_log import MemoryLog
from tests.oracle import evaluate
from tests.placed import run_placed
from tests.three_sites import CATALOG, bound, optimized

BYTES = Goal((("bytes", 1.0),))


def observed(*sqls: str) -> FederatedOptimizer:
    """An optimizer that sees the fragments of these queries run."""
    made = FederatedOptimizer()
    made.runs(leaf for sql in sqls for leaf in fragments_in(optimized(sql)))
    return made


def asked_anew(made: FederatedOptimizer, sql: str, goal: Goal = BYTES) -> tuple[Physical, set[Shipped]]:
    plan = made.optimize(bound(sql), goal)
    return plan, set(fragments_in(plan)) - made.running


@pytest.mark.parametrize(
    ("runs", "sql", "is_shared"),
    [
        ("SELECT desk, room, weight FROM seats", "SELECT desk FROM seats WHERE weight < 2.0", True),
        ("SELECT desk, weight FROM seats WHERE room = 'a'", "SELECT desk FROM seats WHERE room = 'a'", True),
        ("SELECT desk FROM seats WHERE room = 'a'", "SELECT desk FROM seats WHERE room = 'b'", False),
        ("SELECT desk FROM seats", "SELECT desk FROM seats WHERE weight < 2.0", False),
        ("SELECT desk FROM seats", "SELECT desk FROM seats [UNBOUNDED]", False),
        ("SELECT * FROM machines", "SELECT m.owner FROM machines m WHERE m.room = 'a'", True),
    ],
)
def test_a_query_is_answered_from_what_runs_where_that_holds_all_it_needs(runs, sql, is_shared):
    _, anew = asked_anew(observed(runs), sql)
    assert (not anew) == is_shared


def test_what_is_answered_from_what_runs_is_the_same():
    log = MemoryLog()
    log.write(0, "seats", ("a", "r", 1.0, 1), ("b", "r", 3.0, 2), ("c", "s", 1.5, None))
    sql = "SELECT n, desk FROM seats WHERE weight < 2.0 AND room = 'r'"
    plan, anew = asked_anew(observed("SELECT weight, desk, n, room FROM seats WHERE room = 'r'"), sql)
    now = log.stamps[-1]
    assert not anew
    assert run_placed(plan, log.readings, now) == evaluate(bound(sql), log.readings, now)


def test_a_fragment_of_other_conditions_or_columns_serves_nobody():
    (narrow,) = fragments_in(optimized("SELECT desk FROM seats WHERE weight < 2.0"))
    (wide,) = fragments_in(optimized("SELECT desk, room FROM seats WHERE weight < 2.0"))
    assert maybe_from(wide, narrow) is not None
    assert maybe_from(narrow, wide) is None
    assert maybe_from(narrow, narrow) is None


def test_a_view_like_one_that_runs_adds_no_fragment():
    session = MemoryLog().session(CATALOG)
    session.create_view("CREATE VIEW all_seats AS SELECT * FROM seats OPTIMIZE FOR bytes")
    before = set(session.fragments())
    session.create_view("CREATE VIEW light AS SELECT desk FROM seats WHERE weight < 2.0 OPTIMIZE FOR bytes")
    assert set(session.fragments()) == before
    session.drop("light", "all_seats")
    session.create_view("CREATE VIEW light AS SELECT desk FROM seats WHERE weight < 2.0 OPTIMIZE FOR bytes")
    assert not set(session.fragments()) & {f for f in before if f.relation.startswith("fragment:")}


def test_a_fragment_that_runs_costs_neither_bytes_nor_energy():
    sql = "SELECT desk, weight FROM seats WHERE room = 'a'"
    alone, shared = FederatedOptimizer(), observed(sql)
    assert alone.considered(bound(sql), BYTES).chosen.price.bytes > 0
    assert shared.considered(bound(sql), BYTES).chosen.price[1:3] == (0, 0)


def test_what_nothing_keeps_within_is_refused_and_what_runs_goes_on():
    sql, made = "SELECT desk, weight FROM seats", FederatedOptimizer()
    narrow = Goal((("energy", 1.0),), bytes_a_second=1.0)
    with pytest.raises(PlanError, match=r"the nearest is each site by itself, .* a second, at most 1 asked"):
        made.optimize(bound(sql), narrow)
    running = made.optimize(bound(sql))
    assert made.reconsider(bound(sql), running, lambda _: True, narrow) is None
    told = made.explain(running, None, bound(sql), narrow).choice
    assert told is None or "at most 1 asked" in told.chosen.refused


def test_a_goal_with_bounds_takes_what_keeps_within_them():
    sql = "SELECT s.desk, l.lamp FROM seats s, lights l WHERE s.room = l.room AND s.weight < 2.0 AND l.open"
    made = FederatedOptimizer()
    free = made.considered(bound(sql), Goal())
    least = min(each.price.bytes for each in free.every())
    bounded = made.considered(bound(sql), Goal(bytes_a_second=least * 1.01))
    assert bounded.chosen.price.bytes == least
    assert all(refused for each, refused in bounded.lost if each.price.bytes > least * 1.01)


def test_a_view_is_run_and_explained_by_the_goal_that_its_text_says():
    session = MemoryLog().session(CATALOG)
    sql = "SELECT s.desk, l.lamp FROM seats s, lights l WHERE s.room = l.lamp AND s.weight < 2.0 AND l.open"
    session.create_view(f"CREATE VIEW spare AS {sql} OPTIMIZE FOR energy")
    (fragment,) = fragments_in(session._views["spare"].physical)
    assert fragment.method in ("natural", "semi", "bloom")
    assert "chosen for energy" in as_text(session.explain("spare"))
    assert "chosen for bytes" in as_text(session.explain(f"EXPLAIN {sql} OPTIMIZE FOR bytes"))
    assert session.text_of("spare").endswith("OPTIMIZE FOR energy")
