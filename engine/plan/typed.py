"""A text that a person typed becomes a value of a type, or None where it is none.

'12' as bigint → 12      'yes' as boolean → None      '2026-01-02 09:00' as timestamp → microseconds, UTC
"""

from collections.abc import Callable
from datetime import timedelta

from engine.model.moments import EPOCH, parsed_timestamp
from engine.model.values import Type, Value
from engine.plan.functions.conversions import parsed_bigint, parsed_boolean, parsed_double, to_text
from engine.plan.meanings import BIGINT_BOUND, bounded


def typed(text: str, target: Type) -> Value:
    """Return the value that a text names; of a type that nobody types, None."""
    read = READ.get(target)
    try:
        return None if read is None else read(text)
    except (ValueError, OverflowError):
        return None


def shown(value: Value, of: Type) -> str:
    """Return a value as people type it."""
    if value is None:
        return "null"
    if of is Type.TIMESTAMP and isinstance(value, int):
        moment = moment_of(value)
        return str(value) if moment is None else moment
    return to_text(value)


def moment_of(microseconds: int) -> str | None:
    """Return a moment in ISO 8601, UTC; None beyond the years that have a name there."""
    try:
        moment = EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _bigint(text: str) -> int | None:
    number = parsed_bigint(text)
    return number if number is not None and -BIGINT_BOUND <= number < BIGINT_BOUND else None


def _double(text: str) -> Value:
    number = parsed_double(text)
    return None if number is None else bounded(number)


READ: dict[Type, Callable[[str], Value]] = {
    Type.BIGINT: _bigint,
    Type.DOUBLE: _double,
    Type.BOOLEAN: parsed_boolean,
    Type.TEXT: str,
    Type.TIMESTAMP: parsed_timestamp,
}
