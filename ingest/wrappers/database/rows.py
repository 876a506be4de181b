"""The rows of a table by key: all of them, or those that a change column says are new.

    rows'  =  rows said  ⊕  {r : r.changed ≥ largest seen, or NULL}

The largest itself is asked for again: rows of one instant may be committed one after the other.
"""

from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError, nearest
from engine.model.relation import Relation
from engine.model.values import Row
from ingest.diff import NamedRow, Rows
from ingest.wrappers.database.values import converter


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
        values = {name: to(value) for name, to, value in zip(names, convert, row, strict=True)}
        found[tuple(values[name] for name in relation.key)] = values
        if growing is not None:
            largest = _larger(largest, row[growing])
    return Polled(found, largest)


def _larger(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return max(a, b)
