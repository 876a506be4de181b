"""A database: its tables, polled, and what queries want of it.

    one transaction that sees one moment → every row of every table → diff by key (``keyed``)    ┐ one entry
                                         → every fragment           → diff of bags (``fragments``) ┘

Whole tables are compared, so deletes and updates are seen without triggers or rights beyond SELECT;
meant for facts (thousands of rows), not for measurements. Where a table has a change column only the
rows are read that have one not below the largest seen; what that cannot show (a delete, a transaction
that was long in committing) shows at the full poll, the first and every ``full_every``-th. Static tables are
read at the start, and when the database says that something changed. Between two full polls nothing is
read where the database tells that nothing changed (``moments``). A schema that changes later is told, and
what does not fit it any more stands (``fitting``).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.model.clock import Clock
from engine.model.errors import SourceError
from engine.model.relation import Relation
from ingest.decoding.keyed import can_be_read, row_decoder
from ingest.diff import Rows
from ingest.log import Entry, Log, StateChange
from ingest.log.writer import LogWriter
from ingest.sources import DatabaseSource
from ingest.wrappers.database.connecting import is_first_poll_of, open_facts, reason_of
from ingest.wrappers.database.first_seen import file_of
from ingest.wrappers.database.fitting import Schema
from ingest.wrappers.database.fragments import Fragments, Wanted
from ingest.wrappers.database.moments import Moment, moment_of
from ingest.wrappers.database.notices import Listener
from ingest.wrappers.database.rows import all_rows, changed_rows
from ingest.wrappers.database.site import SiteState
from ingest.wrappers.database.sizes import Sizes
from ingest.wrappers.keyed import REST, KeyedWrapper, Said, Tables, UnreadableError

LOOKS = 3  # at a schema that changes while it is looked at, before the poll is given up


class DatabaseWrapper(KeyedWrapper):
    """One database; its site is asked for fragments. In ``state`` a run keeps what it saw of it first."""

    def __init__(self, database: DatabaseSource, clock: Clock, state: Path | None = None) -> None:
        super().__init__(database.source, database.poll_seconds, clock)
        self._database, self.site = database, database.site
        self._engine = open_facts(database.url, database.statement_seconds)
        self._schema = Schema(self._engine, database, None if state is None else file_of(database, state))
        self._wanted: tuple[Wanted, ...] = ()
        self._fragments: Fragments | None = None
        self._state = SiteState(database, clock)
        self._sizes = Sizes(self._engine, database.on_demand)
        channel = database.notify
        self._listener = None if channel is None else Listener(database.url, channel, self._noticed)
        self._growing, self._grown = dict(database.change_columns), dict[str, Any]()
        self._polls = 0
        self._has_static = False
        self._read_at: tuple[Moment | None, tuple[Wanted, ...], bool] | None = None
        self._unsaid: list[StateChange] | None = None

    def describe(self) -> tuple[Relation, ...]:
        """Return the tables as first reflected, those that are asked on demand last."""
        return tuple(table.relation for table in self._schema.tables())

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

    def says(self, table: str) -> bool:
        """Tell whether the rows of a table are ours to say."""
        return not (self._database.is_apart and table in self._database.in_ranges)

    def step(self) -> None:
        """Poll once; count the tables on demand as often as everything is read."""
        polls = self._polls
        super().step()
        if self._polls > polls and polls % self._database.full_every == 0:
            self._health = replace(self._health, rows=self._sizes.count())

    def pause(self) -> float:
        """Return in how many seconds to poll; where all is static and read, there is time."""
        database = self._database
        ranged = [table for table in database.in_ranges if self.says(table)]
        asked = (*database.tables, *database.on_demand, *ranged)
        return REST if self._has_static and not asked else super().pause()

    def poll(self) -> Tables:
        """Return every row of every table, and read every fragment, as of one moment."""
        self._forget_unreadable(self.describe())
        try:
            tables = self._read_as_it_is()
        except sa.exc.SQLAlchemyError as error:
            self._schema.doubt()
            msg = f"cannot read {self._engine.url}: {reason_of(error)}; trying again"
            raise SourceError(msg) from error
        self._polls += 1
        self._has_static = True
        return tables

    def failure(self) -> str:
        """Say which tables are not what they were, and whatever else is wrong."""
        return self.warning() if self._schema.unfit() else ""

    def warning(self) -> str:
        """Say that the schema changed, that a fragment fails, or that nothing is notified."""
        failing = "" if self._fragments is None else self._fragments.problem
        unheard = "" if self._listener is None else self._listener.problem
        return "; ".join(filter(None, (self._schema.told(), failing, unheard)))

    def unreadable(self) -> UnreadableError | None:
        """Return which tables do not fit any more, else what a fragment met that its column cannot hold."""
        unfit = self._schema.unfit()
        if unfit:
            return UnreadableError(self._schema.told(), ", ".join(unfit))
        return None if self._fragments is None else self._fragments.unreadable

    def beside(self) -> Said:
        """Return how the fragments changed, and that the site is up."""
        unsaid, self._unsaid = self._unsaid or [], []
        if self._fragments is None:
            return [], unsaid
        changes, state = self._fragments.told()
        changes += self._state.became(self._fragments.problem)
        return changes, [*unsaid, *state, *self._fragments.forgotten()]

    def _failed(self, problem: str) -> None:
        super()._failed(problem)
        changes = self._state.became(problem)
        if changes:
            self._writer.submit([Entry(self.source, "site", json.dumps({"changes": changes}).encode())])

    def _forget_unreadable(self, relations: Sequence[Relation]) -> None:
        """Take rows for never said that the log has in a form which is none of their table by now."""
        if self._unsaid is not None:
            return
        self._unsaid = []
        for relation in relations:
            said, decode = self._said.get(relation.name, {}), row_decoder(relation)
            for key in [key for key, row in said.items() if not can_be_read(decode, row)]:
                del said[key]
                self._unsaid.append(StateChange(self.source, json.dumps([relation.name, list(key)]), None))

    def _noticed(self) -> None:
        """Read at once what may have changed, static tables too."""
        self._has_static = False
        self.hasten()

    def _read_as_it_is(self) -> Tables:
        """Read by the schema that holds in the transaction which reads."""
        for _ in range(LOOKS):
            with self._engine.connect() as connection, connection.begin():
                if self._schema.holds(connection):
                    return self._read(connection)
            self._schema.look()
        msg = f"the schema of {self._engine.url} changes while it is looked at; trying again"
        raise SourceError(msg)

    def _read(self, connection: sa.Connection) -> Tables:
        now = (moment_of(connection), self._wanted, self._has_static)
        if now == self._read_at and now[0] is not None and self._polls % self._database.full_every:
            return self._said
        self._read_at = None
        grown: dict[str, Any] = {}
        if is_first_poll_of(connection):
            self._grown = {}
        known, unfit = self._schema.tables(), self._schema.unfit()
        tables = {
            table.relation.name: self._said.get(table.relation.name, {})
            if table.relation.name in unfit or self._is_done(table.relation)
            else self._table(connection, table.relation, grown)
            for table in known
            if table.relation.comes_by_itself and self.says(table.relation.name)
        }
        if self._fragments is not None:
            self._fragments.read(connection, {table.relation.name: table for table in known}, unfit)
            if self._fragments.is_behind:
                self.hasten()
            if self._fragments.problem and not self._schema.has_mark:
                self._schema.doubt()
        self._grown = grown
        if not unfit and (self._fragments is None or self._fragments.is_whole):
            self._read_at = (now[0], now[1], True)
        return tables

    def _is_done(self, relation: Relation) -> bool:
        return self._has_static and relation.name in self._database.static

    def _table(self, connection: sa.Connection, relation: Relation, grown: dict[str, Any]) -> Rows:
        column = self._growing.get(relation.name)
        if column is None:
            return all_rows(connection, relation)
        is_full = self._polls % self._database.full_every == 0
        said = None if is_full else dict(self._said.get(relation.name, {}))
        found = changed_rows(connection, relation, column, said, self._grown.get(relation.name))
        grown[relation.name] = found.largest
        return found.rows
