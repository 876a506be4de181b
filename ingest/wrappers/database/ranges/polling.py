"""A database's tables that are read in ranges: polled on a thread of its own, as of one moment.

    PostgreSQL          one snapshot, which the transaction of every range takes
    SQLite              read anew where somebody wrote meanwhile, up to ``TRIES`` times
    any other           each range as of its own moment

Between two full polls nothing is read where the database tells that nothing was committed since. A table that
cannot be read, or is not what it was at the start (``fitting``), stands; the others go on.
"""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import sqlalchemy as sa
import structlog

from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.partitions.carrying import Carrier
from ingest.log import Entry, Log
from ingest.sources import DatabaseSource
from ingest.wrapper import SourceState
from ingest.wrappers.database.connecting import open_facts, reason_of
from ingest.wrappers.database.fitting import Schema
from ingest.wrappers.database.moments import Moment, moment_of
from ingest.wrappers.database.ranges.scanning import RangedTable
from ingest.wrappers.database.ranges.telling import EndedError
from ingest.wrappers.keyed import UnreadableError

TRIES = 3
logger = structlog.get_logger(__name__)


class RangedDatabase:
    """The tables of one database that are read in ranges."""

    def __init__(
        self, database: DatabaseSource, relations: Sequence[Relation], log: Log, carry: Callable[[], Carrier]
    ) -> None:
        self.source, self.name = database.source, f"{database.source} in ranges"
        self.is_all = database.in_ranges == database.all_tables
        self._database, self._log = database, log
        self._ending = threading.Event()
        self._tables = [RangedTable(database, each, log, carry(), self._ending) for each in relations]
        self._engine = open_facts(database.url, database.statement_seconds)
        ranged = replace(database, tables=(), static=(), on_demand=())
        self._schema = Schema(self._engine, ranged, seen=relations)
        self._read_at: Moment | None = None
        self._polls = 0
        self._problems: list[SourceError] = []
        self._rejected: Sequence[str] = ()
        self.state, self.problem = SourceState.STARTING, ""
        self._thread = threading.Thread(target=self._serve, name=self.name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._engine.dispose()

    def poll(self) -> int:
        """Tell the log what changed; return how many rows that was."""
        try:
            told = self._poll()
        except sa.exc.SQLAlchemyError as error:
            self._schema.doubt()
            msg = f"cannot read {self._engine.url}: {reason_of(error)}; trying again"
            raise SourceError(msg) from error
        self._reject()
        return told

    def _poll(self) -> int:
        is_full = self._polls % self._database.full_every == 0
        self._polls += 1
        with self._engine.connect() as connection:
            for _ in range(TRIES):
                moment = self._moment(connection)
                if moment is not None and moment == self._read_at and not is_full:
                    return 0
                self._problems = []
                found = self._read(connection)
                if found is not None and self._is_one_moment(connection, moment):
                    return self._tell(found, moment)
        msg = f"{self._engine.url} is written to whenever it is read, {TRIES} times in a row; trying again"
        raise SourceError(msg)

    def _moment(self, connection: sa.Connection) -> Moment | None:
        """Return the moment there is; a schema that is another by now is looked at first."""
        for _ in range(TRIES):
            with connection.begin():
                if self._schema.holds(connection):
                    return moment_of(connection)
            self._schema.look()
        return None

    def _read(self, connection: sa.Connection) -> Sequence[RangedTable] | None:
        """Read all tables that fit, as of one snapshot, which stands as long as the transaction that gave it.

        Return those that could be read; nothing where the schema is not the one that was looked at.
        """
        unfit = self._schema.unfit()
        tables = [table for table in self._tables if table.relation.name not in unfit]
        with connection.begin():
            if not self._schema.holds(connection):
                return None
            named = snapshot_of(connection)
            if named:
                return [table for table in tables if self._is_read(table, named)]
        return [table for table in tables if self._is_read(table, "")]

    def _is_read(self, table: RangedTable, moment: str) -> bool:
        try:
            table.scan(self._engine, moment)
        except SourceError as error:
            self._problems.append(error)
            return False
        return True

    def _is_one_moment(self, connection: sa.Connection, moment: Moment | None) -> bool:
        if connection.dialect.name != "sqlite":
            return True
        with connection.begin():
            return moment_of(connection) == moment

    def _tell(self, tables: Sequence[RangedTable], moment: Moment | None) -> int:
        told = 0
        for table in tables:
            try:
                told += table.tell()
            except SourceError as error:
                self._problems.append(error)
        self._read_at = None if self._problems else moment
        return told

    def _serve(self) -> None:
        while not self._ending.is_set():
            try:
                self.poll()
            except EndedError:
                return
            except SourceError as error:
                self._problems = [error]
            except Exception as error:  # a bug here must not end the source in silence
                logger.exception("ranges are not read", source=self.name)
                self._problems = [SourceError(f"internal: {error!r}")]
            self._report()
            self._ending.wait(self._database.poll_seconds)

    def _report(self) -> None:
        """Say how it goes, as every source does."""
        is_failing = bool(self._problems or self._schema.unfit())
        told = [*(error.message for error in self._problems), self._schema.told()]
        problem = "; ".join(filter(None, told))
        if is_failing and problem != self.problem:
            logger.warning("ranges are not read", source=self.name, reason=problem)
        if self._problems:
            self._read_at = None
        self.state, self.problem = SourceState.FAILING if is_failing else SourceState.LIVE, problem

    def _reject(self) -> None:
        """Log what could not be read, unless that was said last."""
        errors = [error for error in self._problems if isinstance(error, UnreadableError)]
        unfit = self._schema.unfit()
        if unfit:
            errors.append(UnreadableError(self._schema.told(), ", ".join(unfit)))
        bodies = [json.dumps({"reject": {"reason": each.message, "sample": each.sample}}) for each in errors]
        entries = [
            Entry(self._database.source, "reject", body.encode())
            for body in bodies
            if body not in self._rejected
        ]
        if entries:
            self._log.append(entries)
        self._rejected = bodies


def snapshot_of(connection: sa.Connection) -> str:
    """Return the name by which other transactions see what this one sees, where there is such a thing."""
    if connection.dialect.name != "postgresql":
        return ""
    return str(connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar())
