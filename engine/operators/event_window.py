"""Windows by when things happened, rows coming in any order, looked at continuously or in steps.

    W(T)      =  T,  or with SLIDE s:  floor((T - lateness) / s) · s
    window    =  { row received by T :  W(T) - r < at <= W(T) }
    late      =  a row received at R with  at <= W(R) - r:   counted, never shown
    waiting   =  a row with  at > W(T)

A row is late by its own stamp R and not by the tick that brings it, so that how the log was cut
cannot be seen, not even in the count. Nothing waits for another row to come: time alone moves W.
"""

import heapq
from collections.abc import Iterable
from itertools import count
from typing import ClassVar, Generic, TypeVar

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.operators.leaf import State
from engine.provenance.algebra import Ring

A = TypeVar("A")
Timed = tuple[int, int, Row]

FOR_EVER = 1 << 64


class EventWindow(Generic[A]):
    """The rows that happened in the last ``length``; ``column`` says when, else the stamp does."""

    is_still: ClassVar[bool] = False

    def __init__(
        self,
        algebra: Ring[A],
        length: int,
        column: int | None,
        slide: int | None = None,
        lateness: int = 0,
    ) -> None:
        self._algebra = algebra
        self._length = length
        self._column = column
        self._slide = slide
        self._lateness = lateness
        self._order = count()
        self._held: list[Timed] = []
        self._waiting: list[Timed] = []
        self.late = 0

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        end = self._end(now)
        for reading in readings:
            at = happened(reading, self._column)
            if at is None or at <= self._end(reading.at) - self._length:
                self.late += 1
            else:
                heapq.heappush(self._waiting, (at, next(self._order), reading.row))
        self._expire(end - self._length, change)
        self._admit(end, change)
        return change

    def _end(self, now: int) -> int:
        return now if self._slide is None else (now - self._lateness) // self._slide * self._slide

    def _expire(self, horizon: int, change: Delta[A]) -> None:
        minus = self._algebra.negate(self._algebra.one)
        while self._held and self._held[0][0] <= horizon:
            add(change, heapq.heappop(self._held)[2], minus, self._algebra)
        while self._waiting and self._waiting[0][0] <= horizon:
            heapq.heappop(self._waiting)

    def _admit(self, end: int, change: Delta[A]) -> None:
        while self._waiting and self._waiting[0][0] <= end:
            timed = heapq.heappop(self._waiting)
            heapq.heappush(self._held, timed)
            add(change, timed[2], self._algebra.one, self._algebra)

    def timed(self) -> list[tuple[int, Row]]:
        """Return what is held or waits, with when it happened."""
        return [(at, row) for at, _, row in (*self._held, *self._waiting)]

    def contents(self) -> Delta[A]:
        rows: Delta[A] = {}
        for _, _, row in self._held:
            add(rows, row, self._algebra.one, self._algebra)
        return rows

    def state(self) -> State:
        return [self.late, _plain(self._waiting), _plain(self._held)]

    def restore(self, state: State) -> None:
        self.late, waiting, held = state
        self._waiting = [(at, next(self._order), row) for at, row in waiting]
        self._held = [(at, next(self._order), row) for at, row in held]

    def __len__(self) -> int:
        return len(self._held) + len(self._waiting)


def _plain(heap: list[Timed]) -> list[tuple[int, Row]]:
    """Return what a heap holds, in order, which is a heap again."""
    return [(at, row) for at, _, row in sorted(heap, key=lambda timed: timed[:2])]


def happened(reading: Reading, column: int | None) -> int | None:
    """Return when a row happened; one that does not say so is not decoded, or else counts as late."""
    if column is None:
        return reading.at
    at = reading.row[column]
    return at if isinstance(at, int) else None
