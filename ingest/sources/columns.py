"""A column of a mapped stream: where its value stands, how it is sent, and what it has to be like.

{type: double, path: a[0].b, unit: °F, as: °C, min: -40, max: 60, else: null}

path, unit, as, scale     where it stands; the unit that is sent, and the column's; what it is multiplied by
from                      text or number: a number in a text, an id that is a number; seconds …: a timestamp;
                          arrival: no value of the sender, but when the log received it
true, false               what stands for true and for false
min, max, one_of          what it has to be like, in the column's unit
else: null                what does not fit is NULL; without it, the row is a reject with the reason
optional                  it may be lacking, and is NULL then
pseudonym                 the column has a keyed hash of what is sent
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine.model.errors import SourceError, nearest
from engine.model.values import SCALARS, Type
from ingest.checked_yaml import mapping, shown, switch, text
from ingest.sources.paths import Path, member, path_of
from ingest.sources.units import Number, converter, unit_of
from ingest.topics import TopicPattern

KEYS = {"type", "path", "optional", "unit", "as", "scale", "from", "true", "false"}
KEYS |= {"min", "max", "one_of", "else", "pseudonym"}
TICKS = {
    "seconds": Fraction(1_000_000),
    "milliseconds": Fraction(1_000),
    "microseconds": Fraction(1),
    "nanoseconds": Fraction(1, 1_000),
}
ARRIVAL = "arrival"
ENCODINGS: dict[Type, tuple[str, ...]] = {
    Type.DOUBLE: ("text",),
    Type.BIGINT: ("text", "number"),
    Type.TEXT: ("number",),
    Type.TIMESTAMP: ("text", *TICKS, ARRIVAL),
    Type.BOOLEAN: ("text",),
}
NUMERIC = (Type.DOUBLE, Type.BIGINT)


@dataclass(frozen=True, slots=True)
class Sent:
    """How a value is sent: its encoding, the words of a boolean, and what makes a number the column's."""

    encoding: str | None = None
    true: tuple[Any, ...] = ()
    false: tuple[Any, ...] = ()
    unit: str | None = None
    column_unit: str | None = None
    scale: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Quality:
    """What a value has to be like; ``else_null`` says that one that does not fit is NULL."""

    least: Number | None = None
    most: Number | None = None
    one_of: tuple[Any, ...] = ()
    else_null: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """Where a column's value comes from, a level of the topic or a path, and what it becomes."""

    name: str
    type: Type
    level: int | None = None
    path: Path | None = None
    optional: bool = False
    sent: Sent = Sent()
    quality: Quality = Quality()
    pseudonym: bool = False

    @property
    def is_arrival(self) -> bool:
        """Tell whether it is when the log received what the row is made of."""
        return self.sent.encoding == ARRIVAL

    @property
    def nullable(self) -> bool:
        return self.optional or self.quality.else_null


def fields_of(columns: dict[str, Any], topic: TopicPattern, where: str) -> tuple[Field, ...]:
    """Return the columns that a section ``columns`` declares."""
    if "" in columns:
        msg = f"{where} has a column without a name; expected one that a query can say"
        raise SourceError(msg)
    return tuple(_field(name, spec, topic, f"column {name} of {where}") for name, spec in columns.items())


def _field(name: str, spec: object, topic: TopicPattern, here: str) -> Field:
    found = mapping({"type": spec} if isinstance(spec, str) else spec, here, KEYS)
    kind = text(found, "type", here)
    types = [str(one) for one in SCALARS]
    if kind not in types:
        msg = f"type of {here} is {kind}; expected one of {', '.join(types)}{nearest(kind, types)}"
        raise SourceError(msg)
    level = topic.parts.get(name) if "path" not in found else None
    path = path_of(str(found["path"]), here) if "path" in found else member(name)
    field = Field(
        name,
        Type(kind),
        level,
        path if level is None else None,
        switch(found, "optional", here),
        _sent(found, Type(kind), here),
        _quality(found, Type(kind), here),
        switch(found, "pseudonym", here),
    )
    if field.pseudonym and field.type is not Type.TEXT:
        msg = f"{here} is a {kind} and cannot be a pseudonym; expected type: text"
        raise SourceError(msg)
    return field


