"""What other gateways said of one join, by gateway: it stands while one is gone, as its own answers do.

    in the next topology  =  what those said to whom no way leads any more        all others say all again

Until a topology has settled, what was said in the last one that had is the whole of it. So a join keeps
what a selection of the same gateway keeps, wherever its rows meet.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from engine.model.values import Row

Sided = tuple[int, Row]
Change = tuple[int, int, Row]


class Standing:
    """Rows that arrived here, and bitmaps."""

    def __init__(self) -> None:
        self.rows: defaultdict[str, Counter[Sided]] = defaultdict(Counter)
        self.bitmaps: dict[str, int] = {}

    def arrived(self, sender: str, changes: Sequence[Change]) -> None:
        held = self.rows[sender]
        for side, sign, row in changes:
            held[side, row] += sign
            if not held[side, row]:
                del held[side, row]

    def before(self, other: "Standing") -> "Standing":
        """Return the same, and of those of whom it has nothing what another has."""
        found = Standing()
        found.rows.update({**other.rows, **self.rows})
        found.bitmaps.update({**other.bitmaps, **self.bitmaps})
        return found

    def of(self, is_kept: Callable[[str], bool]) -> "Standing":
        """Return what some of them said."""
        found = Standing()
        found.rows.update({each: rows for each, rows in self.rows.items() if is_kept(each)})
        found.bitmaps.update({each: bits for each, bits in self.bitmaps.items() if is_kept(each)})
        return found

    def changes(self) -> list[Change]:
        """Return all rows, as they would arrive."""
        return [change for rows in self.rows.values() for change in signed(rows)]


def signed(noted: Mapping[Sided, int]) -> list[Change]:
    """Return rows that come or go, those that go first."""
    changes = [(side, 1 if n > 0 else -1, row) for (side, row), n in noted.items() for _ in range(abs(n))]
    return sorted(changes, key=lambda change: change[1])
