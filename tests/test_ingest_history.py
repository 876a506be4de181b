"""The log read back: what a window that comes later would hold had it always been there."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from engine.model.catalog import Catalog
from engine.model.clock import SECOND, ManualClock
from engine.model.reading import Reading
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from ingest.history import LogHistory
from ingest.log import CLOCK_ENTRY, Entry, Log
from ingest.reader import LogReader
from ingest.sources import parse_sources
from tests.memory_log import ORIGIN, rows_of
from tests.oracle import evaluate

SOURCES = parse_sources(
    """
mqtt:
  badges:
    topic: badge/{who}
    columns: {who: text, at: timestamp}
    key: [who]
    event_time: at
    skew: 10 seconds
    lateness: 5 seconds
  lights: {topic: "light/{room}", columns: {room: text, lux: double}, key: [room]}
""",
    {},
)


class Replayed:
    """A real log, a session that follows it, and all that was ever read of it."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock(ORIGIN)
        url = f"sqlite:///{folder}/log.db"
        self.log = Log(url, self.clock)
        self.reader = LogReader(url, SOURCES)
        history = LogHistory(self.log, LogReader(url, SOURCES))
        self.session = Session(Catalog(SOURCES.relations()), FederatedOptimizer(), history)
        self.readings: list[Reading] = []

    def write(self, *said: tuple[str, dict]) -> None:
        self.log.append([Entry("mqtt", topic, json.dumps(body).encode()) for topic, body in said])

    def tick(self) -> None:
        self.log.append([CLOCK_ENTRY])
        batch = self.reader.read(self.session.stamp.offset)
        self.readings += batch.readings
        asked = {
            fragment: [r for r in batch.readings if r.relation == fragment.relation]
            for fragment in self.session.fragments()
        }
        self.session.advance(batch.end, batch.at, asked)

    def expected(self, name: str) -> Counter:
        return evaluate(self.session._views[name].logical, self.readings, self.session.stamp.at)


@pytest.fixture
def replayed(tmp_path: Path) -> Replayed:
    return Replayed(tmp_path)


WINDOWS = (
    "badges [RANGE 7 SECONDS]",
    "badges [RANGE 3 SECONDS SLIDE 4 SECONDS]",
    "badges [RANGE 5 SECONDS] SAMPLE PERIOD 3 SECONDS",
    "badges [UNBOUNDED]",
    "badges [PARTITION BY who ROWS 2]",
    "lights [RANGE 5 SECONDS]",
    "lights [RANGE 6 SECONDS SLIDE 4 SECONDS]",
    "lights [RANGE 9 SECONDS] SAMPLE PERIOD 4 SECONDS",
)


def test_a_window_asked_for_late_is_filled_as_far_back_as_it_reaches(replayed: Replayed) -> None:
    random = Random(7)
    for _ in range(60):
        now = replayed.clock.now()
        for _ in range(3):
            off = random.choice((9, 4, 1, 0, -1, -2, -6, -12))
            replayed.write((f"badge/{random.choice('abc')}", {"at": now + off * SECOND}))
            replayed.write((f"light/{random.choice('ab')}", {"lux": random.randrange(4)}))
        replayed.tick()
        replayed.clock.advance(random.choice((0, 400_000, SECOND)))
    for number, window in enumerate(WINDOWS):
        replayed.session.create_view(f"CREATE VIEW v{number} AS SELECT * FROM {window}")
    for _ in range(12):
        for number, window in enumerate(WINDOWS):
            assert rows_of(replayed.session, f"v{number}") == replayed.expected(f"v{number}"), window
        replayed.clock.advance(SECOND)
        replayed.tick()


def test_a_view_of_rejects_is_filled_too(replayed: Replayed) -> None:
    replayed.write(("badge/a", {"at": ORIGIN + 11 * SECOND}), ("badge/b", {"at": ORIGIN + 10 * SECOND}))
    replayed.tick()
    replayed.session.create_view("CREATE VIEW why AS SELECT topic, reason FROM rejects [RANGE 1 MINUTE]")
    reason = "stream badges: event time at lies 11.0 s ahead of its arrival; it may lie 10 s ahead"
    assert rows_of(replayed.session, "why") == {("badge/a", reason): 1}


def test_a_window_of_rows_reads_back_past_hours_of_silence(replayed: Replayed) -> None:
    replayed.write(("light/a", {"lux": 1}), ("light/b", {"lux": 2}))
    replayed.clock.advance(9 * 3_600 * SECOND)
    replayed.tick()
    replayed.session.create_view("CREATE VIEW v AS SELECT room FROM lights [PARTITION BY room ROWS 1]")
    replayed.session.create_view("CREATE VIEW n AS SELECT count(*) AS n FROM lights [UNBOUNDED]")
    assert rows_of(replayed.session, "v") == {("a",): 1, ("b",): 1}
    assert rows_of(replayed.session, "n") == {(2,): 1}
