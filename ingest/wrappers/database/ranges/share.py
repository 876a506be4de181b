"""One range of a table, where it is read: what was said of it, and what it is now.

    Scan      begin to read, as of a moment, on a thread of its own: rounds of others go on meanwhile
    Look      whether it is read, and how many rows there are
    Collect   the next part of what changed since what was said last

What was found is taken for said when the next scan begins, if the log has it by then.
"""

import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.partitions.hashing import Partition
from engine.partitions.orders import Collect, Look, Mail, Order, Rows, Scan
from engine.partitions.packing import unpacked
from engine.partitions.round import Problem, Round, Sending
from ingest.wrappers.database.connecting import open_facts, reason_of
from ingest.wrappers.database.ranges.cutting import KeyRange
from ingest.wrappers.database.rows import converted
from ingest.wrappers.database.values import converter
from ingest.wrappers.keyed import UnreadableError

SNAPSHOT = re.compile(r"[0-9A-Fa-f]+(-[0-9A-Fa-f]+)+")
PART = 20_000
Keyed = dict[Row, Row]


class Wanted(NamedTuple):
    """A table to be read in ranges."""

    url: str
    seconds: float
    relation: Relation
    ranges: tuple[KeyRange, ...]


@dataclass
class Reading:
    """A range while it is read, and what came of it; ``parts`` of what changed, not yet collected."""

    rows: Keyed = field(default_factory=dict)
    parts: deque[Rows] = field(default_factory=deque)
    problem: Problem | None = None
    is_over: threading.Event = field(default_factory=threading.Event)


class RangeShare:
    """The range of one partition."""

    def __init__(self, wanted: Wanted, number: Partition, partitions: int, budget: Budget) -> None:
        self._wanted, self._number = wanted, number
        self._range = wanted.ranges[number]
        self._key = wanted.relation.key_positions
        self._said: Keyed = {}
        self._reading: Reading | None = None
        self._engine: sa.Engine | None = None

    def carry_out(self, order: Order, arriving: Iterable[bytes]) -> tuple[Sending, Round]:
        for parcel in map(unpacked, arriving):
            if isinstance(parcel, Mail):
                self._said.update((self._key_of(row), row) for row in parcel.rows)
        match order:
            case Scan(moment, is_logged):
                self._begin(moment, is_logged)
            case Look() if self._reading is not None:
                return [], self._told(self._reading)
            case Collect(self._number) if self._reading is not None and self._reading.parts:
                return [], Round(rows=self._reading.parts.popleft())
        return [], Round(entries={self._number: len(self._said)})

    def _key_of(self, row: Row) -> Row:
        return tuple([row[place] for place in self._key])

    def _begin(self, moment: str, is_logged: bool) -> None:
        if is_logged and self._reading is not None and self._reading.is_over.is_set():
            self._said = self._reading.rows
        self._reading = Reading()
        threading.Thread(target=self._read, args=(self._reading, moment), daemon=True).start()

    def _told(self, reading: Reading) -> Round:
        if not reading.is_over.is_set():
            return Round(told=True)
        if reading.problem is not None:
            return Round(problems=(reading.problem,))
        return Round(entries={self._number: len(reading.rows)})

    def _read(self, reading: Reading, moment: str) -> None:
        try:
            reading.rows = self._rows(moment)
            reading.parts = deque(changed(self._said, reading.rows))
        except UnreadableError as error:
            reading.problem = Problem(error.message, error.sample)
        except sa.exc.SQLAlchemyError as error:
            reading.problem = Problem(f"cannot read table {self._wanted.relation.name}: {reason_of(error)}")
        except Exception as error:  # whatever it is, who waits for the range is told
            reading.problem = Problem(f"cannot read table {self._wanted.relation.name}: {error}")
        finally:
            reading.is_over.set()

    def _rows(self, moment: str) -> Keyed:
        if self._range.low is not None and self._range.low == self._range.high:
            return {}
        if self._engine is None:
            self._engine = open_facts(self._wanted.url, self._wanted.seconds)
        convert = [converter(column) for column in self._wanted.relation.columns]
        with self._engine.connect() as connection, connection.begin():
            if moment:
                connection.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{checked(moment)}'")
            found = connection.execution_options(stream_results=True).execute(self._query())
            rows = (converted(self._wanted.relation, convert, row) for row in found)
            return {self._key_of(row): row for row in rows}

    def _query(self) -> sa.Select[Any]:
        relation = self._wanted.relation
        columns: list[Any] = [sa.column(column.name) for column in relation.columns]
        key: sa.ColumnClause[int] = sa.column(relation.key[0])
        low, high = self._range
        query = sa.select(*columns).select_from(sa.table(relation.name, *columns))
        if low is not None:
            query = query.where(key >= low)
        if high is None:
            return query
        below = key < high
        return query.where(below if low is not None else sa.or_(below, key.is_(None)))


def changed(said: Keyed, now: Keyed) -> Iterator[Rows]:
    """Yield what turns what was said into what is now, in parts that leave no key's change between two."""
    keys = (key for key in {**said, **now} if said.get(key) != now.get(key))
    while part := list(islice(keys, PART)):
        found: Rows = {}
        for key in part:
            found |= {rows[key]: sign for sign, rows in ((-1, said), (1, now)) if key in rows}
        yield found


def checked(moment: str) -> str:
    """Return the name of a snapshot that PostgreSQL gave, and nothing else."""
    if not SNAPSHOT.fullmatch(moment):
        msg = f"{moment!r} names no snapshot of PostgreSQL"
        raise SourceError(msg)
    return moment
