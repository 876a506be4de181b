"""The tables of a database as it declares them: relations, and what their columns are there."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from engine.model.errors import SourceError, nearest
from engine.model.relation import STREAM_SITE, Column, Relation, RelationKind
from engine.model.values import Type
from ingest.sources import DatabaseSource
from ingest.wrappers.database.columns import FactTable
from ingest.wrappers.database.connecting import open_facts, reason_of
from ingest.wrappers.database.ranges.cutting import check_key

_TYPES: tuple[tuple[type[Any], Type], ...] = (
    (sa.Boolean, Type.BOOLEAN),
    (sa.Integer, Type.BIGINT),
    (sa.Numeric, Type.DOUBLE),
    (sa.Float, Type.DOUBLE),
    (sa.DateTime, Type.TIMESTAMP),
    (sa.Date, Type.TIMESTAMP),
)


def reflect(url: str, tables: Sequence[str], source: str = "") -> tuple[Relation, ...]:
    """Return tables that are polled as relations, columns and keys as the database declares them."""
    engine = open_facts(url)
    try:
        return tuple(found.relation for found in look_at(engine, tables, source))
    finally:
        engine.dispose()


def reflect_database(database: DatabaseSource) -> tuple[Relation, ...]:
    """Return the relations of a database: what is polled, then what is asked on demand."""
    engine = open_facts(database.url)
    try:
        return tuple(found.relation for found in look_at_all(engine, database))
    finally:
        engine.dispose()


def look_at_all(engine: sa.Engine, database: DatabaseSource) -> tuple[FactTable, ...]:
    """Return all tables of a database that are declared."""
    return (
        *look_at(engine, (*database.tables, *database.static), database.source),
        *look_at_ranged(engine, database),
        *look_at(engine, database.on_demand, database.source, database.site),
    )


def look_at_ranged(engine: sa.Engine, database: DatabaseSource) -> tuple[FactTable, ...]:
    """Return the tables that are read in ranges of their keys."""
    found = look_at(engine, database.in_ranges, database.source)
    for table in found:
        check_key(table.relation, f"{engine.url}")
    return found


def look_at(
    engine: sa.Engine, tables: Sequence[str], source: str, site: str = STREAM_SITE
) -> tuple[FactTable, ...]:
    """Return tables as they are declared now."""
    try:
        inspector = sa.inspect(engine)
        return tuple(_table(inspector, table, source, site) for table in tables)
    except sa.exc.SQLAlchemyError as error:
        msg = f"cannot read the schema of {engine.url}: {reason_of(error)}"
        raise SourceError(msg) from error


def _table(inspector: sa.Inspector, table: str, source: str, site: str) -> FactTable:
    known = inspector.get_table_names()
    if table not in known:
        there = f"there are {', '.join(known) or 'none'}{nearest(table, known)}"
        msg = f"no table {table} in {inspector.engine.url}; {there}"
        raise SourceError(msg)
    key = tuple(inspector.get_pk_constraint(table)["constrained_columns"])
    if not key and site == STREAM_SITE:
        msg = f"table {table} in {inspector.engine.url} has no primary key; rows are told apart by one"
        raise SourceError(msg)
    found = inspector.get_columns(table)
    columns = tuple(
        Column(one["name"], type_of(one["type"]), bool(one["nullable"]) and one["name"] not in key)
        for one in found
    )
    relation = Relation(table, RelationKind.TABLE, columns, key, source=source, site=site)
    return FactTable(relation, tuple(one["type"] for one in found))


def type_of(found: sa.types.TypeEngine[Any]) -> Type:
    """Return which of our types a column's values have."""
    return next((ours for theirs, ours in _TYPES if isinstance(found, theirs)), Type.TEXT)
