"""The feed against a real Spark: one JVM for the module, a SQLite log, a reader that travels."""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine.model.catalog import Catalog
from engine.model.clock import SECOND, ManualClock
from engine.model.reading import Batch, Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.plan.expressions import Call, Field, Literal
from engine.plan.leaves import StreamFragment
from engine.session import Session
from engine.spark import SparkFeed, SparkSettings, TickInput, close_spark
from federated.optimizer import FederatedOptimizer
from ingest.log import CLOCK_ENTRY, Entry
from ingest.log import Log as RealLog
from ingest.reader import LogReader
from ingest.sources import parse_sources

SEATS = Relation("seats", RelationKind.STREAM, (Column("desk", Type.TEXT), Column("pressed", Type.BOOLEAN)))
LIGHTS = Relation(
    "lights",
    RelationKind.STREAM,
    (Column("room", Type.TEXT), Column("lux", Type.DOUBLE), Column("seq", Type.BIGINT)),
)
DEADLINE = 400.0


class SQLiteReader:
    """Reads rows (offset, at, relation, sign, row as text), a bounded number at a time."""

    def __init__(self, path: Path, bound: int = 1_000) -> None:
        self._path = str(path)
        self._bound = bound

    def read(self, start: int) -> Batch:
        with sqlite3.connect(self._path) as connection:
            found = connection.execute(
                "SELECT offset, at, relation, sign, row FROM log WHERE offset > ? ORDER BY offset LIMIT ?",
                (start, self._bound),
            ).fetchall()
        connection.close()
        if not found:
            return Batch((), start, 0)
        is_poisoned = any(relation == "poison" for _, _, relation, _, _ in found)
        if is_poisoned and not os.path.exists(self._path + ".cure"):
            message = "the reader met poison"
            raise ValueError(message)
        readings = [
            Reading(relation, sign, eval(row), offset, 0, at)
            for offset, at, relation, sign, row in found
            if relation in ("seats", "lights")
        ]
        return Batch(readings, found[-1][0], found[-1][1])


class Log:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.written: list[Reading] = []
        self._connection = sqlite3.connect(path)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute(
            "CREATE TABLE log (offset INTEGER PRIMARY KEY, at INT, relation TEXT, sign INT, row TEXT)"
        )
        self.end = 0

    def write(self, relation: str, row: Row, sign: int = 1) -> int:
        self.end += 1
        at = 1_000 * self.end
        self._connection.execute(
            "INSERT INTO log VALUES (?,?,?,?,?)", (self.end, at, relation, sign, repr(row))
        )
        self._connection.commit()
        if relation in ("seats", "lights"):
            self.written.append(Reading(relation, sign, row, self.end, 0, at))
        return self.end

    def of(self, relation: str) -> list[Reading]:
        return [reading for reading in self.written if reading.relation == relation]


class Ticks:
    """What the feed delivered, and a way to wait for it."""

    def __init__(self) -> None:
        self.inputs: list[TickInput] = []
        self.failing: Callable[[TickInput], None] = lambda tick: None
        self._changed = threading.Condition()

    def __call__(self, tick: TickInput) -> None:
        self.failing(tick)
        with self._changed:
            self.inputs.append(tick)
            self._changed.notify_all()

    def wait_for(self, end: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self.inputs) and self.inputs[-1].end >= end, DEADLINE)

    def wait_for_another(self) -> None:
        with self._changed:
            before = len(self.inputs)
            assert self._changed.wait_for(lambda: len(self.inputs) > before, DEADLINE)

    def of(self, fragment: StreamFragment) -> list[Reading]:
        return [reading for tick in self.inputs for reading in tick.rows.get(fragment, ())]


def all_of(relation: Relation) -> StreamFragment:
    return StreamFragment(relation.name, relation.columns)


def dark(limit: float) -> StreamFragment:
    predicate = Call("<", (Field(1, Type.DOUBLE), Literal(limit, Type.DOUBLE)), Type.BOOLEAN)
    return StreamFragment(LIGHTS.name, LIGHTS.columns, predicate)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSettings]:
    yield SparkSettings(tmp_path_factory.mktemp("state"))
    close_spark()


