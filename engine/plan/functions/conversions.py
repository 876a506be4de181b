"""CAST between scalar types: ``target_of_source``. What cannot be read is NULL."""

import re

from engine.model.moments import parsed_timestamp
from engine.model.values import Type, Value
from engine.plan.functions.function import conversion
from engine.plan.functions.time import timestamp_text

BIGINT, DOUBLE, BOOLEAN, TEXT, TIMESTAMP = Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.TEXT, Type.TIMESTAMP


def parsed_bigint(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) else None


def parsed_double(text: str) -> float | None:
    return (
        float(text)
        if re.fullmatch(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*", text)
        else None
    )


def parsed_boolean(text: str) -> bool | None:
    return {"true": True, "false": False, "t": True, "f": False}.get(text.strip().lower())


def to_text(value: Value) -> str:
    """Write a number, a condition or a text."""
    return (
        str(value).lower()
        if isinstance(value, bool)
        else repr(value)
        if isinstance(value, float)
        else str(value)
    )


DECLARED = (
    conversion(DOUBLE, BIGINT, float).at(database="CAST({0} AS double precision)"),
    conversion(BIGINT, DOUBLE, round),
    conversion(TEXT, BIGINT, to_text).at(
        database='(CAST({0} AS text) COLLATE "C")', sqlite="CAST({0} AS text)"
    ),
    conversion(TEXT, DOUBLE, to_text),
    conversion(TEXT, BOOLEAN, to_text),
    conversion(TEXT, TIMESTAMP, timestamp_text),
    conversion(BIGINT, TEXT, parsed_bigint),
    conversion(DOUBLE, TEXT, parsed_double),
    conversion(BOOLEAN, TEXT, parsed_boolean),
    conversion(TIMESTAMP, TEXT, parsed_timestamp),
    conversion(BIGINT, BOOLEAN, int).at(database="CAST({0} AS integer)"),
    conversion(BOOLEAN, BIGINT, bool).at(database="({0} <> 0)"),
    conversion(TIMESTAMP, BIGINT, int).at(database="({0})"),
    conversion(BIGINT, TIMESTAMP, int).at(database="({0})"),
)
