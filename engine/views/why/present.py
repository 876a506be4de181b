"""The present rows of relations, found by any of their columns.

find(relation, { column: value })   by an index over these columns, made when first asked for
"""

from collections.abc import Iterable, Sequence
from typing import Any

from engine.model.values import Row
from engine.views.why.match import Bound


class Present:
    """Rows by relation; their number is their place."""

    def __init__(self, relations: Sequence[Iterable[Row]]) -> None:
        self._relations = [list(rows) for rows in relations]
        self._indexes: dict[tuple[int, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def find(self, relation: int, bound: Bound) -> Sequence[Row]:
        columns = tuple(sorted(bound))
        if not columns:
            return self._relations[relation]
        index = self._indexes.get((relation, columns))
        if index is None:
            index = self._indexes[relation, columns] = self._index(relation, columns)
        return index.get(tuple([bound[column] for column in columns]), ())

    def _index(self, relation: int, columns: tuple[int, ...]) -> dict[Row, list[Row]]:
        index: dict[Any, list[Row]] = {}
        for row in self._relations[relation]:
            index.setdefault(tuple([row[column] for column in columns]), []).append(row)
        return index
