"""Of each group the rows that are best in one aggregate at least, ties included.

selected(g)  =  best(rows of g)                              ``engine.operators.best``

Rows that came are compared with those that are best; where one of these went, all of the group are.
"""

from collections.abc import Iterable

from engine.model.values import Row
from engine.operators.best import best_of
from engine.operators.delta import Delta
from engine.plan.program import Defined

NOTHING: frozenset[Row] = frozenset()


class Selection:
    """The groups of one relation."""

    def __init__(self, definition: Defined) -> None:
        self._group, self._best = definition.group, definition.best
        self._rows: dict[Row, set[Row]] = {}
        self._chosen: dict[Row, set[Row]] = {}

    def __contains__(self, row: object) -> bool:
        return isinstance(row, tuple) and row in self._chosen.get(self._key(row), NOTHING)

    def change(self, came: Iterable[Row], gone: Iterable[Row]) -> Delta[int]:
        """Take rows in and out; return how the selected ones change."""
        candidates: dict[Row, set[Row]] = {}
        before: dict[Row, set[Row]] = {}
        for row in came:
            key = self._key(row)
            before.setdefault(key, self._chosen.get(key, set()))
            self._rows.setdefault(key, set()).add(row)
            candidates.setdefault(key, set(before[key])).add(row)
        for row in gone:
            key = self._key(row)
            before.setdefault(key, self._chosen.get(key, set()))
            self._rows[key].discard(row)
            if row in before[key]:
                candidates[key] = self._rows[key]
        changed: Delta[int] = {}
        for key, rows in candidates.items():
            after = self._chosen[key] = best_of(self._best, rows)
            changed |= dict.fromkeys(before[key] - after, -1) | dict.fromkeys(after - before[key], 1)
        for key in before:
            if not self._rows[key]:
                del self._rows[key]
                self._chosen.pop(key, None)
        return changed

    def _key(self, row: Row) -> Row:
        return tuple([row[i] for i in self._group])
