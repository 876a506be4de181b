"""A database: its tables, polled, and what queries want of it.

    one transaction that sees one moment → every row of every table → diff by key (``keyed``)    ┐ one entry
                                         → every fragment           → diff of bags (``fragments``) ┘

Whole tables are compared, so deletes and updates are seen without triggers or rights beyond SELECT;
meant for facts (thousands of rows), not for measurements. Where a table has a change column only the
rows are read that have one not below the largest seen; what that cannot show (a delete, a transaction
that was long in committing) shows at the full poll, the first and every ``full_every``-th. Columns are
reflected when the wrapper is made; a schema that changes later is told in health, and used after a
restart.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from engine.model.clock import Clock
from engine.model.errors import SourceError
from engine.model.relation import Relation
from ingest.declarations import Declaration
from ingest.diff import Rows
from ingest.log import Entry, Log
from ingest.log_writer import LogWriter
from ingest.sources import DatabaseSource
from ingest.wrappers.database.columns import FactTable
from ingest.wrappers.database.connecting import is_first_poll_of, open_facts, reason_of
from ingest.wrappers.database.fragments import Fragments, Wanted
from ingest.wrappers.database.notices import Listener
from ingest.wrappers.database.rows import all_rows, changed_rows
from ingest.wrappers.database.schema import look_at_all
from ingest.wrappers.database.site import SiteState
from ingest.wrappers.database.sizes import Sizes
from ingest.wrappers.keyed import KeyedWrapper, Said, Tables, UnreadableError

REFLECT_EVERY = 30  # polls between two looks at the schema


class DatabaseWrapper(KeyedWrapper):
    """One database; its site is asked for fragments."""

    def __init__(self, database: DatabaseSource, clock: Clock) -> None:
        super().__init__(database.source, database.poll_seconds, clock)
        self._database, self.site = database, database.site
        self._engine = open_facts(database.url, database.statement_seconds)
        self._tables: tuple[FactTable, ...] = ()
        self._wanted: tuple[Wanted, ...] = ()
        self._fragments: Fragments | None = None
        self._state = SiteState(database, clock)
        self._sizes = Sizes(self._engine, database.on_demand)
        channel = database.notify
        self._listener = None if channel is None else Listener(database.url, channel, self.hasten)
        self._growing, self._grown = dict(database.change_columns), dict[str, Any]()
        self._polls = 0
        self._changed = ""

    def describe(self) -> tuple[Relation, ...]:
        """Return the tables as first reflected, those that are asked on demand last."""
        return tuple(table.relation for table in self._known())

    def open(self, writer: LogWriter, log: Log) -> None:
        """Begin to poll, from what the log last said."""
        self._fragments = Fragments(log, lambda: self._wanted)
        if self._listener is not None:
            self._listener.start()
        super().open(writer, log)

    def close(self) -> None:
        """Stop polling."""
        if self._listener is not None:
            self._listener.close()
        super().close()
        self._engine.dispose()

    def follow(self, fragments: Mapping[str, Mapping[str, Any]]) -> None:
        """Ask for these fragments, bodies of declarations by name, from now on, and for no others."""
        wanted = tuple(
            Wanted(name, int(body["version"]), json.dumps(body["plan"])) for name, body in fragments.items()
        )
        if wanted != self._wanted:
            self._wanted = wanted
            self.hasten()

    def step(self) -> None:
        """Poll once; count the tables on demand as often as everything is read."""
        polls = self._polls
        super().step()
        if self._polls > polls and polls % self._database.full_every == 0:
            self._health = replace(self._health, rows=self._sizes.count())

    def poll(self) -> Tables:
        """Return every row of every table, and read every fragment, as of one moment."""
        known = self._known()
        try:
            tables = self._read(known)
        except sa.exc.SQLAlchemyError as error:
            self._look_at_schema()
            msg = f"cannot read {self._engine.url}: {reason_of(error)}; {self._changed or 'trying again'}"
            raise SourceError(msg) from error
        self._polls += 1
        if self._polls % REFLECT_EVERY == 0:
            self._look_at_schema()
        return tables

    def warning(self) -> str:
        """Say that the schema changed, that a fragment fails, or that nothing is notified."""
        failing = "" if self._fragments is None else self._fragments.problem
        unheard = "" if self._listener is None else self._listener.problem
        return "; ".join(filter(None, (self._changed, failing, unheard)))

    def unreadable(self) -> UnreadableError | None:
        """Return what a fragment met that its column cannot hold."""
        return None if self._fragments is None else self._fragments.unreadable

    def beside(self) -> Said:
        """Return how the fragments changed, and that the site is up."""
        if self._fragments is None:
            return [], []
        changes, state = self._fragments.told()
        changes += self._state.became(self._fragments.problem)
        return changes, state + self._fragments.forgotten()

    def _failed(self, problem: str) -> None:
        super()._failed(problem)
        changes = self._state.became(problem)
        if changes:
            self._writer.submit([Entry(self.source, "site", json.dumps({"changes": changes}).encode())])

    def _known(self) -> tuple[FactTable, ...]:
        if not self._tables:
            self._tables = look_at_all(self._engine, self._database)
        return self._tables

    def _read(self, known: Sequence[FactTable]) -> Tables:
        grown: dict[str, Any] = {}
        with self._engine.connect() as connection, connection.begin():
            if is_first_poll_of(connection):
                self._grown = {}
            tables = {
                table.relation.name: self._table(connection, table.relation, grown)
                for table in known
                if table.relation.comes_by_itself
            }
            if self._fragments is not None:
                by_name = {table.relation.name: table for table in known}
                self._fragments.read(connection, by_name)
                if self._fragments.is_behind:
                    self.hasten()
        self._grown = grown
        return tables

    def _table(self, connection: sa.Connection, relation: Relation, grown: dict[str, Any]) -> Rows:
        column = self._growing.get(relation.name)
        if column is None:
            return all_rows(connection, relation)
        is_full = self._polls % self._database.full_every == 0
        said = None if is_full else dict(self._said.get(relation.name, {}))
        found = changed_rows(connection, relation, column, said, self._grown.get(relation.name))
        grown[relation.name] = found.largest
        return found.rows

    def _look_at_schema(self) -> None:
        try:
            found = look_at_all(self._engine, self._database)
        except SourceError:
            return
        pairs = zip(found, self._tables, strict=True)
        changed = [new.relation.name for new, old in pairs if new.relation != old.relation]
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
                return {self._relation.name: all_rows(connection, self._relation, self._table)}
        except sa.exc.SQLAlchemyError as error:
            msg = f"cannot read {self._table} of {self._engine.url}: {reason_of(error)}; trying again"
            raise SourceError(msg) from error
