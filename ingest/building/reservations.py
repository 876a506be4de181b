"""The timetable: bookings of the schedule as an .ics file in real time.

A booking at 10:15 of the schedule is one at the epoch. The file holds the bookings of two schedule days,
which is more than a calendar day; the weekly seminar is one event with a rule and has met for three weeks
already.
"""

from datetime import UTC, datetime, timedelta
from os import replace
from pathlib import Path

from icalendar import Calendar, Event

from ingest.building.bookings import Booking, bookings
from ingest.building.design import the_building
from ingest.building.schedule import Moment, Schedule

DAYS = (0, 1)
WEEKS_BEFORE, WEEKS = 3, 12
DOMAIN = "building.smartcis.example"


def prepare(path: Path, epoch: int, seed: int = 1) -> None:
    """Write the timetable for a start at an epoch, whole or not at all."""
    part = path.with_suffix(".part")
    part.write_bytes(timetable(epoch, seed).to_ical())
    replace(part, path)


def timetable(epoch: int, seed: int) -> Calendar:
    """Return the calendar with all bookings."""
    calendar = Calendar()
    calendar.add("prodid", "-//SmartCIS//simulated building//EN")
    calendar.add("version", "2.0")
    for day in DAYS:
        for number, booking in enumerate(bookings(the_building(), seed, day)):
            calendar.add_component(_event(Schedule(epoch), day, number, booking))
    return calendar


def _event(schedule: Schedule, day: int, number: int, booking: Booking) -> Event:
    event = Event()
    before = timedelta(weeks=WEEKS_BEFORE if booking.weekly else 0)
    event.add("uid", f"{booking.room}-{day}-{number}@{DOMAIN}")
    event.add("dtstamp", _time(schedule.epoch))
    event.add("dtstart", _time(schedule.when(Moment(day, booking.begins))) - before)
    event.add("dtend", _time(schedule.when(Moment(day, booking.ends))) - before)
    event.add("summary", booking.title)
    event.add("location", booking.room)
    if booking.weekly:
        event.add("rrule", {"freq": "weekly", "count": WEEKS})
    return event


def _time(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds // 1_000_000, UTC)
