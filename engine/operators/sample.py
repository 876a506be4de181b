"""SAMPLE PERIOD n: of each key at most one row a period.

    taken  =  the rows whose period, floor(at / n), is later than that of every row of their key before

Decided row by row in log order, below the window: what a device would do that sends once a period.
Out of order, a row of a period that is over by then is left out, so one number a key is remembered.
"""

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.delta import Delta
from engine.operators.event_window import happened
from engine.operators.leaf import Leaf, Punctual, State

A = TypeVar("A")


class Sampled(Generic[A]):
    """A window on a sample of a stream."""

    is_still: ClassVar[bool] = False

    def __init__(self, window: Leaf[A], period: int, key: tuple[int, ...], column: int | None) -> None:
        self._window = window
        self._period = period
        self._key = key
        self._column = column
        self._last: dict[Row, int] = {}

    @property
    def late(self) -> int:
        return self._window.late if isinstance(self._window, Punctual) else 0

    @property
    def waiting(self) -> int:
        return self._window.waiting if isinstance(self._window, Punctual) else 0

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        return self._window.advance([reading for reading in readings if self._takes(reading)], now)

    def _takes(self, reading: Reading) -> bool:
        at = happened(reading, self._column)
        if at is None:
            return False
        key, period = tuple([reading.row[i] for i in self._key]), at // self._period
        is_new = key not in self._last or self._last[key] < period
        if is_new:
            self._last[key] = period
        return is_new

    def contents(self) -> Delta[A]:
        return self._window.contents()

    def state(self) -> State:
        return [list(self._last.items()), self._window.state()]

    def restore(self, state: State) -> None:
        last, window = state
        self._last = dict(last)
        self._window.restore(window)

    def __len__(self) -> int:
        return len(self._window) + len(self._last)
