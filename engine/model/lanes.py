"""How rows of any relation fit one DataFrame: three typed lanes.

    row of (TEXT, DOUBLE, BOOLEAN, TEXT)  →  longs [b]   doubles [d]   texts [t₁, t₂]

BIGINT, TIMESTAMP and BOOLEAN lie in ``longs``; within a lane the order is that of the columns.
One pass can so carry all relations with their types, and NULL stays NULL.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.model.relation import Column
from engine.model.values import Row, Type, Value

LANE_OF = {
    Type.BIGINT: "longs",
    Type.TIMESTAMP: "longs",
    Type.BOOLEAN: "longs",
    Type.DOUBLE: "doubles",
    Type.TEXT: "texts",
}


class Place(NamedTuple):
    """Where a column lies."""

    lane: str
    number: int


class Lanes(NamedTuple):
    """One row, laid out."""

    longs: list[int | None]
    doubles: list[float | None]
    texts: list[str | None]


def places(columns: Sequence[Column]) -> tuple[Place, ...]:
    """Return each column's place."""
    used = {"longs": 0, "doubles": 0, "texts": 0}
    found = []
    for column in columns:
        lane = LANE_OF[column.type]
        found.append(Place(lane, used[lane]))
        used[lane] += 1
    return tuple(found)


def to_lanes(columns: Sequence[Column]) -> Callable[[Row], Lanes]:
    """Return the function that lays a row out."""
    longs = [i for i, c in enumerate(columns) if LANE_OF[c.type] == "longs"]
    doubles = [i for i, c in enumerate(columns) if c.type is Type.DOUBLE]
    texts = [i for i, c in enumerate(columns) if c.type is Type.TEXT]

    def lay(row: Row) -> Lanes:
        return Lanes(
            [None if row[i] is None else int(row[i]) for i in longs],  # type: ignore[arg-type]
            [None if row[i] is None else float(row[i]) for i in doubles],  # type: ignore[arg-type]
            [None if row[i] is None else str(row[i]) for i in texts],
        )

    return lay


def from_lanes(
    columns: Sequence[Column],
) -> Callable[[Sequence[Value], Sequence[Value], Sequence[Value]], Row]:
    """Return the function that puts a row together again."""
    lane_numbers = {"longs": 0, "doubles": 1, "texts": 2}
    picks = [
        (lane_numbers[place.lane], place.number, column.type is Type.BOOLEAN)
        for place, column in zip(places(columns), columns, strict=True)
    ]

    def gather(longs: Sequence[Value], doubles: Sequence[Value], texts: Sequence[Value]) -> Row:
        lanes = (longs, doubles, texts)
        return tuple(
            bool(value) if is_boolean and value is not None else value
            for value, is_boolean in ((lanes[lane][index], is_boolean) for lane, index, is_boolean in picks)
        )

    return gather
