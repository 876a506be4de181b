"""All the values of a group in an order, as a text or as a list.

Each comes with its place (``engine.plan.ordering``), and equal places are equal values; they stay
sorted, so that a value costs its place and the answer its length.
"""

from bisect import bisect_left
from typing import Any

from engine.model.values import Value


class Gathered:
    """A list of the values, NULLs among them; NULL of none."""

    def __init__(self) -> None:
        self._places: list[Any] = []
        self._values: list[Value] = []
        self._counts: dict[Any, int] = {}

    def add(self, value: Any, times: int) -> None:
        place, given = value
        held = self._counts.get(place, 0)
        if not held + times:
            at = bisect_left(self._places, place)
            del self._places[at], self._values[at], self._counts[place]
            return
        self._counts[place] = held + times
        if not held:
            at = bisect_left(self._places, place)
            self._places.insert(at, place)
            self._values.insert(at, given)

    def value(self) -> Value:
        return tuple(self._all()) or None

    def entries(self) -> int:
        return len(self._counts)

    def _all(self) -> list[Value]:
        pairs = zip(self._places, self._values, strict=True)
        return [value for place, value in pairs for _ in range(self._counts[place])]


class Joined(Gathered):
    """The texts that are not NULL with a separator between them; NULL of none."""

    def __init__(self, separator: str) -> None:
        super().__init__()
        self._separator = separator

    def add(self, value: Any, times: int) -> None:
        if value[1] is not None:
            super().add(value, times)

    def value(self) -> Value:
        texts = [str(value) for value in self._all()]
        return self._separator.join(texts) if texts else None
