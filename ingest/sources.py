"""What a building's sources.yaml declares, as values.

    mqtt:       streams whose rows come from topic parts and JSON payloads
    databases:  tables that are polled; their columns are reflected, not declared
    calendars:  .ics files, as the relation of what is reserved

A stream may say when its rows happened (``event_time``: a column; ``skew``: how far in the future of
their arrival at most, else a minute; ``lateness``: how long panes wait for them) and which type of
``device`` feeds it.

``${NAME}`` is replaced from the environment, so that a file can be shared without its secrets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.model.errors import SourceError, nearest
from engine.model.relation import DEFAULT_SKEW, REJECTS, Column, Relation, RelationKind
from engine.model.values import SCALARS, Type
from ingest.checked_yaml import duration, expand, mapping, names, seconds, text
from ingest.topics import TopicPattern, covering_filters

TIMES = ("event_time", "skew", "lateness")
CALENDAR_COLUMNS = (
    Column("event", Type.TEXT, nullable=False),
    Column("room", Type.TEXT),
    Column("title", Type.TEXT),
    Column("starts", Type.TIMESTAMP, nullable=False),
    Column("ends", Type.TIMESTAMP, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Field:
    """Where a column's value comes from: a level of the topic, or a path into the payload."""

    name: str
    type: Type
    level: int | None = None
    path: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class MqttStream:
    """Messages of a topic pattern, as rows."""

    name: str
    topic: TopicPattern
    fields: tuple[Field, ...]
    key: tuple[str, ...] = ()
    window: str | None = None
    event_time: str | None = None
    skew: int = DEFAULT_SKEW
    lateness: int = 0
    device: str | None = None

    def relation(self) -> Relation:
        """Return it as queries know it."""
        return Relation(
            self.name,
            RelationKind.STREAM,
            tuple(Column(field.name, field.type, field.optional) for field in self.fields),
            self.key,
            self.window,
            "mqtt",
            self.event_time,
            self.skew,
            self.lateness,
            self.device,
        )


@dataclass(frozen=True, slots=True)
class DatabaseSource:
    """Tables of a database, polled."""

    name: str
    url: str
    tables: tuple[str, ...]
    poll_seconds: float = 2.0

    @property
    def source(self) -> str:
        """Its name in the log."""
        return f"db:{self.name}"


@dataclass(frozen=True, slots=True)
class CalendarSource:
    """A calendar file, as the rooms reserved now."""

    name: str
    file: Path
    relation_name: str
    poll_seconds: float = 5.0

    @property
    def source(self) -> str:
        """Its name in the log."""
        return f"calendar:{self.name}"

    def relation(self) -> Relation:
        """Return it as queries know it."""
        return Relation(
            self.relation_name, RelationKind.TABLE, CALENDAR_COLUMNS, ("event",), source=self.source
        )


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything declared."""

    streams: tuple[MqttStream, ...] = ()
    databases: tuple[DatabaseSource, ...] = ()
    calendars: tuple[CalendarSource, ...] = ()

    def relations(self) -> tuple[Relation, ...]:
        """Return what needs no database to be known: streams, calendars and rejects."""
        streams = [stream.relation() for stream in self.streams]
        return (*streams, *(calendar.relation() for calendar in self.calendars), REJECTS)

    def filters(self) -> tuple[str, ...]:
        """Return the topic filters to subscribe to."""
        return covering_filters(stream.topic for stream in self.streams)


def load_sources(path: Path, environment: Mapping[str, str]) -> Sources:
    """Read a sources.yaml."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}; expected the building's sources.yaml"
        raise SourceError(msg) from error
    return parse_sources(text, environment, path.name)


def parse_sources(text: str, environment: Mapping[str, str], name: str = "sources.yaml") -> Sources:
    """Return what a text declares, or raise the first thing that is wrong with it."""
    try:
        found = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        msg = f"{name} is not YAML: {' '.join(str(error).split())}"
        raise SourceError(msg) from error
    root = mapping(expand(found, environment), name, {"mqtt", "databases", "calendars"})
    sources = Sources(
        tuple(stream_of(*item) for item in _section(root, "mqtt")),
        tuple(_database(*item) for item in _section(root, "databases")),
        tuple(_calendar(*item) for item in _section(root, "calendars")),
    )
    _check_names(sources)
    return sources


