"""A database's tables that are read in ranges: polled on a thread of its own, as of one moment.

    PostgreSQL          one snapshot, which the transaction of every range takes
    SQLite              read anew where somebody wrote meanwhile, up to ``TRIES`` times
    any other           each range as of its own moment

Between two full polls nothing is read where the database tells that nothing was committed since.
"""

import json
import threading
from collections.abc import Callable, Sequence

import sqlalchemy as sa
import structlog

from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.partitions.epoch import Carrier
from ingest.log import Entry, Log
from ingest.sources import DatabaseSource
from ingest.wrappers.database.connecting import open_facts, reason_of, share
from ingest.wrappers.database.moments import Moment, moment_of
from ingest.wrappers.database.ranges.scanning import EndedError, RangedTable
from ingest.wrappers.keyed import UnreadableError

TRIES = 3
OK = "ok"


class RangedDatabase:
    """The tables of one database that are read in ranges."""

    def __init__(
        self, database: DatabaseSource, relations: Sequence[Relation], log: Log, carry: Callable[[], Carrier]
    ) -> None:
        self.name = f"{database.source} in ranges"
        self._database, self._log = database, log
        self._ending = threading.Event()
        self._tables = [RangedTable(database, each, log, carry(), self._ending) for each in relations]
        self._engine = open_facts(database.url, database.statement_seconds)
        self._read_at: Moment | None = None
        self._polls = 0
        self._rejected = ""
        self.told = "has not been read yet"
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
            return self._poll()
        except sa.exc.SQLAlchemyError as error:
            msg = f"cannot read {self._engine.url}: {reason_of(error)}; trying again"
            raise SourceError(msg) from error

    def _poll(self) -> int:
        is_full = self._polls % self._database.full_every == 0
        self._polls += 1
        for table in self._tables:
            table.prepare(self._engine)
        with self._engine.connect() as connection:
            for _ in range(TRIES):
                moment = self._moment(connection)
                if moment is not None and moment == self._read_at and not is_full:
                    return 0
                self._read(connection)
                if self._is_one_moment(connection, moment):
                    told = sum(table.tell() for table in self._tables)
                    self._read_at = moment
                    return told
        msg = f"{self._engine.url} is written to whenever it is read, {TRIES} times in a row; trying again"
        raise SourceError(msg)

    def _moment(self, connection: sa.Connection) -> Moment | None:
        with connection.begin():
            return moment_of(connection)

    def _read(self, connection: sa.Connection) -> None:
        """Read all tables; as of one snapshot, which stands as long as the transaction that gave it."""
        with connection.begin():
            share(connection, [table.relation.name for table in self._tables])
            named = snapshot_of(connection)
            if named:
                for table in self._tables:
                    table.scan(self._engine, named)
                return
        for table in self._tables:
            table.scan(self._engine, "")

    def _is_one_moment(self, connection: sa.Connection, moment: Moment | None) -> bool:
        return connection.dialect.name != "sqlite" or self._moment(connection) == moment

    def _serve(self) -> None:
        while not self._ending.is_set():
            try:
                self.poll()
                self.told = OK
                self._reject(None)
            except EndedError:
                return
            except Exception as error:  # a bug here must not end the source in silence
                self._failed(error)
            self._ending.wait(self._database.poll_seconds)

    def _failed(self, error: Exception) -> None:
        said = error.message if isinstance(error, SourceError) else f"{type(error).__name__}: {error}"
        self._read_at = None
        if said != self.told:
            structlog.get_logger().warning("ranges are not read", source=self.name, reason=said)
        self.told = said
        if isinstance(error, UnreadableError):
            self._reject(error)

    def _reject(self, error: UnreadableError | None) -> None:
        """Log what could not be read, unless that was said last."""
        said = ""
        if error is not None:
            said = json.dumps({"reject": {"reason": error.message, "sample": error.sample}})
        if said and said != self._rejected:
            self._log.append([Entry(self._database.source, "reject", said.encode())])
        self._rejected = said


def snapshot_of(connection: sa.Connection) -> str:
    """Return the name by which other transactions see what this one sees, where there is such a thing."""
    if connection.dialect.name != "postgresql":
        return ""
    return str(connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar())
