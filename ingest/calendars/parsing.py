"""Lines become events by UID, each with what its reader would trip over or misread put right.

    two events of one UID        the later revision (SEQUENCE, LAST-MODIFIED, DTSTAMP) if they are one event;
                                 two events if they start apart and neither is a revision of the other
    no UID                       one made of start, title and place, the same at the next reading
    UNTIL=20240105               the whole of that day, for what recurs at a time of day
    RECURRENCE-ID, EXDATE,       of a date: at the time of day at which the event recurs
    RDATE

References:
    RFC 5545 3.8.4.4 (RECURRENCE-ID), 3.8.4.7 (UID), 3.8.7.4 (SEQUENCE).
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from hashlib import sha256
from typing import Any, NamedTuple

import icalendar
from icalendar.prop import vBroken, vDDDLists, vDDDTypes

from ingest.calendars.lengths import EventError

END_OF_DAY = time(23, 59, 59)
LONGEST_UID = 200
A_TIME = "a time such as 20240131T093000Z"
READ = {
    "DTSTART": A_TIME,
    "DTEND": A_TIME,
    "RECURRENCE-ID": A_TIME,
    "EXDATE": A_TIME,
    "RDATE": A_TIME,
    "DURATION": "a duration such as PT1H30M",
    "RRULE": "a rule such as FREQ=WEEKLY;BYDAY=MO",
}
TOLD_ONCE = ("DTSTART", "DTEND", "DURATION", "RECURRENCE-ID")


class Parsed(NamedTuple):
    """The events of a file, those of one UID together; ``zone`` is its X-WR-TIMEZONE."""

    groups: tuple[tuple[Any, ...], ...]
    zone: str | None
    is_cancelled: bool


def parse(text: str) -> Parsed:
    """Return the events, or raise ValueError if it is no calendar."""
    found = icalendar.Calendar.from_ical(text, multiple=True)
    calendars = [each for each in found if each.name == "VCALENDAR"]
    if not calendars:
        names = ", ".join(str(each.name) for each in found) or "nothing that ends"
        msg = f"it holds {names}; expected VCALENDAR"
        raise ValueError(msg)
    events = [event for calendar in calendars for event in calendar.walk("VEVENT")]
    zone = next((str(each["X-WR-TIMEZONE"]) for each in calendars if "X-WR-TIMEZONE" in each), None)
    cancelled = all(str(each.get("METHOD", "")).upper() == "CANCEL" for each in calendars)
    return Parsed(tuple(_groups(events)), zone, cancelled)


def _groups(events: Iterable[Any]) -> Iterable[tuple[Any, ...]]:
    by_uid: dict[str, list[Any]] = {}
    for event in events:
        event["UID"] = icalendar.vText(uid_of(event))
        by_uid.setdefault(str(event["UID"]), []).append(event)
    for uid, found in by_uid.items():
        changed = [event for event in found if "RECURRENCE-ID" in event]
        first, *others = _apart([event for event in found if "RECURRENCE-ID" not in event]) or [None]
        yield (*([] if first is None else [first]), *changed)
        for number, other in enumerate(others, 2):
            other["UID"] = icalendar.vText(f"{uid}#{number}")
            yield (other,)


def uid_of(event: Any) -> str:
    """Return the UID, or a name made of what the event says."""
    uid = str(event.get("UID") or "").strip()
    if uid and len(uid) <= LONGEST_UID:
        return uid
    said = [uid, *(str(event.get(name, "")) for name in ("SUMMARY", "LOCATION"))]
    start = event.get("DTSTART")
    said.append(start.to_ical().decode() if hasattr(start, "to_ical") else "")
    return f"made-{sha256(chr(10).join(said).encode()).hexdigest()[:16]}"


def _apart(events: Sequence[Any]) -> list[Any]:
    """Return the newest revision; or all, where one UID stands for several events."""
    if not events:
        return []
    newest = max(events, key=_revision)
    same = [event for event in events if _sequence(event) == _sequence(newest)]
    starts = {_ical(event, "DTSTART"): event for event in sorted(same, key=_revision)}
    return list(starts.values()) if len(starts) > 1 else [newest]


def _revision(event: Any) -> tuple[int, str, str]:
    return _sequence(event), _ical(event, "LAST-MODIFIED"), _ical(event, "DTSTAMP")


def _sequence(event: Any) -> int:
    found = event.get("SEQUENCE", 0)
    return int(found) if isinstance(found, int) else 0


def _ical(event: Any, name: str) -> str:
    found = event.get(name)
    return found.to_ical().decode() if hasattr(found, "to_ical") else ""


def start_of(event: Any) -> date:
    """Return when an event starts, or say that it does not, or what of it cannot be read."""
    for name in TOLD_ONCE:
        if isinstance(event.get(name), list):
            msg = f"it has several {name}; expected one"
            raise EventError(msg)
    for name in READ:
        found = event.get(name)
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, vBroken):
                msg = f"its {name} is {str(each)[:40]!r}; expected {READ[name]}"
                raise EventError(msg)
    if "DTSTART" not in event:
        msg = "it has no DTSTART"
        raise EventError(msg)
    start: date = event["DTSTART"].dt
    return start


def mend(event: Any, start: date) -> None:
    """Make what is said of dates fit an event that recurs at a time of day, as ``start`` does."""
    if not isinstance(event.get("SEQUENCE", 0), int):
        del event["SEQUENCE"]
    if not isinstance(start, datetime):
        return
    changed = event.get("RECURRENCE-ID")
    if changed is not None and not isinstance(changed.dt, datetime):
        event["RECURRENCE-ID"] = vDDDTypes(_at(changed.dt, start), changed.params)
    for name in ("EXDATE", "RDATE"):
        found = event.get(name)
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, vDDDLists):
                each.dts = [_timely(one, start) for one in each.dts]
    _mend_rules(event, start)


def _timely(one: Any, start: datetime) -> Any:
    is_day = isinstance(one.dt, date) and not isinstance(one.dt, datetime)
    return vDDDTypes(_at(one.dt, start)) if is_day else one


def _at(day: date, start: datetime) -> datetime:
    return datetime.combine(day, start.timetz())


def _mend_rules(event: Any, start: datetime) -> None:
    rules = event.get("RRULE", [])
    for rule in rules if isinstance(rules, list) else [rules]:
        until = rule.get("UNTIL", [])
        last = until[0] if isinstance(until, list) and until else until or None
        if isinstance(last, date) and not isinstance(last, datetime):
            rule["UNTIL"] = [datetime.combine(last, END_OF_DAY, start.tzinfo)]
