"""Values and rows, and the types a column can have.

    Row  =  tuple of Value          Value  =  int | float | bool | str | None

A timestamp is an integer: microseconds since the epoch, UTC.
"""

from enum import StrEnum

Value = int | float | bool | str | None
Row = tuple[Value, ...]


class Type(StrEnum):
    """The type of a column, named as StreamSQL names it."""

    BIGINT = "bigint"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    TEXT = "text"
    TIMESTAMP = "timestamp"

    @property
    def is_numeric(self) -> bool:
        return self in (Type.BIGINT, Type.DOUBLE)
