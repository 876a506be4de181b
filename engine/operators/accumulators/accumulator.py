"""What a group remembers of one aggregate's arguments, to answer after any deletion."""

from typing import Any, Protocol

from engine.model.values import Value


class Accumulator(Protocol):
    """Takes a value ``times`` times (negative: takes it back), and tells the aggregate."""

    def add(self, value: Any, times: int) -> None: ...
    def value(self) -> Value: ...
    def entries(self) -> int: ...


class Constant:
    """An accumulator that keeps numbers only, however many values it took."""

    def entries(self) -> int:
        return 0
