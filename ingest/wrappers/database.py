"""Tables of a database, polled.

    one transaction that sees one moment → every row of every table → diff by key (``keyed``)

The whole table is compared, so deletes and updates are seen without triggers, change columns or
rights beyond SELECT; meant for facts (thousands of rows), not for measurements. Columns are
reflected when the wrapper is made; a schema that changes later is told in health, and used after a
restart.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.model.clock import Clock
from engine.model.errors import SourceError, nearest
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type, Value
from ingest.declarations import Declaration
from ingest.diff import NamedRow
from ingest.log_schema import parse_url
from ingest.sources import DatabaseSource
from ingest.wrappers.database_values import converter
from ingest.wrappers.keyed import KeyedWrapper, Tables

REFLECT_EVERY = 30  # polls between two looks at the schema

_TYPES: tuple[tuple[type[Any], Type], ...] = (
    (sa.Boolean, Type.BOOLEAN),
    (sa.Integer, Type.BIGINT),
    (sa.Numeric, Type.DOUBLE),
    (sa.Float, Type.DOUBLE),
    (sa.DateTime, Type.TIMESTAMP),
    (sa.Date, Type.TIMESTAMP),
)


def reflect(url: str, tables: Sequence[str], source: str = "") -> tuple[Relation, ...]:
    """Return the tables of a database as relations, columns and keys as the database declares them."""
    engine = open_facts(url)
    try:
        inspector = sa.inspect(engine)
        return tuple(_relation(inspector, table, source) for table in tables)
    except sa.exc.SQLAlchemyError as error:
        msg = f"cannot read the schema of {engine.url}: {_reason(error)}"
        raise SourceError(msg) from error
    finally:
        engine.dispose()


class DatabaseWrapper(KeyedWrapper):
    """One database."""

    def __init__(self, database: DatabaseSource, clock: Clock) -> None:
        super().__init__(database.source, database.poll_seconds, clock)
        self._database = database
        self._engine = open_facts(database.url)
        self._relations: tuple[Relation, ...] = ()
        self._polls = 0
        self._changed = ""

    def describe(self) -> tuple[Relation, ...]:
        """Return the tables as first reflected."""
        if not self._relations:
            self._relations = reflect(self._database.url, self._database.tables, self.source)
        return self._relations

    def poll(self) -> Tables:
        """Return every row of every table."""
        relations = self.describe()
        try:
            tables = self._select(relations)
        except sa.exc.SQLAlchemyError as error:
            self._look_at_schema()
            msg = f"cannot read {self._engine.url}: {_reason(error)}; {self._changed or 'trying again'}"
            raise SourceError(msg) from error
        self._polls += 1
        if self._polls % REFLECT_EVERY == 0:
            self._look_at_schema()
        return tables

    def warning(self) -> str:
        """Say that the schema changed."""
        return self._changed

    def _select(self, relations: Sequence[Relation]) -> Tables:
        with self._engine.connect() as connection, connection.begin():
            return {relation.name: dict(_rows(connection, relation)) for relation in relations}

    def _look_at_schema(self) -> None:
        try:
            found = reflect(self._database.url, self._database.tables, self.source)
        except SourceError:
            return
        changed = [new.name for new, old in zip(found, self._relations, strict=True) if new != old]
        self._changed = f"the schema of {', '.join(changed)} changed; restart to use it" if changed else ""


class DeclaredTableWrapper(KeyedWrapper):
    """One table, of which a relation that was declared while the building ran has some columns."""

    def __init__(self, declaration: Declaration, url: str, clock: Clock) -> None:
        body = declaration.body or {}
        super().__init__(declaration.source, float(body["poll_seconds"]), clock)
        assert declaration.relation is not None
        self._relation, self._table = declaration.relation, str(body["table"])
        self._engine = open_facts(url)

    def describe(self) -> tuple[Relation, ...]:
        """Return the relation as it was declared."""
        return (self._relation,)

    def poll(self) -> Tables:
        """Return every row."""
        try:
            with self._engine.connect() as connection, connection.begin():
                return {self._relation.name: _rows(connection, self._relation, self._table)}
        except sa.exc.SQLAlchemyError as error:
            msg = f"cannot read {self._table} of {self._engine.url}: {_reason(error)}; trying again"
            raise SourceError(msg) from error


def open_facts(url: str) -> sa.Engine:
    """Return an engine whose transactions see one moment of the database."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() != "sqlite":
        return sa.create_engine(parsed, isolation_level="REPEATABLE READ", pool_pre_ping=True)
    engine = sa.create_engine(parsed, connect_args={"timeout": 5})
    file = parsed.database or ":memory:"

    @sa.event.listens_for(engine, "do_connect")
    def create_no_file(*_arguments: object) -> None:
        if not file.startswith((":memory:", "file:")) and not Path(file).is_file():
            msg = f"there is no database file {Path(file).absolute()}; expected one that has the tables"
            raise SourceError(msg)

    @sa.event.listens_for(engine, "connect")
    def leave_transactions_to_us(connection: Any, _record: object) -> None:
        connection.isolation_level = None

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _relation(inspector: sa.Inspector, table: str, source: str) -> Relation:
    known = inspector.get_table_names()
    if table not in known:
        there = f"there are {', '.join(known) or 'none'}{nearest(table, known)}"
        msg = f"no table {table} in {inspector.engine.url}; {there}"
        raise SourceError(msg)
    key = tuple(inspector.get_pk_constraint(table)["constrained_columns"])
    if not key:
        msg = f"table {table} in {inspector.engine.url} has no primary key; rows are told apart by one"
        raise SourceError(msg)
    columns = tuple(
        Column(one["name"], _type_of(one["type"]), bool(one["nullable"]) and one["name"] not in key)
        for one in inspector.get_columns(table)
    )
    return Relation(table, RelationKind.TABLE, columns, key, source=source)


def _type_of(found: sa.types.TypeEngine[Any]) -> Type:
    return next((ours for theirs, ours in _TYPES if isinstance(found, theirs)), Type.TEXT)


def _rows(
    connection: sa.Connection, relation: Relation, called: str = ""
) -> "dict[tuple[Value, ...], NamedRow]":
    names = [column.name for column in relation.columns]
    table = sa.table(called or relation.name, *(sa.column(name) for name in names))
    convert = [converter(column) for column in relation.columns]
    found: dict[tuple[Value, ...], NamedRow] = {}
    for row in connection.execute(sa.select(table)):
        values = {name: to(value) for name, to, value in zip(names, convert, row, strict=True)}
        found[tuple(values[name] for name in relation.key)] = values
    return found


def _reason(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return " ".join(str(cause).split())[:200]