def _sent(found: dict[str, Any], kind: Type, here: str) -> Sent:
    for key, types in (("unit", (Type.DOUBLE,)), ("as", (Type.DOUBLE,)), ("scale", (Type.DOUBLE,))):
        _only_for(found, key, kind, types, here)
    for key in ("true", "false"):
        _only_for(found, key, kind, (Type.BOOLEAN,), here)
    true, false = (_listed(found, key, here) for key in ("true", "false"))
    if common := [one for one in true if any(same(one, other) for other in false)]:
        msg = f"{here} has {shown(common[0])} in both true and false; take it out of one of them"
        raise SourceError(msg)
    unit, column_unit = (
        unit_of(text(found, key, here), here) if key in found else None for key in ("unit", "as")
    )
    if column_unit is not None and unit is None:
        msg = f"{here} has as: {column_unit.symbol} and no unit; say in which unit: it is sent"
        raise SourceError(msg)
    if unit is not None and column_unit is not None:
        converter(unit, column_unit, here)
    symbols = [each and each.symbol for each in (unit, column_unit or unit)]
    return Sent(_encoding(found, kind, here), true, false, symbols[0], symbols[1], _scale(found, here))


def _only_for(found: dict[str, Any], key: str, kind: Type, types: Sequence[Type], here: str) -> None:
    if key in found and kind not in types:
        expected = " or ".join(f"type: {each}" for each in types)
        msg = f"{here} is a {kind} and has {key}; expected {expected}, or no {key}"
        raise SourceError(msg)


def _encoding(found: dict[str, Any], kind: Type, here: str) -> str | None:
    if "from" not in found:
        return None
    known = ENCODINGS[kind]
    if found["from"] not in known:
        there = f"a {kind} may be sent as {', '.join(known)}{nearest(str(found['from']), list(known))}"
        msg = f"from of {here} is {shown(found['from'])}; {there}"
        raise SourceError(msg)
    return str(found["from"])


def _scale(found: dict[str, Any], here: str) -> Fraction:
    scale = found.get("scale", 1)
    if not is_number(scale) or scale == 0:
        msg = f"scale of {here} is {shown(scale)}; expected a number other than 0, like 0.1"
        raise SourceError(msg)
    return Fraction(repr(scale))


def _quality(found: dict[str, Any], kind: Type, here: str) -> Quality:
    for key in ("min", "max"):
        _only_for(found, key, kind, NUMERIC, here)
        if key in found and not is_number(found[key]):
            msg = f"{key} of {here} is {shown(found[key])}; expected a number"
            raise SourceError(msg)
    least, most = found.get("min"), found.get("max")
    if least is not None and most is not None and least > most:
        msg = f"min of {here} is {least}, above its max {most}; no value would do"
        raise SourceError(msg)
    _only_for(found, "one_of", kind, (*NUMERIC, Type.TEXT), here)
    one_of = _listed(found, "one_of", here)
    fits: Callable[[Any], bool] = (lambda one: isinstance(one, str)) if kind is Type.TEXT else is_number
    if wrong := [one for one in one_of if not fits(one)]:
        msg = f"one_of of {here} has {shown(wrong[0])}; expected values of type {kind}"
        raise SourceError(msg)
    if "else" in found and found["else"] is not None:
        msg = f"else of {here} is {shown(found['else'])}; expected null, or no else: then the row is a reject"
        raise SourceError(msg)
    return Quality(least, most, one_of, "else" in found)


def _listed(found: dict[str, Any], key: str, here: str) -> tuple[Any, ...]:
    """Return a list of texts, numbers and booleans; one alone is a list of one."""
    listed = found.get(key, [])
    listed = listed if isinstance(listed, list) else [listed]
    if (key in found and not listed) or not all(isinstance(one, str | int | float) for one in listed):
        msg = f"{key} of {here} is {shown(found[key])}; expected a list of values, like [on, 1]"
        raise SourceError(msg)
    return tuple(listed)


def is_number(value: Any) -> bool:
    """Tell whether it is a number, finite and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are one; true is no number."""
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)
