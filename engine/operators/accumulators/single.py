"""The value of a query that stands where one value is wanted: of more rows than one there is none."""

from typing import Any

from engine.model.errors import QueryError
from engine.model.values import Value


class Single:
    """Counts the rows by value; NULLs are rows, too."""

    def __init__(self) -> None:
        self._counts: dict[Any, int] = {}

    def add(self, value: Any, times: int) -> None:
        count = self._counts.get(value, 0) + times
        if count:
            self._counts[value] = count
        else:
            del self._counts[value]

    def value(self) -> Value:
        rows = sum(self._counts.values())
        if rows > 1:
            message = f"a subquery that stands for one value gave {rows} rows; add LIMIT 1 or an aggregate"
            raise QueryError(message)
        return next(iter(self._counts), None)

    def entries(self) -> int:
        return len(self._counts)
