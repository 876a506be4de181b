"""The first rows in an order, revised as rows come and go.

    top(R, k, s)  =  first(R, s + k)  −  first(R, s)

``first`` splits its bag in two: the rows inside, in order, and the rest, in a heap from which what
was deleted is dropped when it comes to the top. A row costs its place in both, O(log n), and a
deletion inside brings in the next of the rest, so nothing is computed anew.

    inside ≤ rest in the order         the copies inside are m, or the rest is empty
"""

import heapq
from bisect import bisect_left
from typing import Any

from engine.model.values import Row
from engine.operators.delta import Delta, tally
from engine.operators.operator import Quiet
from engine.plan.ordering import Place


class First:
    """The first ``size`` rows, copies counted; ``step`` returns how they change."""

    def __init__(self, place: Place, size: int) -> None:
        self._place = place
        self._size = size
        self._places: list[Any] = []
        self._ordered: list[Row] = []
        self._inside: dict[Row, int] = {}
        self._rest: dict[Row, int] = {}
        self._heap: list[tuple[Any, Row]] = []
        self._room = size

    def step(self, change: Delta[int]) -> Delta[int]:
        """Take the deletions first: what they free, an insert may fill."""
        output: Delta[int] = {}
        for row, count in change.items():
            if count < 0:
                self._delete(row, -count, output)
        for row, count in change.items():
            if count > 0:
                self._insert(row, count, output)
        while self._room and self._rest:
            self._bring_in(output)
        return output

    def entries(self) -> int:
        return len(self._inside) + len(self._rest)

    def _insert(self, row: Row, count: int, output: Delta[int]) -> None:
        place = self._place(row)
        if self._is_for_later(place):
            self._put_off(place, row, count)
            return
        self._admit(place, row, count, output)
        while self._room < 0:
            last = self._ordered[-1]
            moved = min(-self._room, self._inside[last])
            self._put_off(self._places[-1], last, moved)
            self._expel(last, moved, output)

    def _is_for_later(self, place: Any) -> bool:
        if not self._places:
            return bool(self._rest)
        return bool(self._places[-1] < place) and (bool(self._rest) or not self._room)

    def _delete(self, row: Row, count: int, output: Delta[int]) -> None:
        """Take copies from the rest before those inside; of equal ones it does not matter which."""
        outside = min(count, self._rest.get(row, 0))
        if outside:
            tally(self._rest, {row: -outside})
        if count > outside:
            self._expel(row, count - outside, output)
        if len(self._heap) > 2 * len(self._rest) + 16:
            self._heap = [(self._place(held), held) for held in self._rest]
            heapq.heapify(self._heap)

    def _bring_in(self, output: Delta[int]) -> None:
        place, row = self._heap[0]
        held = self._rest.get(row, 0)
        moved = min(held, self._room)
        if moved == held:
            heapq.heappop(self._heap)
        if moved:
            tally(self._rest, {row: -moved})
            self._admit(place, row, moved, output)

    def _put_off(self, place: Any, row: Row, count: int) -> None:
        if row not in self._rest:
            heapq.heappush(self._heap, (place, row))
        tally(self._rest, {row: count})

    def _admit(self, place: Any, row: Row, count: int, output: Delta[int]) -> None:
        if row not in self._inside:
            at = bisect_left(self._places, place)
            self._places.insert(at, place)
            self._ordered.insert(at, row)
        self._room -= count
        tally(self._inside, {row: count})
        tally(output, {row: count})

    def _expel(self, row: Row, count: int, output: Delta[int]) -> None:
        self._room += count
        tally(self._inside, {row: -count})
        tally(output, {row: -count})
        if row not in self._inside:
            at = len(self._ordered) - 1
            if self._ordered[at] != row:
                at = bisect_left(self._places, self._place(row))
            del self._places[at], self._ordered[at]


class TopRows(Quiet):
    """``count`` rows after the first ``skip``; all of them where there is no count."""

    def __init__(self, place: Place, count: int | None, skip: int) -> None:
        self._until = None if count is None else First(place, skip + count)
        self._skipped = First(place, skip) if skip else None

    def step(self, *changes: Delta[int]) -> Delta[int]:
        (change,) = changes
        output = dict(change) if self._until is None else self._until.step(change)
        if self._skipped is not None:
            tally(output, {row: -count for row, count in self._skipped.step(change).items()})
        return output

    def entries(self) -> int:
        return sum(each.entries() for each in (self._until, self._skipped) if each is not None)
