"""The row of a view that is meant by what is said of it.

{room: 'a', free: 3}   →   the one row of which it holds      every column, no such row   →   None
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Row, Value
from engine.plan.typed import READ, shown, typed
from engine.views.view import Snapshot


def column_of(snapshot: Snapshot, name: str) -> Column:
    """Return a column by its name."""
    for column in snapshot.columns:
        if column.name == name:
            return column
    names = [column.name for column in snapshot.columns]
    message = f"{snapshot.view} has no column {name}; it has {', '.join(names)}{nearest(name, names)}"
    raise QueryError(message)


def value_of(column: Column, text: str) -> Value:
    """Read a value as people type it."""
    value = typed(text, column.type)
    if value is None and text != "null":
        cannot = "" if column.type in READ else "; such a value cannot be typed here, say the other columns"
        message = f"{column.name} is a {column.type}, found {text}{cannot}"
        raise QueryError(message)
    return None if text == "null" else value


def maybe_row(snapshot: Snapshot, where: Mapping[str, Value]) -> Row | None:
    """Return the row, None where every column is said and there is none; else say what there is."""
    wanted = [(snapshot.columns.index(column_of(snapshot, name)), value) for name, value in where.items()]
    found = list(islice(matching(snapshot, wanted), 2))
    if len(found) == 1 or (not found and len(where) == len(snapshot.columns)):
        return found[0] if found else None
    asked = described(
        [snapshot.columns[place] for place, _ in wanted], [v for _, v in wanted], " = ", " and "
    )
    said = f"row with {asked}" if asked else "row"
    if found:
        there = "; ".join(described(snapshot.columns, row, "=", ", ") for row in found)
        message = f"{snapshot.view} has more than one {said}: {there}; say more of it, as column=value"
    else:
        message = (
            f"{snapshot.view} has no {said} as of tick {snapshot.tick}; "
            f"to be told why not, say every column: {', '.join(column.name for column in snapshot.columns)}"
        )
    raise QueryError(message)


def matching(snapshot: Snapshot, wanted: Iterable[tuple[int, Value]]) -> Iterator[Row]:
    """Yield the rows that have these values in these places."""
    sought = list(wanted)
    return (row for row, _ in snapshot.rows if all(row[place] == value for place, value in sought))


def described(columns: Iterable[Column], values: Iterable[Value], sign: str, between: str) -> str:
    pairs = zip(columns, values, strict=True)
    return between.join(f"{column.name}{sign}{shown(value, column.type)}" for column, value in pairs)
