"""Calendars while time goes on: over HTTP, with turns and what is coming, through failures and restarts."""

import datetime as dt
import gzip
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.model.catalog import Catalog
from engine.model.clock import SECOND, ManualClock
from ingest.calendars.rooms import Rooms
from ingest.calendars.turns import turns
from ingest.decoding.decoder import Decoder
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import CalendarSource, Sources, parse_sources
from ingest.wrapper import SourceState
from ingest.wrappers.calendar import CalendarWrapper
from tests.environment.web_server import Answer, Asked, WebServer, web_server
from tests.memory_log import MemoryLog

MINUTE, HOUR = 60 * SECOND, 3_600 * SECOND
MORNING = int(dt.datetime(2024, 7, 1, 8, tzinfo=dt.UTC).timestamp()) * SECOND


def event(uid: str, starts: int, ends: int, *lines: str) -> str:
    def said(at: int) -> str:
        return f"{dt.datetime.fromtimestamp(at // SECOND, dt.UTC):%Y%m%dT%H%M%SZ}"

    body = (f"UID:{uid}", f"SUMMARY:{uid}", f"DTSTART:{said(starts)}", f"DTEND:{said(ends)}", *lines)
    return "\r\n".join(("BEGIN:VEVENT", *body, "END:VEVENT", ""))


def calendar(*events: str) -> bytes:
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{''.join(events)}END:VCALENDAR\r\n".encode()


class Running:
    """A wrapper whose polls are ours, over a log of its own."""

    def __init__(self, folder: Path, source: CalendarSource, at: int = MORNING) -> None:
        self.clock = ManualClock(at)
        self.source = source
        self.log = Log(f"sqlite:///{folder}/log.db", self.clock)
        self.begin()

    def begin(self) -> None:
        self.writer = LogWriter(self.log)
        self.writer.start()
        self.wrapper = CalendarWrapper(self.source, self.clock)
        self.wrapper._ending.set()
        self.wrapper.open(self.writer, self.log)

    def restart(self) -> None:
        self.writer.close()
        self.begin()

    def poll(self, at: int | None = None) -> None:
        self.clock.advance((at or self.clock.now()) - self.clock.now())
        self.wrapper.step()

    def readings(self) -> list[tuple[str, int, tuple[Any, ...]]]:
        self.writer.close()
        decoder = Decoder(Sources(calendars=(self.source,)))
        readings = [reading for record in self.log.read(0) for reading in decoder.decode(record)]
        self.writer = self.wrapper._writer = LogWriter(self.log)
        self.writer.start()
        return [(reading.relation, reading.sign, reading.row) for reading in readings]

    def rows(self, relation: str) -> set[tuple[Any, ...]]:
        found: dict[tuple[Any, ...], int] = {}
        for name, sign, row in self.readings():
            if name == relation:
                found[row] = found.get(row, 0) + sign
        assert set(found.values()) <= {0, 1}
        return {row for row, count in found.items() if count}


@pytest.fixture
def web() -> Iterator[WebServer]:
    with web_server() as served:
        yield served


def over_http(url: str, **said: Any) -> CalendarSource:
    spec = {"url": f"{url}/secret/x.ics", "relation": "reserved", "fetch_seconds": 60, **said}
    return parse_sources(repr({"calendars": {"t": spec}}), {}).calendars[0]


def test_a_calendar_is_asked_for_what_changed_and_its_rows_follow_the_clock(
    tmp_path: Path, web: WebServer
) -> None:
    body = calendar(event("talk", MORNING + HOUR, MORNING + 2 * HOUR, "LOCATION:2.01"))

    def answer(asked: Asked) -> Answer:
        if asked.headers.get("if-none-match") == '"1"':
            return Answer(304)
        return Answer(200, gzip.compress(body), (("ETag", '"1"'), ("Content-Encoding", "gzip")))

    web.answer = answer
    running = Running(tmp_path, over_http(web.url, user="ada", password="pass", coming="coming"))
    running.poll()
    assert len(running.rows("coming")) == 1
    running.poll(MORNING + 30 * SECOND)
    assert len(web.asked) == 1
    running.poll(MORNING + HOUR)
    assert [row[1:3] for row in running.rows("reserved")] == [("2.01", "talk")]
    running.poll(MORNING + 2 * HOUR)
    assert (running.rows("reserved"), running.rows("coming")) == (set(), set())
    assert len(web.asked) > 1
    assert all(asked.headers["authorization"] == "Basic YWRhOnBhc3M=" for asked in web.asked)


