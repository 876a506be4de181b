"""The orders in which a join could run: the one that does, and the best of those that end otherwise.

(w ⋈ near) ⋈ s     78 rows handled a tick
  lost: (w ⋈ s) ⋈ near     183     2.3 times the rows handled; w ⋈ s has 2,478 rows
"""

from typing import NamedTuple

from engine.plan.explaining.choosing import CLOSE, compared
from engine.plan.explaining.estimates import number


class Ordered(NamedTuple):
    """An order, what a tick costs by it in rows handled, and its dearest part that the running one lacks."""

    order: str
    cost: float
    part: str = ""
    rows: float = 0.0


class Joined(NamedTuple):
    """A join of several inputs; ``is_searched`` unless it has more ways than are looked at."""

    inputs: tuple[tuple[str, str], ...]
    chosen: Ordered
    lost: tuple[Ordered, ...] = ()
    is_searched: bool = True

    def why_lost(self, other: Ordered) -> str:
        """Say why an order is not the one that runs."""
        ratio = compared(other.cost, self.chosen.cost)
        dearest = f"; {other.part} has {number(other.rows)} rows" if other.part else ""
        if abs(other.cost - self.chosen.cost) <= CLOSE * self.chosen.cost:
            return f"as many rows handled{dearest}"
        if other.cost < self.chosen.cost:
            return f"{ratio} rows handled; a change pays only where it saves more than it builds"
        return f"{ratio} rows handled{dearest}"
