"""Windows: the inserts of a stream and, later, their deletes.

    [RANGE r]             W(T)  =  { row : T - r < at <= T }
    [PARTITION BY k ROWS n]   the last n of each k, in log order

No window waits for another row: a range expires by the tick's time alone. What comes and goes
within one tick is never seen, so that how the log was cut into ticks is not seen either.

References:
    Arasu, Babu, Widom. The CQL Continuous Query Language. VLDB Journal 2006.
"""

from collections import deque
from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.operators.leaf import State
from engine.provenance.algebra import Ring

A = TypeVar("A")


class RangeWindow(Generic[A]):
    """The rows of the last ``length`` microseconds."""

    is_still: ClassVar[bool] = False

    def __init__(self, algebra: Ring[A], length: int) -> None:
        self._algebra = algebra
        self._length = length
        self._held: deque[tuple[int, Row]] = deque()

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        horizon = now - self._length
        algebra, held = self._algebra, self._held
        minus = algebra.negate(algebra.one)
        while held and held[0][0] <= horizon:
            add(change, held.popleft()[1], minus, algebra)
        for reading in readings:
            if reading.at > horizon:
                held.append((reading.at, reading.row))
                add(change, reading.row, algebra.one, algebra)
        return change

    def contents(self) -> Delta[A]:
        rows: Delta[A] = {}
        for _, row in self._held:
            add(rows, row, self._algebra.one, self._algebra)
        return rows

    def state(self) -> State:
        return list(self._held)

    def restore(self, state: State) -> None:
        self._held = deque(state)

    def __len__(self) -> int:
        return len(self._held)


class RowsWindow(Generic[A]):
    """The last ``count`` rows of each partition."""

    is_still: ClassVar[bool] = True

    def __init__(self, algebra: Ring[A], count: int, partition: tuple[int, ...]) -> None:
        self._algebra = algebra
        self._count = count
        self._partition = partition
        self._held: dict[Row, deque[Row]] = {}
        self._size = 0

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        algebra, partition = self._algebra, self._partition
        minus = algebra.negate(algebra.one)
        for reading in readings:
            key = tuple([reading.row[i] for i in partition])
            rows = self._held.get(key)
            if rows is None:
                rows = self._held[key] = deque()
            rows.append(reading.row)
            add(change, reading.row, algebra.one, algebra)
            if len(rows) > self._count:
                add(change, rows.popleft(), minus, algebra)
            else:
                self._size += 1
        return change

    def contents(self) -> Delta[A]:
        found: Delta[A] = {}
        for rows in self._held.values():
            for row in rows:
                add(found, row, self._algebra.one, self._algebra)
        return found

    def state(self) -> State:
        return [row for rows in self._held.values() for row in rows]

    def restore(self, state: State) -> None:
        self._held, self._size = {}, len(state)
        for row in state:
            self._held.setdefault(tuple([row[i] for i in self._partition]), deque()).append(row)

    def __len__(self) -> int:
        return self._size
