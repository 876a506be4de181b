"""All ranges of a table, read as of one moment and compared there; then the log is told what changed."""

import threading
from functools import partial
from itertools import islice

import sqlalchemy as sa

from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.operators.budget import Budget
from engine.partitions.carrying import Carrier
from engine.partitions.hashing import Partition
from engine.partitions.lost import Lost, tried
from engine.partitions.orders import Collect, Count, Look, Mail, Rows, Scan
from engine.partitions.round import Round
from ingest.log import Log
from ingest.sources import DatabaseSource
from ingest.wrappers.database.connecting import reason_of
from ingest.wrappers.database.ranges.cutting import cut, place_of
from ingest.wrappers.database.ranges.share import RangeShare, Wanted
from ingest.wrappers.database.ranges.telling import EndedError, Telling
from ingest.wrappers.keyed import UnreadableError

LOADED_AT_ONCE = 20_000
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
UNEVEN, FEW = 2, 10_000  # ranges are cut anew when one has twice its share, and so many rows more


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
        self._database, self._carrier, self._ending = database, carrier, ending
        self._telling = Telling(database.source, relation, log, ending)
        self._is_begun = self._is_logged = self._is_uneven = False

    def __str__(self) -> str:
        return f"the ranges of table {self.relation.name}"

    def scan(self, engine: sa.Engine, moment: str) -> None:
        """Read all ranges as of a moment."""

        def attempt(is_again: bool) -> None:
            if is_again or not self._is_begun:
                self._begin(engine)
            self._round(Scan(moment, self._is_logged), {})
            self._is_logged = False
            self._wait()

        tried(self, attempt)

    def _begin(self, engine: sa.Engine) -> None:
        """Have ranges that know what the log said last of them."""
        try:
            with engine.connect() as connection, connection.begin():
                ranges = cut(connection, self.relation, self._carrier.partitions)
        except sa.exc.SQLAlchemyError as error:
            msg = f"cannot read table {self.relation.name}: {reason_of(error)}"
            raise SourceError(msg) from error
        wanted = Wanted(self._database.url, self._database.statement_seconds, self.relation, ranges)
        self._carrier.begin(partial(RangeShare, wanted), Budget())
        said = self._telling.recalled()
        while part := list(islice(said, LOADED_AT_ONCE)):
            found: dict[Partition, Rows] = {}
            for row in part:
                key = self._telling.key_of(row)[0]
                assert key is None or isinstance(key, int)
                found.setdefault(place_of(ranges, key), {})[row] = 1
            self._round(Count(), {number: [Mail(0, 0, rows)] for number, rows in found.items()})
        self._is_begun, self._is_logged = True, False

    def tell(self) -> int:
        """Tell the log what changed; return how many rows that is.

        Where not all can be told, ranges begin again from what the log has.
        """
        self._is_begun = False
        told = 0
        try:
            for number in range(self._carrier.partitions):
                while changes := self._round(Collect(number), {}).rows:
                    self._telling.tell(changes)
                    told += len(changes)
        except Lost as error:
            msg = f"{self} were lost: {error}; going on with the next poll"
            raise SourceError(msg) from error
        self._is_begun = self._is_logged = not self._is_uneven
        return told

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
