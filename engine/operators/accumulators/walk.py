"""What is known of a set of readings by walking through them in the order of time.

The readings stay sorted, each once however often it was told; the walk is taken when somebody asks,
and not again until the set changed. A reading is a tuple that begins with its time.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left, insort
from typing import Any

from engine.model.values import Value
from engine.plan.meanings import in_order


class Walk(ABC):
    """Holds the readings; a subclass says what they tell."""

    def __init__(self) -> None:
        self._readings: list[Any] = []
        self._counts: dict[Any, int] = {}
        self._told: Value = None
        self._is_told = True

    @abstractmethod
    def reading(self, given: Any) -> Any:
        """Return the reading that a row's values make, its time first; None where it is none."""

    @abstractmethod
    def walked(self, readings: list[Any]) -> Value:
        """Return what the readings, at least one, tell."""

    def add(self, value: Any, times: int) -> None:
        reading = None if value is None else self.reading(value)
        if reading is None:
            return
        held = self._counts.get(reading, 0)
        if not held:
            insort(self._readings, reading, key=in_order)
            self._is_told = False
        if held + times:
            self._counts[reading] = held + times
            return
        del self._counts[reading]
        del self._readings[bisect_left(self._readings, in_order(reading), key=in_order)]
        self._is_told = False

    def value(self) -> Value:
        if not self._is_told:
            self._told = self.walked(self._readings) if self._readings else None
            self._is_told = True
        return self._told

    def entries(self) -> int:
        return len(self._counts)
