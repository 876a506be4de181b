"""The session: what it registers, restores, suspends; a tick in flight while a view is made."""

import pickle
import zlib
from collections import Counter

import pytest

from engine.lang.streamsql import parse
from engine.model.errors import InternalError, QueryError
from engine.operators.budget import Budget
from engine.operators.distinct import Distinct
from engine.running import RETRY_SUSPENDED
from engine.session import Session
from engine.views.checkpoint import Image, from_bytes, to_bytes
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate
from tests.strategies import CATALOG

SECOND = 1_000_000


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


def seats(log: MemoryLog, *names: str, gap: int = 0) -> None:
    log.write(gap, "seats", *((name, 1, 0.5, True) for name in names))


def expected(session: Session, log: MemoryLog, view: str) -> Counter:
    return evaluate(session._views[view].logical, log.prefix(session.stamp.offset), session.stamp.at)


def restored(log: MemoryLog, image: Image, *statements: str) -> tuple[Session, list[str]]:
    """A session of the next run, after its script of views."""
    session, said = log.session(CATALOG), list[str]()
    session.restore(from_bytes(to_bytes(image)), said.append)
    for statement in statements:
        session.replace(parse(statement))
    session.restored(said.append)
    return session, said


# Ticks


def test_a_tick_that_was_closed_before_changes_nothing(log):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW v AS SELECT k FROM seats [UNBOUNDED]")
    seats(log, "a")
    pieces = {fragment: log.fragment(fragment, 0, 1) for fragment in session.fragments()}
    assert session.advance(1, log.stamps[1], pieces)
    assert session.advance(1, log.stamps[1], pieces) == []
    assert rows_of(session, "v") == {("a",): 1}
    assert session.stamp.tick == 1


@pytest.mark.parametrize(
    "window", ["[PARTITION BY k ROWS 2]", "[RANGE 5 SECONDS]", "[UNBOUNDED]", "[ROWS 3]"]
)
def test_a_view_made_while_a_pass_runs_has_what_the_pass_did_not_bring_it(log, window):
    session = log.session(CATALOG)
    seats(log, "a", "b")
    log.tick(session)
    known = session.fragments()
    session.create_view(f"CREATE VIEW v AS SELECT k, n FROM seats {window} WHERE x > 0.1")
    seats(log, "c", gap=SECOND)
    session.advance(2, log.stamps[2], {fragment: log.fragment(fragment, 1, 2) for fragment in known})
    assert rows_of(session, "v") == expected(session, log, "v")
    seats(log, "d")
    log.tick(session)
    assert rows_of(session, "v") == expected(session, log, "v")


def test_a_snapshot_tells_when_the_view_changed_and_not_when_it_was_asked(log):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW low AS SELECT k FROM seats [UNBOUNDED] WHERE k = 'a'")
    seats(log, "a")
    log.tick(session)
    changed = session.snapshot("low").at
    assert changed == session.stamp.at
    seats(log, "b", gap=SECOND)
    log.tick(session)
    assert session.snapshot("low").at == changed < session.stamp.at


def test_equal_parts_of_different_views_are_one_operator(log):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW v AS SELECT s.k AS a FROM seats s, rooms r WHERE s.k = r.k AND s.n > 0")
    count = len(session._upkeep._dataflow._nodes)
    session.create_view("CREATE VIEW w AS SELECT x.k AS a FROM seats x, rooms y WHERE x.k = y.k AND x.n > 0")
    assert len(session._upkeep._dataflow._nodes) == count
    session.drop("v")
    session.drop("w")
    assert len(session._upkeep._dataflow._nodes) == len(session._upkeep._base)


# Names


def test_a_view_may_not_have_the_name_of_something_else(log):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW v AS SELECT k FROM seats")
    for name, complaint in {
        "v": "v is there already; DROP VIEW v first, or take another name",
        "rooms": "rooms is a table; take another name for the view",
        "query_1": "names like query_1 are for queries without one; take another name for the view",
    }.items():
        with pytest.raises(QueryError, match=complaint):
            session.create_view(f"CREATE VIEW {name} AS SELECT k FROM seats")


def test_a_view_that_another_reads_is_not_dropped(log):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW low AS SELECT k FROM seats")
    session.create_view("CREATE VIEW high AS SELECT k FROM low")
    session.query("SELECT k FROM low")
    with pytest.raises(QueryError, match="low is read by high; drop what reads it first"):
        session.drop("low")
    session.drop("high")
    session.drop("low")
    assert [view.name for view in session.views()] == ["query_1"]


