"""The log on SQLite and on a real PostgreSQL: dense, monotonic, whole, whoever appends."""

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from ingest.log import CLOCK_SOURCE, Entry, Log, Position, StateChange
from ingest.log import writer as log_writer
from ingest.log.schema import APPEND_LOCK
from ingest.log.writer import LogWriter
from ingest.snapshots import Snapshots, StoredSnapshot
from tests.environment.waiting import until


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/log.db"
    return str(request.getfixturevalue("postgres"))


def entries(count: int, payload: bytes = b"{}") -> list[Entry]:
    return [Entry("mqtt", f"t/{at}", payload, at) for at in range(count)]


def test_offsets_are_dense_from_one_and_stamps_never_go_back(url: str) -> None:
    clock = ManualClock(100)
    with Log(url, clock) as log:
        assert log.last() == Position(0, 0)
        assert log.append(entries(3)) == Position(3, 100)
        clock.advance(-50)
        assert log.append(entries(1)) == Position(4, 100)
        clock.advance(70)
        assert log.append(entries(2)) == Position(6, 120)
        assert log.append([]) == Position(6, 120)
        found = log.read(0)
    assert [r.offset for r in found] == [1, 2, 3, 4, 5, 6]
    assert [r.received for r in found] == [100, 100, 100, 100, 120, 120]
    assert found[2] == (3, 100, "mqtt", "t/2", 2, b"{}")


def test_any_bytes_and_no_identifier_come_back_as_they_went_in(url: str) -> None:
    odd = Entry("db:facts", "ünï/cödé \U0001f600", bytes(range(256)), None)
    with Log(url) as log:
        log.append([odd])
        found = log.read(0)[0]
    assert (found.source, found.topic, found.payload, found.delivery) == odd


def test_what_no_database_can_hold_in_a_text_is_replaced_and_stops_nothing(url: str) -> None:
    odd = [Entry("registry", "a\0b", b"{}"), Entry("mqtt", "half \ud800", b"\0")]
    with Log(url) as log:
        log.append(odd, [StateChange("device_states", "a\0b", "\udfff\0")])
        assert [record.topic for record in log.read(0)] == ["a\ufffdb", "half ?"]
        assert log.state("device_states") == {"a\ufffdb": "?\ufffd"}
        assert log.holds(odd, 0)
        assert [each.topic for each in log.announced()] == ["a\ufffdb"]


def test_a_read_is_bounded_in_rows_and_bytes_but_gives_at_least_one(url: str) -> None:
    with Log(url) as log:
        log.append(entries(10, b"x" * 100))
        assert [r.offset for r in log.read(2, max_rows=3)] == [3, 4, 5]
        assert [r.offset for r in log.read(2, max_bytes=250)] == [3, 4]
        assert [r.offset for r in log.read(2, max_bytes=1)] == [3]
        assert log.read(10) == []


def test_state_changes_with_the_entries_or_not_at_all(url: str) -> None:
    with Log(url) as log:
        log.append(entries(1), [StateChange("db:a", "1", "x"), StateChange("db:a", "2", "y")])
        log.append(entries(1), [StateChange("db:a", "1", None), StateChange("db:a", "2", "z")])
        broken = Entry("mqtt", "t", None)  # type: ignore[arg-type]
        with pytest.raises(sa.exc.DBAPIError):
            log.append([broken], [StateChange("db:a", "3", "never")])
        assert log.state("db:a") == {"2": "z"}
        assert log.last().offset == 2


def test_a_trim_stays_below_the_oldest_snapshot_and_leaves_what_it_was_told(url: str) -> None:
    snapshots = Snapshots(url)
    with Log(url) as log:
        log.append(entries(100))
        assert log.trim(50, keep=10) == 0, "without a snapshot a start reads everything"
        for tick, offset in ((1, 20), (2, 40), (3, 60), (4, 80)):
            snapshots.save(StoredSnapshot(tick, offset, tick, b"s%d" % tick))
        assert log.trim(1_000, keep=10) == 40
        assert log.read(0)[0].offset == 41
        assert log.trim(1_000, keep=70) == 0
        assert log.append(entries(1)).offset == 101
    snapshots.close()


def test_the_newest_three_snapshots_are_kept(url: str) -> None:
    snapshots = Snapshots(url)
    assert snapshots.latest() is None
    for tick in range(1, 6):
        snapshots.save(StoredSnapshot(tick, tick * 10, tick * 100, b"body %d" % tick))
    assert snapshots.latest() == (5, 50, 500, b"body 5")
    assert snapshots.latest(nth=2) == (3, 30, 300, b"body 3")
    assert snapshots.latest(nth=3) is None
    snapshots.close()


def append_many(log: Log, times: int) -> None:
    for _ in range(times):
        log.append(entries(3))


