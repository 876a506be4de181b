"""The incremental form of each aggregate: what a group remembers to answer after any deletion.

    sum    Σ x · 2^1074 as an integer: exact, so that order and deletion leave no trace
    min    a heap in which what was deleted is skipped when it comes to the top

Every finite double is a multiple of 2^-1074, hence the scale. NULLs are not counted.
"""

import heapq
from collections.abc import Callable
from typing import Any, Protocol

from engine.model.values import Value
from engine.plan.meanings import bounded
from engine.plan.ordering import Reversed

SCALE = 1074


class Accumulator(Protocol):
    """Takes a value ``times`` times (negative: takes it back), and tells the aggregate."""

    def add(self, value: Value, times: int) -> None: ...
    def value(self) -> Value: ...


class Count:
    """How many values."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, value: Value, times: int) -> None:
        if value is not None:
            self._count += times

    def value(self) -> Value:
        return self._count


class SumOfIntegers:
    """The sum; NULL of no values."""

    def __init__(self) -> None:
        self._sum = self._count = 0

    def add(self, value: Any, times: int) -> None:
        if value is not None:
            self._sum += value * times
            self._count += times

    def value(self) -> Value:
        return bounded(self._sum) if self._count else None


class MeanOfIntegers(SumOfIntegers):
    """The mean, rounded once."""

    def value(self) -> Value:
        return self._sum / self._count if self._count else None


def scaled(value: float) -> int:
    """Return ``value · 2^1074``, which is a whole number."""
    numerator, denominator = value.as_integer_ratio()
    return numerator << (SCALE - denominator.bit_length() + 1)


def unscaled(total: int, count: int) -> Value:
    """Return ``total / (count · 2^1074)``, rounded once; what rounds to zero has no sign."""
    try:
        return total / (count << SCALE) + 0.0
    except OverflowError:
        return None


class SumOfDoubles:
    """The exact sum, rounded once."""

    def __init__(self) -> None:
        self._sum = self._count = 0

    def add(self, value: Any, times: int) -> None:
        if value is not None:
            self._sum += scaled(value) * times
            self._count += times

    def value(self) -> Value:
        return unscaled(self._sum, 1) if self._count else None


class MeanOfDoubles(SumOfDoubles):
    """The exact mean, rounded once."""

    def value(self) -> Value:
        return unscaled(self._sum, self._count) if self._count else None


class Extreme:
    """The smallest value, or the largest, of those that are left."""

    def __init__(self, largest: bool) -> None:
        self._largest = largest
        self._counts: dict[Any, int] = {}
        self._heap: list[Any] = []

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
        while heap and self._plain(heap[0]) not in self._counts:
            heapq.heappop(heap)
        return self._plain(heap[0]) if heap else None

    def _entry(self, value: Any) -> Any:
        return Reversed(value) if self._largest else value

    def _plain(self, entry: Any) -> Any:
        return entry.value if self._largest else entry


def accumulator(function: str, of_doubles: bool) -> Callable[[], Accumulator]:
    """Return what makes the accumulator of an aggregate."""
    match function:
        case "count":
            return Count
        case "sum":
            return SumOfDoubles if of_doubles else SumOfIntegers
        case "avg":
            return MeanOfDoubles if of_doubles else MeanOfIntegers
        case _:
            return lambda: Extreme(largest=function == "max")
