"""The value that goes with the greatest or the least of another; of equals, the greatest or least value."""

from typing import Any

from engine.model.values import Value
from engine.operators.accumulators.extreme import Extreme


class Chosen(Extreme):
    """max_by and min_by: the extreme pair (by, value), of which the value is told."""

    def add(self, value: Any, times: int) -> None:
        super().add(None if value is None else value[::-1], times)

    def value(self) -> Value:
        pair: Any = super().value()
        return None if pair is None else pair[1]
