"""One value, checked against its column's type: it is passed on as it is, or it is a FieldError.

Strict in kind: a number is no text, true is no number, NaN is nothing; only an integer may stand for a
double.
"""

import math
from collections.abc import Callable
from typing import Any

from engine.model.moments import parsed_timestamp
from engine.model.values import Type, Value

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
MAX_TEXT = 10_000
EXPECTED = {
    Type.BIGINT: "an integer of 64 bits",
    Type.TIMESTAMP: "microseconds since 1970 as an integer, or ISO 8601 as in 2026-01-31T09:30:15Z",
    Type.DOUBLE: "a finite number",
    Type.BOOLEAN: "true or false",
    Type.TEXT: f"text of at most {MAX_TEXT} characters, in Unicode and without NUL",
}

Check = Callable[[Any], Value]


class FieldError(ValueError):
    """A value does not fit; the message is a reject's reason."""


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
        return check(moment(value))

    return {Type.DOUBLE: check_double, Type.TIMESTAMP: check_timestamp}.get(kind, check)


def moment(value: Any) -> Value:
    """Return the timestamp that a text names; anything else stays what it is."""
    try:
        found = parsed_timestamp(value) if type(value) is str else None
    except ValueError:
        found = None
    return value if found is None else found


def _is_whole(value: Any) -> bool:
    return type(value) is int and LOWEST <= value <= HIGHEST


def is_finite(value: Any) -> bool:
    return math.isfinite(value) if type(value) is float else _is_whole(value)


def _is_boolean(value: object) -> bool:
    return type(value) is bool


def is_text(value: Any) -> bool:
    """Tell whether it is text that fits everywhere; PostgreSQL has no NUL in texts."""
    is_short = type(value) is str and len(value) <= MAX_TEXT and "\0" not in value
    return is_short and (value.isascii() or _is_unicode(value))


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
    Type.DOUBLE: is_finite,
    Type.BOOLEAN: _is_boolean,
    Type.TEXT: is_text,
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