def test_appenders_at_once_leave_no_gap_and_a_reader_skips_nothing(url: str) -> None:
    logs = [Log(url) for _ in range(4)]
    appenders = [threading.Thread(target=append_many, args=(log, 40)) for log in logs]
    seen: list[int] = []
    with Log(url) as reading:
        for appender in appenders:
            appender.start()
        while any(appender.is_alive() for appender in appenders):
            seen += [r.offset for r in reading.read(seen[-1] if seen else 0, max_rows=7)]
        while more := reading.read(seen[-1]):
            seen += [r.offset for r in more]
    for log in logs:
        log.close()
    assert seen == list(range(1, 481))


def test_a_delayed_commit_holds_the_next_appender_back_so_that_no_offset_is_skipped(postgres: str) -> None:
    """The first has offsets 2 and 3 and does not commit; the second must not become visible before it."""
    slow = sa.create_engine(postgres)
    with Log(postgres) as log, Log(postgres) as second:
        log.append(entries(1))
        with slow.connect() as connection, connection.begin():
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({APPEND_LOCK})")
            for offset in (2, 3):
                connection.exec_driver_sql(f"INSERT INTO log VALUES ({offset}, 5, 'mqtt', 'slow', NULL, '')")
            fast = threading.Thread(target=append_many, args=(second, 1))
            fast.start()
            waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            with slow.connect() as observer:
                until(lambda: observer.exec_driver_sql(waiting).scalar() == 1, 20, "the second to wait")
            assert [r.offset for r in log.read(0)] == [1]
        fast.join()
        assert [(r.offset, r.topic) for r in log.read(1)] == [
            (2, "slow"),
            (3, "slow"),
            (4, "t/0"),
            (5, "t/1"),
            (6, "t/2"),
        ]
    slow.dispose()


def test_a_lost_answer_to_a_commit_can_be_asked_after(url: str) -> None:
    with Log(url) as log:
        log.append(entries(2))
        group = [Entry("mqtt", "a", b"1", 1), Entry("mqtt", "b", b"2", 2)]
        assert not log.holds(group, 2)
        log.append([Entry("clock", "", b""), *group, Entry("clock", "", b"")])
        assert log.holds(group, 2)
        assert not log.holds(group, 4)


def test_the_writer_commits_in_order_and_tells_after_the_commit(url: str) -> None:
    with Log(url) as log:
        writer = LogWriter(log)
        writer.start()
        told: list[tuple[int, int]] = []
        for at in range(200):
            writer.submit([Entry("mqtt", str(at), b"")], lambda at=at: told.append((at, log.last().offset)))
        writer.submit([], lambda: told.append((200, 0)))
        until(lambda: len(told) == 201, 20, "it to happen")
        assert [at for at, _ in told] == list(range(201))
        topics = [r.topic for r in log.read(0) if r.source == "mqtt"]
        assert topics == [str(at) for at in range(200)]
        assert all(offset > at for at, offset in told[:200])
        assert writer.close()


def test_a_silent_log_gets_clock_rows(tmp_path: Path) -> None:
    with Log(f"sqlite:///{tmp_path}/log.db") as log:
        writer = LogWriter(log)
        writer.start()
        until(lambda: log.last().offset >= 3, 5, "it to happen")
        assert {r.source for r in log.read(0)} == {CLOCK_SOURCE}
        writer.close()


def test_while_the_database_fails_everything_stays_queued_and_submitters_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_writer, "MAX_QUEUED", 50)
    with Log(f"sqlite:///{tmp_path}/log.db") as log:
        breaker = sa.create_engine(f"sqlite:///{tmp_path}/log.db")
        with breaker.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE log RENAME TO away")
        writer = LogWriter(Log(f"sqlite:///{tmp_path}/other.db"))
        writer._log = log
        writer.start()
        submitting = threading.Thread(
            target=lambda: [writer.submit([Entry("mqtt", str(at), b"")]) for at in range(500)]
        )
        submitting.start()
        until(lambda: writer.health().blocked > 0 and writer.health().error, 20, "the first attempt to fail")
        assert "no such table" in writer.health().error
        with breaker.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE away RENAME TO log")
        submitting.join(120)
        until(lambda: writer.health().rows >= 500, 20, "it to happen")
        assert [r.topic for r in log.read(0) if r.source == "mqtt"] == [str(at) for at in range(500)]
        assert writer.health().error == ""
        writer.close()
        breaker.dispose()


def test_a_callback_that_fails_does_not_stop_the_log(tmp_path: Path) -> None:
    with Log(f"sqlite:///{tmp_path}/log.db") as log:
        writer = LogWriter(log)
        writer.start()
        writer.submit(entries(1), lambda: 1 / 0)  # type: ignore[arg-type, return-value]
        told = threading.Event()
        writer.submit(entries(1), told.set)
        assert told.wait(120)
        writer.close()


def test_a_url_of_another_database_says_what_was_expected() -> None:
    with pytest.raises(SourceError, match="names mysql; expected sqlite:///path or postgresql://host/name"):
        Log("mysql://x/y")


def test_an_unknown_durability_says_what_was_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMARTCIS_LOG_SYNC", "off")
    with pytest.raises(SourceError, match="SMARTCIS_LOG_SYNC is OFF; expected FULL or NORMAL"):
        Log("sqlite:///:memory:")
