"""Values and rows, and the types a column can have.

    Row  =  tuple of Value          Value  =  int | float | bool | str | None | tuple of Value

A timestamp is an integer: microseconds since the epoch, UTC. A list, a point, a record is a tuple.
Sources deliver the scalar types only; the others are made by queries.
"""

from typing import ClassVar

Value = int | float | bool | str | None | tuple["Value", ...]
Row = tuple[Value, ...]


class Type(str):
    """The type of a column, named as StreamSQL names it; there is one object of each name."""

    __slots__ = ()
    _known: ClassVar[dict[str, "Type"]] = {}

    BIGINT: ClassVar["Type"]
    DOUBLE: ClassVar["Type"]
    BOOLEAN: ClassVar["Type"]
    TEXT: ClassVar["Type"]
    TIMESTAMP: ClassVar["Type"]
    POINT: ClassVar["Type"]
    REGION: ClassVar["Type"]

    def __new__(cls, name: str) -> "Type":
        known = cls._known.get(name)
        return cls._known.setdefault(name, super().__new__(cls, name)) if known is None else known

    def __reduce__(self) -> tuple[type["Type"], tuple[str]]:
        return Type, (str(self),)

    @property
    def is_numeric(self) -> bool:
        return self in (Type.BIGINT, Type.DOUBLE)

    @property
    def listed(self) -> "Type":
        """The type of lists of such values."""
        return Type(f"{self}[]")

    @property
    def element(self) -> "Type | None":
        """What a list is a list of; None where this is not a list."""
        return Type(self.removesuffix("[]")) if self.endswith("[]") else None


Type.BIGINT = Type("bigint")
Type.DOUBLE = Type("double")
Type.BOOLEAN = Type("boolean")
Type.TEXT = Type("text")
Type.TIMESTAMP = Type("timestamp")
Type.POINT = Type("point")
Type.REGION = Type("region")

SCALARS = (Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.TEXT, Type.TIMESTAMP)
