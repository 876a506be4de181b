"""A calendar, as what is reserved now, what starts and ends, and what is coming.

    file, url ─→ content ─once an hour─→ occurrences ─at each poll─→ rows

An occurrence of a recurring event is an event of its own: its key is UID and start, and the room where it
takes several. Rows follow the clock: where the calendar cannot be read, the last that could be goes on, also
after a restart, since the log keeps it; the failure is told in health. What of it cannot be read is rejected
in the log, once for each content.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from engine.model.clock import SECOND, Clock
from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.model.values import Row
from ingest.calendars.occurrences import Found, Occurrence, occurrences
from ingest.calendars.rooms import Rooms
from ingest.calendars.turns import time_of, turns
from ingest.diff import NamedRow, Rows
from ingest.log import StateChange
from ingest.sources import CalendarSource
from ingest.wrappers.calendar_content import Content, ContentReader
from ingest.wrappers.keyed import KeyedWrapper, Said, Tables, UnreadableError

SAMPLE = 200
AHEAD = 3_600 * SECOND  # occurrences are worked out once an hour: rules cost more than a poll may
LONGEST_BACK = 24 * AHEAD
LOOKED, CONTENT = "looked", "content"
TOLD = 3


@dataclass(frozen=True, slots=True)
class _Worked:
    """Occurrences as rows, for polls from one moment to another."""

    content: bytes = b""
    since: int = 0
    until: int = 0
    rows: tuple[NamedRow, ...] = ()
    problem: str = ""
    unmapped: str = ""


class CalendarWrapper(KeyedWrapper):
    """One calendar."""

    def __init__(self, calendar: CalendarSource, clock: Clock) -> None:
        super().__init__(calendar.source, calendar.poll_seconds, clock)
        self._calendar = calendar
        self._rooms = Rooms(dict(calendar.rooms), calendar.room)
        self._reader = ContentReader(calendar, clock)
        self._content: Content | None = None
        self._worked = _Worked()
        self._bad: tuple[bytes, UnreadableError] | None = None
        self._failure: SourceError | None = None
        self._looked: int | None = None
        self._beside: Said = ([], [])

    def describe(self) -> tuple[Relation, ...]:
        """Return its relations."""
        return self._calendar.relations()

    def poll(self) -> Tables:
        """Return what is reserved now, and what is coming."""
        now = self._clock.now()
        state: list[StateChange] = []
        self._failure = None
        try:
            self._take(self._reader.read(), now, state)
        except SourceError as error:
            if self._content is None:
                raise
            self._failure = error
            self._work(self._content, now)
        rows = self._worked.rows
        reserved = _keyed(row for row in rows if time_of(row, "starts") <= now < time_of(row, "ends"))
        tables: dict[str, Rows] = {self._calendar.relation_name: reserved}
        if self._calendar.coming is not None:
            end = now + self._calendar.ahead
            coming = _keyed(row for row in rows if now < time_of(row, "starts") <= end)
            tables[self._calendar.coming] = coming
        self._beside = self._turned(reserved, now, state)
        return tables

    def _take(self, content: Content, now: int, state: list[StateChange]) -> None:
        """Go on with a content, if it is a calendar."""
        self._work(content, now)
        if content != self._content:
            self._content = content
            state.append(StateChange(self.source, CONTENT, content.to_text()))

    def _work(self, content: Content, now: int) -> None:
        worked = self._worked
        if content.body == worked.content and worked.since <= now < worked.until:
            return
        if self._bad is not None and self._bad[0] == content.body:
            raise self._bad[1]
        back = max(self._looked or now, now - LONGEST_BACK)
        end = now + AHEAD + (self._calendar.ahead if self._calendar.coming is not None else 0)
        try:
            found = occurrences(content.body, min(back, now), end, ZoneInfo(self._calendar.zone))
        except Exception as error:  # the parsers raise what they like
            reason = " ".join(str(error).split())[:SAMPLE]
            msg = f"{self._calendar.called} is no calendar: {reason}; the last rows stay"
            unreadable = UnreadableError(msg, content.body[:SAMPLE].decode("utf-8", "replace"))
            self._bad = content.body, unreadable
            raise unreadable from error
        rows, problem, unmapped = tuple(self._rows(found)), _listed(found.problems), self._unmapped(found)
        self._worked = _Worked(content.body, now, now + AHEAD, rows, problem, unmapped)

    def _rows(self, found: Found) -> Iterator[NamedRow]:
        for one in found.occurrences:
            if one.is_tentative and not self._calendar.tentative:
                continue
            rooms = self._rooms.named(one.places).rooms
            for room in rooms or (None,):
                yield self._row(one, room, is_one_of=len(rooms) > 1)

    def _row(self, one: Occurrence, room: str | None, is_one_of: bool) -> NamedRow:
        event = f"{self._calendar.prefix}{one.uid}@{one.starts}"
        return {
            "event": f"{event}/{room}" if is_one_of else event,
            "room": room,
            "title": one.title,
            "starts": one.starts,
            "ends": one.ends,
        }

    def _unmapped(self, found: Found) -> str:
        unknown = (one for one in found.occurrences if not self._rooms.named(one.places).is_known)
        places = sorted({repr(place) for one in unknown for place in one.places})
        return f"rooms: says nothing of {_listed(places)}" if places else ""

    def _turned(self, reserved: Rows, now: int, state: list[StateChange]) -> Said:
        """Return the starts and ends since the last look, and from when on the next are to be told."""
        then, looked = self._said.get(self._calendar.relation_name, {}), self._looked
        self._looked = now
        rows = self._worked.rows if looked is not None else ()
        passed = [r for r in rows if (looked or 0) < time_of(r, "starts") and time_of(r, "ends") <= now]
        found = turns(then, reserved, passed, looked, now)
        name = self._calendar.turns
        changes: list[list[Any]] = [] if name is None else [[1, name, row] for row in found]
        if found:
            state.append(StateChange(self.source, LOOKED, str(now)))
        return changes, state

    def beside(self) -> Said:
        """Return the starts and ends, and what is kept for a restart."""
        return self._beside

    def recall(self, item: str, body: str) -> None:
        """Go on from what the log keeps."""
        if item == LOOKED:
            self._looked = int(body)
        elif item == CONTENT:
            self._content = Content.of_text(body)
            self._reader.knows(self._content)

    def failure(self) -> str:
        """Return why the calendar cannot be read now."""
        return "" if self._failure is None else self._failure.message

    def warning(self) -> str:
        """Return what of it cannot be read, and which places name no room."""
        return "; ".join(filter(None, (self._worked.problem, self._worked.unmapped)))

    def unreadable(self) -> UnreadableError | None:
        """Return what of it cannot be read, to be told in the log."""
        if isinstance(self._failure, UnreadableError):
            return self._failure
        if not self._worked.problem:
            return None
        sample = self._worked.content[:SAMPLE].decode("utf-8", "replace")
        return UnreadableError(f"{self._calendar.called}: {self._worked.problem}", sample)


def _keyed(rows: Iterable[NamedRow]) -> dict[Row, NamedRow]:
    return {(row["event"],): row for row in rows}


def _listed(told: Sequence[str]) -> str:
    more = f", and {len(told) - TOLD} more" if len(told) > TOLD else ""
    return "; ".join(told[:TOLD]) + more
