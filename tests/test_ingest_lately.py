"""When a base row came: what the log said last of it, as far back as the time for looking goes."""

import json
from pathlib import Path

import pytest

from engine.model.clock import SECOND, ManualClock
from ingest import lately
from ingest.lately import Came, LookingBack
from ingest.log import CLOCK_ENTRY, Entry, Log
from ingest.reader import LogReader
from ingest.sources import parse_sources
from tests.memory_log import ORIGIN

SOURCES = parse_sources(
    'mqtt:\n  lights: {topic: "light/{room}", columns: {room: text, lux: double}, key: [room]}\n', {}
)


class Said:
    """A real log of lights, one entry a second."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock(ORIGIN)
        self.url = f"sqlite:///{folder}/log.db"
        self.log = Log(self.url, self.clock)

    def say(self, room: str, lux: float) -> int:
        at = self.clock.now()
        self.log.append([Entry("mqtt", f"light/{room}", json.dumps({"lux": lux}).encode())])
        self.clock.advance(SECOND)
        return at

    def looking(self, **settings: object) -> LookingBack:
        return LookingBack(self.log, LogReader(self.url, SOURCES), **settings)  # type: ignore[arg-type]


@pytest.fixture
def said(tmp_path: Path) -> Said:
    return Said(tmp_path)


def test_the_last_entry_that_says_a_row_is_found_with_its_topic(said: Said) -> None:
    said.say("1.01", 3.0)
    said.say("1.02", 3.0)
    last = said.say("1.01", 3.0)
    said.say("1.01", 9.0)
    found = said.looking()([("lights", ("1.01", 3.0))], said.log.last().offset)
    assert found.came == {("lights", ("1.01", 3.0)): Came(last, "light/1.01")}


def test_what_came_after_the_tick_is_not_what_the_row_stands_on(said: Said) -> None:
    first = said.say("1.01", 3.0)
    end = said.log.last().offset
    said.say("1.01", 3.0)
    found = said.looking()([("lights", ("1.01", 3.0))], end)
    assert found.came[("lights", ("1.01", 3.0))].at == first


def test_the_log_is_read_piece_by_piece_until_all_is_found(
    said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lately, "PIECE", 7)
    moments = {room: said.say(f"1.{room:02}", float(room)) for room in range(40)}
    said.log.append([CLOCK_ENTRY])
    rows = [("lights", (f"1.{room:02}", float(room))) for room in (0, 6, 7, 39)]
    found = said.looking()(rows, said.log.last().offset)
    assert [found.came[row].at for row in rows] == [moments[room] for room in (0, 6, 7, 39)]


def test_a_row_that_nobody_said_is_not_found_and_how_far_was_looked_is_told(said: Said) -> None:
    first = said.say("1.01", 3.0)
    found = said.looking()([("lights", ("1.01", 4.0)), ("measurements", ("x",))], said.log.last().offset)
    assert (found.came, found.since) == ({}, first)


def test_looking_ends_when_its_time_is_over(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lately, "PIECE", 1)
    for room in range(10):
        said.say(f"1.{room:02}", 1.0)
    moments = iter(range(100))
    looking = said.looking(seconds=2.5, now=lambda: float(next(moments)))
    found = looking([("lights", ("1.00", 1.0))], said.log.last().offset)
    assert found.came == {}
    assert found.since == ORIGIN + 8 * SECOND
