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

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import sqlalchemy as sa

from engine.model.clock import Clock, SystemClock
from ingest.discovery.topics import announces
from ingest.log_schema import (
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

CLOCK_SOURCE = "clock"
DECLARED_SOURCE = "declared"  # entries that say which relations there are from their offset on
MQTT_SOURCE = "mqtt"
REGISTRY_SOURCE = "registry"  # entries by which people say something of a device; their topic is its id
REDELIVERY_TAIL = 65_536  # rows a trim leaves, so that a redelivery can still be recognised
TRIM_ROWS = 20_000  # a bound on how long one trim holds the appenders up

_LAST = 'SELECT "offset", received FROM log ORDER BY "offset" DESC LIMIT 1'
_COLUMNS = '"offset", received, source, topic, delivery, payload'
_INSERT_SQLITE = f"INSERT INTO log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_POSTGRESQL = (
    f"INSERT INTO log ({_COLUMNS}) SELECT * FROM unnest"
    "(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::int[], %s::bytea[])"
)


class Entry(NamedTuple):
    """What a wrapper hands over; ``delivery`` is the MQTT packet identifier, if it had one."""

    source: str
    topic: str
    payload: bytes
    delivery: int | None = None


class StateChange(NamedTuple):
    """An item of what the log last said of a keyed source; no body removes it."""

    source: str
    item: str
    body: str | None


class Record(NamedTuple):
    """An entry in its place."""

    offset: int
    received: int
    source: str
    topic: str
    delivery: int | None
    payload: bytes


class Announced(NamedTuple):
    """An entry that is a part of the registry of devices."""

    offset: int
    source: str
    topic: str
    body: bytes


class Position(NamedTuple):
    """How far the log goes."""

    offset: int
    received: int


CLOCK_ENTRY = Entry(CLOCK_SOURCE, "", b"")
START = Position(0, 0)


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

    def append(self, entries: Sequence[Entry], state: Iterable[StateChange] = ()) -> Position:
        """Append entries and change source states in one transaction; return the new end."""
        with self._engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            lock_appends(connection)
            last = _last(connection)
            stamp = max(last.received, self._clock.now())
            _insert(connection, entries, last.offset, stamp)
            _change_state(connection, state)
        return Position(last.offset + len(entries), stamp if entries else last.received)

    def read(self, start: int, max_rows: int = 5_000, max_bytes: int = 8_000_000) -> list[Record]:
        """Return what follows ``start``; at least one row if there is one, whatever its size."""
        with self._engine.connect().execution_options(stream_results=True) as connection:
            rows = connection.execute(_READ, {"start": start, "rows": max_rows})
            return _bounded(rows, max_bytes)

    def last(self) -> Position:
        """Return how far the log goes."""
        with self._engine.connect() as connection:
            return _last(connection)

    def holds(self, entries: Sequence[Entry], after: int) -> bool:
        """Say whether exactly these entries follow one another after ``after``.

        For the appender whose connection broke during its commit.
        """
        tail = [Entry(r.source, r.topic, r.payload, r.delivery) for r in self.read(after, 100_000, 1 << 30)]
        width = len(entries)
        return any(tail[at : at + width] == list(entries) for at in range(len(tail) - width + 1))

    def state(self, source: str) -> dict[str, str]:
        """Return what the log last said of a keyed source, by item."""
        with self._engine.connect() as connection:
            query = sa.select(SOURCE_STATE.c.item, SOURCE_STATE.c.body).where(SOURCE_STATE.c.source == source)
            return {item: body for item, body in connection.execute(query)}

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
            end = min(below, snapshot + 1, _last(connection).offset + 1 - max(keep, 1), first + TRIM_ROWS)
            return int(connection.execute(sa.delete(LOG).where(LOG.c.offset < end)).rowcount)


_READ = sa.text(f'SELECT {_COLUMNS} FROM log WHERE "offset" > :start ORDER BY "offset" LIMIT :rows')


def _last(connection: sa.Connection) -> Position:
    row = connection.exec_driver_sql(_LAST).first()
    return START if row is None else Position(row[0], row[1])


def _insert(connection: sa.Connection, entries: Sequence[Entry], after: int, stamp: int) -> None:
    if not entries:
        return
    rows = [
        (offset, stamp, source, topic, delivery, payload)
        for offset, (source, topic, payload, delivery) in enumerate(entries, after + 1)
    ]
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_INSERT_SQLITE, rows)
    else:
        columns = tuple(list(column) for column in zip(*rows, strict=True))
        connection.exec_driver_sql(_INSERT_POSTGRESQL, columns)
    declared = [{"offset": row[0], "body": row[-1]} for row in rows if row[2] == DECLARED_SOURCE]
    if declared:
        connection.execute(sa.insert(DECLARED), declared)
    announcing = (row for row in rows if is_announcement(row[2], row[3]))
    announced = [Announced(row[0], row[2], row[3], row[-1]) for row in announcing]
    if announced:
        connection.execute(sa.insert(ANNOUNCED), [found._asdict() for found in announced])


def is_announcement(source: str, topic: str) -> bool:
    """Tell whether an entry announces a device, or says something of one."""
    return source == REGISTRY_SOURCE or (source == MQTT_SOURCE and announces(topic))


def _change_state(connection: sa.Connection, changes: Iterable[StateChange]) -> None:
    newest = {(change.source, change.item): change.body for change in changes}
    if not newest:
        return
    gone = sa.delete(SOURCE_STATE).where(
        SOURCE_STATE.c.source == sa.bindparam("of"), SOURCE_STATE.c.item == sa.bindparam("named")
    )
    connection.execute(gone, [{"of": source, "named": item} for source, item in newest])
    kept = [{"source": s, "item": i, "body": body} for (s, i), body in newest.items() if body is not None]
    if kept:
        connection.execute(sa.insert(SOURCE_STATE), kept)


def _bounded(rows: "sa.CursorResult[Any]", max_bytes: int) -> list[Record]:
    found: list[Record] = []
    size = 0
    for row in rows:
        offset, received, source, topic, delivery, payload = tuple(row)
        record = Record(offset, received, source, topic, delivery, bytes(payload))
        size += len(record.payload)
        if found and size > max_bytes:
            break
        found.append(record)
    rows.close()
    return found
