"""The rows of a table by key: all of them, or those that a change column says are new.

    rows'  =  rows said  ⊕  {r : r.changed ≥ largest seen, or NULL}

The largest itself is asked for again: rows of one instant may be committed one after the other.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError, nearest
from engine.model.relation import Relation
from engine.model.values import Row, Value
from ingest.diff import NamedRow, Rows
from ingest.wrappers.database.values import converter
from ingest.wrappers.keyed import UnreadableError

STANDS = "what was read before stands until that is mended"


class Polled(NamedTuple):
    """Rows by key, and the largest value of the change column, as its driver gives it."""

    rows: Rows
    largest: Any = None


def all_rows(connection: sa.Connection, relation: Relation, called: str = "") -> Rows:
    """Return every row; the table may have another name."""
    return _read(connection, relation, sa.select(_table(relation, called))).rows


def changed_rows(
    connection: sa.Connection, relation: Relation, column: str, said: Rows | None, largest: Any
) -> Polled:
    """Return the rows as they are now; all are read where nothing was said or seen yet."""
    names = [each.name for each in relation.columns]
    if column not in names:
        there = f"there are {', '.join(names)}{nearest(column, names)}"
        msg = f"change_column of table {relation.name} is {column}, which is no column; {there}"
        raise SourceError(msg)
    table = _table(relation)
    query = sa.select(table)
    if said is None or largest is None:
        return _read(connection, relation, query, names.index(column))
    changed = table.c[column]
    is_new = sa.or_(changed >= sa.bindparam(None, largest), changed.is_(None))
    found = _read(connection, relation, query.where(is_new), names.index(column))
    return Polled({**said, **found.rows}, _larger(largest, found.largest))


def _table(relation: Relation, called: str = "") -> sa.TableClause:
    return sa.table(called or relation.name, *(sa.column(column.name) for column in relation.columns))


def _read(
    connection: sa.Connection, relation: Relation, query: sa.Select[Any], growing: int | None = None
) -> Polled:
    names = [column.name for column in relation.columns]
    convert = [converter(column) for column in relation.columns]
    found: dict[Row, NamedRow] = {}
    largest: Any = None
    for row in connection.execute(query):
        values = dict(zip(names, converted(relation, convert, row), strict=True))
        found[tuple(values[name] for name in relation.key)] = values
        if growing is not None:
            largest = _larger(largest, row[growing])
    return Polled(found, largest)


def converted(relation: Relation, convert: Sequence[Callable[[Any], Value]], row: Iterable[Any]) -> Row:
    """Return a row as the driver gives it with values of its columns, or raise which row has another."""
    cells = tuple(row)
    try:
        return tuple([to(value) for to, value in zip(convert, cells, strict=True)])
    except UnreadableError as error:
        key = ", ".join(f"{relation.columns[at].name} {cells[at]!r}" for at in relation.key_positions)
        message = f"table {relation.name}, row {key}: {error.message}; {STANDS}"
        raise UnreadableError(message, error.sample) from error


def _larger(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return max(a, b)
