"""The acquisition log: durable, replayable, as received.

    append:  lock → last (offset, stamp) → rows offset+1 … offset+n, stamp' = max(stamp, now) → commit

Offsets and stamps are assigned under the lock and the lock is held until the commit is visible,
so a visible offset implies every smaller one, with any number of appenders; a reader that
remembers the last offset it saw never skips a row.

What an acknowledgement (a return from ``append``) promises:
    SQLite, SMARTCIS_LOG_SYNC=FULL (default): survives the death of any process and a power loss;
        the WAL is synced at each commit (0.15 ms on the disk it was chosen on, a group a commit).
    SQLite, NORMAL: survives the death of any process; a power loss may take the last commits,
        never the order or the integrity of what is left.
    PostgreSQL: as its ``synchronous_commit`` says; ``on`` survives both.

Left out on purpose: secondary indexes. Everything is found by offset, so a start with ten million
rows costs two index look-ups.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Self

import sqlalchemy as sa

from engine.model.clock import Clock, SystemClock
from ingest.log.rows import (
    READ,
    Announced,
    Entry,
    Position,
    Record,
    StateChange,
    bounded,
    change_state,
    insert,
    last_of,
    storable,
)
from ingest.log.schema import (
    ANNOUNCED,
    DECLARED,
    IMMEDIATE,
    LOG,
    SNAPSHOTS,
    SOURCE_STATE,
    create_tables,
    lock_appends,
    open_engine,
)

REDELIVERY_TAIL = 65_536  # rows a trim leaves, so that a redelivery can still be recognised
TRIM_ROWS = 20_000  # a bound on how long one trim holds the appenders up


class Log:
    """The log at a URL; one object may be used from several threads."""

    def __init__(self, url: str, clock: Clock | None = None) -> None:
        self._engine = open_engine(url)
        self._clock = clock or SystemClock()
        create_tables(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()

    def append(
        self, entries: Sequence[Entry], state: Iterable[StateChange] = (), stamps: Sequence[int] = ()
    ) -> Position:
        """Append entries and change source states in one transaction; return the new end.

        ``stamps`` are those that entries had elsewhere; they do not go back behind the last one here.
        """
        with self._engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            lock_appends(connection)
            last = last_of(connection)
            given = stamps or [self._clock.now()] * len(entries)
            ascending = list(accumulate((last.received, *given), max))[1:]
            insert(connection, storable(entries), last.offset, ascending)
            change_state(connection, state)
        return Position(last.offset + len(entries), ascending[-1] if entries else last.received)

    def read(self, start: int, max_rows: int = 5_000, max_bytes: int = 8_000_000) -> list[Record]:
        """Return what follows ``start``; at least one row if there is one, whatever its size."""
        with self._engine.connect().execution_options(stream_results=True) as connection:
            rows = connection.execute(READ, {"start": start, "rows": max_rows})
            return bounded(rows, max_bytes)

    def last(self) -> Position:
        """Return how far the log goes."""
        with self._engine.connect() as connection:
            return last_of(connection)

    def holds(self, entries: Sequence[Entry], after: int) -> bool:
        """Say whether exactly these entries follow one another after ``after``.

        For the appender whose connection broke during its commit.
        """
        tail = [Entry(r.source, r.topic, r.payload, r.delivery) for r in self.read(after, 100_000, 1 << 30)]
        wanted, width = list(storable(entries)), len(entries)
        return any(tail[at : at + width] == wanted for at in range(len(tail) - width + 1))

    def state(self, source: str) -> dict[str, str]:
        """Return what the log last said of a keyed source, by item."""
        with self._engine.connect() as connection:
            query = sa.select(SOURCE_STATE.c.item, SOURCE_STATE.c.body).where(SOURCE_STATE.c.source == source)
            return {item: body for item, body in connection.execute(query)}

    def said_of(self, source: str, table: str) -> Iterator[tuple[str, str]]:
        """Yield the items of one table of a keyed source, each with what the log last said of it."""
        beginning = json.dumps([table])[:-1] + ", ["
        of_table = SOURCE_STATE.c.item.startswith(beginning, autoescape=True)
        query = sa.select(SOURCE_STATE.c.item, SOURCE_STATE.c.body).where(SOURCE_STATE.c.source == source)
        with self._engine.connect().execution_options(yield_per=10_000) as connection:
            for item, body in connection.execute(query.where(of_table)):
                if item.startswith(beginning):  # SQLite's LIKE takes A for a
                    yield item, body

    def sources_with_state(self) -> list[str]:
        """Return the keyed sources of which the log said something."""
        with self._engine.connect() as connection:
            query = sa.select(SOURCE_STATE.c.source).distinct().order_by(SOURCE_STATE.c.source)
            return list(connection.scalars(query))

    def declared(self, after: int = 0) -> list[tuple[int, bytes]]:
        """Return the entries that declare relations, trimmed or not, with their offsets."""
        query = sa.select(DECLARED).where(DECLARED.c.offset > after).order_by(DECLARED.c.offset)
        with self._engine.connect() as connection:
            return [(offset, bytes(body)) for offset, body in connection.execute(query)]

    def forget_declared(self, offsets: Sequence[int]) -> None:
        """Take entries out of the index of declarations that no entry of the log is decoded by any more."""
        self._forget(DECLARED, offsets)

    def announced(self, after: int = 0) -> list[Announced]:
        """Return the entries that announce devices or speak of them, trimmed or not."""
        query = sa.select(ANNOUNCED).where(ANNOUNCED.c.offset > after).order_by(ANNOUNCED.c.offset)
        with self._engine.connect() as connection:
            return [
                Announced(o, source, topic, bytes(body))
                for o, source, topic, body in connection.execute(query)
            ]

    def forget_announced(self, offsets: Sequence[int]) -> None:
        """Take entries out of the index of announcements that say nothing any more."""
        self._forget(ANNOUNCED, offsets)

    def _forget(self, index: sa.Table, offsets: Sequence[int]) -> None:
        with self._engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            if offsets:
                gone = sa.delete(index).where(index.c.offset == sa.bindparam("gone"))
                connection.execute(gone, [{"gone": offset} for offset in offsets])

    def trim(self, below: int, keep: int = REDELIVERY_TAIL) -> int:
        """Remove rows below an offset, up to TRIM_ROWS of them; return how many went.

        Never those that a start from the oldest kept snapshot would read, nor the newest ``keep``.
        """
        with self._engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            lock_appends(connection)
            snapshot = connection.execute(sa.select(sa.func.min(SNAPSHOTS.c.offset))).scalar()
            first = connection.execute(sa.select(sa.func.min(LOG.c.offset))).scalar()
            if snapshot is None or first is None:
                return 0
            end = min(below, snapshot + 1, last_of(connection).offset + 1 - max(keep, 1), first + TRIM_ROWS)
            return int(connection.execute(sa.delete(LOG).where(LOG.c.offset < end)).rowcount)
