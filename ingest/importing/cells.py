"""Where one can stand: what is left of each space when the spaces and walls inside it are taken out.

A *cell* is one connected piece of that. A corridor that is drawn over the rooms along it is what lies between
them; a wall across an area parts it in two.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from shapely import Point, Polygon, STRtree
from shapely.geometry.base import BaseGeometry

from ingest.importing.elements import Elements, Space
from ingest.importing.levels import Level

SLACK = 0.02  # metres: rounding, not a wall
WALL = 0.05  # metres on each side of a wall's line
LEAST_CELL = 0.2  # square metres
SLIP = 0.05  # square metres that neighbours may overlap without a meaning
NESTED = 0.5  # of a space inside another: then its outline is no wall of that


@dataclass(frozen=True, eq=False)
class Cell:
    """A connected walkable area of a space."""

    id: str
    space: Space
    shape: Polygon

    @cached_property
    def roomy(self) -> BaseGeometry:
        """The same with what rounding may take away."""
        found = self.shape.buffer(SLACK)
        shapely.prepare(found)
        return found

    @cached_property
    def corners(self) -> np.ndarray:
        """All edges of the outline and the holes, as an array of (edge, end, coordinate)."""
        rings = [np.asarray(ring.coords) for ring in (self.shape.exterior, *self.shape.interiors)]
        return np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings])


class Storey:
    """A level: its cells, found by place."""

    def __init__(self, level: Level, spaces: Iterable[Space], walls: Iterable[BaseGeometry]) -> None:
        self.level = level
        self.spaces = tuple(spaces)
        self.walls = shapely.union_all(list(walls))
        self.nested: set[tuple[str, str]] = set()
        self.cells = tuple(cell for space, free in self._free() for cell in _cells(space, free))
        self._tree = STRtree([cell.shape for cell in self.cells])

    def near(self, place: BaseGeometry, within: float = 0.0) -> list[Cell]:
        """Return the cells that a thing touches or nearly touches, in a fixed order."""
        found = self._tree.query(place, predicate="dwithin", distance=within)
        return [self.cells[index] for index in sorted(found)]

    def at(self, place: Point, within: float) -> Cell | None:
        """Return the cell a place is in, or the nearest one that is not further away."""
        found = self.near(place, within)
        return min(found, key=lambda cell: (cell.shape.distance(place), cell.shape.area), default=None)

    def is_open(self, one: Cell, other: Cell) -> bool:
        """Tell whether the border of two cells is no wall."""
        a, b = one.space, other.space
        if (b.id, a.id) in self.nested:
            a, b = b, a
        if (a.id, b.id) in self.nested:
            return not a.walled
        return not (a.walled or b.walled)

    def _free(self) -> list[tuple[Space, BaseGeometry]]:
        """Return of each space what is walkable: a smaller one stands inside a larger one."""
        ordered = sorted(self.spaces, key=lambda space: (space.shape.area, space.id))
        tree = STRtree([space.shape for space in ordered])
        inside: list[list[Polygon]] = [[] for _ in ordered]
        pairs = tree.query([space.shape for space in ordered], predicate="intersects")
        for small, large in zip(*pairs, strict=True):
            if small < large and (share := _overlap(ordered[small], ordered[large])):
                inside[large].append(ordered[small].shape)
                if share >= NESTED:
                    self.nested.add((ordered[small].id, ordered[large].id))
        walls = None if self.walls.is_empty else self.walls.buffer(WALL, cap_style="square")
        found = []
        for space, within in zip(ordered, inside, strict=True):
            free = shapely.difference(space.shape, shapely.union_all(within)) if within else space.shape
            found.append((space, free if walls is None else shapely.difference(free, walls)))
        return found


def _overlap(small: Space, large: Space) -> float:
    """Return which share of a space lies in another; nothing where they only touch."""
    common = small.shape.intersection(large.shape).area
    return common / small.shape.area if common > SLIP else 0.0


def _cells(space: Space, free: BaseGeometry) -> list[Cell]:
    whole = [part for part in shapely.get_parts(free) if isinstance(part, Polygon)]
    parts = [part for part in whole if part.area >= LEAST_CELL]
    parts.sort(key=lambda part: -part.area)
    ids = [space.id, *(f"{space.id}.p{number}" for number in range(2, len(parts) + 1))]
    return [Cell(name, space, _sound(part)) for name, part in zip(ids, parts, strict=False)]


def _sound(part: Polygon) -> Polygon:
    """Return a shape without corners closer than a centimetre, which only cost time."""
    plain = part.simplify(0.01)
    return plain if isinstance(plain, Polygon) and plain.is_valid and not plain.is_empty else part


def storeys_of(elements: Elements) -> dict[Level, Storey]:
    """Return the levels that have something to walk on, from below."""
    levels = sorted(
        {space.level for space in elements.spaces} | {x for line in elements.lines for x in line.levels}
    )
    return {
        level: Storey(
            level,
            (space for space in elements.spaces if space.level == level),
            (wall.shape for wall in elements.walls if wall.level == level),
        )
        for level in levels
    }