def test_a_view_of_the_building_stays_as_its_script_says_it(log):
    session = log.session(CATALOG)
    session.bring(parse("CREATE VIEW low AS SELECT k FROM seats"))
    stays = "low comes with the building and stays"
    with pytest.raises(QueryError, match=stays):
        session.drop("low")
    for other in ("SELECT k, k AS again FROM seats", "SELECT k FROM seats OUTPUT TO ALARM"):
        with pytest.raises(QueryError, match=stays):
            session.create(parse(f"CREATE OR REPLACE VIEW low AS {other}"))
    session.create(parse("CREATE OR REPLACE VIEW low AS SELECT k  FROM seats"))
    session.bring(parse("CREATE VIEW low AS SELECT k AS name FROM seats"))
    assert [column.name for column in session.snapshot("low").columns] == ["name"]


# Restarts


def test_an_unnamed_query_is_not_kept_for_the_next_run(log):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW v AS SELECT k FROM seats")
    session.query("SELECT n FROM seats")
    again, said = restored(log, session.image())
    assert [view.name for view in again.views()] == ["v"]
    assert said == []


def test_a_changed_script_changes_the_views_over_its_views(log):
    session = log.session(CATALOG)
    session.replace(parse("CREATE VIEW low AS SELECT k FROM seats [UNBOUNDED]"))
    session.replace(parse("CREATE VIEW high AS SELECT count(*) AS n FROM low"))
    session.create_view("CREATE VIEW mine AS SELECT n FROM high")
    seats(log, "a", "b")
    log.tick(session)
    changed = (
        "CREATE VIEW low AS SELECT k FROM seats [UNBOUNDED] WHERE k = 'a'",
        "CREATE VIEW high AS SELECT count(*) AS n FROM low",
    )
    for _ in range(2):
        session, said = restored(log, session.image(), *changed)
        assert said == []
        assert [view.name for view in session.views()] == ["low", "high", "mine"]
        assert rows_of(session, "mine") == {(1,): 1}


def test_a_view_that_no_longer_binds_is_reported_and_the_others_live(log):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW low AS SELECT k, n FROM seats")
    session.create_view("CREATE VIEW high AS SELECT n FROM low")
    session.create_view("CREATE VIEW other AS SELECT k FROM rooms")
    session, said = restored(log, session.image(), "CREATE VIEW low AS SELECT k FROM seats")
    (complaint,) = said
    assert complaint.startswith("the view high stays as it was until the next start: unknown column n")
    session, said = restored(log, session.image())
    (complaint,) = said
    assert complaint.startswith("the view high of the last run cannot be kept: unknown column n")
    assert [view.name for view in session.views()] == ["low", "other"]


def test_a_snapshot_names_no_code():
    class Evil:
        def __reduce__(self):
            return (print, ("ran",))

    body = to_bytes(Image(1, 2, 3, {"leaf": [Evil()]}, []))
    with pytest.raises(Exception, match=r"a snapshot may not name builtins\.print"):
        from_bytes(body)


def test_a_damaged_snapshot_is_one_kind_of_error(log):
    session = log.session(CATALOG)
    seats(log, "a", "b")
    log.tick(session)
    body = to_bytes(session.image())
    cut = [body[:length] for length in range(len(body))]
    flipped = [body[:i] + bytes([body[i] ^ 0x55]) + body[i + 1 :] for i in range(2, len(body))]
    for damaged in [*cut, *flipped, zlib.compress(b""), zlib.compress(pickle.dumps((1, 2))), b"not zlib"]:
        with pytest.raises(InternalError):
            from_bytes(damaged)
    with pytest.raises(InternalError, match="a snapshot of format 99 was found, expected 1"):
        from_bytes(zlib.compress(pickle.dumps((99, None))))


# Budgets


def crossed(log: MemoryLog, rows: int) -> Session:
    """A session in which ``pairs`` is a cross product and ``names`` is not."""
    session = log.session(CATALOG, Budget(rows))
    session.create_view(
        "CREATE VIEW pairs AS SELECT a.k AS a, b.k AS b FROM seats [ROWS 20] a, tags [ROWS 20] b"
    )
    session.create_view("CREATE VIEW names AS SELECT k FROM seats [ROWS 20]")
    return session


def fill(log: MemoryLog, count: int) -> None:
    for i in range(count):
        log.write(0, "seats", (f"s{i}", 1, None, None))
        log.write(0, "tags", (f"t{i}", 1.0, None))


@pytest.mark.parametrize("ticks", [[20], [2 * i for i in range(1, 11)]], ids=["in one tick", "row by row"])
def test_a_view_over_its_budget_is_suspended_and_the_tick_closes_for_the_others(log, ticks):
    session = crossed(log, 60)
    fill(log, 10)
    deltas = [delta for end in ticks for delta in log.tick(session, end)]
    pairs, names = session.views()
    assert "went over 60 rows" in (pairs.suspended or "")
    assert names.suspended is None
    assert rows_of(session, "names") == {(f"s{i}",): 1 for i in range(10)}
    (gap,) = [delta for delta in deltas if delta.view == "pairs" and delta.after == delta.tick]
    assert gap.changes == ()
    with pytest.raises(QueryError, match=r"the view pairs is suspended: .* went over 60 rows"):
        session.snapshot("pairs")