def _section(root: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    return list(mapping(root.get(name) or {}, name).items())


def stream_of(name: str, spec: object) -> MqttStream:
    """Return the stream that a section under ``mqtt`` declares."""
    where = f"stream {name}"
    found = mapping(spec, where, {"topic", "columns", "key", "window", "device", *TIMES})
    topic = TopicPattern(text(found, "topic", where))
    topic.check(name)
    columns = mapping(found.get("columns"), f"columns of {where}")
    fields = tuple(_field(column, one, topic, where) for column, one in columns.items())
    key = names(found, "key", where)
    _check_columns(topic, key, list(columns), where)
    window, device = (text(found, each, where) if each in found else None for each in ("window", "device"))
    return MqttStream(name, topic, fields, key, window, *times_of(found, fields, where), device)


def times_of(
    found: dict[str, Any], fields: Sequence[Field | Column], where: str
) -> tuple[str | None, int, int]:
    """Return the column that says when a row happened, the skew and the lateness."""
    if "event_time" not in found:
        for each in TIMES:
            if each in found:
                msg = f"{each} of {where} needs event_time: the column that says when a row happened"
                raise SourceError(msg)
        return None, DEFAULT_SKEW, 0
    column = text(found, "event_time", where)
    timestamps = [field.name for field in fields if field.type is Type.TIMESTAMP]
    if column not in timestamps:
        there = f"there are {', '.join(timestamps) or 'none'}{nearest(column, timestamps)}"
        msg = f"event_time of {where} names {column}, which is no column of type timestamp; {there}"
        raise SourceError(msg)
    return column, duration(found, "skew", where, DEFAULT_SKEW), duration(found, "lateness", where, 0)


def _check_columns(topic: TopicPattern, key: tuple[str, ...], columns: list[str], where: str) -> None:
    for part in topic.parts:
        if part not in columns:
            msg = f"topic {topic.text} of {where} names {part}, no column; declare it or write + instead"
            raise SourceError(msg)
    for one in key:
        if one not in columns:
            there = f"there are {', '.join(columns)}{nearest(one, columns)}"
            msg = f"key of {where} names {one}, which is no column; {there}"
            raise SourceError(msg)


def _field(name: str, spec: object, topic: TopicPattern, where: str) -> Field:
    if isinstance(spec, str):
        spec = {"type": spec}
    here = f"column {name} of {where}"
    found = mapping(spec, here, {"type", "path", "optional"})
    kind = text(found, "type", here)
    types = [str(one) for one in SCALARS]
    if kind not in types:
        msg = f"type of {here} is {kind}; expected one of {', '.join(types)}{nearest(kind, types)}"
        raise SourceError(msg)
    if "path" not in found and name in topic.parts:
        return Field(name, Type(kind), level=topic.parts[name])
    path = tuple(str(found.get("path", name)).split(".")) if "path" in found else (name,)
    return Field(name, Type(kind), path=path, optional=bool(found.get("optional", False)))


def _database(name: str, spec: object) -> DatabaseSource:
    where = f"database {name}"
    found = mapping(spec, where, {"url", "poll_seconds", "tables"})
    tables = names(found, "tables", where)
    return DatabaseSource(name, text(found, "url", where), tables, seconds(found, where, 2.0))


def _calendar(name: str, spec: object) -> CalendarSource:
    where = f"calendar {name}"
    found = mapping(spec, where, {"file", "relation", "poll_seconds"})
    file = Path(text(found, "file", where))
    return CalendarSource(name, file, text(found, "relation", where), seconds(found, where, 5.0))


def _check_names(sources: Sources) -> None:
    tables = [table for database in sources.databases for table in database.tables]
    names = [relation.name for relation in sources.relations()] + tables
    for name in names:
        if names.count(name) > 1:
            msg = f"two sources declare the relation {name}; rename one of them"
            raise SourceError(msg)
