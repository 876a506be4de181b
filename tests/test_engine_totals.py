"""Totals by group and pane are what the rows make, however the log is cut and whenever a view begins."""

import random
import time
from collections import Counter
from dataclasses import replace

import pytest

from app.present import explanation
from app.told import named
from engine.model.catalog import Catalog
from engine.model.clock import SECOND
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.explaining.text import as_text
from engine.plan.leaves import Totalled
from engine.plan.physical import leaves
from engine.session import Session
from engine.views.checkpoint import from_bytes, to_bytes
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from federated.placing.totalled import Totalling
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate

READINGS = Relation(
    "readings",
    RelationKind.STREAM,
    (
        Column("room", Type.TEXT),
        Column("is_up", Type.BOOLEAN),
        Column("n", Type.BIGINT),
        Column("x", Type.DOUBLE),
        Column("since", Type.TIMESTAMP),
    ),
)
CATALOG = Catalog([READINGS])
WINDOWS = ("RANGE 6 SECONDS SLIDE 4 SECONDS", "RANGE 2 SECONDS SLIDE 3 SECONDS", "UNBOUNDED")
CALLS = ("count(*)", "count(x)", "count(n)", "sum(n)", "min(n)", "max(n)", "min(since)", "max(since)")
GROUPS = ("", "room", "is_up", "room, is_up", "n, room")
EDGES = (None, 0, 7, -7, 2**63 - 1, -(2**63))


class Always(Totalling):
    """Takes totals wherever they can be."""

    def _is_chosen(self, found):
        return True


class TotallingOptimizer(FederatedOptimizer):
    """An optimizer to which every stream is busy."""

    totalling = Always


def asked(rng: random.Random) -> str:
    groups = rng.choice(GROUPS)
    listed = ", ".join(filter(None, [groups, *rng.sample(CALLS, rng.randint(1, 4))]))
    where = rng.choice(("", " WHERE n > 0", " WHERE is_up", " WHERE room <> 'a' OR n IS NULL"))
    by = f" GROUP BY {groups}" if groups else ""
    return f"SELECT {listed} FROM readings [{rng.choice(WINDOWS)}]{where}{by}"


