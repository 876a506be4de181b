"""How long an event takes: whole days by the calendar, the rest by the clock.

    DTEND             exact: the same length in each occurrence, so 23:00 to 07:00 ends at 08:00 when the
                      clocks went forward
    DURATION:P1DT2H   a day of the calendar, of 23 to 25 hours, then exactly two hours
    dates             whole days; one that ends on the day it begins takes that day

Their reader adds wall-clock times, which makes 02:30 to 03:30 empty on the day of the gap; so it is given a
plain DTEND, and ``end_of`` says when an occurrence really ends.

References:
    RFC 5545 3.3.6 (nominal and exact durations), 3.8.5.3 (the length of what recurs), 3.3.5 (gaps, folds).
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from icalendar.prop import vDDDTypes

LENGTH = "X-SMARTCIS-LENGTH"
DAY = timedelta(days=1)
NOTHING = timedelta()


class EventError(Exception):
    """An event cannot be read; the message is the reason."""


class Length(NamedTuple):
    """``plain`` is what the reader of rules is told."""

    plain: timedelta
    days: timedelta
    exact: timedelta


def moment(value: date, zone: tzinfo) -> datetime:
    """Return when it is, in UTC: a date begins at midnight, what names no zone is in this one."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    return value.astimezone(UTC)


def measure(event: Any, start: date, zone: ZoneInfo) -> None:
    """Note how long an event takes, and give it a plain end."""
    found = _length(event, start, zone)
    if found.plain < NOTHING or found.exact < NOTHING:
        msg = "it ends before it starts"
        raise EventError(msg)
    event.pop("DURATION", None)
    event["DTEND"] = vDDDTypes(start + found.plain)
    event[LENGTH] = found


def _length(event: Any, start: date, zone: ZoneInfo) -> Length:
    end, duration = event.get("DTEND"), event.get("DURATION")
    if not isinstance(start, datetime):
        return _of_days(start, end, duration)
    if end is not None:
        here = zone if start.tzinfo is None else start.tzinfo
        exact = moment(end.dt, here) - moment(start, zone)
        return Length(exact, NOTHING, exact)
    taken = duration.td if duration is not None else NOTHING
    days = timedelta(taken.days) if taken >= NOTHING else NOTHING
    return Length(taken, days, taken - days)


def _of_days(start: date, end: Any, duration: Any) -> Length:
    if end is not None and isinstance(end.dt, datetime):
        msg = "it starts on a day and ends at a time of day"
        raise EventError(msg)
    days = end.dt - start if end is not None else NOTHING
    days = timedelta(duration.td.days) if duration is not None else days
    return Length(days or DAY, days or DAY, NOTHING)


def end_of(occurrence: Any, start: date, zone: ZoneInfo) -> datetime:
    """Return when an occurrence ends, in UTC."""
    said, length = occurrence["DTEND"].dt, occurrence[LENGTH]
    if said - start != length.plain:  # a period of an RDATE has a length of its own
        return moment(said, zone)
    ends: datetime = moment(start + length.days, zone) + length.exact
    return ends
