"""What queries want of a database, as bags that are compared with what the log last said.

    Δ  =  rows now − rows said          each row as often as the counts differ

A fragment is known by its declaration's offset: one that is dropped and declared again is another, so
what is said of the earlier one is never taken for the later one's. A row of sign 0 says that a fragment
was answered, which an empty one could not. One that fails is told, keeps what it said, and holds
nobody up. Those that were never answered take turns over polls: ``NEW_SECONDS`` of each.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
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
from ingest.wrappers.database.remembered import ANSWERED, Said, forgetting, remembered, remembering
from ingest.wrappers.database.sql import DroppedError, IsWanted, question_of
from ingest.wrappers.keyed import UnreadableError

NEW_SECONDS = 0.5  # of a poll, for what was never answered: a large one holds the others up no longer
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


class Fragments:
    """The fragments of one database; used by the thread that polls. ``wanted`` says which are by now."""

    def __init__(self, log: Log, wanted: Callable[[], Sequence[Wanted]]) -> None:
        self._log, self._wanted = log, wanted
        self._said: dict[str, Said] = {}
        self._tried: set[str] = set()
        self._found: dict[str, Counter[Row]] = {}
        self._gone: set[str] = set()
        self.problem = ""
        self.unreadable: UnreadableError | None = None
        self.is_behind = False
        self.is_whole = False
        """The last reading answered all that was asked."""

    def read(
        self,
        connection: sa.Connection,
        tables: Mapping[str, FactTable],
        unfit: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Ask all that was asked before, and of what is new as much as there is time for.

        What reads a table that is ``unfit`` keeps what it said.
        """
        wanted = self._wanted()
        self._found, self.unreadable, self.is_behind = {}, None, False
        self._gone = self._said.keys() - {each.label for each in wanted}
        self._tried -= self._gone
        for each in wanted:
            if each.label not in self._said:
                self._said[each.label] = remembered(self._log.state(each.label))
        problems = [
            _unfit_for(each, unfit) or self._ask(each, connection, tables) for each in self._in_turn(wanted)
        ]
        self.problem = "; ".join(filter(None, problems))
        self.is_whole = all(each.label in self._found for each in wanted)

    def _in_turn(self, wanted: Sequence[Wanted]) -> Iterator[Wanted]:
        """Yield what was asked before, then what is new while there is time; what was dropped not."""
        new = [each for each in wanted if self._is_new(each)]
        yield from (each for each in wanted if each not in new and each in self._wanted())
        until = time.monotonic() + NEW_SECONDS
        for each in new:
            self.is_behind = time.monotonic() > until
            if self.is_behind:
                return
            if each in self._wanted():
                yield each

    def _is_new(self, wanted: Wanted) -> bool:
        return not self._said[wanted.label].answered and wanted.label not in self._tried

    def _ask(self, wanted: Wanted, connection: sa.Connection, tables: Mapping[str, FactTable]) -> str:
        """Read one fragment; return why it cannot be."""
        self._tried.add(wanted.label)
        try:
            self._found[wanted.label] = _asked(connection, wanted, tables, lambda: wanted in self._wanted())
        except DroppedError:
            return ""
        except SourceError as error:
            self.unreadable = error if isinstance(error, UnreadableError) else self.unreadable
            return f"{_read_by(wanted)} ({wanted.name}): {error.message}"
        return ""

    def told(self) -> tuple[list[Change], list[StateChange]]:
        """Return what is not said yet of what is wanted still, and what remembers it; then it is said."""
        changes: list[Change] = []
        state: list[StateChange] = []
        wanted = {each.label for each in self._wanted()}
        for label, rows in self._found.items():
            said = self._said[label]
            if label not in wanted or (said.answered and dict.__eq__(said.rows, rows)):
                continue
            differing = list(_differences(said.rows, rows))
            if not said.answered:
                changes.append([0, label, {}])
                state.append(StateChange(label, ANSWERED, "1"))
            changes += _signed(label, differing)
            state += remembering(label, rows, [row for row, _ in differing])
            self._said[label] = Said(rows, answered=True)
        self._found = {}
        return changes, state

    def forgotten(self) -> list[StateChange]:
        """Return what removes the state of the fragments that nobody wants any more."""
        gone = {label: self._said.pop(label) for label in self._gone}
        self._gone = set()
        return [change for label, said in gone.items() for change in forgetting(label, said.rows)]


def _signed(label: str, differing: Iterable[tuple[Row, int]]) -> Iterator[Change]:
    """Yield rows that differ in number, as often as they do."""
    for row, count in differing:
        named = {f"c{i}": value for i, value in enumerate(row)}
        yield from [[1 if count > 0 else -1, label, named]] * abs(count)


def _read_by(wanted: Wanted) -> str:
    """Return the tables of a fragment, by which people know what it is of."""
    return ", ".join(_tables_of(wanted))


def _tables_of(wanted: Wanted) -> list[str]:
    plan = from_wire(json.loads(wanted.plan), SHIPPABLE)
    return sorted({leaf.relation.name for leaf in leaves(plan) if isinstance(leaf, Table)})


def _unfit_for(wanted: Wanted, unfit: Mapping[str, str]) -> str:
    """Say which of its tables a fragment cannot be computed of, if any."""
    found = [name for name in _tables_of(wanted) if name in unfit] if unfit else []
    why = "; ".join(f"table {name} is not as it was: {unfit[name]}" for name in found)
    return why and f"{_read_by(wanted)} ({wanted.name}): {why}"


def _differences(said: Counter[Row], found: Counter[Row]) -> Iterator[tuple[Row, int]]:
    """Yield by how much each row's count differs, what goes before what comes."""
    for row, count in said.items():
        if found.get(row, 0) < count:
            yield row, found.get(row, 0) - count
    for row, count in found.items():
        if count > said.get(row, 0):
            yield row, count - said.get(row, 0)


def _asked(
    connection: sa.Connection, wanted: Wanted, tables: Mapping[str, FactTable], is_wanted: IsWanted
) -> Counter[Row]:
    """Return the rows of a fragment; its failure leaves the transaction as it was."""
    plan = from_wire(json.loads(wanted.plan), SHIPPABLE)
    try:
        with connection.begin_nested():
            return answer(plan, connection, tables, is_wanted)
    except sa.exc.StatementError as error:
        if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
            raise
        raise unfit_in(connection) or SourceError(reason_of(error)) from error


def answer(
    plan: Physical,
    connection: sa.Connection,
    tables: Mapping[str, FactTable],
    is_wanted: IsWanted = lambda: True,
) -> Counter[Row]:
    """Return the rows of a plan: by one SELECT, or computed here where the database cannot say it."""
    if not orders_by_code_point(connection):
        return computed(plan, connection, tables)
    try:
        question = question_of(plan, tables, connection.dialect.name)
    except UnsaidError:
        return computed(plan, connection, tables)
    return Counter(question.rows(connection, is_wanted))
