"""A column of a database, as an expression of its SQL that has our values.

    DOUBLE, NUMERIC → double, without NaN and infinities      timestamps, dates → microseconds, if finite
    texts → compared by code point                            loosely typed (SQLite) → told if it does not fit

What has no such expression (a PostgreSQL array, say) can be fetched, and is ours only then: nothing
may be computed of it there.
"""

import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.relation import Column, Relation
from engine.model.values import Type
from ingest.wrappers.database.connecting import KNOWN, OURS

Sql = sa.ColumnElement[Any]
LARGEST = sys.float_info.max
BEYOND = Decimal(2**1024 - 2**970)  # the first that is rounded to infinity
FITTING = {Type.BIGINT: "integer", Type.TEXT: "text"}


class Lane(NamedTuple):
    """A place of a row; ``raw`` is the column that the driver's value has to be converted for."""

    what: Sql
    type: Type
    raw: Column | None = None


class FactTable(NamedTuple):
    """A table as its database declares it."""

    relation: Relation
    types: tuple[sa.types.TypeEngine[Any], ...]

    def lanes(self, table: sa.FromClause, dialect: str) -> tuple[Lane, ...]:
        """Return what its columns are."""
        both = zip(self.relation.columns, self.types, strict=True)
        return tuple(_lane(table.c[column.name], column, found, dialect) for column, found in both)


def by_code_point(text: Sql) -> Sql:
    """Return a text of PostgreSQL that is compared by code point."""
    return sa.collate(text, "C")


def _lane(what: Sql, column: Column, found: sa.types.TypeEngine[Any], dialect: str) -> Lane:
    if dialect not in KNOWN:
        return Lane(what, column.type, column)
    if dialect == "sqlite":
        return Lane(_loosely_typed(what, column), column.type)
    made = next((make(what) for kinds, make in _TYPED if isinstance(found, kinds)), None)
    return Lane(what, column.type, column) if made is None else Lane(made, column.type)


def _loosely_typed(what: Sql, column: Column) -> Sql:
    """Return a column of SQLite; what is not plainly of its type is looked at by ``ours_…_of_column``."""
    checked: Sql = sa.Function(f"{OURS}{column.type}_of_column", what, sa.bindparam(None, column.name))
    kind = sa.func.typeof(what)
    if column.type in FITTING:
        return sa.case((kind == FITTING[column.type], what), else_=checked)
    if column.type is Type.DOUBLE:
        is_finite = what.between(sa.bindparam(None, -LARGEST), sa.bindparam(None, LARGEST))
        return sa.case((sa.and_(kind == "real", is_finite), what), else_=checked)
    return checked


def _double(what: Sql) -> Sql:
    lowest, highest = (sa.cast(sa.bindparam(None, b, sa.Double), sa.Double) for b in (-LARGEST, LARGEST))
    return sa.case((what.between(lowest, highest), what))


def _shortest(what: Sql) -> Sql:
    """Return a float of 32 bits as people read it, which is how its driver gives it."""
    return _double(sa.cast(sa.cast(what, sa.Text), sa.Double))


def _numeric(what: Sql) -> Sql:
    beyond = sa.bindparam(None, BEYOND, sa.Numeric)
    return sa.case((sa.and_(what > -beyond, what < beyond), sa.cast(what, sa.Double)))


def _moment(what: Sql) -> Sql:
    finite = sa.cast(sa.extract("epoch", what) * sa.literal_column("1000000"), sa.BigInteger)
    return sa.case((sa.func.isfinite(what), finite))


def _as_text(what: Sql) -> Sql:
    return by_code_point(sa.cast(what, sa.Text))


Make = Callable[[Sql], Sql | None]
_TYPED: tuple[tuple[tuple[type[Any], ...], Make], ...] = (
    ((sa.Boolean, sa.Integer), lambda what: what),
    ((sa.REAL,), _shortest),
    ((sa.Float,), _double),
    ((sa.Numeric,), _numeric),
    ((sa.DateTime, sa.Date), _moment),
    ((sa.CHAR,), lambda _: None),  # blanks at its end are compared in a way of their own
    ((sa.Enum, sa.Uuid), _as_text),
    ((sa.String,), by_code_point),
)