def test_when_the_server_is_away_the_last_calendar_goes_on_also_after_a_restart(
    tmp_path: Path, web: WebServer
) -> None:
    web.says(body=calendar(event("talk", MORNING + HOUR, MORNING + 2 * HOUR)), etag='"1"')
    running = Running(tmp_path, over_http(web.url))
    running.poll()
    web.says(503, retry_after="600")
    running.poll(MORNING + HOUR)
    health = running.wrapper.health()
    assert (health.state, health.problem) == (
        SourceState.FAILING,
        f"{web.url} answers 503 Service Unavailable",
    )
    assert len(running.rows("reserved")) == 1
    asked = len(web.asked)
    running.restart()
    web.says(503)
    running.poll(MORNING + 2 * HOUR)
    assert running.rows("reserved") == set()
    assert web.asked[asked].headers["if-none-match"] == '"1"'


def test_a_server_that_asks_to_be_left_alone_is(tmp_path: Path, web: WebServer) -> None:
    web.says(429, retry_after="600")
    running = Running(tmp_path, over_http(web.url))
    running.poll()
    running.poll(MORNING + 599 * SECOND)
    assert len(web.asked) == 1
    assert running.wrapper.health().state is SourceState.FAILING
    web.says(body=calendar())
    running.poll(MORNING + 600 * SECOND)
    assert running.wrapper.health().state is SourceState.LIVE


def test_a_page_instead_of_a_calendar_is_rejected_once_and_the_last_one_goes_on(
    tmp_path: Path, web: WebServer
) -> None:
    web.says(body=calendar(event("talk", MORNING, MORNING + HOUR)))
    running = Running(tmp_path, over_http(web.url))
    running.poll()
    web.says(body=b"<html>Sign in</html>")
    for minutes in (2, 4, 6):
        running.poll(MORNING + minutes * MINUTE)
    assert "t is no calendar" in running.wrapper.health().problem
    assert [name for name, _, _ in running.readings()].count("rejects") == 1
    running.poll(MORNING + HOUR)
    assert running.rows("reserved") == set()


def test_what_of_a_calendar_cannot_be_read_is_told_and_the_rest_stands(tmp_path: Path) -> None:
    file = tmp_path / "c.ics"
    bad = "BEGIN:VEVENT\r\nUID:bad\r\nEND:VEVENT\r\n"
    file.write_bytes(calendar(bad, event("good", MORNING, MORNING + HOUR, "LOCATION:Attic")))
    running = Running(tmp_path, CalendarSource("c", file, "reserved", rooms=(("Cellar", ("0.01",)),)))
    running.poll()
    running.poll(MORNING + MINUTE)
    assert running.wrapper.health().problem == "event bad: it has no DTSTART; rooms: says nothing of 'Attic'"
    (rejected,) = [row for name, _, row in running.readings() if name == "rejects"]
    assert rejected[2] == "c.ics: event bad: it has no DTSTART"
    assert len(running.rows("reserved")) == 1


