"""The tables of the acquisition log, and how a connection to them is opened.

    log           what was received: offset ↗ dense from 1, received ↗, source, topic, delivery, payload
    source_state  what the log last said of a keyed source, so that a restart sends no row twice
    declared      an index of the entries that declare relations, which outlives them when the log is trimmed
    announced     likewise of the entries by which devices announce themselves, and of what people say of them
    snapshots     the engine's state after some offset

SQLite transactions are begun by us, not by the driver: ``BEGIN`` to read, ``BEGIN IMMEDIATE`` to append,
so that two appenders queue up instead of failing half-way.
"""

import os
from typing import Any

import sqlalchemy as sa

from engine.model.errors import SourceError

METADATA = sa.MetaData()
BIGINT = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite's row id, so that the key costs nothing

LOG = sa.Table(
    "log",
    METADATA,
    sa.Column("offset", BIGINT, primary_key=True, autoincrement=False),
    sa.Column("received", sa.BigInteger, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("delivery", sa.Integer),
    sa.Column("payload", sa.LargeBinary, nullable=False),
)

SOURCE_STATE = sa.Table(
    "source_state",
    METADATA,
    sa.Column("source", sa.Text, primary_key=True),
    sa.Column("item", sa.Text, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
)

DECLARED = sa.Table(
    "declared",
    METADATA,
    sa.Column("offset", BIGINT, primary_key=True, autoincrement=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

ANNOUNCED = sa.Table(
    "announced",
    METADATA,
    sa.Column("offset", BIGINT, primary_key=True, autoincrement=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

SNAPSHOTS = sa.Table(
    "snapshots",
    METADATA,
    sa.Column("tick", BIGINT, primary_key=True, autoincrement=False),
    sa.Column("offset", sa.BigInteger, nullable=False),
    sa.Column("taken_at", sa.BigInteger, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

APPEND_LOCK = 0x536D617274434953  # pg_advisory_xact_lock key: "SmartCIS"
IMMEDIATE = {"sqlite_begin": "BEGIN IMMEDIATE"}
SYNC_MODES = ("FULL", "NORMAL")


def log_sync() -> str:
    """Return the durability asked for by SMARTCIS_LOG_SYNC."""
    found = os.environ.get("SMARTCIS_LOG_SYNC", "FULL").upper()
    if found not in SYNC_MODES:
        msg = f"SMARTCIS_LOG_SYNC is {found}; expected {' or '.join(SYNC_MODES)}"
        raise SourceError(msg)
    return found


def parse_url(url: str) -> sa.URL:
    """Return a database's URL taken apart."""
    try:
        return sa.make_url(url)
    except sa.exc.ArgumentError as error:
        msg = (
            f"{url or 'an empty text'} is no database URL; expected sqlite:///path or postgresql://host/name"
        )
        raise SourceError(msg) from error


def open_engine(url: str) -> sa.Engine:
    """Return an engine for a SQLite or PostgreSQL log."""
    parsed = parse_url(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return _open_sqlite(parsed)
    if backend == "postgresql":
        return sa.create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    msg = f"the log's URL names {backend}; expected sqlite:///path or postgresql://host/name"
    raise SourceError(msg)


def _open_sqlite(url: sa.URL) -> sa.Engine:
    engine = sa.create_engine(url, connect_args={"timeout": 30})
    sync = log_sync()

    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={sync}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("sqlite_begin", "BEGIN"))

    return engine


def lock_appends(connection: sa.Connection) -> None:
    """Wait until no other appender is in its transaction; SQLite's BEGIN IMMEDIATE already did."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({APPEND_LOCK})")


def create_tables(engine: sa.Engine) -> None:
    """Create what is missing; safe when several processes start at once."""
    with engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
        lock_appends(connection)
        METADATA.create_all(connection)