class Feeding:
    """A log, a feed over it and what it delivers."""

    def __init__(self, folder: Path, settings: SparkSettings, bound: int = 1_000) -> None:
        self.log = Log(folder / "log.db")
        self.ticks = Ticks()
        self.fragments: tuple[StreamFragment, ...] = (all_of(SEATS), all_of(LIGHTS))
        self.interval = 0.0
        self.feed = SparkFeed(
            settings,
            SQLiteReader(self.log.path, bound),
            (SEATS, LIGHTS),
            lambda: self.fragments,
            self.ticks,
            lambda: self.interval,
        )


@pytest.fixture
def feeding(tmp_path: Path, settings: SparkSettings) -> Iterator[Feeding]:
    made = Feeding(tmp_path, settings, bound=7)
    yield made
    made.feed.stop()


def test_every_reading_arrives_once_in_log_order_however_the_log_is_cut(feeding: Feeding) -> None:
    for number in range(40):
        feeding.log.write("seats", (f"d{number}", number % 2 == 0), 1 if number % 5 else -1)
        feeding.log.write("lights", ("r", None if number % 3 == 0 else number / 2, 2**62 + number))
        feeding.log.write("clock", ())
    feeding.feed.start(0)
    feeding.ticks.wait_for(feeding.log.end)
    last = feeding.log.write("lights", (None, None, None))
    feeding.ticks.wait_for(last)
    assert feeding.ticks.of(all_of(SEATS)) == feeding.log.of("seats")
    assert feeding.ticks.of(all_of(LIGHTS)) == feeding.log.of("lights")
    ends = [tick.end for tick in feeding.ticks.inputs]
    assert ends == sorted(set(ends))
    assert len(ends) >= last / 7
    assert [tick.at for tick in feeding.ticks.inputs] == [1_000 * end for end in ends]


def test_a_tick_knows_its_end_and_time_when_no_fragment_takes_a_row(feeding: Feeding) -> None:
    feeding.fragments = ()
    feeding.log.write("seats", ("d", True))
    end = feeding.log.write("clock", ())
    feeding.feed.start(0)
    feeding.ticks.wait_for(end)
    assert feeding.ticks.inputs == [TickInput(end, 1_000 * end, {})]


def test_fragments_change_between_ticks_without_a_restart(feeding: Feeding) -> None:
    feeding.fragments = (all_of(SEATS),)
    end = feeding.log.write("lights", ("r", 10.0, 1))
    feeding.feed.start(0)
    feeding.ticks.wait_for(end)
    many = tuple(dark(float(limit)) for limit in range(100))
    feeding.fragments = (*many, all_of(SEATS), many[0])
    feeding.log.write("seats", ("d", None))
    end = feeding.log.write("lights", ("r", 70.0, 2))
    feeding.ticks.wait_for(end)
    assert feeding.ticks.of(all_of(SEATS)) == feeding.log.of("seats")
    taking = [limit for limit, fragment in enumerate(many) if feeding.ticks.of(fragment)]
    assert taking == list(range(71, 100))
    assert feeding.ticks.of(many[99]) == feeding.log.of("lights")[1:]
    assert feeding.feed.health().failures == 0


def test_a_start_delivers_only_what_follows_its_offset(feeding: Feeding) -> None:
    for number in range(20):
        feeding.log.write("seats", (f"d{number}", True))
    feeding.feed.start(12)
    feeding.ticks.wait_for(20)
    assert feeding.ticks.of(all_of(SEATS)) == feeding.log.of("seats")[12:]


def test_a_failed_query_restarts_after_the_last_closed_tick_and_says_why(feeding: Feeding) -> None:
    feeding.feed.start(0)
    feeding.ticks.wait_for(feeding.log.write("seats", ("before", True)))
    end = feeding.log.write("poison", ())
    wait_until(lambda: feeding.feed.health().failures > 0)
    assert "the reader met poison" in (feeding.feed.health().reason or "")
    Path(f"{feeding.log.path}.cure").touch()
    feeding.ticks.wait_for(end)
    feeding.ticks.wait_for(feeding.log.write("seats", ("after", True)))
    assert feeding.ticks.of(all_of(SEATS)) == feeding.log.of("seats")
    assert feeding.feed.health().reason is None


