"""Shortest ways through the building, by Dijkstra over its routing points, in seconds of walking.

A tree of predecessors is kept per source and per gait: 610 points of two bytes each. Who `rides` avoids
stairs.
"""

from array import array
from collections.abc import Iterable
from heapq import heappop, heappush
from math import inf

from ingest.building.elements import Building, RoutingPoint, RoutingSegment

NOWHERE = -1
STAIRS_FOR_WHO_RIDES = 5.0


class Paths:
    """The routing graph with what has been asked of it so far."""

    def __init__(self, points: Iterable[RoutingPoint], segments: Iterable[RoutingSegment]) -> None:
        self.points = {point.id: point for point in points}
        self._names = list(self.points)
        self._index = {name: n for n, name in enumerate(self._names)}
        self._ways: list[list[tuple[int, RoutingSegment]]] = [[] for _ in self._names]
        for segment in segments:
            a, b = self._index[segment.a], self._index[segment.b]
            self._ways[a].append((b, segment))
            self._ways[b].append((a, segment))
        self._trees: dict[tuple[str, bool], array[int]] = {}

    @classmethod
    def of(cls, building: Building) -> "Paths":
        """The paths of a building."""
        return cls(building.points, building.segments)

    def path(self, start: str, end: str, rides: bool = False) -> list[tuple[RoutingSegment, str]]:
        """Return the segments from start to end, each with the point it leads to."""
        tree = self._tree(start, rides)
        hops: list[tuple[RoutingSegment, str]] = []
        here = self._index[end]
        while here != self._index[start]:
            before = tree[here]
            if before == NOWHERE:
                message = f"no way from {start} to {end}; expected a connected graph: mend the layout"
                raise ValueError(message)
            segment = next(segment for other, segment in self._ways[here] if other == before)
            hops.append((segment, self._names[here]))
            here = before
        return hops[::-1]

    def seconds(self, start: str, end: str, rides: bool = False) -> float:
        """How long the way takes at an ordinary pace."""
        return sum(segment.seconds for segment, _ in self.path(start, end, rides))

    def _tree(self, start: str, rides: bool) -> "array[int]":
        if (start, rides) not in self._trees:
            self._trees[(start, rides)] = self._grown(self._index[start], rides)
        return self._trees[(start, rides)]

    def _grown(self, start: int, rides: bool) -> "array[int]":
        best = [inf] * len(self._names)
        tree = array("h", [NOWHERE]) * len(self._names)
        best[start], front = 0.0, [(0.0, start)]
        while front:
            cost, here = heappop(front)
            if cost > best[here]:
                continue
            for there, segment in self._ways[here]:
                reached = cost + _effort(segment, rides)
                if reached < best[there]:
                    best[there], tree[there] = reached, here
                    heappush(front, (reached, there))
        return tree


def _effort(segment: RoutingSegment, rides: bool) -> float:
    return segment.seconds * (STAIRS_FOR_WHO_RIDES if rides and segment.way == "stairs" else 1.0)
