"""All ranges of a table, read as of one moment and compared there; then the log is told what changed.

What changed, and what the log has said by then (an item a row, as of every polled table), are committed
together, ``AT_ONCE`` rows an entry, so ranges that are lost, or a start, go on from there; and a table that
was read in ranges can be polled whole by the next start, or the other way round.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice

import sqlalchemy as sa

from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.partitions.epoch import Carrier
from engine.partitions.hashing import Partition
from engine.partitions.lost import Lost, tried
from engine.partitions.orders import Collect, Count, Look, Mail, Rows, Scan
from engine.partitions.round import Round
from ingest.log import Entry, Log, StateChange
from ingest.sources import DatabaseSource
from ingest.wrappers.database.ranges.cutting import cut, place_of
from ingest.wrappers.database.ranges.share import RangeShare, Wanted
from ingest.wrappers.keyed import UnreadableError

AT_ONCE = 2_000
LOADED_AT_ONCE = 20_000
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
UNEVEN, FEW = 2, 10_000  # ranges are cut anew when one has twice its share, and so many rows more
Changes = Sequence[tuple[Row, int]]


class EndedError(Exception):
    """Somebody waits for ranges no more."""


class RangedTable:
    """One table, its ranges where ``carrier`` has them; ``ending`` ends the waiting for them."""

    def __init__(
        self,
        database: DatabaseSource,
        relation: Relation,
        log: Log,
        carrier: Carrier,
        ending: threading.Event,
    ) -> None:
        self.relation = relation
        self._database, self._log, self._carrier, self._ending = database, log, carrier, ending
        self._key = relation.key_positions
        self._what = f"the ranges of table {relation.name}"
        self._is_begun = self._is_logged = self._is_uneven = False

    def prepare(self, engine: sa.Engine) -> None:
        """Have ranges that know what the log said last of them, unless they are there."""
        tried(self._what, lambda is_again: self._begin(engine, is_again=is_again))

    def _begin(self, engine: sa.Engine, *, is_again: bool) -> None:
        if self._is_begun and not is_again:
            return
        with engine.connect() as connection, connection.begin():
            ranges = cut(connection, self.relation, self._carrier.partitions)
        database = self._database
        wanted = Wanted(database.url, database.statement_seconds, self.relation, ranges)
        self._carrier.begin(partial(RangeShare, wanted), Budget())
        said = (self._row_of(body) for body in self._log.said_of(database.source, self.relation.name))
        while part := list(islice(said, LOADED_AT_ONCE)):
            found: dict[Partition, Rows] = {}
            for row in part:
                key = row[self._key[0]]
                assert key is None or isinstance(key, int)
                found.setdefault(place_of(ranges, key), {})[row] = 1
            self._round(Count(), {number: [Mail(0, 0, rows)] for number, rows in found.items()})
        self._is_begun, self._is_logged = True, False

    def scan(self, engine: sa.Engine, moment: str) -> None:
        """Read all ranges as of a moment."""

        def attempt(is_again: bool) -> None:
            self._begin(engine, is_again=is_again)
            self._round(Scan(moment, self._is_logged), {})
            self._is_logged = False
            self._wait()

        tried(self._what, attempt)

    def tell(self) -> int:
        """Tell the log what changed; return how many rows that is.

        Where not all can be told, ranges begin again from what the log has.
        """
        self._is_begun = False
        told = 0
        try:
            for number in range(self._carrier.partitions):
                while changes := self._round(Collect(number), {}).rows:
                    self._append(changes)
                    told += len(changes)
        except Lost as error:
            msg = f"{self._what} were lost: {error}; going on with the next poll"
            raise SourceError(msg) from error
        self._is_begun = self._is_logged = not self._is_uneven
        return told

    def end(self) -> None:
        """Let go of the ranges."""
        self._carrier.end()

    def _wait(self) -> None:
        """Wait until all ranges are read."""
        pause = FIRST_PAUSE
        while (found := self._round(Look(), {})).told:
            if self._ending.wait(pause):
                raise EndedError
            pause = min(2 * pause, LONGEST_PAUSE)
        for problem in found.problems:
            if problem.sample:
                raise UnreadableError(problem.reason, problem.sample)
            raise SourceError(problem.reason)
        counts = found.entries.values()
        self._is_uneven = max(counts) > UNEVEN * sum(counts) / len(counts) + FEW

    def _round(self, order: Count | Scan | Look | Collect, parcels: dict[Partition, list[Mail]]) -> Round:
        return self._carrier.round(order, parcels)

    def _append(self, changes: Rows) -> None:
        """Have changes in the log, a key's in one entry: what goes before what comes."""
        by_key: dict[Row, list[tuple[Row, int]]] = {}
        for row, sign in sorted(changes.items(), key=lambda change: change[1]):
            by_key.setdefault(self._key_of(row), []).append((row, sign))
        each = iter(by_key.values())
        while part := list(chain.from_iterable(islice(each, AT_ONCE))):
            self._log.append([self._entry(part)], list(self._state(part)))
            if self._ending.is_set():
                raise EndedError

    def _entry(self, changes: Changes) -> Entry:
        named = [[sign, self.relation.name, self._named(row)] for row, sign in changes]
        return Entry(self._database.source, "changes", json.dumps({"changes": named}).encode())

    def _state(self, changes: Changes) -> Iterator[StateChange]:
        for row, sign in changes:
            item = json.dumps([self.relation.name, list(self._key_of(row))])
            yield StateChange(self._database.source, item, json.dumps(self._named(row)) if sign > 0 else None)

    def _named(self, row: Row) -> dict[str, object]:
        return {column.name: value for column, value in zip(self.relation.columns, row, strict=True)}

    def _row_of(self, body: str) -> Row:
        named = json.loads(body)
        return tuple(named.get(column.name) for column in self.relation.columns)

    def _key_of(self, row: Row) -> Row:
        return tuple([row[place] for place in self._key])
