"""What queries want of a database, as bags that are compared with what the log last said.

    Δ  =  rows now − rows said          each row as often as the counts differ

A fragment is known by its declaration's offset: one that is dropped and declared again is another, so
what is said of the earlier one is never taken for the later one's. A row of sign 0 says that a fragment
was answered, which an empty one could not. One that fails is told, keeps what it said, and holds
nobody up.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError
from engine.model.values import Row
from engine.plan.leaves import Table
from engine.plan.physical import SHIPPABLE, Physical, leaves
from engine.plan.wire import from_wire
from ingest.log import Log, StateChange
from ingest.wrappers.database.columns import FactTable
from ingest.wrappers.database.connecting import orders_by_code_point, reason_of, unfit_in
from ingest.wrappers.database.expressions import UnsaidError
from ingest.wrappers.database.local import computed
from ingest.wrappers.database.sql import question_of
from ingest.wrappers.keyed import UnreadableError

ANSWERED = "answered"
Change = list[Any]


class Wanted(NamedTuple):
    """A fragment that was declared at an offset of the log."""

    name: str
    version: int
    plan: str

    @property
    def label(self) -> str:
        """What its changes are of, and its state in the log is called."""
        return f"{self.name}@{self.version}"


class Said(NamedTuple):
    """What the log says of a fragment."""

    rows: Counter[Row]
    answered: bool


class Fragments:
    """The fragments of one database; used by the thread that polls."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._said: dict[str, Said] = {}
        self._found: dict[str, Counter[Row]] = {}
        self._gone: set[str] = set()
        self.problem = ""
        self.unreadable: UnreadableError | None = None

    def read(
        self, connection: sa.Connection, wanted: Sequence[Wanted], tables: Mapping[str, FactTable]
    ) -> None:
        """Ask all that is wanted, in the connection's transaction."""
        self._found, problems, self.unreadable = {}, [], None
        self._gone = self._said.keys() - {each.label for each in wanted}
        for each in wanted:
            if each.label not in self._said:
                self._said[each.label] = _remembered(self._log.state(each.label))
            try:
                self._found[each.label] = _asked(connection, each, tables)
            except SourceError as error:
                problems.append(f"{_read_by(each)} ({each.name}): {error.message}")
                self.unreadable = error if isinstance(error, UnreadableError) else self.unreadable
        self.problem = "; ".join(problems)

    def changes(self) -> Iterator[tuple[Change, StateChange]]:
        """Yield what was not said yet; from then on it is."""
        for label, rows in self._found.items():
            said = self._said[label]
            if not said.answered:
                yield [0, label, {}], StateChange(label, ANSWERED, "1")
            for row, count in _differences(said.rows, rows):
                body = str(rows[row]) if row in rows else None
                change = StateChange(label, json.dumps(row), body)
                named = {f"c{i}": value for i, value in enumerate(row)}
                for _ in range(abs(count)):
                    yield [1 if count > 0 else -1, label, named], change
            self._said[label] = Said(rows, answered=True)
        self._found = {}

    def forgotten(self) -> list[StateChange]:
        """Return what removes the state of the fragments that nobody wants any more."""
        gone = {source: self._said.pop(source) for source in self._gone}
        self._gone = set()
        items = [(source, json.dumps(row)) for source, said in gone.items() for row in said.rows]
        items += [(source, ANSWERED) for source in gone]
        return [StateChange(source, item, None) for source, item in items]


def _read_by(wanted: Wanted) -> str:
    """Return the tables of a fragment, by which people know what it is of."""
    plan = from_wire(json.loads(wanted.plan), SHIPPABLE)
    return ", ".join(sorted({leaf.relation.name for leaf in leaves(plan) if isinstance(leaf, Table)}))


def _remembered(state: Mapping[str, str]) -> Said:
    rows = {tuple(json.loads(item)): int(count) for item, count in state.items() if item != ANSWERED}
    return Said(Counter(rows), ANSWERED in state)


def _differences(said: Counter[Row], found: Counter[Row]) -> Iterator[tuple[Row, int]]:
    """Yield by how much each row's count differs, what goes before what comes."""
    for row, count in said.items():
        if found[row] < count:
            yield row, found[row] - count
    for row, count in found.items():
        if count > said[row]:
            yield row, count - said[row]


def _asked(connection: sa.Connection, wanted: Wanted, tables: Mapping[str, FactTable]) -> Counter[Row]:
    """Return the rows of a fragment; its failure leaves the transaction as it was."""
    plan = from_wire(json.loads(wanted.plan), SHIPPABLE)
    try:
        with connection.begin_nested():
            return answer(plan, connection, tables)
    except sa.exc.StatementError as error:
        if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
            raise
        raise unfit_in(connection) or SourceError(reason_of(error)) from error


def answer(plan: Physical, connection: sa.Connection, tables: Mapping[str, FactTable]) -> Counter[Row]:
    """Return the rows of a plan: by one SELECT, or computed here where the database cannot say it."""
    if not orders_by_code_point(connection):
        return computed(plan, connection, tables)
    try:
        question = question_of(plan, tables, connection.dialect.name)
    except UnsaidError:
        return computed(plan, connection, tables)
    return Counter(map(question.row, connection.execute(question.select)))