def test_starts_and_ends_are_told_once_each_also_those_that_nobody_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "c.ics"
    events = [
        event("before", MORNING - HOUR, MORNING + MINUTE),
        event("short", MORNING + 2 * MINUTE, MORNING + 3 * MINUTE),
        event("bell", MORNING + 4 * MINUTE, MORNING + 4 * MINUTE),
        event("long", MORNING + 5 * MINUTE, MORNING + HOUR),
    ]
    file.write_bytes(calendar(*events))
    running = Running(tmp_path, CalendarSource("c", file, "reserved", turns="turned"))
    running.poll()
    running.restart()
    running.poll(MORNING + 10 * MINUTE)
    running.poll(MORNING + 11 * MINUTE)
    file.write_bytes(calendar())
    running.poll(MORNING + 12 * MINUTE)
    found = [
        (row[2], row[3], (row[4] - MORNING) // MINUTE)
        for name, _, row in running.readings()
        if name == "turned"
    ]
    assert found == [
        ("before", "start", -60),
        ("before", "end", 1),
        ("short", "start", 2),
        ("short", "end", 3),
        ("bell", "start", 4),
        ("bell", "end", 4),
        ("long", "start", 5),
        ("long", "end", 12),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_however_seldom_a_calendar_is_looked_at_the_same_starts_and_ends_are_told(seed: int) -> None:
    draw = Random(seed)
    rows = []
    for number in range(30):
        starts = draw.randrange(1, 1_000)
        row = {"event": str(number), "room": draw.choice("ab"), "title": None, "starts": starts}
        rows.append({**row, "ends": starts + draw.choice((0, 1, 10, 300))})
    expected = sorted(
        [(r["starts"], r["event"], "start") for r in rows] + [(r["ends"], r["event"], "end") for r in rows]
    )
    said: dict[Any, Any] = {}
    told: list[Any] = []
    looked = 0
    for now in [*sorted(draw.sample(range(1, 1_400), draw.randrange(0, 60))), 1_400]:
        reserved = {(r["event"],): r for r in rows if r["starts"] <= now < r["ends"]}
        passed = [r for r in rows if looked < r["starts"] and r["ends"] <= now]
        told += turns(said, reserved, passed, looked, now)
        said, looked = reserved, now
    assert sorted((t["at"], t["event"], t["kind"]) for t in told) == expected
    assert [t["at"] for t in told] == sorted(t["at"] for t in told)


def test_an_event_that_goes_to_another_room_ends_in_the_one_and_starts_in_the_other() -> None:
    row = {"event": "e", "title": None, "starts": 10, "ends": 90}
    then, now = {("e",): {**row, "room": "a"}}, {("e",): {**row, "room": "b"}}
    found = [(t["room"], t["kind"], t["at"]) for t in turns(then, now, (), 40, 50)]
    assert found == [("b", "start", 50), ("a", "end", 50)]


def test_places_become_rooms_by_alias() -> None:
    rooms = Rooms({"Seminar Room 2 (Lovelace)": ("2.01",), "Great  Hall": ("1.01", "1.02"), "R 3": ("3.01",)})
    assert rooms.named(["seminar room 2 (lovelace)"]) == (("2.01",), True)
    assert rooms.named(["Great Hall"]) == (("1.01", "1.02"), True)
    assert rooms.named(["R 3; Great Hall"]) == (("3.01", "1.01", "1.02"), True)
    assert rooms.named(["R 3, Attic"]) == (("3.01", "Attic"), False)
    assert rooms.named(["Attic"]) == (("Attic",), False)
    assert rooms.named([]) == ((), True)
    assert Rooms({}).named(["Attic"]) == (("Attic",), True)
    assert Rooms({}, "2.01").named(["anything"]) == (("2.01",), True)


def test_calendars_of_one_room_each_may_feed_one_relation(tmp_path: Path) -> None:
    files = [tmp_path / "a.ics", tmp_path / "b.ics"]
    for file in files:
        file.write_bytes(calendar(event("same", MORNING, MORNING + HOUR)))
    spec = {f.stem: {"file": str(f), "relation": "reserved", "room": f.stem.upper()} for f in files}
    sources = parse_sources(repr({"calendars": spec}), {})
    assert [relation.name for relation in sources.calendar_relations()] == ["reserved"]
    events = [
        next(iter(CalendarWrapper(c, ManualClock(MORNING)).poll()["reserved"].values()))
        for c in sources.calendars
    ]
    assert [(row["event"].partition("/")[0], row["room"]) for row in events] == [("a", "A"), ("b", "B")]


def test_what_is_not_sure_takes_its_room_unless_it_is_said_not_to(tmp_path: Path) -> None:
    file = tmp_path / "c.ics"
    file.write_bytes(calendar(event("maybe", MORNING, MORNING + HOUR, "STATUS:TENTATIVE")))
    for tentative in (True, False):
        source = CalendarSource("c", file, "reserved", tentative=tentative)
        assert bool(CalendarWrapper(source, ManualClock(MORNING)).poll()["reserved"]) is tentative


def test_the_log_alone_says_what_was_reserved(tmp_path: Path) -> None:
    """The same log decodes to the same rows, whatever the file says by then."""
    file = tmp_path / "c.ics"
    file.write_bytes(calendar(event("talk", MORNING, MORNING + HOUR)))
    running = Running(tmp_path, CalendarSource("c", file, "reserved", turns="turned", coming="coming"))
    for minutes in (-30, 0, 30, 60):
        with suppress(ValueError):
            running.poll(MORNING + minutes * MINUTE)
    before = running.readings()
    file.unlink()
    assert running.readings() == before
    assert [name for name, _, _ in before] == ["coming", "turned", "reserved", "coming", "turned", "reserved"]


DOCS = Path(__file__).parent.parent / "docs" / "calendars.md"


def test_the_examples_of_the_docs_are_what_they_say() -> None:
    blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```$", DOCS.read_text("utf-8"), re.MULTILINE | re.DOTALL))
    sources = parse_sources(blocks["yaml"], {"CALENDAR_PASSWORD": "p"})
    relations = sources.calendar_relations()
    assert [relation.name for relation in relations] == ["reserved", "coming", "turned"]
    log = MemoryLog()
    session = log.session(Catalog(relations))
    session.create_view(blocks["sql"])
    log.write(1, "coming", ("a", "2.01", "A", 50, 60), ("b", "2.01", "B", 30, 40), ("c", "3.10", "C", 20, 30))
    log.write(1, "reserved", ("d", "3.10", "D", 0, 10))
    log.tick(session)
    assert session.snapshot("free_until").rows == ((("2.01", 30), 1),)
