"""The timetable: rooms are reserved now, one is about to be, and the weekly seminar recurs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import icalendar
import recurring_ical_events

from ingest.building.bookings import WEEKLY
from ingest.building.design import the_building
from ingest.building.reservations import prepare

NOW = datetime(2026, 3, 4, 22, 30, 15, tzinfo=UTC)
EPOCH = int(NOW.timestamp()) * 1_000_000


def timetable(tmp_path: Path) -> recurring_ical_events.CalendarQuery:
    path = tmp_path / "reservations.ics"
    prepare(path, EPOCH)
    return recurring_ical_events.of(icalendar.Calendar.from_ical(path.read_bytes()))


def test_at_the_start_some_rooms_are_reserved_and_one_more_is_within_two_minutes(tmp_path: Path):
    events = timetable(tmp_path)
    now = {event["LOCATION"] for event in events.at(NOW)}
    soon = {event["LOCATION"] for event in events.at(NOW + timedelta(minutes=2))}
    rooms = {room.id for room in the_building().rooms}
    assert len(now) >= 3
    assert now <= rooms
    assert len(soon - now) == 1


def test_the_weekly_seminar_met_last_week_and_will_meet_next_week(tmp_path: Path):
    events = timetable(tmp_path)
    for weeks in (-1, 0, 1):
        titles = [event["SUMMARY"] for event in events.at(NOW + timedelta(weeks=weeks))]
        assert WEEKLY in titles


def test_the_lecture_hall_is_in_use_when_people_first_look(tmp_path: Path):
    hall = next(room.id for room in the_building().rooms if room.kind == "hall")
    assert hall in {event["LOCATION"] for event in timetable(tmp_path).at(NOW)}
