"""What a calendar has between two moments.

    bytes ─lines, zones→ events by UID ─recurring-ical-events→ occurrences ─UTC, exact ends→ Found

One event that cannot be read costs that event alone: it is told, the others stand. Left out: what is
cancelled, and what is transparent, since it takes nobody's room. The title of a private event is its own.

References:
    RFC 5545 3.8.1.3 (CLASS), 3.8.1.11 (STATUS), 3.8.2.7 (TRANSP).
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

from ingest.calendars.budget import Budget, TooMuchError
from ingest.calendars.lengths import EventError, end_of, measure, moment
from ingest.calendars.parsing import Parsed, mend, parse, start_of
from ingest.calendars.text import lines_of, zoned
from ingest.calendars.zones import meaning

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MARGIN = timedelta(days=2)  # zones, and ends that are exact, move an occurrence by less
MOST = 2_000
LONGEST = 500
UNTOLD = ("PRIVATE", "CONFIDENTIAL")


class Occurrence(NamedTuple):
    """One time that an event happens; ``places`` is what the calendar says, which may name no room."""

    uid: str
    title: str | None
    places: tuple[str, ...]
    starts: int
    ends: int
    is_tentative: bool = False


class Found(NamedTuple):
    """The occurrences in order, and what could not be read, each in a line."""

    occurrences: tuple[Occurrence, ...]
    problems: tuple[str, ...]


def occurrences(content: bytes, begin: int, end: int, zone: ZoneInfo) -> Found:
    """Return what overlaps or touches the time between; raise ValueError if it is no calendar."""
    text, unknown = zoned(lines_of(content), zone)
    problems = [f"time zone {name[:60]} is not known; read as {zone.key}" for name in unknown]
    parsed = parse(text)
    found: list[Occurrence] = []
    budget = Budget()
    for group in () if parsed.is_cancelled else parsed.groups:
        try:
            with budget.spending():
                found += _expanded(group, parsed, (begin, end), zone)
        except TooMuchError:
            problems.append(f"event {_named(group)}: its rule takes too long to work out")
        except EventError as error:
            problems.append(f"event {_named(group)}: {error}")
        except Exception as error:  # the parsers raise what they like
            problems.append(f"event {_named(group)}: {' '.join(str(error).split())[:100]}")
    return Found(tuple(sorted(set(found), key=_order)), tuple(problems))


def _order(one: Occurrence) -> tuple[int, str, int, str]:
    return one.starts, one.uid, one.ends, repr(one)


def _named(group: Sequence[Any]) -> str:
    title = " ".join(str(group[0].get("SUMMARY", "")).split())[:40]
    return f"{str(group[0]['UID'])[:40]} ({title})" if title else str(group[0]["UID"])[:40]


def _expanded(
    group: Sequence[Any], parsed: Parsed, between: tuple[int, int], zone: ZoneInfo
) -> Iterator[Occurrence]:
    calendar = icalendar.Calendar()
    local = meaning(parsed.zone or "") or zone.key
    if parsed.zone is not None and meaning(parsed.zone) is not None:
        calendar.add("x-wr-timezone", local)
    here = ZoneInfo(local)
    for event in group:
        start = start_of(event)
        measure(event, start, here)
        mend(event, start_of(group[0]))
        calendar.add_component(event)
    begin, end = (EPOCH + at * MICROSECOND for at in between)
    query = recurring_ical_events.of(calendar)
    for number, event in enumerate(query.between(begin - MARGIN, end + MARGIN)):
        if number == MOST:
            msg = f"it happens more than {MOST} times"
            raise EventError(msg)
        if _takes_a_room(event):
            occurrence = _occurrence(event, here)
            if occurrence.starts <= between[1] and occurrence.ends >= between[0]:
                yield occurrence


def _takes_a_room(event: Any) -> bool:
    is_cancelled = _word(event, "STATUS") == "CANCELLED"
    is_free = "TRANSPARENT" in _word(event, "TRANSP") or _word(event, "X-MICROSOFT-CDO-BUSYSTATUS") == "FREE"
    return not is_cancelled and not is_free


def _occurrence(event: Any, zone: ZoneInfo) -> Occurrence:
    start: date = event["DTSTART"].dt
    return Occurrence(
        str(event["UID"]),
        None if _word(event, "CLASS") in UNTOLD else _text(event, "SUMMARY"),
        tuple(_places(event)),
        (moment(start, zone) - EPOCH) // MICROSECOND,
        (end_of(event, start, zone) - EPOCH) // MICROSECOND,
        "TENTATIVE" in (_word(event, "STATUS"), _word(event, "X-MICROSOFT-CDO-BUSYSTATUS")),
    )


def _places(event: Any) -> Iterator[str]:
    """Yield the LOCATION, or else the rooms that were invited and did not decline."""
    location = _text(event, "LOCATION")
    if location is not None:
        yield location
        return
    found = event.get("ATTENDEE", [])
    for attendee in found if isinstance(found, list) else [found]:
        said = attendee.params
        if (
            str(said.get("CUTYPE", "")).upper() == "ROOM"
            and str(said.get("PARTSTAT", "")).upper() != "DECLINED"
        ):
            yield str(said.get("CN", attendee))[:LONGEST]


def _word(event: Any, name: str) -> str:
    return str(event.get(name, "")).strip().upper()


def _text(event: Any, name: str) -> str | None:
    found = event.get(name)
    text = " ".join(str(found[0] if isinstance(found, list) else found).split()) if found is not None else ""
    return text[:LONGEST] or None
