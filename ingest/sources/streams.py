"""Streams of devices that speak MQTT.

    topic: building/seat/{desk}                        the device speaks to everybody
    topic: …      field: field/+/seat/{desk}           its gateway hears it, and hands on all that it says
    field: field/+/radiator/{room}                     its gateway hears it, and is asked for what is needed

The second level after ``field`` is the gateway. A stream may say

    format, each   json, plain (the payload is the value) or senml; the array of which each element is a row
    event_time     the column that says when a row happened; ``skew``: how far in the future of its arrival
                   at most, else a minute; ``lateness``: how long panes wait for it
    device         which type of device feeds it; measures: which of its values are measurements of devices
    sequence       the column that numbers a device's messages; priority: low, normal or high: under pressure
                   low is shed first, high never; retention: how long its history is kept
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.model.errors import SourceError, nearest
from engine.model.relation import DEFAULT_SKEW, SENSOR_SITE, STREAM_SITE, Column, Relation, RelationKind
from engine.model.values import Type
from ingest.checked_yaml import duration, mapping, names, shown, text
from ingest.sources.columns import Field, fields_of
from ingest.sources.formats import JSON, SENML, read_as
from ingest.sources.measures import Measures, measures_of
from ingest.sources.paths import Origin, Path
from ingest.topics import TopicPattern

TIMES = ("event_time", "skew", "lateness")
CARE = ("sequence", "priority", "retention")
MAPPED = ("format", "each", "measures", *CARE)
KEYS = {"topic", "field", "columns", "key", "window", "device", *TIMES, *MAPPED}
LOW, NORMAL, HIGH = PRIORITIES = ("low", "normal", "high")
BUS = "field"
RESERVED = ("fragment", "fragments", "gateway", "mesh", BUS)


@dataclass(frozen=True, slots=True)
class MqttStream:
    """Messages of a topic pattern, as rows; ``bus`` is where gateways hear them.

    Without a topic the fields are those of the bus.
    """

    name: str
    topic: TopicPattern | None
    fields: tuple[Field, ...]
    key: tuple[str, ...] = ()
    window: str | None = None
    event_time: str | None = None
    skew: int = DEFAULT_SKEW
    lateness: int = 0
    device: str | None = None
    bus: TopicPattern | None = None
    format: str = JSON
    each: Path | None = None
    measures: Measures | None = None
    sequence: str | None = None
    priority: str = HIGH
    retention: int | None = None

    def relation(self) -> Relation:
        """Return it as queries know it."""
        return Relation(
            self.name,
            RelationKind.STREAM,
            tuple(Column(field.name, field.type, field.nullable) for field in self.fields),
            self.key,
            self.window,
            "mqtt",
            self.event_time,
            self.skew,
            self.lateness,
            self.device,
            STREAM_SITE if self.topic is not None else SENSOR_SITE,
            self.gateways,
        )

    @property
    def gateways(self) -> str:
        """Who hears it: the gateway that its bus names, + for all, nobody where it speaks to everybody."""
        level = "" if self.bus is None else self.bus.levels[1]
        return "+" if level.startswith("{") else level

    def on_bus(self) -> "MqttStream":
        """Return a stream that is asked on demand as a gateway hears it: its topic is the bus's."""
        assert self.topic is None
        return replace(self, topic=self.bus)

    def forwarded(self, heard: str) -> str:
        """Return the topic under which a gateway hands on what it heard under one of its bus."""
        assert self.topic is not None
        assert self.bus is not None
        levels = heard.split("/")
        named = {level: levels[self.bus.parts[name]] for name, level in self.topic.parts.items()}
        return "/".join(named.get(level, word) for level, word in enumerate(self.topic.levels))


def stream_of(name: str, spec: object) -> MqttStream:
    """Return the stream that a section under ``mqtt`` declares."""
    where = f"stream {name}"
    found = mapping(spec, where, KEYS)
    topic = _pattern(found, "topic", name) if "topic" in found or BUS not in found else None
    bus = _pattern(found, BUS, name) if BUS in found else None
    _check_topics(topic, bus, where)
    columns = mapping(found.get("columns"), f"columns of {where}")
    read_from = topic or bus
    assert read_from is not None
    fields = fields_of(columns, read_from, where)
    key = names(found, "key", where)
    _check_columns([each for each in (topic, bus) if each is not None], key, list(columns), where)
    window, device = (text(found, each, where) if each in found else None for each in ("window", "device"))
    times = times_of(found, fields, where)
    stream = MqttStream(name, topic, fields, key, window, *times, device, bus, *read_as(found, fields, where))
    return _with_care(stream, found, where)


