"""A base table: what a source said, replaced by key or kept as a bag.

    keyed    insert r  →  +r, and -q where q stood under r's key;    delete r  →  -r where r stands
    a bag    insert r  →  +r;                                        delete r  →  -r where one is left

A delete of the absent is counted and ignored.
"""

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.operators.leaf import State
from engine.provenance.algebra import Ring

A = TypeVar("A")


class KeyedTable(Generic[A]):
    """The latest row under each key."""

    is_still: ClassVar[bool] = True

    def __init__(self, algebra: Ring[A], key: tuple[int, ...]) -> None:
        self._algebra = algebra
        self._key = key
        self._rows: dict[Row, Row] = {}
        self.ignored_deletes = 0

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        for reading in readings:
            key = tuple([reading.row[i] for i in self._key])
            held = self._rows.get(key)
            if reading.sign < 0 and held != reading.row:
                self.ignored_deletes += 1
                continue
            if held is not None:
                add(change, held, self._algebra.negate(self._algebra.one), self._algebra)
            if reading.sign > 0:
                self._rows[key] = reading.row
                add(change, reading.row, self._algebra.one, self._algebra)
            else:
                del self._rows[key]
        return change

    def contents(self) -> Delta[A]:
        return dict.fromkeys(self._rows.values(), self._algebra.one)

    def state(self) -> State:
        return list(self._rows.values())

    def restore(self, state: State) -> None:
        self._rows = {tuple([row[i] for i in self._key]): row for row in state}

    def __len__(self) -> int:
        return len(self._rows)


class Bag(Generic[A]):
    """Rows without a key; each insert is an incarnation of its own."""

    is_still: ClassVar[bool] = True

    def __init__(self, algebra: Ring[A]) -> None:
        self._algebra = algebra
        self._rows: Delta[A] = {}
        self.ignored_deletes = 0

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        for reading in readings:
            if reading.sign < 0 and reading.row not in self._rows:
                self.ignored_deletes += 1
                continue
            annotation = self._algebra.one if reading.sign > 0 else self._algebra.negate(self._algebra.one)
            add(self._rows, reading.row, annotation, self._algebra)
            add(change, reading.row, annotation, self._algebra)
        return change

    def contents(self) -> Delta[A]:
        return dict(self._rows)

    def state(self) -> State:
        return list(self._rows.items())

    def restore(self, state: State) -> None:
        self._rows = dict(state)

    def __len__(self) -> int:
        return len(self._rows)
