"""Calendars, as a building declares them.

file, url        where it is; a url may have the keys of ``addresses``
relation         what is reserved now (event, room, title, starts, ends); calendars may share it
turns            a stream of what starts and ends (event, room, title, kind, at)
coming           what starts within ``ahead`` (event, room, title, starts, ends)
poll_seconds     how often what is reserved is looked at; fetch_seconds: how often a url is asked
zone             what times without a zone are in
room             the one room whose calendar this is
rooms            what the calendar says → our room, or rooms
tentative        whether what is not sure takes its room
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from engine.model.durations import UNITS
from engine.model.errors import SourceError, nearest
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from ingest.checked_yaml import duration, mapping, seconds, shown, text
from ingest.sources.addresses import ADDRESS_KEYS, address_of
from ingest.wrappers.fetching import Address

RESERVED_COLUMNS = (
    Column("event", Type.TEXT, nullable=False),
    Column("room", Type.TEXT),
    Column("title", Type.TEXT),
    Column("starts", Type.TIMESTAMP, nullable=False),
    Column("ends", Type.TIMESTAMP, nullable=False),
)
TURN_COLUMNS = (
    *RESERVED_COLUMNS[:3],
    Column("kind", Type.TEXT, nullable=False),
    Column("at", Type.TIMESTAMP, nullable=False),
)
TURNS_WINDOW = "RANGE 1 HOUR"
FETCH_SECONDS = 300.0
KEYS = {"file", "relation", "turns", "coming", "ahead", "poll_seconds", "fetch_seconds", "zone"}
KEYS |= {"room", "rooms", "tentative"}


@dataclass(frozen=True, slots=True)
class CalendarSource:
    """A calendar; ``prefix`` tells its events from those of others in the same relation."""

    name: str
    file: Path | None
    relation_name: str
    poll_seconds: float = 5.0
    address: Address | None = None
    fetch_seconds: float = FETCH_SECONDS
    turns: str | None = None
    coming: str | None = None
    ahead: int = 12 * UNITS["HOUR"]
    zone: str = "UTC"
    room: str | None = None
    rooms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tentative: bool = True
    prefix: str = ""

    @property
    def source(self) -> str:
        """Its name in the log."""
        return f"calendar:{self.name}"

    @property
    def called(self) -> str:
        """What messages call it."""
        return self.file.name if self.file is not None else self.name

    def relations(self) -> tuple[Relation, ...]:
        """Return them as queries know them."""
        source = self.source if not self.prefix else "calendar"
        table = Relation(self.relation_name, RelationKind.TABLE, RESERVED_COLUMNS, ("event",), source=source)
        found = [table]
        if self.coming is not None:
            found.append(replace(table, name=self.coming))
        if self.turns is not None:
            kind, window = RelationKind.STREAM, TURNS_WINDOW
            found.append(Relation(self.turns, kind, TURN_COLUMNS, window=window, source=source))
        return tuple(found)


def calendars_of(items: Sequence[tuple[str, Any]]) -> tuple[CalendarSource, ...]:
    """Return what the section ``calendars`` declares."""
    found = [_calendar(*item) for item in items]
    used = Counter(name for each in found for name in (each.relation_name, each.turns, each.coming) if name)
    shared = {name for name, times in used.items() if times > 1}
    return tuple(
        replace(each, prefix=f"{each.name}/")
        if shared & {each.relation_name, each.turns, each.coming}
        else each
        for each in found
    )


def _calendar(name: str, spec: object) -> CalendarSource:
    where = f"calendar {name}"
    found = mapping(spec, where, KEYS | ADDRESS_KEYS)
    if ("file" in found) == ("url" in found):
        both = "both file and url" if "file" in found else "neither file nor url"
        msg = f"{where} has {both}; expected one of them"
        raise SourceError(msg)
    return CalendarSource(
        name,
        Path(text(found, "file", where)) if "file" in found else None,
        text(found, "relation", where),
        seconds(found, where, 5.0),
        address_of(found, where) if "url" in found else None,
        seconds(found, where, FETCH_SECONDS, "fetch_seconds"),
        text(found, "turns", where) if "turns" in found else None,
        text(found, "coming", where) if "coming" in found else None,
        duration(found, "ahead", where, 12 * UNITS["HOUR"]),
        _zone(found, where),
        text(found, "room", where) if "room" in found else None,
        _rooms(found, where),
        _tentative(found, where),
    )


def _zone(found: dict[str, Any], where: str) -> str:
    name = text(found, "zone", where) if "zone" in found else "UTC"
    if name not in available_timezones():
        near = nearest(name, sorted(available_timezones()))
        msg = f"zone of {where} is {name}; expected a time zone such as Europe/Berlin{near}"
        raise SourceError(msg)
    return ZoneInfo(name).key


def _rooms(found: dict[str, Any], where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    given = mapping(found.get("rooms") or {}, f"rooms of {where}")
    rooms = []
    for place, meant in given.items():
        names = meant if isinstance(meant, list) else [meant]
        if not names or not all(isinstance(one, str) and one for one in names):
            msg = f"{place} in rooms of {where} is {shown(meant)}; expected a room in quotes, or a list"
            raise SourceError(msg)
        rooms.append((place, tuple(names)))
    return tuple(rooms)


def _tentative(found: dict[str, Any], where: str) -> bool:
    said = found.get("tentative", True)
    if not isinstance(said, bool):
        msg = f"tentative of {where} is {shown(said)}; expected true or false"
        raise SourceError(msg)
    return said
