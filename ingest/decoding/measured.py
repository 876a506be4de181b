"""Rows of mapped streams as measurements: what discovered devices say comes to the same place.

    row, by the stream's ``measures``  →  (entity, device, quantity, value, text, unit, at)

``at`` is the row's event time, or else its arrival. A value that is NULL is no measurement. What is on is 1.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from engine.model.clock import SECOND
from engine.model.values import Row, Type, Value
from ingest.discovery.known import Met
from ingest.discovery.registry import Registry
from ingest.discovery.relations import MEASUREMENTS
from ingest.sources import MqttStream
from ingest.sources.measures import Measured, Measures
from ingest.sources.units import UNITS

Signed = tuple[int, str, Row]
WORDS = {True: "on", False: "off"}
UNSAID = "value"


class Measurement(NamedTuple):
    """What a row measures, and of what."""

    met: Met
    row: Row


Measuring = Callable[[Row, int], Iterator[Measurement]]


def measured_of(stream: MqttStream, topic: str) -> Measuring | None:
    """Return what makes measurements of a stream's rows under a topic, if it declares any."""
    if stream.measures is None:
        return None
    return measuring(stream.measures, [field.name for field in stream.fields], stream.event_time, topic)


def told_of(registry: Registry, measured: Iterable[Measurement], news: list[Signed]) -> Iterator[Signed]:
    """Yield measurements as rows, none of a disabled device; what is new of devices goes into ``news``.

    That belongs after all other rows of an entry: after a restart devices are met anew, and the identity of
    a row, its ordinal, is for ever.
    """
    for met, measurement in measured:
        news += registry.meet(met).rows
        if not registry.is_disabled(met.device):
            yield 1, MEASUREMENTS.name, measurement


def measuring(measures: Measures, names: Sequence[str], event_time: str | None, topic: str) -> Measuring:
    """Return what makes measurements of rows of these columns."""
    place: dict[str | None, int] = {name: position for position, name in enumerate(names)}
    room_at, time_at = (place.get(name) for name in (measures.room, event_time))
    device_at = [place[name] for name in measures.device]
    expire_after = _seconds(measures)

    def measure(row: Row, received: int) -> Iterator[Measurement]:
        device, room = _named([row[at] for at in device_at]), None if room_at is None else row[room_at]
        at = received if time_at is None else row[time_at]
        for each in measures.values:
            value = row[place[each.column]]
            if device is None or value is None:
                continue
            quantity, unit = _said(each, row, place)
            room_text = room if isinstance(room, str) else None
            entity = f"{device}/{quantity}"
            met = Met(device, room_text, entity, quantity, unit, topic, expire_after)
            yield Measurement(met, (entity, device, quantity, *_number_and_text(value), unit, at))

    return measure


def _named(parts: Sequence[Value]) -> str | None:
    """Return a device's name, if all of it is there."""
    return None if None in parts else "/".join(map(str, parts))


def _said(each: Measured, row: Row, place: dict[str | None, int]) -> tuple[str, str | None]:
    """Return quantity and unit; a unit that a row says is shown by the symbol that we have for it."""
    quantity, unit = each.quantity, each.unit
    if each.quantity_column is not None:
        quantity = str(row[place[each.quantity_column]] or UNSAID)
    if each.unit_column is not None and (said := row[place[each.unit_column]]) is not None:
        known = UNITS.get(str(said))
        unit = str(said) if known is None else known.symbol
    return quantity or UNSAID, unit


def _number_and_text(value: Value) -> tuple[float | None, str | None]:
    if isinstance(value, str):
        return None, value
    assert not isinstance(value, tuple)
    return float(value or 0), WORDS[value] if isinstance(value, bool) else None


def _seconds(measures: Measures) -> float | None:
    return None if measures.expire_after is None else measures.expire_after / SECOND


def met_under(stream: MqttStream, topic: str) -> tuple[Met, ...]:
    """Return what a topic alone tells of what is measured there; nothing where that stands in payloads."""
    measures, levels = stream.measures, topic.split("/")
    shown = [field for field in stream.fields if field.type is Type.TEXT and not field.pseudonym]
    parts: dict[str | None, str] = {f.name: levels[f.level] for f in shown if f.level is not None}
    if measures is None or not set(measures.device) <= parts.keys():
        return ()
    device = "/".join(parts[name] for name in measures.device)
    room, expiry = parts.get(measures.room), _seconds(measures)
    return tuple(
        Met(device, room, f"{device}/{each.quantity}", each.quantity, each.unit, topic, expiry)
        for each in measures.values
        if each.quantity is not None
    )
