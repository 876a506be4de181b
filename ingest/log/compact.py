"""Give back what the log no longer needs.

    trim in slices until nothing goes  →  the database's own VACUUM

What gives space back to the disk copies the log and holds every writer up meanwhile, so it is for a log that
nobody writes.
"""

from typing import NamedTuple

import sqlalchemy as sa

from engine.model.clock import SECOND, Clock
from ingest.declarations import read_declaration, spent
from ingest.discovery.superseded import repeated, superseded
from ingest.history import offset_at
from ingest.log import Log
from ingest.log.schema import open_engine

HOUR = 3600 * SECOND
VACUUM = {
    "sqlite": ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"),
    "postgresql": ("VACUUM FULL ANALYZE log",),
}


class Compacted(NamedTuple):
    """How many entries went, and how large the log was and is, in bytes."""

    removed: int
    before: int
    after: int


def trim(log: Log, hours: float, clock: Clock) -> int:
    """Remove some of the entries older than ``hours`` that no kept snapshot needs, and what decoded them."""
    removed = log.trim(offset_at(log, clock.now() - int(hours * HOUR), log.last().offset))
    first = next((record.offset for record in log.read(0, max_rows=1)), 0)
    log.forget_declared(spent([read_declaration(*each) for each in log.declared()], first))
    log.forget_announced(repeated(log.announced()))
    log.forget_announced(superseded(log.announced(), first))
    return removed


def compact(url: str, hours: float, clock: Clock, *, is_quiet: bool) -> Compacted:
    """Trim and shrink a log; ``is_quiet`` says that nobody writes it."""
    engine = open_engine(url)
    before, removed = _size(engine), 0
    with Log(url) as log:
        while gone := trim(log, hours, clock):
            removed += gone
    if is_quiet:
        _vacuum(engine)
    after = _size(engine)
    engine.dispose()
    return Compacted(removed, before, after)


def _vacuum(engine: sa.Engine) -> None:
    raw = engine.raw_connection()
    try:
        if engine.dialect.name == "postgresql":
            raw.driver_connection.autocommit = True  # type: ignore[union-attr]
        cursor = raw.cursor()
        for statement in VACUUM[engine.dialect.name]:
            cursor.execute(statement)
    finally:
        raw.close()


def _size(engine: sa.Engine) -> int:
    ask = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "postgresql": "SELECT pg_total_relation_size('log')",
    }[engine.dialect.name]
    with engine.connect() as connection:
        return int(connection.exec_driver_sql(ask).scalar() or 0)
