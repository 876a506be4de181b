"""Ways between levels, and ways that are drawn as lines.

a staircase or elevator as an area      from its point on one level to that on the next it is on
drawn level by level                    those that lie above each other are one
as a line                               from the area at its lower end to that at its upper end
an elevator as a point                  from the area around it on one level to that on the next
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import shapely
from shapely import LineString, Point

from ingest.importing.cells import Cell, Storey
from ingest.importing.elements import SHAFTS, Line
from ingest.importing.levels import Level, written
from ingest.importing.meeting import ON_WALL, PROBE, Fitted
from ingest.importing.net import Net, Spot
from ingest.importing.reading import Unread
from ingest.importing.walking import Walks, door_point, own_point

ABOVE = 0.3  # of the smaller footprint: then two storeys of a staircase are one
AT_END = 0.6  # metres from a line's end to the area it leads to
Storeys = Mapping[Level, Storey]


def join_shafts(net: Net, storeys: Storeys) -> None:
    """Join the storeys of each staircase, ramp and elevator."""
    shafts = [cell for storey in storeys.values() for cell in storey.cells if _is_shaft(cell)]
    wells: dict[str, list[Cell]] = {}
    for cell in shafts:
        wells.setdefault(cell.space.well, []).append(cell)
    for cells in wells.values():
        cells.sort(key=lambda cell: cell.space.level)
        for below, above in pairwise(cells):
            _climb(net, below, above)
    for below, above in _stacked(wells, sorted(storeys)):
        _climb(net, below, above)


def _is_shaft(cell: Cell) -> bool:
    return cell.space.kind in SHAFTS and cell.id == cell.space.id and not cell.space.is_private


def _climb(net: Net, below: Cell, above: Cell) -> None:
    kind = above.space.kind
    assert kind in ("stairs", "elevator", "ramp")
    net.climb(own_point(below), own_point(above), kind)


def _stacked(wells: Mapping[str, list[Cell]], levels: list[Level]) -> Iterator[tuple[Cell, Cell]]:
    """Yield tops of wells with the bottoms of others that stand on them, on the next level."""
    following = dict(pairwise(levels))
    bottoms = [cells[0] for cells in wells.values()]
    for cells in wells.values():
        top = cells[-1]
        for bottom in bottoms:
            same = bottom.space.kind == top.space.kind and bottom.space.level == following.get(
                top.space.level
            )
            if same and _covers(top, bottom) and bottom.space.well != top.space.well:
                yield top, bottom


def _covers(one: Cell, other: Cell) -> bool:
    common = one.space.shape.intersection(other.space.shape).area
    return bool(common >= ABOVE * min(one.space.shape.area, other.space.shape.area))


class Lines:
    """Lays lines; where two of them meet at one place of a level, there is one point."""

    def __init__(self, net: Net, walks: Walks, laid_on: Storeys, fitted: Iterable[Fitted]) -> None:
        self._net, self._walks, self._storeys = net, walks, laid_on
        self._fitted = [each for each in fitted if not each.door.is_private]
        self._ends: dict[Level, list[Point]] = {level: [] for level in laid_on}
        self._at: dict[tuple[Level, Spot], str] = {}
        self.notes: list[Unread] = []

    def lay_all(self, lines: Iterable[Line]) -> None:
        """Lay lines; one that ends on another is joined with it there."""
        there = list(lines)
        for line in there:
            for level in line.levels:
                self._ends[level] += [Point(line.shape.coords[at]) for at in (0, -1)]
        for line in there:
            self._lay(line)

    def _lay(self, line: Line) -> None:
        if isinstance(line.shape, Point):
            self._elevator(line, line.shape)
        elif line.way == "elevator":
            self._elevator(line, line.shape.interpolate(0.5, normalized=True))
        elif len(line.levels) > 1:
            self._between(line, line.shape)
        else:
            self._along(line, line.shape)

    def _elevator(self, line: Line, place: Point) -> None:
        names = [self._stop(line, f"e-{line.id}@{written(level)}", place, level) for level in line.levels]
        if len(names) < 2:
            self.notes.append(Unread(line.source, "an elevator on one level leads nowhere"))
        for below, above in pairwise(names):
            self._net.climb(below, above, line.way)

    def _between(self, line: Line, shape: LineString) -> None:
        low, high = line.levels[0], line.levels[-1]
        first, last = Point(shape.coords[0]), Point(shape.coords[-1])
        goes_up = self._seems_up(first, last, low, high) if line.goes_up is None else line.goes_up
        bottom, top = (first, last) if goes_up else (last, first)
        below = self._stop(line, f"l-{line.id}@{written(low)}", bottom, low)
        above = self._stop(line, f"l-{line.id}@{written(high)}", top, high)
        self._net.climb(below, above, line.way, shape.length)

    def _seems_up(self, first: Point, last: Point, low: Level, high: Level) -> bool:
        """Tell by the areas at its ends how a line goes that does not say."""

        def fits(bottom: Point, top: Point) -> int:
            ends = ((low, bottom), (high, top))
            return sum(self._storeys[level].at(place, AT_END) is not None for level, place in ends)

        return fits(first, last) >= fits(last, first)

    def _stop(self, line: Line, name: str, place: Point, level: Level) -> str:
        """Lay an end of a line, and lead to it from where it is."""
        spot = (round(place.x, 2), round(place.y, 2))
        known = self._at.setdefault((level, spot), name)
        if known != name:
            return known
        cell = self._storeys[level].at(place, AT_END)
        inside = cell.space if cell is not None and cell.roomy.covers(place) else None
        self._net.put(name, level, (place.x, place.y), line.way, inside)
        if cell is not None and not self._is_closed(cell, place):
            self._reach(name, cell, place)
        elif line.way in SHAFTS:
            self.notes.append(
                Unread(line.source, f"its end on level {written(level)} is in nothing to walk on")
            )
        return name

    def _is_closed(self, cell: Cell, place: Point) -> bool:
        return cell.space.is_private or (cell.space.walled and not cell.roomy.covers(place))

    def _reach(self, name: str, cell: Cell, place: Point) -> None:
        if cell.roomy.covers(place):
            self._walks.stop(cell, name, (place.x, place.y))
            return
        inside = shapely.shortest_line(cell.shape, place).coords[0]
        near = f"t-{name}-{cell.id}"
        self._walks.stop(cell, near, inside)
        self._net.join(name, near, "corridor")

    def _along(self, line: Line, shape: LineString) -> None:
        """Lay a line on one level, from corner to corner and to the doors on it that no area is before."""
        level = line.levels[0]
        passed = [
            f for f in self._fitted if f.door.level == level and shape.distance(f.door.place) <= ON_WALL
        ]
        ends = {
            round(shape.project(f.door.place), 2): door_point(f.door.id) for f in passed if len(f.sides) == 1
        }
        met = {
            round(shape.project(end), 2): end for end in self._ends[level] if shape.distance(end) <= ON_WALL
        }
        stations = sorted({*_corners(shape), *met, *ends})
        names = [
            ends.get(at)
            or self._stop(line, f"l-{line.id}-{number}", met.get(at) or shape.interpolate(at), level)
            for number, at in enumerate(stations)
        ]
        gaps = shapely.union_all([f.door.place.buffer(PROBE) for f in passed])
        for (a, here), (b, there) in pairwise(zip(names, stations, strict=True)):
            piece = LineString([shape.interpolate(here), shape.interpolate(there)])
            walled = self._is_walled(self._storeys[level], piece)
            if not walled or (not piece.disjoint(gaps) and {a, b} & set(ends.values())):
                self._net.join(a, b, line.way)
            elif piece.disjoint(gaps):
                note = f"it goes through a wall on level {written(level)} where no door is; left out there"
                self.notes.append(Unread(line.source, note))

    def _is_walled(self, storey: Storey, piece: LineString) -> bool:
        if storey.walls.intersects(piece):
            return True
        return any(cell.space.walled and _enters(cell, piece) for cell in storey.near(piece))


def _enters(cell: Cell, piece: LineString) -> bool:
    """Tell whether a line is partly inside a cell and partly not."""
    inside = piece.intersection(cell.shape).length
    return bool(0.05 < inside < piece.length - 0.05)


def _corners(shape: LineString) -> Iterator[float]:
    """Yield how far along a line its corners are."""
    plain = shape.simplify(0.05)
    yield from (round(shape.project(Point(place)), 2) for place in plain.coords)
