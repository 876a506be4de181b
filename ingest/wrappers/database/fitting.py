"""A schema that changes while its database is read.

    fits        each column that is read is there, of its type, and the key is the same: it goes on
    does not    its rows stand as they were read last, and why is told, until it fits again or we start anew

    mark        what is another one after any change: SQLite's schema_version, PostgreSQL's own catalog

The mark is read in the transaction of the poll, in PostgreSQL behind a lock on the tables, which it shares
with all who read: without, a table that is rewritten meanwhile would look empty to us. Another database is
looked at now and then, and when a statement fails.

References:
    PostgreSQL documentation, "Caveats" of concurrency control: TRUNCATE and the rewriting forms of
    ALTER TABLE are not MVCC-safe.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError, nearest
from engine.model.relation import Relation
from ingest.sources import DatabaseSource
from ingest.wrappers.database.columns import FactTable
from ingest.wrappers.database.connecting import KNOWN, OPENED, reason_of, share
from ingest.wrappers.database.first_seen import keep, kept
from ingest.wrappers.database.schema import look_at, look_at_all

LOOK_EVERY = 30  # polls, of a database that has no mark
LOOKED = "looked"
NO_TABLE = "42P01"  # PostgreSQL's word for a table, here one to lock, that is not there any more
NEXT = "the next start of SmartCIS reads it as it is"
MENDED = "it goes on when that is undone, or by a restart of SmartCIS"
CATALOG = """
SELECT a.attrelid::bigint, a.attnum, a.attname, a.atttypid::bigint, a.atttypmod, a.attnotnull,
       (SELECT i.indkey::text FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary)
FROM pg_attribute a
WHERE a.attrelid IN (SELECT to_regclass(name) FROM unnest(CAST(:names AS text[])) AS name)
  AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY 1, 2
"""


class Fit(NamedTuple):
    """A table as it is read, why it cannot be, and what of it is not read yet."""

    table: FactTable
    problem: str = ""
    news: str = ""


class Schema:
    """The tables of one database, as they were ``seen`` or reflected first; a run keeps that in ``file``."""

    def __init__(
        self,
        engine: sa.Engine,
        database: DatabaseSource,
        file: Path | None = None,
        seen: Sequence[Relation] = (),
    ) -> None:
        self._engine, self._database, self._file, self._seen = engine, database, file, seen
        self._fits: dict[str, Fit] = {}
        self._mark: object = None
        self._polls = 0

    def tables(self) -> tuple[FactTable, ...]:
        """Return all, whether or not they can be read now."""
        if not self._fits:
            self._fits = {table.relation.name: Fit(table) for table in self._first()}
        return tuple(fit.table for fit in self._fits.values())

    def _first(self) -> tuple[FactTable, ...]:
        """Return the tables as this run saw them first; SQL types are looked at before they are read."""
        seen = self._seen or (() if self._file is None else kept(self._file, self._database))
        if seen:
            return tuple(FactTable(relation, ()) for relation in seen)
        found = look_at_all(self._engine, self._database)
        if self._file is not None:
            keep(self._file, [table.relation for table in found])
        return found

    def unfit(self) -> Mapping[str, str]:
        """Return the tables that cannot be read as they are now, each with the reason."""
        return {name: fit.problem for name, fit in self._fits.items() if fit.problem}

    def told(self) -> str:
        """Say what changed, and what to do about it."""
        stands = [f"table {name} stands as it was read last: {why}" for name, why in self.unfit().items()]
        news = [f"table {name}: {fit.news}; {NEXT}" for name, fit in self._fits.items() if fit.news]
        return "; ".join((*stands, *news))

    @property
    def has_mark(self) -> bool:
        """Tell whether a change of the schema shows by itself."""
        return self._engine.dialect.name in KNOWN

    def doubt(self) -> None:
        """Have the next poll look at the schema again."""
        self._mark = None

    def holds(self, connection: sa.Connection) -> bool:
        """Tell, at the begin of a transaction, whether the schema is the one looked at last."""
        is_new = not connection.info.get(LOOKED)
        connection.info[LOOKED] = True
        try:
            mark = self._mark_of(connection)
        except sa.exc.ProgrammingError as error:
            if getattr(error.orig, "sqlstate", None) != NO_TABLE:
                raise
            return False
        return mark == self._mark and not is_new

    def look(self) -> None:
        """Compare each table with what it was at first."""
        known = self.tables()
        try:
            with self._engine.connect() as connection, connection.begin():
                mark = self._mark_of(connection, locks=False)
            there = set(sa.inspect(self._engine).get_table_names())
        except sa.exc.SQLAlchemyError as error:
            msg = f"cannot read the schema of {self._engine.url}: {reason_of(error)}"
            raise SourceError(msg) from error
        self._fits = {table.relation.name: self._fit(table, there) for table in known}
        self._mark = mark

    def _fit(self, table: FactTable, there: set[str]) -> Fit:
        name, site = table.relation.name, table.relation.site
        if name not in there:
            return Fit(table, f"it is gone{nearest(name, sorted(there))}; it goes on when it is back")
        try:
            (found,) = look_at(self._engine, (name,), table.relation.source, site)
        except SourceError as error:
            return Fit(table, f"{error.message}; {MENDED}")
        return fit_of(table, found)

    def _mark_of(self, connection: sa.Connection, locks: bool = True) -> object:
        self._polls += 1
        if connection.dialect.name == "sqlite":
            return connection.info.get(OPENED), connection.exec_driver_sql("PRAGMA schema_version").scalar()
        if connection.dialect.name != "postgresql":
            return self._polls // LOOK_EVERY
        if locks:
            share(connection, (name for name, fit in self._fits.items() if not fit.problem))
        names = [connection.dialect.identifier_preparer.quote(name) for name in self._fits]
        return connection.execute(sa.text(CATALOG), {"names": names}).all()


def fit_of(first: FactTable, now: FactTable) -> Fit:
    """Compare a table with what it was at first; a column may be of another SQL type with the same values."""
    both = zip(now.relation.columns, now.types, strict=True)
    columns = {column.name: (column, kind) for column, kind in both}
    problems = [_gone(column.name, first, columns) for column in first.relation.columns]
    problems += [
        f"column {column.name} was {column.type} and is {columns[column.name][0].type}"
        for column in first.relation.columns
        if column.name in columns and columns[column.name][0].type is not column.type
    ]
    if first.relation.key != now.relation.key:
        problems.append(f"its key was {', '.join(first.relation.key)} and is {', '.join(now.relation.key)}")
    problem = ", ".join(filter(None, problems))
    if problem:
        return Fit(first, f"{problem}; {MENDED}")
    added = [name for name in columns if name not in {column.name for column in first.relation.columns}]
    looser = [c.name for c in first.relation.columns if columns[c.name][0].nullable and not c.nullable]
    news = [f"column {name} is new" for name in added] + [f"column {name} may be NULL" for name in looser]
    types = tuple(columns[column.name][1] for column in first.relation.columns)
    return Fit(FactTable(first.relation, types), news=", ".join(news))


def _gone(name: str, first: FactTable, columns: Mapping[str, Any]) -> str:
    if name in columns:
        return ""
    known = {column.name for column in first.relation.columns}
    new = [each for each in columns if each not in known]
    return f"column {name} is gone" + (f" (new: {', '.join(new)})" if new else "")
