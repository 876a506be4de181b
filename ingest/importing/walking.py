"""Ways on one level: through doors and over borders, and inside each cell from any of them to any other.

    d door ── t a step inside, in the middle of the corridor ── t ── … ── r the room's own point

What is inside a staircase is stairs and inside an elevator is elevator, also from door to door on one level:
a way without steps leads through none.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import dist

import shapely
from shapely import LineString, Point

from ingest.importing.cells import SLACK, Cell, Storey
from ingest.importing.levels import Level
from ingest.importing.meeting import GAP, PROBE, Crossing, Direction, Fitted
from ingest.importing.net import Net, Spot, WayKind
from ingest.importing.sights import sights

STEPS = (0.5, 0.75, 1.0, 1.25, 1.5)  # metres from a door to where one walks on
SQRT = 0.5**0.5
COMPASS = ((1, 0), (0, 1), (-1, 0), (0, -1), (SQRT, SQRT), (-SQRT, SQRT), (-SQRT, -SQRT), (SQRT, -SQRT))
SMALL = 6.0  # metres from a door to a room's own point, without a step inside between
SAME = 0.6  # metres within which two doors share that place


@dataclass
class Stops:
    """What is to be joined inside a cell: names and places, the room's own point first."""

    names: list[str] = field(default_factory=list)
    places: list[Spot] = field(default_factory=list)

    def add(self, name: str, place: Spot) -> None:
        if name not in self.names:
            self.names.append(name)
            self.places.append(place)

    def near(self, place: Point, cell: Cell) -> str | None:
        """Return a stop that is nearly there already."""
        for name, spot in zip(self.names, self.places, strict=True):
            if place.distance(Point(spot)) <= SAME and _sees(cell, (place.x, place.y), spot):
                return name
        return None


class Walks:
    """Lays the ways of all levels; whoever has more to join inside a cell says so before the end."""

    def __init__(self, net: Net) -> None:
        self._net = net
        self._cells: dict[str, Cell] = {}
        self._stops: dict[str, Stops] = defaultdict(Stops)

    def own_points(self, storey: Storey) -> None:
        """Give every room, staircase and elevator its point; a corridor has none of its own."""
        for cell in storey.cells:
            if cell.space.kind != "corridor" and cell.id == cell.space.id:
                self.stop(cell, own_point(cell), _middle(cell))

    def stop(self, cell: Cell, name: str, place: Spot) -> None:
        """Have a place inside a cell that ways lead to."""
        self._net.put(name, cell.space.level, place, cell.space.kind, cell.space)
        self._cells[cell.id] = cell
        self._stops[cell.id].add(name, self._net.points[name].place)

    def door(self, fitted: Fitted, level: Level) -> str:
        """Lay a door and the step inside on each of its sides."""
        name = door_point(fitted.door.id)
        place = (fitted.door.place.x, fitted.door.place.y)
        self._net.put(name, level, place, "entrance" if fitted.leads_out else "door")
        for cell, across in fitted.sides:
            self._enter(name, cell, across, "door")
        return name

    def cross(self, crossing: Crossing) -> None:
        """Lay a place on an open border."""
        one, other = crossing.sides
        place = (crossing.place.x, crossing.place.y)
        self._net.put(crossing.id, one.space.level, place, "corridor")
        for cell in (one, other):
            self._enter(crossing.id, cell, None, "corridor")

    def finish(self) -> None:
        """Join what is inside each cell."""
        for name, stops in sorted(self._stops.items()):
            self._join(self._cells[name], stops)

    def _enter(self, name: str, cell: Cell, across: Direction | None, way: WayKind) -> None:
        stops = self._stops[cell.id]
        self._cells[cell.id] = cell
        x, y = self._net.points[name].place
        own = own_point(cell)
        if own in stops.names:
            middle = stops.places[stops.names.index(own)]
            if dist((x, y), middle) <= SMALL and _sees(cell, (x, y), middle):
                self._net.join(name, own, way_in(cell, way))
                return
        place = _inside(cell, Point(x, y), across)
        found = stops.near(place, cell)
        if found is None:
            found = f"t-{name}-{cell.id}"
            self._net.put(found, cell.space.level, (place.x, place.y), cell.space.kind, cell.space)
            stops.add(found, self._net.points[found].place)
        self._net.join(name, found, way_in(cell, way))

    def _join(self, cell: Cell, stops: Stops) -> None:
        seen = sights(cell.shape, stops.places)
        names = [*stops.names, *(f"c-{cell.id}-{n}" for n in range(1, len(seen.corners) + 1))]
        for name, place in zip(names[len(stops.names) :], seen.corners, strict=True):
            self._net.put(name, cell.space.level, place, cell.space.kind, cell.space)
        for a, b in seen.pairs:
            self._net.join(names[a], names[b], way_in(cell, "corridor"))


def own_point(cell: Cell) -> str:
    """Return the name of the point at which one is in a room."""
    return f"r{cell.space.id}"


def door_point(door: str) -> str:
    return f"d{door.removeprefix('door')}"


def way_in(cell: Cell, way: WayKind) -> WayKind:
    """Return what a way inside a cell is."""
    kind = cell.space.kind
    return way if kind == "room" or kind == "corridor" else kind


def _middle(cell: Cell) -> Spot:
    """Return the centre where it is inside and not at a wall, else the place furthest from all walls."""
    centre = cell.shape.centroid
    inner = shapely.maximum_inscribed_circle(cell.shape, tolerance=0.1)
    if cell.shape.covers(centre) and cell.shape.boundary.distance(centre) >= inner.length / 2:
        return (centre.x, centre.y)
    return (inner.coords[0][0], inner.coords[0][1])


def _inside(cell: Cell, place: Point, across: Direction | None) -> Point:
    """Return the place a step inside that is furthest from the walls; the door's own where none is inside."""
    directions = [across] if across else COMPASS
    candidates = [Point(place.x + x * far, place.y + y * far) for x, y in directions for far in STEPS]
    gap = PROBE if across else GAP + SLACK
    fit = [each for each in candidates if _sees(cell, (place.x, place.y), (each.x, each.y), gap)]
    return max(
        fit, key=lambda each: round(cell.shape.boundary.distance(each), 2), default=_nearest(cell, place)
    )


def _nearest(cell: Cell, place: Point) -> Point:
    line = shapely.shortest_line(cell.shape, place)
    return Point(line.coords[0])


def _sees(cell: Cell, here: Spot, there: Spot, slack: float = SLACK) -> bool:
    """Tell whether one walks straight inside a cell; ``slack`` is the wall that a door stands in."""
    if not cell.roomy.covers(Point(there)):
        return False
    line = LineString([here, there])
    return bool(cell.roomy.covers(line) or (slack > SLACK and line.difference(cell.roomy).length <= slack))


def lay_walks(
    walks: Walks, storeys: Iterable[Storey], fitted: Iterable[Fitted], open_borders: Iterable[Crossing]
) -> None:
    """Lay everything but what lines and shafts add."""
    for storey in storeys:
        walks.own_points(storey)
    for each in fitted:
        assert each.door.level is not None
        walks.door(each, each.door.level)
    for crossing in open_borders:
        walks.cross(crossing)
