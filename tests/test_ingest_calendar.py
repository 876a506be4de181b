"""Calendars: what is reserved now appears when it starts and disappears when it ends."""

import datetime as dt
from pathlib import Path

import pytest

from engine.model.clock import SECOND, ManualClock
from engine.model.errors import SourceError
from engine.model.values import Row
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import CalendarSource
from ingest.wrapper import SourceState
from ingest.wrappers.calendar import CalendarWrapper
from ingest.wrappers.keyed import UnreadableError

ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:test
{events}
END:VCALENDAR
"""
WEEKLY = """BEGIN:VEVENT
UID:seminar
SUMMARY:Provenance, in \\; rings
LOCATION:r101
DTSTART:20240101T100000Z
DTEND:20240101T113000Z
RRULE:FREQ=WEEKLY
EXDATE:20240115T100000Z
END:VEVENT"""
BERLIN = """BEGIN:VEVENT
UID:berlin
SUMMARY:Summer
LOCATION:r102
DTSTART;TZID=Europe/Berlin:20240701T120000
DURATION:PT1H
END:VEVENT"""
ALL_DAY = """BEGIN:VEVENT
UID:holiday
SUMMARY:Closed
DTSTART;VALUE=DATE:20240201
END:VEVENT"""


def at(text: str) -> int:
    return int(dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC).timestamp()) * SECOND


class Timetable:
    def __init__(self, folder: Path, *events: str) -> None:
        self.file = folder / "reservations.ics"
        self.file.write_text(ICS.format(events="\n".join(events)))
        self.clock = ManualClock()
        self.wrapper = CalendarWrapper(CalendarSource("timetable", self.file, "reserved"), self.clock)

    def reserved(self, moment: str) -> list[Row]:
        self.clock.advance(at(moment) - self.clock.now())
        return [tuple(row.values()) for row in self.wrapper.poll()["reserved"].values()]


@pytest.mark.parametrize(
    ("moment", "rooms"),
    [
        ("2024-01-01 09:59:59", []),
        ("2024-01-01 10:00:00", ["r101"]),
        ("2024-01-08 11:29:59", ["r101"]),
        ("2024-01-08 11:30:00", []),
        ("2024-01-15 10:30:00", []),
        ("2024-07-01 10:30:00", ["r101", "r102"]),
        ("2024-07-01 10:00:00", ["r101", "r102"]),
        ("2024-07-01 11:00:00", ["r101"]),
        ("2024-02-01 23:59:59", [None]),
        ("2024-02-02 00:00:00", []),
    ],
)
def test_a_room_is_reserved_from_start_to_end(tmp_path: Path, moment: str, rooms: list[str | None]) -> None:
    found = Timetable(tmp_path, WEEKLY, BERLIN, ALL_DAY).reserved(moment)
    assert sorted((row[1] for row in found), key=str) == rooms


def test_an_occurrence_is_an_event_of_its_own(tmp_path: Path) -> None:
    (row,) = Timetable(tmp_path, WEEKLY).reserved("2024-01-08 10:30:00")
    starts, ends = at("2024-01-08 10:00:00"), at("2024-01-08 11:30:00")
    assert row == (f"seminar@{starts}", "r101", "Provenance, in ; rings", starts, ends)


def test_a_file_that_is_no_calendar_is_unreadable_and_a_missing_one_is_said(tmp_path: Path) -> None:
    timetable = Timetable(tmp_path, WEEKLY)
    for content in (b"", b"nonsense", b"\xff\xfe\x00", WEEKLY.encode(), b"BEGIN:VCALENDAR\nBEGIN:VEVENT\n"):
        timetable.file.write_bytes(content)
        with pytest.raises(UnreadableError, match=r"reservations\.ics is no calendar"):
            timetable.reserved("2024-01-01 10:30:00")
    timetable.file.unlink()
    with pytest.raises(SourceError, match=r"cannot read .*No such file or directory; expected an \.ics file"):
        timetable.reserved("2024-01-01 10:30:00")


def test_a_broken_file_is_rejected_once_per_content_and_keeps_the_last_rows(tmp_path: Path) -> None:
    timetable = Timetable(tmp_path, WEEKLY)
    timetable.clock.advance(at("2024-01-01 10:30:00"))
    good = timetable.file.read_text()
    log = Log(f"sqlite:///{tmp_path}/log.db")
    writer = LogWriter(log)
    writer.start()
    timetable.wrapper._ending.set()
    timetable.wrapper.open(writer, log)
    timetable.wrapper.step()
    for content in ("broken", "broken", "broken too", good, "broken"):
        timetable.file.write_text(content)
        timetable.wrapper.step()
    assert timetable.wrapper.health().state is SourceState.FAILING
    assert timetable.wrapper.health().rejected == 3
    writer.close()
    topics = [r.topic for r in log.read(0) if r.source == "calendar:timetable"]
    assert topics == ["changes", "reject", "reject", "reject"]
    assert len([item for item in log.state("calendar:timetable") if item.startswith("[")]) == 1
    log.close()
