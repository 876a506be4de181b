"""What of a mapped stream's rows are measurements of a device, as those of discovered devices are.

    measures: {device: sensor, room: room, values: {celsius: temperature, humidity: humidity}}
    measures: {device: station, quantity: name, value: v, unit: u}      each row says what it measures
    measures: {device: [room, sensor]}      every number and boolean, by its column's name; of 1.01/window

``device``, ``room``, ``quantity``, ``value`` and ``unit`` are columns; where a sensor's name is its own in
a room alone, several columns name the device. An entity is device/quantity. Nothing heard for
``expire_after`` makes a device stale.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.model.errors import SourceError, nearest
from engine.model.values import Type
from ingest.checked_yaml import duration, mapping, names, shown, text
from ingest.sources.columns import Field

KEYS = {"device", "room", "values", "quantity", "value", "unit", "expire_after"}
MEASURED = (Type.DOUBLE, Type.BIGINT, Type.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Measured:
    """A column whose values are measurements; its quantity and unit are fixed, or columns."""

    column: str
    quantity: str | None = None
    unit: str | None = None
    quantity_column: str | None = None
    unit_column: str | None = None


@dataclass(frozen=True, slots=True)
class Measures:
    """The measurements of a stream's rows; ``expire_after`` is in microseconds."""

    device: tuple[str, ...]
    values: tuple[Measured, ...]
    room: str | None = None
    expire_after: int | None = None


def measures_of(spec: object, fields: Sequence[Field], named: Sequence[str], where: str) -> Measures:
    """Return what a section ``measures`` declares; ``named`` are columns that order rows."""
    here = f"measures of {where}"
    found = mapping({"device": spec} if isinstance(spec, str | list) else spec, here, KEYS)
    by_name = {field.name: field for field in fields}
    given = found.get("device")
    listed = names(found, "device", here) if isinstance(given, list) else (given,)
    device = tuple(_column({"device": each}, "device", by_name, here) for each in listed or (None,))
    room = _column(found, "room", by_name, here) if "room" in found else None
    for each in (*device, room):
        if each is not None and by_name[each].type is not Type.TEXT:
            msg = f"{here} names {each}, a {by_name[each].type}; a device and a room are columns of type text"
            raise SourceError(msg)
    values = _values(found, by_name, {*device, room, *named}, here)
    expiry = duration(found, "expire_after", here, 0) or None
    return Measures(device, values, room, expiry)


def _column(found: Mapping[str, Any], key: str, known: Mapping[str, Field], here: str) -> str:
    name = text(dict(found), key, here)
    if name not in known:
        there = f"there are {', '.join(known)}{nearest(name, list(known))}"
        msg = f"{key} of {here} names {name}, which is no column; {there}"
        raise SourceError(msg)
    return name


def _values(
    found: dict[str, Any], known: Mapping[str, Field], other: set[str | None], here: str
) -> tuple[Measured, ...]:
    if "value" in found or "quantity" in found:
        return (_said(found, known, here),)
    if "unit" in found:
        msg = f"unit of {here} is the column that says it where value: is one; give a column its own unit:"
        raise SourceError(msg)
    fitting = [f.name for f in known.values() if f.type in MEASURED and f.name not in other]
    given = mapping(found.get("values", {name: name for name in fitting}), f"values of {here}")
    if not given:
        msg = f"{here} names no value; expected values: {{column: quantity}}, like {{celsius: temperature}}"
        raise SourceError(msg)
    for name, quantity in given.items():
        _column({"values": name}, "values", known, here)
        if known[name].type is Type.TIMESTAMP:
            msg = f"values of {here} names {name}, a timestamp; expected numbers, booleans and texts"
            raise SourceError(msg)
        if not isinstance(quantity, str) or not quantity or "/" in quantity:
            msg = f"values of {here} has {shown(quantity)} for {name}; expected a quantity, like temperature"
            raise SourceError(msg)
    return tuple(Measured(name, quantity, known[name].sent.column_unit) for name, quantity in given.items())


def _said(found: dict[str, Any], known: Mapping[str, Field], here: str) -> Measured:
    """Return what each row says itself: which quantity, and in which unit."""
    if "values" in found:
        msg = f"{here} has values: and value:; value: and quantity: are for rows that say what they measure"
        raise SourceError(msg)
    value, quantity = (_column(found, key, known, here) for key in ("value", "quantity"))
    unit = _column(found, "unit", known, here) if "unit" in found else None
    return Measured(value, None, known[value].sent.column_unit, quantity, unit)
