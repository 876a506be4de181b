"""Snapshots of the engine, beside the log they are a prefix of.

A start is the newest snapshot plus the log's tail. Three are kept: should the newest turn out
unreadable, the one before it and a longer tail give the same state.
"""

from typing import NamedTuple

import sqlalchemy as sa

from ingest.log.schema import IMMEDIATE, SNAPSHOTS, create_tables, open_engine

KEPT = 3


class StoredSnapshot(NamedTuple):
    """State after the log entry ``offset``, taken at the close of ``tick``."""

    tick: int
    offset: int
    taken_at: int
    body: bytes


class Snapshots:
    """The snapshots in the log's database."""

    def __init__(self, url: str) -> None:
        self._engine = open_engine(url)
        create_tables(self._engine)

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()

    def save(self, snapshot: StoredSnapshot) -> None:
        """Keep this snapshot, and the newest KEPT of all."""
        newest = sa.select(SNAPSHOTS.c.tick).order_by(SNAPSHOTS.c.tick.desc()).limit(KEPT)
        with self._engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            connection.execute(sa.delete(SNAPSHOTS).where(SNAPSHOTS.c.tick == snapshot.tick))
            connection.execute(sa.insert(SNAPSHOTS), snapshot._asdict())
            connection.execute(sa.delete(SNAPSHOTS).where(SNAPSHOTS.c.tick.not_in(newest)))

    def latest(self, nth: int = 0) -> StoredSnapshot | None:
        """Return the newest snapshot, or the ``nth`` before it."""
        query = sa.select(SNAPSHOTS).order_by(SNAPSHOTS.c.tick.desc()).offset(nth).limit(1)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return None if row is None else StoredSnapshot(row.tick, row.offset, row.taken_at, bytes(row.body))
