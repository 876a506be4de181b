"""DISTINCT inside an aggregate: what is accumulated is told of a value that comes first or goes last."""

from typing import Any

from engine.model.values import Value
from engine.operators.accumulators.accumulator import Accumulator


class Once:
    """Counts the values for another accumulator."""

    def __init__(self, accumulator: Accumulator) -> None:
        self._accumulator = accumulator
        self._counts: dict[Any, int] = {}

    def add(self, value: Any, times: int) -> None:
        held = self._counts.get(value, 0)
        if held + times:
            self._counts[value] = held + times
            if not held:
                self._accumulator.add(value, 1)
        else:
            del self._counts[value]
            self._accumulator.add(value, -1)

    def value(self) -> Value:
        return self._accumulator.value()

    def entries(self) -> int:
        return len(self._counts) + self._accumulator.entries()
