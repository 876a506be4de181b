"""A calendar file, as the relation of what is reserved now: (event, room, title, starts, ends).

LOCATION is the room; a row appears when its occurrence starts and disappears when it ends. An
occurrence of a recurring event is an event of its own: its key is UID and start. Recurrence rules are
recurring-ical-events', never ours. A file that cannot be read keeps the last rows, and is rejected in
the log once per content.
"""

import datetime as dt
from typing import Any

import icalendar
import recurring_ical_events

from engine.model.clock import SECOND, Clock
from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.model.values import Row
from ingest.diff import NamedRow
from ingest.sources import CalendarSource
from ingest.wrappers.keyed import KeyedWrapper, Tables, UnreadableError

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)
SAMPLE = 200
AHEAD = 3_600 * SECOND  # occurrences are worked out once an hour: rules cost more than a poll may


class CalendarWrapper(KeyedWrapper):
    """One .ics file."""

    def __init__(self, calendar: CalendarSource, clock: Clock) -> None:
        super().__init__(calendar.source, calendar.poll_seconds, clock)
        self._calendar = calendar
        self._text: str | None = None
        self._rows: list[NamedRow] = []
        self._horizon = (0, 0)

    def describe(self) -> tuple[Relation, ...]:
        """Return the one relation."""
        return (self._calendar.relation(),)

    def poll(self) -> Tables:
        """Return what is reserved now."""
        now, text = self._clock.now(), self._read()
        begin, end = self._horizon
        if text != self._text or not begin <= now < end:
            self._text, self._horizon = text, (0, 0)
            self._rows = self._expand(text, now)
            self._horizon = (now, now + AHEAD)
        reserved: dict[Row, NamedRow] = {(row["event"],): row for row in self._rows if _covers(row, now)}
        return {self._calendar.relation_name: reserved}

    def _read(self) -> str:
        try:
            return self._calendar.file.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            msg = f"cannot read {self._calendar.file}: {error.strerror}; expected an .ics file"
            raise SourceError(msg) from error

    def _expand(self, text: str, now: int) -> list[NamedRow]:
        """Return the occurrences from now until AHEAD."""
        begin, end = (EPOCH + moment * MICROSECOND for moment in (now, now + AHEAD))
        try:
            return [_row(event) for event in recurring_ical_events.of(_parse(text)).between(begin, end)]
        except Exception as error:  # the parsers raise what they like
            reason = " ".join(str(error).split())[:SAMPLE]
            msg = f"{self._calendar.file.name} is no calendar: {reason}; the last rows stay"
            raise UnreadableError(msg, text[:SAMPLE]) from error


def _parse(text: str) -> icalendar.Component:
    found = icalendar.Calendar.from_ical(text)
    if found.name != "VCALENDAR":
        msg = f"it begins with {found.name}; expected VCALENDAR"
        raise ValueError(msg)
    return found


def _row(event: Any) -> NamedRow:
    starts = _microseconds(event["DTSTART"].dt)
    ends = _microseconds(event["DTEND"].dt) if "DTEND" in event else starts
    uid = str(event.get("UID", event.get("SUMMARY", "")))
    return {
        "event": f"{uid}@{starts}",
        "room": str(event["LOCATION"]) if "LOCATION" in event else None,
        "title": str(event["SUMMARY"]) if "SUMMARY" in event else None,
        "starts": starts,
        "ends": ends,
    }


def _microseconds(moment: dt.date) -> int:
    """Return a date's midnight or a moment; times without a zone are the building's UTC."""
    if not isinstance(moment, dt.datetime):
        moment = dt.datetime.combine(moment, dt.time(), dt.UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return (moment - EPOCH) // MICROSECOND


def _covers(row: NamedRow, now: int) -> bool:
    starts, ends = row["starts"], row["ends"]
    return isinstance(starts, int) and isinstance(ends, int) and starts <= now < ends
