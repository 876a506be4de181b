"""The rows of an outer join, by what they stand on: a pair, or one row that meets nothing.

l + r       where l meets r                 l and r
l + NULLs   where l meets no row            l, and the absence of every match
NULLs + r   likewise, of a full join        r
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.plan.expressions import Expr, compiled
from engine.plan.outer_join import HashOuterJoin

LEFT, RIGHT = 0, 1
Rows = Callable[[int], Any]
Found = Callable[[int, tuple[Expr, ...], Row], list[Row]]
Origins = tuple[tuple[int, Row], ...]


class Lone(NamedTuple):
    """A row of one side that meets nothing: its key, which no row of the other side has, or not as asked."""

    side: int
    row: Row
    key: Row


class OuterRows:
    """One node's; ``rows`` are those of a side, ``found`` those of them with a key."""

    def __init__(self, plan: HashOuterJoin, rows: Rows, found: Found) -> None:
        self.plan = plan
        self.keys = plan.left_keys, plan.right_keys
        self.widths = len(plan.left.columns), len(plan.right.columns)
        self._rows = rows
        self._found = found
        self._key_parts = tuple([compiled(key) for key in keys] for keys in self.keys)
        self._condition = None if plan.condition is None else compiled(plan.condition)

    @property
    def kept(self) -> tuple[int, ...]:
        """The sides whose rows stay where they meet nothing."""
        return (LEFT, RIGHT) if self.plan.keeps_right else (LEFT,)

    def key_of(self, side: int, row: Row) -> Row:
        return tuple([part(row) for part in self._key_parts[side]])

    def partners(self, side: int, row: Row) -> list[Row]:
        """Return the rows of the other side that a row meets."""
        key = self.key_of(side, row)
        if None in key:
            return []
        others = self._found(1 - side, self.keys[1 - side], key)
        return [other for other in others if self.meets(*self.pair(side, row, other))]

    def meets(self, left: Row, right: Row) -> bool:
        """Tell whether rows with equal keys satisfy the condition."""
        return self._condition is None or self._condition(left + right) is True

    def pair(self, side: int, row: Row, other: Row) -> tuple[Row, Row]:
        return (row, other) if side == LEFT else (other, row)

    def padded(self, side: int, row: Row) -> Row:
        left, right = self.pair(side, row, (None,) * self.widths[1 - side])
        return left + right

    def bodies(self, row: Row) -> Iterator[Origins]:
        """Yield what a row stands on."""
        left, right = row[: self.widths[LEFT]], row[self.widths[LEFT] :]
        if left in self._rows(LEFT) and right in self.partners(LEFT, left):
            yield (LEFT, left), (RIGHT, right)
        for side in self.kept:
            own = (left, right)[side]
            if self.padded(side, own) == row and own in self._rows(side) and not self.partners(side, own):
                yield ((side, own),)

    def lone(self, row: Row) -> Lone | None:
        """Return the row that a padded one stands on."""
        origins = next(self.bodies(row), ())
        if len(origins) != 1:
            return None
        ((side, own),) = origins
        return Lone(side, own, self.key_of(side, own))