def written(rng: random.Random, entries: int = 60) -> MemoryLog:
    log = MemoryLog()
    for _ in range(entries):
        rows = [
            (
                rng.choice(("a", "b", "é", None)),
                rng.choice((True, False, None)),
                rng.choice(EDGES),
                rng.choice((None, 0.5)),
                rng.choice((None, 5, 9)),
            )
            for _ in range(rng.randint(0, 4))
        ]
        log.write(rng.choice((0, 1, SECOND // 3, SECOND, 2 * SECOND)), "readings", *rows)
    return log


def is_totalled(session: Session, view: str) -> bool:
    return any(isinstance(leaf, Totalled) for leaf in leaves(session._views[view].physical))


def bound(session: Session, view: str):
    return session._views[view].logical


@pytest.mark.parametrize("seed", range(25))
def test_totals_are_those_of_the_rows_at_every_tick(seed):
    rng = random.Random(seed)
    log = written(rng)
    sessions = [
        Session(CATALOG, TotallingOptimizer(), log.history),
        Session(CATALOG, FederatedOptimizer(), log.history),
    ]
    views: list[str] = []
    texts = [asked(rng) for _ in range(3)]
    end = 0
    while end < log.end:
        end = min(log.end, end + rng.randint(1, 9))
        if texts and rng.random() < 0.5:
            views.append(f"v{len(views)}")
            for session in sessions:
                session.create_view(f"CREATE VIEW {views[-1]} AS {texts[-1]}")
            texts.pop()
        if rng.random() < 0.2:
            sessions[0] = again(sessions[0], log)
        for session in sessions:
            known = () if rng.random() < 0.1 else None
            log.tick(session, end, known)
        for name in views:
            assert [is_totalled(session, name) for session in sessions] == [True, False]
            expected = Counter(evaluate(bound(sessions[0], name), log.prefix(end), log.stamps[end]))
            assert rows_of(sessions[0], name) == rows_of(sessions[1], name) == expected


def again(session: Session, log: MemoryLog) -> Session:
    """A session that starts from a snapshot of another, with its views."""
    restored = Session(CATALOG, TotallingOptimizer(), log.history)
    restored.restore(from_bytes(to_bytes(session.image())), pytest.fail)
    restored.restored(pytest.fail)
    return restored


def busy(log: MemoryLog, seconds: int, rows: int) -> None:
    for _ in range(seconds):
        log.write(
            SECOND, "readings", *[("a", True, n, 0.5, 5) for n in range(log.end * rows, (log.end + 1) * rows)]
        )


SQL = "SELECT room, count(*), sum(n) FROM readings [RANGE 4 SECONDS SLIDE 2 SECONDS] GROUP BY room"


def run_busy(monkeypatch, least: int, *others: str) -> tuple[Session, MemoryLog]:
    """A session over a stream of 20 rows a tick, totals being worth it from so many on."""
    monkeypatch.setattr("federated.placing.totalled.WORTH_IT", least)
    log = MemoryLog()
    session = log.session(CATALOG)
    session.adapting.policy = session.adapting.policy._replace(keep_out=0, each=1)
    for number, text in enumerate((SQL, *others)):
        session.create_view(f"CREATE VIEW v{number} AS {text}")
    for _ in range(40):
        busy(log, 1, 20)
        log.tick(session)
        expected = Counter(evaluate(bound(session, "v0"), log.readings, log.stamps[-1]))
        assert rows_of(session, "v0") == expected
    return session, log


def test_a_view_of_many_rows_goes_over_to_totals_and_nobody_sees_it(monkeypatch):
    session, _ = run_busy(monkeypatch, 15)
    assert is_totalled(session, "v0")
    assert session.adapting.totals() == (1, 0)


def test_a_view_of_few_rows_stays_with_its_rows(monkeypatch):
    session, _ = run_busy(monkeypatch, 25)
    assert not is_totalled(session, "v0")


def test_a_view_stays_with_rows_that_another_view_needs(monkeypatch):
    session, _ = run_busy(monkeypatch, 15, "SELECT n FROM readings [RANGE 1 SECOND]")
    assert not is_totalled(session, "v0")


def test_a_view_of_totals_starts_with_them_from_a_snapshot(monkeypatch):
    session, _ = run_busy(monkeypatch, 15)
    restored = Session(CATALOG, FederatedOptimizer(), lambda leaf, end, at: pytest.fail("read back"))
    restored.restore(from_bytes(to_bytes(session.image())), pytest.fail)
    restored.restored(pytest.fail)
    assert is_totalled(restored, "v0")
    restored.create_view(f"CREATE VIEW v1 AS {SQL}")
    assert is_totalled(restored, "v1")
    assert rows_of(restored, "v0") == rows_of(restored, "v1") == rows_of(session, "v0")


def test_a_stream_that_is_kept_anyway_is_never_totalled():
    log = MemoryLog()
    kept = replace(READINGS, window="RANGE 10 MINUTES")
    timed = replace(READINGS, event_time="since")
    for relation in (kept, timed):
        session = Session(Catalog([relation]), TotallingOptimizer(), log.history)
        assert not is_totalled(session, session.query(SQL))


@pytest.mark.parametrize(
    "asked",
    [
        "sum(x)",
        "avg(n)",
        "min(room)",
        "count(DISTINCT n)",
        "count(*), max(x)",
    ],
)
def test_what_parts_would_not_make_exactly_is_made_of_rows(asked):
    session = Session(CATALOG, TotallingOptimizer(), MemoryLog().history)
    sql = f"SELECT {asked} FROM readings [RANGE 4 SECONDS SLIDE 2 SECONDS]"
    assert not is_totalled(session, session.query(sql))


def test_the_plan_says_what_spark_totals_and_why_says_of_which_pane():
    log = MemoryLog()
    session = Session(CATALOG, TotallingOptimizer(), log.history)
    session.create_view(f"CREATE VIEW busy AS {SQL}")
    busy(log, 4, 3)
    log.tick(session)
    told = as_text(session.explain("busy"))
    assert "aggregate count(*), sum(readings.n) by room, panes of 2 SECONDS" in told
    ((row, _),) = session.snapshot("busy").rows
    found = session.why("busy", row, Effort(60.0, 100_000, time.monotonic))
    rows = explanation(found, (), ())["witness"]
    said = sorted(map(named, rows))
    assert len(said) == 2
    assert all(text.endswith("of readings, whose rows are in the log") for text in said)
    assert "until=2023-11-14" in said[0]
