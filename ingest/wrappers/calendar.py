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

from engine.model.clock import Clock
from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.model.values import Row
from ingest.diff import NamedRow
from ingest.sources import CalendarSource
from ingest.wrappers.keyed import KeyedWrapper, Tables, UnreadableError

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)
SAMPLE = 200


class CalendarWrapper(KeyedWrapper):
    """One .ics file."""

    def __init__(self, calendar: CalendarSource, clock: Clock) -> None:
        super().__init__(calendar.source, calendar.poll_seconds, clock)
        self._calendar = calendar
        self._text = ""
        self._events: recurring_ical_events.CalendarQuery | None = None

    def describe(self) -> tuple[Relation, ...]:
        """Return the one relation."""
        return (self._calendar.relation(),)

    def poll(self) -> Tables:
        """Return what is reserved now."""
        now = self._clock.now()
        moment = EPOCH + now * MICROSECOND
        try:
            occurrences = self._query().at(moment)
            rows = [_row(event) for event in occurrences]
        except SourceError:
            raise
        except Exception as error:  # the parsers raise what they like
            reason = " ".join(str(error).split())[:SAMPLE]
            msg = f"{self._calendar.file.name} is no calendar: {reason}; the last rows stay"
            raise UnreadableError(msg, self._text[:SAMPLE]) from error
        reserved: dict[Row, NamedRow] = {(row["event"],): row for row in rows if _covers(row, now)}
        return {self._calendar.relation_name: reserved}

    def _query(self) -> "recurring_ical_events.CalendarQuery":
        """Return the parsed file, parsed again when its content changed."""
        try:
            text = self._calendar.file.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            msg = f"cannot read {self._calendar.file}: {error.strerror}; expected an .ics file"
            raise SourceError(msg) from error
        if self._events is None or text != self._text:
            self._events, self._text = None, text
            self._events = recurring_ical_events.of(icalendar.Calendar.from_ical(text))
        return self._events


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
