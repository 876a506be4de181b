"""What a stream's messages held goes from the log after its own time; offsets and what is needed stay."""

from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.model.clock import SECOND, ManualClock
from ingest.declarations import entry_of
from ingest.decoding.decoder import Decoder
from ingest.log import Entry, Log
from ingest.log.check import verify
from ingest.log.retention import Retention, beginning
from ingest.log.schema import SNAPSHOTS, open_engine
from ingest.sources import parse_sources
from ingest.topics import TopicPattern
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.window import DeliveryWindow

SOURCES = """
mqtt:
  sightings:
    topic: sighting/{detector}/{person}
    columns: {detector: text, person: {type: text, pseudonym: true}, rssi: double}
    retention: 1 hour
  near: {topic: "sighting/{detector}/+", columns: {detector: text}, retention: 2 hours}
  visits: {topic: "visit/{person}", columns: {person: text}, retention: 1 hour}
  lights: {topic: "light/{room}", columns: {room: text, lux: double}}
"""
HOUR = 3_600 * SECOND
SAID = ("sighting/d1/ann", "visit/ann", "light/1.01")


class Kept:
    def __init__(self, url: str) -> None:
        self.url, self.clock = url, ManualClock()
        self.log = Log(url, self.clock)
        self.sources = replace(parse_sources(SOURCES, {}), pseudonym_key=b"k")
        self.retention = Retention(url, self.sources.streams)

    def says(self, *topics: str) -> None:
        self.log.append([Entry("mqtt", topic, b'{"rssi": -50, "lux": 1}') for topic in topics])

    def snapshot(self, offset: int) -> None:
        engine = open_engine(self.url)
        with engine.begin() as connection:
            connection.execute(sa.delete(SNAPSHOTS))
            connection.execute(sa.insert(SNAPSHOTS).values(tick=1, offset=offset, taken_at=0, body=b""))
        engine.dispose()

    def topics(self) -> list[str]:
        return [record.topic for record in self.log.read(0)]


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    is_file = request.param == "sqlite"
    return Kept(f"sqlite:///{tmp_path}/log.db" if is_file else str(request.getfixturevalue("postgres")))


def test_each_topic_goes_after_its_own_time(kept: Kept) -> None:
    kept.says(*SAID)
    kept.clock.advance(HOUR + SECOND)
    kept.says(*SAID)
    kept.snapshot(6)
    assert kept.retention.forget(kept.clock) == 1
    assert kept.topics() == ["sighting/d1/ann", "", "light/1.01", *SAID]
    assert kept.retention.forget(kept.clock) == 0
    kept.clock.advance(HOUR)
    kept.says("light/1.02")
    kept.retention.forget(kept.clock)
    assert kept.topics() == ["", "", "light/1.01", "sighting/d1/ann", "", "light/1.01", "light/1.02"]
    kept.clock.advance(HOUR)
    kept.retention.forget(kept.clock)
    assert kept.topics() == ["", "", "light/1.01", "", "", "light/1.01", "light/1.02"]
    window = DeliveryWindow()
    window.remember(Message("visit/bob", b"", 9, dup=True))
    window.restore(kept.log.read(0), "mqtt")
    assert window.is_redelivery(Message("visit/bob", b"", 9, dup=True)), "an emptied entry begins no session"
    assert b"ann" not in b"".join(record.payload for record in kept.log.read(0))
    assert verify(kept.url).problems == ()
    decoder = Decoder(kept.sources)
    found = [r.relation for record in kept.log.read(0) for r in decoder.decode(record)]
    assert found == ["lights"] * 3, "an empty entry says nothing"


def test_what_a_start_would_read_stays(kept: Kept) -> None:
    kept.says(*SAID)
    kept.clock.advance(3 * HOUR)
    kept.says("light/1.01")
    assert kept.retention.forget(kept.clock) == 0, "there is no snapshot"
    kept.snapshot(1)
    assert kept.retention.forget(kept.clock) == 1
    assert kept.topics() == ["", *SAID[1:], "light/1.01"]
    kept.snapshot(4)
    assert kept.retention.forget(kept.clock) == 1
    assert kept.topics() == ["", "", "light/1.01", "light/1.01"]


def test_a_stream_that_is_declared_later_counts_too(kept: Kept) -> None:
    kept.says("heard/ann", "visit/ann")
    kept.clock.advance(2 * HOUR)
    kept.says("light/1.01")
    kept.snapshot(3)
    assert kept.retention.forget(kept.clock) == 1
    spec = {"topic": "heard/{person}", "columns": {"person": "text"}, "retention": "1 hour"}
    kept.log.append([entry_of({"name": "heard", "kind": "stream", "wrapper": "mqtt", "spec": spec})])
    assert kept.retention.forget(kept.clock) == 1
    assert kept.topics()[:3] == ["", "", "light/1.01"]


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [("a/{b}/c", "a"), ("a/b", "a/b"), ("+/b", ""), ("a/b/#", "a/b"), ("#", ""), ("a_%/+", "a_%")],
)
def test_what_all_topics_of_a_pattern_begin_with(pattern: str, begins: str) -> None:
    assert beginning(TopicPattern(pattern)) == begins


def test_a_long_log_is_gone_through_at_once(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.log.retention.SLICE", 7)
    kept.says(*[topic for n in range(20) for topic in (f"visit/p{n}", "light/1.01")])
    kept.clock.advance(2 * HOUR)
    kept.says("light/1.01")
    kept.snapshot(40)
    assert kept.retention.forget(kept.clock) == 20
    assert set(kept.topics()) == {"", "light/1.01"}
