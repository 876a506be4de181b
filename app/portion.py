"""How much of a view its reader is sent: so many rows at most, and how many more there are.

    sent ⊆ view        |sent| ≤ most        more = |view| − |sent|

A row that comes while there is no room is counted and not sent. Once half of the room is free again while
more rows are there, the portion is *thin*, and the reader begins anew with the first rows of the view.
"""

from collections.abc import Iterable

from engine.model.values import Row
from engine.operators.delta import tally

Counted = tuple[Row, int]


class Portion:
    """The rows of one view that one reader was sent."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sent: dict[Row, int] = {}
        self._here = self._total = 0

    @property
    def more(self) -> int:
        """How many rows there are that were not sent."""
        return self._total - self._here

    @property
    def is_thin(self) -> bool:
        return self.more > 0 and self._here <= self._most // 2

    def begin(self, rows: Iterable[Counted]) -> list[Counted]:
        """Return the first rows of a view, in its order."""
        self._sent, self._here, self._total = {}, 0, 0
        return self._taken(rows)

    def change(self, changes: Iterable[Counted]) -> list[Counted]:
        """Return what a change of the view is to its reader: what goes makes room for what comes."""
        changes = list(changes)
        going = [counted for counted in changes if counted[1] < 0]
        return self._left(going) + self._taken(counted for counted in changes if counted[1] > 0)

    def _left(self, rows: Iterable[Counted]) -> list[Counted]:
        left = []
        for row, count in rows:
            self._total += count
            if known := min(-count, self._sent.get(row, 0)):
                left.append((row, -known))
        return self._book(left)

    def _taken(self, rows: Iterable[Counted]) -> list[Counted]:
        taken, room = [], self._most - self._here
        for row, count in rows:
            self._total += count
            if here := min(count, room):
                taken.append((row, here))
                room -= here
        return self._book(taken)

    def _book(self, rows: list[Counted]) -> list[Counted]:
        for row, count in rows:
            tally(self._sent, {row: count})
            self._here += count
        return rows
