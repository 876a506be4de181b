"""The rows of the log as values, and how a transaction writes and reads them.

An entry gets its offset and stamp where it is written; entries that declare relations or announce devices
go into an index too, which outlives them when the log is trimmed.
"""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, NamedTuple

import sqlalchemy as sa

from ingest.discovery.topics import announces
from ingest.log.schema import ANNOUNCED, DECLARED, SOURCE_STATE

CLOCK_SOURCE = "clock"
DECLARED_SOURCE = "declared"  # entries that say which relations there are from their offset on
MQTT_SOURCE = "mqtt"
REGISTRY_SOURCE = "registry"  # entries by which people say something of a device; their topic is its id

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


def storable(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return entries whose topics any database takes: PostgreSQL holds no NUL, none half a character."""
    if all(_is_plain(entry.topic) for entry in entries):
        return entries
    return [entry._replace(topic=_plain(entry.topic)) for entry in entries]


def _is_plain(text: str) -> bool:
    return "\0" not in text and (text.isascii() or _plain(text) == text)


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


READ = sa.text(f'SELECT {_COLUMNS} FROM log WHERE "offset" > :start ORDER BY "offset" LIMIT :rows')


def last_of(connection: sa.Connection) -> Position:
    """Return how far the log goes."""
    row = connection.exec_driver_sql(_LAST).first()
    return START if row is None else Position(row[0], row[1])


def insert(connection: sa.Connection, entries: Sequence[Entry], after: int, stamps: Sequence[int]) -> None:
    """Write entries behind an offset, and into the indexes what belongs there."""
    if not entries:
        return
    rows = [
        (offset, stamp, source, topic, delivery, payload)
        for offset, stamp, (source, topic, payload, delivery) in zip(count(after + 1), stamps, entries)
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


def change_state(connection: sa.Connection, changes: Iterable[StateChange]) -> None:
    """Change what the log last said of keyed sources; of several changes of an item the last holds."""
    newest = {(change.source, _plain(change.item)): change.body for change in changes}
    if not newest:
        return
    gone = sa.delete(SOURCE_STATE).where(
        SOURCE_STATE.c.source == sa.bindparam("of"), SOURCE_STATE.c.item == sa.bindparam("named")
    )
    connection.execute(gone, [{"of": source, "named": item} for source, item in newest])
    stays = ((source, item, _plain(body)) for (source, item), body in newest.items() if body is not None)
    kept = [dict(zip(("source", "item", "body"), each, strict=True)) for each in stays]
    if kept:
        connection.execute(sa.insert(SOURCE_STATE), kept)


def bounded(rows: "sa.CursorResult[Any]", max_bytes: int) -> list[Record]:
    """Return records of up to so many bytes, and one at least."""
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
