"""A value as a database's driver gives it becomes one of its column's type.

    Decimal → double        date, datetime or their text → timestamp, UTC        bytes → text, in hex

A database without types of its own (SQLite) may hold anything anywhere: what does not fit is an error
that names the column.
"""

import datetime as dt
import decimal
import math
from collections.abc import Callable
from typing import Any

from engine.model.moments import parsed_timestamp, to_microseconds
from engine.model.relation import Column
from engine.model.values import Type, Value
from ingest.wrappers.keyed import UnreadableError

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1


def converter(column: Column) -> Callable[[Any], Value]:
    """Return what makes a driver's value one of the column, or raises what was found there."""
    to = _CONVERT[column.type]

    def convert(value: Any) -> Value:
        try:
            return None if value is None else to(value)
        except (ValueError, TypeError, ArithmeticError) as error:
            shown = str(value)[:60]
            msg = f"column {column.name} holds {shown!r}; expected {column.type}"
            raise UnreadableError(msg, shown) from error

    return convert


def _to_boolean(value: Any) -> Value:
    if value in (0, 1) and not isinstance(value, str):
        return bool(value)
    msg = "neither true nor false"
    raise ValueError(msg)


def _to_bigint(value: Any) -> Value:
    number = int(value)
    if isinstance(value, str) or number != value or not LOWEST <= number <= HIGHEST:
        msg = "no whole number of 64 bits"
        raise ValueError(msg)
    return number


def _to_double(value: Any) -> Value:
    if isinstance(value, str | bytes):
        msg = "no number"
        raise ValueError(msg)
    number = float(value)
    return number + 0.0 if math.isfinite(number) else None


def _to_timestamp(value: Any) -> Value:
    if isinstance(value, str):
        return _moment(value)
    if not isinstance(value, dt.datetime):
        value = dt.datetime.combine(value, dt.time())
    if value.tzinfo is None:
        value = value.replace(tzinfo=dt.UTC)
    return to_microseconds(value)


def _moment(text: str) -> int:
    found = parsed_timestamp(text)
    if found is None:
        msg = "no moment"
        raise ValueError(msg)
    return found


def _to_text(value: Any) -> Value:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    return format(value, "f") if isinstance(value, decimal.Decimal) else str(value)


_CONVERT: dict[Type, Callable[[Any], Value]] = {
    Type.BOOLEAN: _to_boolean,
    Type.BIGINT: _to_bigint,
    Type.DOUBLE: _to_double,
    Type.TIMESTAMP: _to_timestamp,
    Type.TEXT: _to_text,
}
