"""Event time, panes and samples: incremental is what the formulas say, however ticks are cut."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.catalog import Catalog
from engine.model.clock import SECOND
from engine.model.reading import Reading
from engine.model.relation import Relation, RelationKind
from engine.operators.event_window import EventWindow
from engine.operators.leaf import Punctual
from engine.plan.leaves import Windowed
from engine.plan.windows import Range, Rows, Unbounded, reach
from engine.provenance.counting import COUNTING
from engine.session import Session
from engine.views.checkpoint import from_bytes, leaf_name, to_bytes
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.oracle import evaluate, happened, sampled, taken
from tests.strategies import BIGINT, TEXT, TIMESTAMP, few, many, relation
from tests.strategies import cuts as cuts_of

LATENESS, SKEW = 3 * SECOND, 4 * SECOND


def timed(name: str, key: tuple[str, ...], lateness: int) -> Relation:
    columns = relation(name, RelationKind.STREAM, None, key, k=TEXT, n=BIGINT, at=TIMESTAMP).columns
    return Relation(name, RelationKind.STREAM, columns, key, "RANGE 5 SECONDS", "mqtt", "at", SKEW, lateness)


RELATIONS = (
    timed("tags", ("k",), 0),
    timed("slow", (), LATENESS),
    relation("raw", RelationKind.STREAM, None, ("k",), k=TEXT, n=BIGINT, at=TIMESTAMP),
)
CATALOG = Catalog(RELATIONS)
WINDOWS = (
    "[RANGE 1 SECOND]", "[RANGE 5 SECONDS]", "[RANGE 5 SECONDS SLIDE 2 SECONDS]",
    "[RANGE 2 SECONDS SLIDE 5 SECONDS]", "[RANGE 5 SECONDS SLIDE 5 SECONDS]",
    "[RANGE 1 SECOND SLIDE 200 MILLISECONDS]", "[NOW]", "[ROWS 3]", "[PARTITION BY k ROWS 1]", "[UNBOUNDED]",
)  # fmt: skip
SAMPLES = ("", "", "SAMPLE PERIOD 2 SECONDS", "SAMPLE PERIOD 1 SECOND", "SAMPLE PERIOD 300 MILLISECONDS")
WHERE = ("", "WHERE k = 'a'", "WHERE n > 1", "WHERE n > 0 AND k <> 'b'")
STEP = 100_000
GAPS = [0, 1, STEP, 5 * STEP, SECOND, 3 * SECOND]
DELAYS = [0, 0, 1, STEP, SECOND, 2 * SECOND, 5 * SECOND, 6 * SECOND, 20 * SECOND]
AHEAD = [1, STEP, SECOND, SKEW]


def written(seed: int, length: int) -> list[Entry]:
    """Rows out of order: most on their way for a while, some late, some ahead of their arrival."""
    random, stamp, entries = Random(seed), MemoryLog().stamps[-1], []
    for _ in range(length):
        gap = random.choice(GAPS)
        stamp += gap
        changes = []
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            off = random.choice(AHEAD) if random.random() < 0.25 else -random.choice(DELAYS)
            row = (random.choice("abc"), random.randrange(3), stamp + off)
            changes.append(Change(random.choice(("tags", "slow", "raw")), 1, row))
        entries.append(Entry(gap, changes))
    return entries


def views(seed: int) -> list[str]:
    random = Random(seed)
    return [
        f"CREATE VIEW v{number} AS SELECT k, n FROM {random.choice(RELATIONS).name} {random.choice(WINDOWS)} "
        f"{random.choice(SAMPLES)} {random.choice(WHERE)}"
        for number in range(4)
    ]


@st.composite
def cases(draw) -> tuple[MemoryLog, list[str], list[int], list[int]]:
    length = draw(st.sampled_from([4, 12, 30]))
    log = MemoryLog(written(draw(st.integers(0, 2**32)), length))
    return log, views(draw(st.integers(0, 2**32))), draw(cuts_of(length)), draw(cuts_of(length))


def expected(session: Session, log: MemoryLog, name: str) -> Counter:
    stamp = session.stamp
    return evaluate(session._views[name].logical, log.prefix(stamp.offset), stamp.at)


def assert_as_recomputed(session: Session, log: MemoryLog) -> None:
    for info in session.views():
        assert info.suspended is None
        assert rows_of(session, info.name) == expected(session, log, info.name), info.sql


def punctuality(session: Session) -> dict[str, tuple[int, int]]:
    """How many rows were late, and are waiting, by leaf."""
    return {
        leaf_name(node.plan): (node.leaf.late, node.leaf.waiting)
        for node in session._upkeep._dataflow.leaves()
        if isinstance(node.leaf, Punctual)
    }


def counted(plan: Windowed, log: MemoryLog, end: int, now: int) -> tuple[int, int]:
    """The same by the formulas."""
    given = taken(plan.relation.name, plan.fragment.predicate, log.prefix(end))
    given = given if plan.sample is None else sampled(plan.relation, plan.sample, given)
    ends = [closed(plan, reading.at) for reading in given]
    length = plan.window.microseconds if isinstance(plan.window, Range) else 1 << 64
    at = [happened(plan.relation, reading) for reading in given]
    late = sum(each <= end - length for each, end in zip(at, ends, strict=True))
    waiting = sum(each > closed(plan, now) for each in at)
    return late, waiting


def closed(plan: Windowed, now: int) -> int:
    slide = plan.window.slide if isinstance(plan.window, Range) else None
    return now if slide is None else (now - plan.relation.lateness) // slide * slide


def started(log: MemoryLog, statements: list[str]) -> Session:
    session = log.session(CATALOG)
    for statement in statements:
        session.create_view(statement)
    return session


def restored(session: Session, log: MemoryLog) -> Session:
    again, complaints = log.session(CATALOG), []
    again.restore(from_bytes(to_bytes(session.image())), complaints.append)
    again.restored(complaints.append)
    assert not complaints
    return again


def every_tick_is_as_recomputed_also_after_a_restart(case, data) -> None:
    log, statements, ends, _ = case
    session = started(log, statements)
    stopped = data.draw(st.sampled_from(ends), label="stopped after")
    for end in ends:
        log.tick(session, end)
        assert_as_recomputed(session, log)
        if end == stopped:
            before = punctuality(session)
            session = restored(session, log)
            assert punctuality(session) == before
            assert_as_recomputed(session, log)


def what_is_late_and_waiting_is_counted_row_by_row(case, data) -> None:
    log, statements, ends, others = case
    sessions = [started(log, statements) for _ in range(2)]
    for session, cut in zip(sessions, (ends, others), strict=True):
        for end in cut:
            log.tick(session, end)
    assert punctuality(sessions[0]) == punctuality(sessions[1])
    for node in sessions[0]._upkeep._dataflow.leaves():
        plan = node.plan
        if (
            isinstance(plan, Windowed)
            and isinstance(node.leaf, Punctual)
            and not isinstance(plan.window, Rows)
        ):
            stamp = sessions[0].stamp
            assert (node.leaf.late, node.leaf.waiting) == counted(plan, log, stamp.offset, stamp.at)


def a_view_that_comes_later_holds_what_it_would_hold_had_it_always_been_there(case, data) -> None:
    """It reads back no further than it must: the log in memory gives no more than ``reach`` says."""
    log, statements, ends, _ = case
    session, left = log.session(CATALOG), list(statements)
    for end in ends:
        known = session.fragments()
        for _ in range(data.draw(st.integers(0, len(left)), label=f"made before {end}")):
            session.create_view(left.pop())
        assert_as_recomputed(session, log)
        log.tick(session, end, known if data.draw(st.booleans(), label="by an older pass") else None)
        assert_as_recomputed(session, log)


PROPERTIES = (
    every_tick_is_as_recomputed_also_after_a_restart,
    what_is_late_and_waiting_is_counted_row_by_row,
    a_view_that_comes_later_holds_what_it_would_hold_had_it_always_been_there,
)


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.__name__)
def test_for_some_logs_windows_and_cuts(prop):
    few(120)(given(cases(), st.data())(prop))()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.__name__)
def test_for_many_logs_windows_and_cuts(prop):
    many(5000)(given(cases(), st.data())(prop))()


def test_the_logs_have_late_and_early_rows_in_every_kind_of_window():
    seen: Counter[str] = Counter()
    for seed in range(40):
        log = MemoryLog(written(seed, 30))
        session = started(log, views(seed))
        for end in range(1, log.end + 1):
            log.tick(session, end)
            for name, (late, waiting) in punctuality(session).items():
                kind = "SLIDE" if "SLIDE" in name else "SAMPLE" if "SAMPLE" in name else "RANGE"
                seen[f"{kind} late"] += late > 0
                seen[f"{kind} waiting"] += waiting > 0
    assert len(seen) == 6
    assert min(seen.values()) >= 20, seen


def reading(row: tuple, at: int) -> Reading:
    return Reading("r", 1, row, 0, 0, at)


def test_a_late_row_is_late_by_its_own_stamp_and_not_by_the_tick_s():
    in_time, late = reading(("a", 91), 100), reading(("b", 90), 100)
    window = EventWindow(COUNTING, 10, 1)
    assert window.advance([in_time, late], 150) == {}
    assert (window.late, window.waiting, len(window)) == (1, 0, 0)


def test_a_row_that_does_not_say_when_it_happened_is_never_shown():
    window = EventWindow(COUNTING, 10, 0)
    assert window.advance([reading((None,), 5)], 5) == {}
    assert window.late == 1


def test_a_window_reaches_back_by_its_skew_its_panes_and_its_sample():
    tags, slow, raw = RELATIONS
    assert reach(raw, Range(5)) == 5
    assert reach(tags, Range(5)) == 5 + SKEW
    assert reach(slow, Range(5, 2)) == 5 + SKEW + 2 + LATENESS
    assert reach(slow, Range(5), sample=7) == 5 + SKEW + 7
    assert reach(tags, Rows(3)) is reach(tags, Unbounded()) is None


def test_a_leaf_is_known_by_all_that_decides_what_it_keeps():
    session = started(
        MemoryLog(), [f"CREATE VIEW v{i} AS SELECT k FROM slow {window}" for i, window in enumerate(WINDOWS)]
    )
    session.create_view("CREATE VIEW w AS SELECT k FROM slow [RANGE 5 SECONDS] SAMPLE PERIOD 1 SECOND")
    names = [leaf_name(node.plan) for node in session._upkeep._dataflow.leaves()]
    assert len(set(names)) == len(names)
    assert (
        "slow(k text,n bigint,at timestamp) [RANGE 5 SECONDS BY at SAMPLE 1000000 OF ()] WHERE TRUE" in names
    )
