"""Relations: what a query can name after FROM.

A *stream* only grows, its rows leave by a window. A *table* is a relation that changes seldom:
its rows are inserted and deleted, and a keyed one replaces by key.
"""

from dataclasses import dataclass
from enum import StrEnum

from engine.model.values import Type


@dataclass(frozen=True, slots=True)
class Column:
    """A named, typed place in a row."""

    name: str
    type: Type
    nullable: bool = True


class RelationKind(StrEnum):
    """How rows of a relation leave it."""

    STREAM = "stream"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Relation:
    """A base relation; ``window`` is what a stream gets when a query names none."""

    name: str
    kind: RelationKind
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    window: str | None = None
    source: str = ""

    @property
    def key_positions(self) -> tuple[int, ...]:
        names = [column.name for column in self.columns]
        return tuple(names.index(name) for name in self.key)


REJECTS = Relation(
    name="rejects",
    kind=RelationKind.STREAM,
    columns=tuple(Column(name, Type.TEXT) for name in ("source", "topic", "reason", "sample")),
    window="RANGE 10 MINUTES",
    source="log",
)
