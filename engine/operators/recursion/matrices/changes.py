"""Parallel links: of several costs between the same two ends, the least counts.

what a step does to the least      worse   it rose, to ∞ where the last one went
                                   better  it fell
"""

from bisect import bisect_left, insort
from typing import Any

from engine.operators.recursion.matrices.costs import ABSENT

Link = tuple[Any, Any]
Worse = dict[Link, tuple[float, float]]
Better = dict[Link, float]


class Parallels:
    """All costs between two ends, in order."""

    def __init__(self) -> None:
        self._costs: dict[Link, list[float]] = {}
        self._before: dict[Link, float] = {}

    def take(self, link: Link, cost: float, sign: int) -> None:
        costs = self._costs.setdefault(link, [])
        self._before.setdefault(link, costs[0] if costs else ABSENT)
        if sign > 0:
            insort(costs, cost)
        else:
            del costs[bisect_left(costs, cost)]

    def changes(self) -> tuple[Worse, Better]:
        """Return what became worse and what better since this was last asked."""
        worse: Worse = {}
        better: Better = {}
        for link, before in self._before.items():
            now = self.least(link)
            if now > before:
                worse[link] = (before, now)
            elif now < before:
                better[link] = now
            if now == ABSENT:
                del self._costs[link]
        self._before.clear()
        return worse, better

    def least(self, link: Link) -> float:
        costs = self._costs.get(link)
        return costs[0] if costs else ABSENT