def _with_care(stream: MqttStream, found: dict[str, Any], where: str) -> MqttStream:
    """Return the stream with what is to be done with its rows besides."""
    _check_gateways(stream, found, where)
    sequence = text(found, "sequence", where) if "sequence" in found else None
    numbers = [
        f.name for f in stream.fields if f.type in (Type.BIGINT, Type.TEXT) and _is_of_message(stream, f)
    ]
    if sequence is not None and sequence not in numbers:
        there = f"there are {', '.join(numbers) or 'none'}{nearest(sequence, numbers)}"
        what = "no column of type bigint or text that a message has one of"
        msg = f"sequence of {where} names {sequence}, which is {what}; {there}"
        raise SourceError(msg)
    priority = found.get("priority", HIGH)
    if priority not in PRIORITIES:
        there = f"expected {', '.join(PRIORITIES)}{nearest(str(priority), list(PRIORITIES))}"
        msg = f"priority of {where} is {shown(priority)}; {there}"
        raise SourceError(msg)
    named = [each for each in (stream.event_time, sequence) if each is not None]
    measures = measures_of(found["measures"], stream.fields, named, where) if "measures" in found else None
    retention = duration(found, "retention", where, 0) or None
    return replace(stream, measures=measures, sequence=sequence, priority=priority, retention=retention)


def _check_gateways(stream: MqttStream, found: dict[str, Any], where: str) -> None:
    """What gateways are asked for they decode themselves: without keys, and for who asked alone."""
    hiding = [field.name for field in stream.fields if field.pseudonym]
    if stream.topic is None and (hiding or "measures" in found):
        what = f"the pseudonym {hiding[0]}" if hiding else "measures"
        msg = f"{where} has {what} and no topic, so only gateways decode it; give it a topic beside its field"
        raise SourceError(msg)


def _is_of_message(stream: MqttStream, field: Field) -> bool:
    """Tell whether a message has one value of a column, however many rows it has."""
    is_one_row = stream.each is None and stream.format != SENML
    return (
        field.path is None or is_one_row or (stream.each is not None and field.path.origin is Origin.PAYLOAD)
    )


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


def _pattern(found: dict[str, Any], key: str, name: str) -> TopicPattern:
    pattern = TopicPattern(text(found, key, f"stream {name}"))
    pattern.check(name)
    return pattern


def _check_topics(topic: TopicPattern | None, bus: TopicPattern | None, where: str) -> None:
    if topic is not None and topic.levels[0] in RESERVED:
        there = f"{', '.join(f'{word}/' for word in RESERVED)} are what gateways speak on"
        remedy = f"; write {BUS}: instead" if topic.levels[0] == BUS else "; take another first level"
        msg = f"topic {topic.text} of {where} begins with {topic.levels[0]}/; {there}{remedy}"
        raise SourceError(msg)
    if bus is None:
        return
    if bus.levels[0] != BUS or len(bus.levels) < len((BUS, "gateway", "device")) or bus.levels[1] == "#":
        msg = f"field of {where} is {bus.text}; expected {BUS}/+/…, where + is the gateway"
        raise SourceError(msg)
    if topic is None:
        return
    if "+" in topic.levels or "#" in topic.levels:
        there = "expected words and {names} alone, so that a gateway can write it"
        msg = f"topic {topic.text} of {where}, which has a field, has + or #; {there}"
        raise SourceError(msg)
    for part in topic.parts:
        if part not in bus.parts:
            there = f"field {bus.text} has {', '.join(bus.parts) or 'none'}{nearest(part, list(bus.parts))}"
            msg = f"topic {topic.text} of {where} names {part}, which a gateway does not hear; {there}"
            raise SourceError(msg)


def _check_columns(
    patterns: Sequence[TopicPattern], key: Sequence[str], columns: list[str], where: str
) -> None:
    for topic in patterns:
        for part in topic.parts:
            if part not in columns:
                msg = f"topic {topic.text} of {where} names {part}, no column; declare it or write + instead"
                raise SourceError(msg)
    for one in key:
        if one not in columns:
            there = f"there are {', '.join(columns)}{nearest(one, columns)}"
            msg = f"key of {where} names {one}, which is no column; {there}"
            raise SourceError(msg)
