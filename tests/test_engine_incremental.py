"""Incremental equals recomputation, however the log is cut into ticks: the property everything stands on."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.session import Session
from engine.views.checkpoint import from_bytes, to_bytes
from tests.memory_log import Entry, MemoryLog, applied, rows_of
from tests.oracle import evaluate
from tests.random_queries import views
from tests.strategies import CATALOG, cuts, entries, few, many

PYTHON_TYPES = {Type.BIGINT: int, Type.TIMESTAMP: int, Type.DOUBLE: float, Type.BOOLEAN: bool, Type.TEXT: str}


def literally(rows: Counter[Row]) -> Counter[str]:
    """Rows that are the same to the last bit: 0.0 is not -0.0, nor 1 True."""
    return Counter({repr(row): count for row, count in rows.items()})


def expected(session: Session, log: MemoryLog, view: str) -> Counter[Row]:
    stamp = session.stamp
    return evaluate(session._views[view].logical, log.prefix(stamp.offset), stamp.at)


def assert_as_recomputed(session: Session, log: MemoryLog) -> None:
    for info in session.views():
        assert info.suspended is None
        found = rows_of(session, info.name)
        assert literally(found) == literally(expected(session, log, info.name)), info.sql
        assert_typed(info.columns, found)


def assert_typed(columns: tuple[Column, ...], rows: Counter[Row]) -> None:
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            assert value is None or type(value) is PYTHON_TYPES[column.type], (column, value)


def started(log: MemoryLog, statements: list[str]) -> Session:
    session = log.session(CATALOG)
    for statement in statements:
        session.create_view(statement)
    return session


@st.composite
def cases(draw) -> tuple[MemoryLog, list[str], list[int], list[int]]:
    written: list[Entry] = draw(entries())
    length = len(written)
    return MemoryLog(written), draw(views()), draw(cuts(length)), draw(cuts(length))


def every_tick_is_as_recomputed(case) -> None:
    log, statements, ends, _ = case
    session = started(log, statements)
    assert_as_recomputed(session, log)
    for end in ends:
        log.tick(session, end)
        assert_as_recomputed(session, log)


def a_subscriber_ends_with_the_view(case, data) -> None:
    log, statements, ends, _ = case
    session = started(log, statements)
    joined = data.draw(st.sampled_from([0, *ends]), label="subscribed after")
    for end in ends:
        if end <= joined:
            log.tick(session, end)
    snapshots = {info.name: session.snapshot(info.name) for info in session.views()}
    later = [delta for end in ends if end > joined for delta in log.tick(session, end)]
    for name, snapshot in snapshots.items():
        own = [delta for delta in later if delta.view == name]
        assert literally(applied(snapshot, own)) == literally(rows_of(session, name))


def two_cuts_end_equal(case) -> None:
    log, statements, ends, others = case
    sessions = [started(log, statements) for _ in range(2)]
    for session, cut in zip(sessions, (ends, others), strict=True):
        for end in cut:
            log.tick(session, end)
    for info in sessions[0].views():
        first, second = (literally(rows_of(session, info.name)) for session in sessions)
        assert first == second, info.sql


def a_late_view_is_as_recomputed(case, data) -> None:
    """Also one that was made while a pass ran that did not know it."""
    log, statements, ends, _ = case
    session = log.session(CATALOG)
    waiting = list(statements)
    for end in ends:
        for _ in range(data.draw(st.integers(0, len(waiting)), label=f"created before {end}")):
            session.create_view(waiting.pop(0))
        assert_as_recomputed(session, log)
        known = session.fragments()
        if waiting and data.draw(st.booleans(), label=f"created during {end}"):
            session.create_view(waiting.pop(0))
        log.tick(session, end, known)
        assert_as_recomputed(session, log)


def a_restored_session_is_as_recomputed(case, data) -> None:
    log, statements, ends, _ = case
    session = started(log, statements)
    stopped = data.draw(st.sampled_from(ends), label="stopped after")
    for end in ends:
        log.tick(session, end)
        if end == stopped:
            image = session.image()
            session = log.session(CATALOG)
            complaints: list[str] = []
            session.restore(from_bytes(to_bytes(image)), complaints.append)
            session.restored(complaints.append)
            assert not complaints
            assert session.stamp == (image.tick, image.at, image.offset)
        assert_as_recomputed(session, log)


PROPERTIES = {
    every_tick_is_as_recomputed: False,
    a_subscriber_ends_with_the_view: True,
    two_cuts_end_equal: False,
    a_late_view_is_as_recomputed: True,
    a_restored_session_is_as_recomputed: True,
}


def run(prop, wants_data: bool, profile: settings) -> None:
    strategies = (cases(), st.data()) if wants_data else (cases(),)
    profile(given(*strategies)(prop))()


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.__name__)
def test_for_some_logs_queries_and_cuts(prop):
    run(prop, PROPERTIES[prop], few(150))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.__name__)
def test_for_many_logs_queries_and_cuts(prop):
    run(prop, PROPERTIES[prop], many(5000))
