"""One value of a payload or a topic, checked against its column's type.

    reader_of(field, topic levels) → function of the parsed payload → Value

Compiled once for each topic, so that a message costs only its own checks.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from engine.model.moments import parsed_timestamp
from engine.model.values import Type, Value
from ingest.sources import Field

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
MAX_TEXT = 10_000
EXPECTED = {
    Type.BIGINT: "an integer of 64 bits",
    Type.TIMESTAMP: "microseconds since 1970 as an integer, or ISO 8601 as in 2026-01-31T09:30:15Z",
    Type.DOUBLE: "a finite number",
    Type.BOOLEAN: "true or false",
    Type.TEXT: f"text of at most {MAX_TEXT} characters, in Unicode",
}

Check = Callable[[Any], Value]


class FieldError(ValueError):
    """A value does not fit; the message is a reject's reason."""


def reader_of(field: Field, levels: Sequence[str]) -> Check:
    """Return what reads a field from a parsed payload under a topic."""
    if field.level is not None:
        return _from_topic(field, levels[field.level])
    check = check_of(field.type, field.name)
    if len(field.path) > 1:
        return _from_path(field, check)
    key, name, optional = field.path[0], field.name, field.optional

    def read(found: Any) -> Value:
        value = found.get(key)
        if value is None:
            if not optional:
                raise _absent(name, key)
            return None
        return check(value)

    return read


def _from_path(field: Field, check: Check) -> Check:
    path = field.path

    def read(found: Any) -> Value:
        for key in path:
            found = found.get(key) if type(found) is dict else None
        if found is None:
            if not field.optional:
                raise _absent(field.name, ".".join(path))
            return None
        return check(found)

    return read


def _absent(name: str, key: str) -> FieldError:
    return FieldError(f"column {name}: the payload has no {key}")


def _from_topic(field: Field, level: str) -> Check:
    """Convert a part of the topic once; a part that does not fit fails each message."""
    check = check_of(field.type, field.name)
    try:
        value = check(_CONVERT[field.type](level))
    except (ValueError, KeyError) as error:
        reason = f"column {field.name}: the topic has {shown(level)}; expected {EXPECTED[field.type]}"
        cause = error

        def fail(_found: object) -> Value:
            raise FieldError(reason) from cause

        return fail
    return lambda _found: value


def _whole_if_so(level: str) -> Value:
    try:
        return int(level)
    except ValueError:
        return level


_CONVERT: dict[Type, Callable[[str], Value]] = {
    Type.TEXT: str,
    Type.BIGINT: int,
    Type.TIMESTAMP: _whole_if_so,
    Type.DOUBLE: float,
    Type.BOOLEAN: {"true": True, "false": False}.__getitem__,
}


def check_of(kind: Type, name: str) -> Check:
    """Return the function that passes a value of the type on and raises on any other."""
    fits = _FITS[kind]

    def check(value: Any) -> Value:
        if not fits(value):
            msg = f"column {name}: found {shown(value)}; expected {EXPECTED[kind]}"
            raise FieldError(msg)
        return value  # type: ignore[no-any-return]

    def check_double(value: Any) -> Value:
        return float(check(value)) + 0.0  # type: ignore[arg-type]

    def check_timestamp(value: Any) -> Value:
        return check(_moment(value) if type(value) is str else value)

    return {Type.DOUBLE: check_double, Type.TIMESTAMP: check_timestamp}.get(kind, check)


def _moment(text: str) -> Value:
    """Return the timestamp that a text names, or the text, which is none."""
    try:
        moment = parsed_timestamp(text)
    except ValueError:
        moment = None
    return text if moment is None else moment


def _is_whole(value: Any) -> bool:
    return type(value) is int and LOWEST <= value <= HIGHEST


def _is_finite(value: Any) -> bool:
    return math.isfinite(value) if type(value) is float else _is_whole(value)


def _is_boolean(value: object) -> bool:
    return type(value) is bool


def _is_text(value: Any) -> bool:
    return type(value) is str and len(value) <= MAX_TEXT and (value.isascii() or _is_unicode(value))


def _is_unicode(value: str) -> bool:
    """Lone surrogates, which JSON can spell, fit no encoding."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


_FITS: dict[Type, Callable[[Any], bool]] = {
    Type.BIGINT: _is_whole,
    Type.TIMESTAMP: _is_whole,
    Type.DOUBLE: _is_finite,
    Type.BOOLEAN: _is_boolean,
    Type.TEXT: _is_text,
}


def shown(value: object) -> str:
    """Name a value in a reason; ``repr`` of a huge integer may itself fail."""
    if type(value) is int and not LOWEST <= value <= HIGHEST:
        return "an integer beyond 64 bits"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value[:60] if isinstance(value, str) else value)
