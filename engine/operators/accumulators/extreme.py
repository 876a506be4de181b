"""The least of what is left, or the greatest: a heap in which what was deleted is skipped at the top.

FALSE comes before TRUE, so the least of conditions is whether all hold, the greatest whether any does.
"""

import heapq
from typing import Any

from engine.model.values import Value
from engine.plan.meanings import in_order
from engine.plan.ordering import Reversed


class Extreme:
    """The smallest value, or the largest, in the order of values; NULL only where there is no other."""

    def __init__(self, largest: bool) -> None:
        self._largest = largest
        self._counts: dict[Any, int] = {}
        self._heap: list[tuple[Any, Any]] = []

    def add(self, value: Any, times: int) -> None:
        if value is None:
            return
        count = self._counts.get(value, 0) + times
        if count:
            if value not in self._counts:
                heapq.heappush(self._heap, self._entry(value))
            self._counts[value] = count
        else:
            del self._counts[value]
            if len(self._heap) > 2 * len(self._counts) + 16:
                self._heap = [self._entry(held) for held in self._counts]
                heapq.heapify(self._heap)

    def value(self) -> Value:
        heap = self._heap
        while heap and heap[0][1] not in self._counts:
            heapq.heappop(heap)
        return heap[0][1] if heap else None

    def entries(self) -> int:
        return len(self._counts)

    def _entry(self, value: Any) -> tuple[Any, Any]:
        place = in_order(value) if isinstance(value, tuple) else value
        return (Reversed(place) if self._largest else place), value
