"""A log entry becomes readings; what cannot be decoded becomes a row of ``rejects``, never an error.

    mqtt        topic parts and JSON payload, by every stream whose pattern matches the topic; what gateways
                say of fragments and of themselves (``gateway_words``)
    db:, calendar:   the changes of keyed rows, and what could not be read
    written     the same, of rows that people write; sites: of gateways that come and go
    clock, declared   nothing: they only move time, and say what there is

Strict in kind: a number is no text, true is no number, NaN is nothing; only an integer may stand
for a double. What a stream does not declare is ignored.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from engine.model.clock import SECOND
from engine.model.reading import Reading
from engine.model.relation import REJECTS, SENSOR_SITE, SITES, Relation
from engine.model.values import Row, Value
from ingest.declarations import is_outlived, name_of
from ingest.field_values import FieldError, check_of, reader_of, shown
from ingest.gateway_words import forgetting, fragment_named, gateway_named, signed_rows, site_row
from ingest.log import CLOCK_SOURCE, DECLARED_SOURCE, Record
from ingest.sources import RESERVED, MqttStream, Sources

MAX_PAYLOAD = 1_000_000
KNOWN_TOPICS = 50_000
SAMPLE = 200
CHANGE_PARTS = 3
FRAGMENT = "fragment:"

StreamDecoder = Callable[[Any, int], Row]
Keyed = Callable[[dict[str, Any]], Row]


class Decoder:
    """Decodes entries of one building's sources; ``declared`` are the names of all that ever was."""

    def __init__(
        self,
        sources: Sources,
        tables: Iterable[Relation] = (),
        declared: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._streams = [(s, s.topic) for s in sources.streams if s.topic is not None]
        known = (*tables, *(calendar.relation() for calendar in sources.calendars), SITES)
        self._tables = {relation.name: relation for relation in known}
        self._keyed = {relation.name: _keyed_decoder(relation) for relation in known}
        self._declared = declared
        self._by_topic: dict[str, list[tuple[str, StreamDecoder]]] = {}

    def decode(self, record: Record) -> list[Reading]:
        """Return the readings of one entry."""
        if record.source == "mqtt":
            return self._decode_message(record)
        if record.source in (CLOCK_SOURCE, DECLARED_SOURCE):
            return []
        return self._decode_keyed(record)

    def _decode_message(self, record: Record) -> list[Reading]:
        offset, at, _, topic, _, payload = record
        if not topic:
            return []
        if topic.partition("/")[0] in RESERVED:
            return self._decode_gateway(record)
        decoders = self._by_topic.get(topic)
        if decoders is None:
            decoders = self._learn(topic)
        if not decoders:
            return [_reject(record, 0, f"no source declares topic {topic}")]
        try:
            found = parse(payload)
        except FieldError as error:
            return [_reject(record, 0, str(error))]
        readings = []
        for ordinal, (name, decode) in enumerate(decoders):
            try:
                readings.append(Reading(name, 1, decode(found, at), offset, ordinal, at))
            except FieldError as error:
                readings.append(_reject(record, ordinal, f"stream {name}: {error}"))
        return readings

    def _decode_gateway(self, record: Record) -> list[Reading]:
        """Return what a gateway says; what a fragment still says after its end is of no use to anybody."""
        offset, at, _, topic, _, payload = record
        fragment, gateway = fragment_named(topic), gateway_named(topic)
        relation = self._tables.get(fragment or "")
        if relation is None and fragment in self._declared:
            return []
        try:
            if relation is not None:
                found = enumerate(signed_rows(relation, topic, parse(payload)))
                return [Reading(relation.name, sign, row, offset, n, at) for n, (sign, row) in found]
            if gateway is not None:
                row = site_row(gateway, parse(payload), at, self._declared)
                return [Reading(SITES.name, 1, row, offset, 0, at)]
        except FieldError as error:
            return [_reject(record, 0, str(error))]
        return [_reject(record, 0, f"nobody asked for {topic}")]

    def _learn(self, topic: str) -> list[tuple[str, StreamDecoder]]:
        """Compile what decodes this topic. Topics are few; a sender of ever new ones must not fill memory."""
        if len(self._by_topic) >= KNOWN_TOPICS:
            self._by_topic.clear()
        matching = (stream for stream, pattern in self._streams if pattern.matches(topic))
        decoders = [(stream.name, stream_decoder(stream, topic)) for stream in matching]
        self._by_topic[topic] = decoders
        return decoders

    def _decode_keyed(self, record: Record) -> list[Reading]:
        try:
            found = parse(record.payload, limit=1 << 30)
        except FieldError as error:
            return [_reject(record, 0, str(error))]
        if isinstance(found, dict) and isinstance(found.get("reject"), dict):
            reject = found["reject"]
            return [_reject(record, 0, str(reject.get("reason")), str(reject.get("sample")))]
        changes = found.get("changes") if isinstance(found, dict) else None
        if not isinstance(changes, list):
            return [_reject(record, 0, 'payload is no {"changes": [[sign, table, row]]}')]
        wanted = [each for each in enumerate(changes) if not is_outlived(each[1], self._declared)]
        readings = [self._decode_change(record, *each) for each in wanted]
        return readings + self._forgotten(record, found.get("removed", []), len(changes))

    def _forgotten(self, record: Record, gateways: Sequence[str], first: int) -> list[Reading]:
        """Return what takes back the rows of gateways that are removed, of every fragment."""
        fragments = [r for r in self._tables.values() if r.source == SENSOR_SITE] if gateways else []
        gone = [(r.name, *forgetting(r, gateway)) for r in fragments for gateway in gateways]
        return [
            Reading(name, sign, row, record.offset, ordinal, record.received)
            for ordinal, (name, sign, row) in enumerate(gone, first)
        ]

    def _decode_change(self, record: Record, ordinal: int, change: object) -> Reading:
        if not isinstance(change, list) or len(change) != CHANGE_PARTS:
            return _reject(record, ordinal, "a change is no [sign, table, row]")
        sign, table, row = change
        table = name_of(table)
        decode = self._keyed.get(table) if isinstance(table, str) else None
        if decode is None:
            return _reject(record, ordinal, f"no source declares table {shown(table)}", json.dumps(change))
        if sign == 0 and table.startswith(FRAGMENT):
            nothing = tuple(None for _ in self._tables[table].columns)
            return Reading(table, 0, nothing, record.offset, ordinal, record.received)
        if sign not in (1, -1) or not isinstance(row, dict):
            return _reject(record, ordinal, "a change is no [±1, table, {column: value}]", json.dumps(change))
        try:
            return Reading(table, sign, decode(row), record.offset, ordinal, record.received)
        except FieldError as error:
            return _reject(record, ordinal, f"table {table}: {error}", json.dumps(row))


def parse(payload: bytes, limit: int = MAX_PAYLOAD) -> Any:
    """Parse JSON as RFC 8259 has it, or raise FieldError."""
    if len(payload) > limit:
        msg = f"payload of {len(payload)} bytes; at most {limit} are decoded"
        raise FieldError(msg)
    try:
        return _PARSER.decode(payload.decode("utf-8"))
    except UnicodeDecodeError as error:
        msg = f"payload is not UTF-8 at byte {error.start}"
        raise FieldError(msg) from error
    except RecursionError as error:
        msg = "payload is nested too deeply"
        raise FieldError(msg) from error
    except ValueError as error:
        msg = f"payload is not JSON: {error}"
        raise FieldError(msg) from error


def _no_constant(name: str) -> None:
    msg = f"{name} is no number"
    raise ValueError(msg)


_PARSER = json.JSONDecoder(parse_constant=_no_constant)


def stream_decoder(stream: MqttStream, topic: str) -> StreamDecoder:
    """Return what makes a row of a parsed payload that came under a topic, or raises FieldError."""
    levels = topic.split("/")
    readers = [reader_of(field, levels) for field in stream.fields]
    needs_object = any(field.path for field in stream.fields)

    def decode(found: Any, _received: int) -> Row:
        if needs_object and type(found) is not dict:
            msg = f"payload is {_kind(found)}; expected an object"
            raise FieldError(msg)
        return tuple([read(found) for read in readers])

    return decode if stream.event_time is None else _timely(stream, decode)


def _timely(stream: MqttStream, decode: StreamDecoder) -> StreamDecoder:
    """Decode what says when it happened, and no later than what the skew lets it."""
    position = [field.name for field in stream.fields].index(stream.event_time or "")
    allowed = f"it may lie {stream.skew / SECOND:g} s ahead"

    def decode_timely(found: Any, received: int) -> Row:
        row = decode(found, received)
        at = row[position]
        if not isinstance(at, int):
            msg = f"event time {stream.event_time} is NULL; expected when it happened"
            raise FieldError(msg)
        if at > received + stream.skew:
            ahead = (at - received) / SECOND
            msg = f"event time {stream.event_time} lies {ahead} s ahead of its arrival; {allowed}"
            raise FieldError(msg)
        return row

    return decode_timely


def _keyed_decoder(relation: Relation) -> Keyed:
    checks = [(one.name, one.nullable, check_of(one.type, one.name)) for one in relation.columns]

    def decode(row: dict[str, Any]) -> Row:
        return tuple([_nullable(row.get(name), name, nullable, check) for name, nullable, check in checks])

    return decode


def _nullable(value: Any, name: str, nullable: bool, check: Callable[[Any], Value]) -> Value:
    if value is not None:
        return check(value)
    if nullable:
        return None
    msg = f"column {name} is missing"
    raise FieldError(msg)


def _kind(value: object) -> str:
    return {dict: "an object", list: "an array", str: "text", bool: "a boolean", type(None): "null"}.get(
        type(value), "a number"
    )


def _reject(record: Record, ordinal: int, reason: str, sample: str | None = None) -> Reading:
    shown = record.payload[:SAMPLE].decode("utf-8", "replace") if sample is None else sample[:SAMPLE]
    row = (record.source, record.topic, one_line(reason), one_line(shown))
    return Reading(REJECTS.name, 1, row, record.offset, ordinal, record.received)


def one_line(text: str) -> str:
    """Return text that fits a line and any encoding."""
    plain = text.encode("utf-8", "replace").decode("utf-8")[: 2 * SAMPLE]
    return " ".join(plain.split())