def test_a_tick_that_the_engine_refused_is_delivered_again_and_a_closed_one_is_not(feeding: Feeding) -> None:
    refusals = iter([True])

    def refuse_once(tick: TickInput) -> None:
        if next(refusals, False):
            message = "not yet"
            raise RuntimeError(message)

    feeding.ticks.failing = refuse_once
    for number in range(20):
        feeding.log.write("seats", (f"d{number}", True))
    feeding.feed.start(0)
    feeding.ticks.wait_for(20)
    assert feeding.ticks.of(all_of(SEATS)) == feeding.log.of("seats")


def test_the_jvm_is_started_again_when_it_dies(feeding: Feeding) -> None:
    feeding.feed.start(0)
    feeding.ticks.wait_for(feeding.log.write("seats", ("before", True)))
    jvm_process().kill()
    end = feeding.log.write("seats", ("after", True))
    feeding.ticks.wait_for(end)
    assert feeding.ticks.of(all_of(SEATS)) == feeding.log.of("seats")


def test_a_slow_pace_holds_ticks_back_until_hurried(feeding: Feeding) -> None:
    feeding.interval = 600.0
    feeding.feed.start(0)
    feeding.ticks.wait_for(feeding.log.write("clock", ()))
    held = feeding.log.write("clock", ())
    threading.Event().wait(1.0)
    assert feeding.ticks.inputs[-1].end < held
    feeding.interval = 0.0
    feeding.feed.hurry()
    feeding.ticks.wait_for(held)


def test_a_held_feed_stops_promptly_and_starts_where_it_stopped(
    tmp_path: Path, settings: SparkSettings
) -> None:
    first = Feeding(tmp_path, settings)
    first.interval = 600.0
    first.feed.start(0)
    end = first.log.write("clock", ())
    first.ticks.wait_for(end)
    began = time.monotonic()
    first.feed.stop()
    assert time.monotonic() - began < 300.0  # of the 600 that it would hold
    assert first.feed.health().closed == end


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < deadline
        pause.wait(0.02)


def jvm_process() -> psutil.Process:
    return next(child for child in psutil.Process().children() if child.name() == "java")


TIMED = parse_sources(
    """
mqtt:
  badges: {topic: "badge/{who}", columns: {who: text, at: timestamp}, event_time: at, skew: 5 seconds}
""",
    {},
)


def test_a_late_row_is_counted_one_of_the_future_waits_and_one_too_far_ahead_is_rejected(
    tmp_path: Path, settings: SparkSettings
) -> None:
    """Over the whole way: a log, the reader in Spark, its decoding, the pass, the session."""
    clock, url = ManualClock(1_000 * SECOND), f"sqlite:///{tmp_path}/real.db"
    session = Session(Catalog(TIMED.relations()), FederatedOptimizer())
    session.create_view("CREATE VIEW seen AS SELECT who FROM badges [RANGE 10 SECONDS] WHERE who <> 'nobody'")
    session.create_view("CREATE VIEW refused AS SELECT topic, reason FROM rejects")
    ticks = Ticks()
    ticks.failing = lambda tick: session.advance(tick.end, tick.at, tick.rows) and None
    reader = LogReader(url, TIMED)
    feed = SparkFeed(settings, reader, TIMED.relations(), session.fragments, ticks)

    def seen_after(**ahead: float) -> list[str]:
        said = [(who, clock.now() + round(off * SECOND)) for who, off in ahead.items()]
        entries = [Entry("mqtt", f"badge/{who}", json.dumps({"at": at}).encode()) for who, at in said]
        ticks.wait_for(log.append([*entries, CLOCK_ENTRY]).offset)
        return sorted(row[0] for row, _ in session.snapshot("seen").rows)

    with RealLog(url, clock) as log:
        feed.start(0)
        try:
            assert seen_after(early=4.0, late=-10.0, far=5.1, on_time=-9.0, nobody=0.0) == ["on_time"]
            clock.advance(SECOND)
            assert seen_after() == []
            clock.advance(3 * SECOND)
            assert seen_after() == ["early"]
            clock.advance(10 * SECOND)
            assert seen_after() == []
        finally:
            feed.stop()
    (told,) = session.punctuality()
    assert (told.late, told.waiting) == (1, 0)
    reason = "stream badges: event time at lies 5.1 s ahead of its arrival; it may lie 5 s ahead"
    assert session.snapshot("refused").rows == ((("badge/far", reason), 1),)