def test_a_suspended_view_comes_back_and_is_right(log):
    session = crossed(log, 120)
    fill(log, 15)
    log.tick(session)
    assert session.views()[0].suspended is not None
    log.write(RETRY_SUSPENDED, "seats", ("still", 1, None, None))
    log.tick(session)
    assert session.views()[0].suspended is not None, "a retry is due after the time, not at it"
    for part in (session._running._limiter, session._upkeep, session._upkeep._dataflow):
        part._budget = Budget(1_000)
    log.write(1, "seats", ("last", 1, None, None))
    deltas = log.tick(session)
    assert session.views()[0].suspended is None
    assert [delta.after == delta.tick for delta in deltas if delta.view == "pairs"] == [True]
    assert rows_of(session, "pairs") == expected(session, log, "pairs")
    snapshot = session.snapshot("pairs")
    log.write(1, "tags", ("next", 1.0, None))
    (delta,) = [delta for delta in log.tick(session) if delta.view == "pairs"]
    assert delta.after == snapshot.tick
    assert rows_of(session, "pairs") == expected(session, log, "pairs")


def test_a_retry_that_fails_again_says_so_once_a_while(log):
    session = crossed(log, 60)
    fill(log, 10)
    log.tick(session)
    log.write(RETRY_SUSPENDED + 1, "rooms", ("r", 1, None))
    log.tick(session)
    assert session.views()[0].suspended is not None
    assert session._views["pairs"].suspended_at == session.stamp.at


def test_a_view_whose_window_holds_too_much_comes_back_when_it_holds_less(log):
    session = log.session(CATALOG, Budget(8))
    session.create_view("CREATE VIEW busy AS SELECT count(*) AS n FROM tags [RANGE 10 SECONDS]")
    log.write(0, "tags", *((f"t{i}", None, None) for i in range(9)))
    log.tick(session)
    assert session.views()[0].suspended == "tags holds over 8 rows; take a shorter window"
    log.write(RETRY_SUSPENDED + 1, "tags", ("t", None, None))
    log.tick(session)
    assert rows_of(session, "busy") == {(1,): 1}


def test_a_query_that_would_go_over_its_budget_at_once_is_refused(log):
    session = log.session(CATALOG, Budget(30))
    log.write(0, "rooms", *((f"r{i}", 1, None) for i in range(6)))
    log.tick(session)
    before = len(session._upkeep._dataflow._nodes)
    with pytest.raises(QueryError, match="went over 30 rows"):
        session.query("SELECT a.k FROM rooms a, rooms b")
    assert session.views() == ()
    assert len(session._upkeep._dataflow._nodes) == before


# Errors of ours


def test_an_operator_that_fails_stops_its_views_and_not_the_tick(log, monkeypatch):
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW once AS SELECT DISTINCT k FROM seats [UNBOUNDED]")
    session.create_view("CREATE VIEW counted AS SELECT k, count(*) AS n FROM seats [UNBOUNDED] GROUP BY k")
    with monkeypatch.context() as broken:
        broken.setattr(Distinct, "step", lambda self, *_: 1 / 0)
        seats(log, "a", "a")
        (gap, delta) = sorted(log.tick(session), key=lambda delta: len(delta.changes))
        assert (gap.view, gap.after) == ("once", gap.tick)
        assert delta.changes == ((("a", 2), 1),)
        once, counted = session.views()
        assert once.suspended == "an error of ours, ZeroDivisionError: division by zero"
        assert counted.suspended is None
        with pytest.raises(ZeroDivisionError):
            session.query("SELECT DISTINCT n FROM seats [UNBOUNDED]")
        log.write(RETRY_SUSPENDED + 1, "seats", ("b", 1, None, None))
        log.tick(session)
        assert session.views()[0].suspended is not None
    log.write(RETRY_SUSPENDED + 1, "seats", ("c", 1, None, None))
    log.tick(session)
    for view in ("once", "counted"):
        assert rows_of(session, view) == expected(session, log, view)


def test_what_a_failed_query_left_behind_is_not_found_by_the_next(log, monkeypatch):
    session = log.session(CATALOG)
    seats(log, "a", "b")
    log.tick(session)
    with monkeypatch.context() as broken:
        broken.setattr(Distinct, "step", lambda self, *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            session.query("SELECT DISTINCT x FROM (SELECT k, x FROM seats [UNBOUNDED]) s")
    seats(log, "c")
    log.tick(session)
    name = session.query("SELECT DISTINCT x FROM (SELECT k, x FROM seats [UNBOUNDED]) s")
    assert rows_of(session, name) == expected(session, log, name)
