"""Is the log what it promises to be?  Every promise is looked at; what does not hold is said, with its place.

dense       offset(n+1) = offset(n) + 1            an entry that was acknowledged and is not there
ascending   received(n+1) ≥ received(n)            time that went back
indexed     every entry that declares or announces is in its index, with the same text; of a state that
            announces, what says something else than before
anchored    a snapshot is of an offset that the log reaches, and whose tail it still has
sound       the database's own check (SQLite)
"""

from collections.abc import Iterator
from typing import NamedTuple

import sqlalchemy as sa

from ingest.discovery.topics import is_state
from ingest.log import DECLARED_SOURCE, Log, Record, is_announcement
from ingest.log.schema import SNAPSHOTS, open_engine

SHOWN = 20


class Verdict(NamedTuple):
    """What was looked at, and what is wrong with it, the first SHOWN of ``wrong``."""

    first: int
    last: int
    entries: int
    problems: tuple[str, ...]
    wrong: int


def verify(url: str) -> Verdict:
    """Look at a whole log, while it may be written."""
    found = _Found()
    with Log(url) as log:
        index = dict(log.declared()) | {each.offset: each.body for each in log.announced()}
        for record in _entries(log, log.last().offset):
            found.take(record, index)
        engine = open_engine(url)
        with engine.connect() as connection:
            snapshots = list(connection.execute(sa.select(SNAPSHOTS.c.tick, SNAPSHOTS.c.offset)))
            for problem in _unsound(connection):
                found.say(problem)
        engine.dispose()
        last = log.last().offset
    for tick, offset in snapshots:
        if not found.first - 1 <= offset <= last:
            found.say(f"the snapshot of tick {tick} is of entry {offset}; there are {found.first} to {last}")
    return Verdict(found.first, found.at, found.entries, tuple(found.problems), found.count)


class _Found:
    """What was seen of the log so far."""

    def __init__(self) -> None:
        self.first = self.at = self.received = self.entries = self.count = 0
        self.problems: list[str] = []

    def say(self, problem: str) -> None:
        self.count += 1
        if len(self.problems) < SHOWN:
            self.problems.append(problem)

    def take(self, record: Record, index: dict[int, bytes]) -> None:
        self.first = self.first or record.offset
        if self.entries and record.offset != self.at + 1:
            self.say(f"entries {self.at + 1} to {record.offset - 1} are not there")
        if record.received < self.received:
            self.say(f"entry {record.offset} was received before entry {self.at}: {record.received}")
        if _is_indexed(record) and index.get(record.offset, _spare(record)) != record.payload:
            self.say(f"entry {record.offset} declares {record.topic}, and the index does not know it")
        self.at, self.received, self.entries = record.offset, record.received, self.entries + 1


def _is_indexed(record: Record) -> bool:
    return record.source == DECLARED_SOURCE or is_announcement(record.source, record.topic)


def _spare(record: Record) -> bytes | None:
    """Return what the index need not have of an entry: a state that says again what it said."""
    return record.payload if record.source != DECLARED_SOURCE and is_state(record.topic) else None


def _entries(log: Log, last: int) -> Iterator[Record]:
    """Yield the log in bounded pieces up to where it ended at the beginning."""
    at = 0
    while at < last and (found := log.read(at)):
        yield from (record for record in found if record.offset <= last)
        at = found[-1].offset


def _unsound(connection: sa.Connection) -> Iterator[str]:
    if connection.dialect.name != "sqlite":
        return
    for (said,) in connection.exec_driver_sql("PRAGMA quick_check"):
        if said != "ok":
            yield f"SQLite says: {said}"
