"""Who touches whom: what a door joins, and where one walks from one open space into the next.

a door on a wall        what lies on its two sides, by a probe across the wall:   room ──┤d├── corridor
an open border          a crossing every few metres of it
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely import LineString, Point

from ingest.importing.cells import Cell, Storey
from ingest.importing.elements import SHAFTS, Door
from ingest.importing.levels import Level, written
from ingest.importing.reading import Unread

ON_WALL = 0.3  # metres a door may stand off its wall
PROBE = 0.7  # metres across a wall: how thick walls may be
GAP = 0.15  # metres between open spaces that were meant to touch
LEAST_CROSSING = 0.7  # metres of a border that a person gets through
CROSSING_EVERY = 6.0
Direction = tuple[float, float]


@dataclass(frozen=True)
class Fitted:
    """A door in its wall: ``sides`` are the cells it leads to, each with the direction in which.

    An entrance ``leads_out`` where nothing is at its other side.
    """

    door: Door
    along: Direction
    sides: tuple[tuple[Cell, Direction], ...]
    leads_out: bool


@dataclass(frozen=True)
class Crossing:
    """A place on the border of two cells."""

    id: str
    place: Point
    sides: tuple[Cell, Cell]


def fit_doors(
    doors: tuple[Door, ...], storeys: Mapping[Level, Storey]
) -> tuple[list[Fitted], list[tuple[Door, str]]]:
    """Return the doors in their walls, and those that are in none, with the reason."""
    fitted, loose = [], []
    for door in doors:
        found, reason = _fit(door, storeys)
        if found is None:
            loose.append((door, reason))
        else:
            fitted.append(found)
    return fitted, loose


def _fit(door: Door, storeys: Mapping[Level, Storey]) -> tuple[Fitted | None, str]:
    if door.level is not None:
        storey = storeys.get(door.level)
        if storey is None:
            return None, f"nothing else is on its level {written(door.level)}"
        return _in_wall(door, storey)
    found = [each for each in (_in_wall(replace(door, level=x), y)[0] for x, y in storeys.items()) if each]
    if len(found) > 1 and door.is_entrance:
        at_ground = [each for each in found if each.door.level is not None and each.door.level >= 0]
        return (at_ground or found)[0], ""
    if len(found) != 1:
        where = f"walls of {len(found)} levels are there" if found else "no wall is there on any level"
        return None, f"no level, and {where}"
    return found[0], ""


def _in_wall(door: Door, storey: Storey) -> tuple[Fitted | None, str]:
    near = storey.near(door.place, ON_WALL)
    walls = [(*_edge(cell, door.place), cell) for cell in near]
    on = [(distance, along) for distance, along, _ in walls if distance <= ON_WALL]
    if not on:
        return None, _off_wall(door, storey, near)
    x, y = min(on, key=lambda each: each[0])[1]
    sides = tuple(
        (cell, across)
        for across in ((-y, x), (y, -x))
        if (cell := _beyond(door.place, across, storey)) is not None
    )
    if not sides:
        return None, "nothing to walk on is at either side of it"
    return Fitted(door, (x, y), sides, door.is_entrance and len(sides) == 1), ""


def _off_wall(door: Door, storey: Storey, near: list[Cell]) -> str:
    level = written(storey.level)
    inside = next((cell for cell in near if cell.shape.covers(door.place)), None)
    if inside is not None:
        away = _edge(inside, door.place)[0]
        return f"on no wall: it stands inside {inside.space.name}, {away:.1f} m off the wall"
    wide = [(cell.shape.distance(door.place), cell.space.name) for cell in storey.near(door.place, 5.0)]
    if not wide:
        return f"on no wall: nothing is within 5 m of it on level {level}"
    away, name = min(wide)
    return f"on no wall: the nearest on level {level}, of {name}, is {away:.1f} m away"


def _edge(cell: Cell, place: Point) -> tuple[float, Direction]:
    """Return how far a place is from the cell's outline, and how that runs there."""
    start, end = cell.corners[:, 0], cell.corners[:, 1]
    along = end - start
    squared = np.maximum((along**2).sum(axis=1), 1e-12)
    p = np.array((place.x, place.y))
    share = np.clip(((p - start) * along).sum(axis=1) / squared, 0, 1)
    distances = np.hypot(*(start + along * share[:, None] - p).T)
    best = int(np.lexsort((-squared, distances.round(3)))[0])
    length = math.sqrt(squared[best])
    return float(distances[best]), (float(along[best, 0] / length), float(along[best, 1] / length))


def _beyond(place: Point, across: Direction, storey: Storey) -> Cell | None:
    """Return the first cell that one comes to from a door in a direction."""
    probe = LineString([_moved(place, across, 0.02), _moved(place, across, PROBE)])
    hit = [cell for cell in storey.near(probe) if cell.shape.intersection(probe).length > 0.1]
    return min(hit, key=lambda cell: (cell.shape.intersection(probe).distance(place), cell.id), default=None)


def _moved(place: Point, across: Direction, far: float) -> tuple[float, float]:
    return (place.x + across[0] * far, place.y + across[1] * far)


def crossings(storey: Storey, has_door: set[str], notes: list[Unread]) -> Iterator[Crossing]:
    """Yield the places where one walks from cell to cell without a door.

    A staircase or elevator to which no door leads is taken for open where it touches a corridor.
    """
    for one, other in _neighbours(storey):
        assumed = [
            cell for cell in (one, other) if cell.space.kind in SHAFTS and cell.space.id not in has_door
        ]
        if not storey.is_open(one, other) and not _may_assume(assumed, one, other):
            continue
        found = list(_along(storey, one, other))
        yield from found
        if found and not storey.is_open(one, other):
            there = f"no door leads to it on level {written(storey.level)}"
            touched = (other if assumed[0] is one else one).space.name
            notes.append(Unread(assumed[0].space.source, f"{there}: taken for open towards {touched}"))


def _may_assume(assumed: list[Cell], one: Cell, other: Cell) -> bool:
    if not assumed:
        return False
    beside = other if assumed[0] is one else one
    return not beside.space.walled


def _neighbours(storey: Storey) -> Iterator[tuple[Cell, Cell]]:
    places = {cell.id: index for index, cell in enumerate(storey.cells)}
    for one in storey.cells:
        yield from (
            (one, other) for other in storey.near(one.shape, GAP) if places[one.id] < places[other.id]
        )


def _along(storey: Storey, one: Cell, other: Cell) -> Iterator[Crossing]:
    border = other.shape.boundary.intersection(one.shape.buffer(GAP, join_style="mitre"))
    if not storey.walls.is_empty:
        border = border.difference(storey.walls.buffer(GAP))
    lines = [part for part in shapely.get_parts(border) if isinstance(part, LineString)]
    merged = shapely.get_parts(shapely.line_merge(shapely.multilinestrings(lines))) if lines else []
    number = 0
    for line in sorted(merged, key=lambda each: -each.length):
        if line.length < LEAST_CROSSING + 2 * GAP:
            continue
        pieces = math.ceil(line.length / CROSSING_EVERY)
        for piece in range(pieces):
            number += 1
            place = line.interpolate((piece + 0.5) / pieces, normalized=True)
            yield Crossing(f"b-{one.id}-{other.id}-{number}", place, (one, other))
