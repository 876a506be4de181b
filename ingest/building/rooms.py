"""From the architect's sheet to rooms, doors, shafts and corridors.

Rooms are numbered along the strips, so 2.07 is the seventh room of floor 2; stairs, elevators and
passages carry no number. Each room has a door (labs and the hall have two) in its corridor wall.
"""

from math import atan2, cos, pi, sin

from ingest.building import layout
from ingest.building.elements import Corridor, Door, Floor, Outline, Place, Room, Shaft
from ingest.building.layout import HEIGHT, WIDTH, Item, Strip

CLOSED_LAB = "Lab Hamilton"
HALF_ROUND = 18
TWO_DOORS = ("lab", "hall", "library")
WIDE_OPEN = ("foyer", "exhibition", "lounge", "cafe")
CORRIDOR_HALF = layout.AISLE / 2


class Storey:
    """Everything with walls on one floor, as it is put up strip by strip."""

    def __init__(self, floor: int) -> None:
        self.floor = floor
        self.rooms: list[Room] = []
        self.doors: list[Door] = []
        self.shafts: list[Shaft] = []
        self.corridors = [_ring(floor)]
        self.strips: dict[str, tuple[Strip, float, float]] = {}
        for strip in layout.STRIPS.values():
            start = 0.0
            for item in layout.items(floor, strip.name):
                self._stand(strip, start, item)
                start += item.width

    def _stand(self, strip: Strip, start: float, item: Item) -> None:
        if item.kind == "passage":
            outline = _box(strip, start, item.width, strip.depth)
            self.corridors.append(
                Corridor(f"corridor-{self.floor}-{strip.name.split()[0]}", item.name, self.floor, outline)
            )
        elif item.kind in ("stairs", "elevator"):
            self._stand_shaft(strip, start, item)
        else:
            self._stand_room(strip, start, item)

    def _stand_shaft(self, strip: Strip, start: float, item: Item) -> None:
        well = f"{item.kind}-{''.join(word[0] for word in item.name.replace('-', ' ').split()[:-1]).lower()}"
        name, depth = f"{well}-{self.floor}", strip.depth
        middle = strip.place(start + item.width / 2, depth / 2)
        outline = _box(strip, start, item.width, depth)
        self.shafts.append(Shaft(name, well, item.name, item.kind, self.floor, outline, middle))
        self._open(strip, name, start + item.width / 2, 1.2)

    def _stand_room(self, strip: Strip, start: float, item: Item) -> None:
        number = f"{self.floor}.{len(self.rooms) + 1:02d}"
        outline = outline_of(strip, start, item, self.floor)
        middle = strip.place(start + item.width / 2, strip.depth / 2)
        is_open = item.kind == "lab" and item.name != CLOSED_LAB
        room = Room(number, item.name, item.kind, self.floor, outline, middle, area_of(outline), is_open)
        self.rooms.append(room)
        self.strips[number] = (strip, start, item.width)
        for u, width in _doorways(item, len(self.rooms)):
            self._open(strip, number, _on_corridor(strip, start + u), width)

    def _open(self, strip: Strip, room: str, u: float, width: float) -> None:
        before = sum(door.room == room for door in self.doors)
        name = f"door-{room}" + "abc"[before : before + 1] * (before > 0)
        ends = (strip.place(u - width / 2, 0), strip.place(u + width / 2, 0))
        inside, corridor = strip.place(u, 1.2), strip.place(u, -CORRIDOR_HALF)
        self.doors.append(Door(name, room, self.floor, ends, inside, corridor))


def storey_floor(floor: int) -> Floor:
    """The slab: outer walls with portal and apse, and the two courtyards as holes."""
    left, right, recess = layout.PORTAL
    low, high = layout.APSE
    outer: list[Place] = [(0.0, 0.0)]
    if floor == 1:
        outer += [(left, 0.0), (left, recess), (right, recess), (right, 0.0)]
    outer += [(WIDTH, 0.0), *_arc(low, high), (WIDTH, HEIGHT), (0.0, HEIGHT)]
    courts = tuple(_rectangle(*court) for court in layout.COURTYARDS)
    return Floor(floor, layout.FLOORS[floor], tuple(outer), courts)


def outline_of(strip: Strip, start: float, item: Item, floor: int) -> Outline:
    """A room is a box, but for the rooms of the apse and the foyer behind its portal."""
    if strip.name == "east outer" and item.width == layout.APSE[1] - layout.APSE[0]:
        low, high = layout.APSE
        return (strip.place(start, 0), *_arc(low, high), strip.place(start + item.width, 0))
    recess = layout.PORTAL[2] if item.kind == "foyer" and floor == 1 else 0.0
    return _box(strip, start, item.width, strip.depth - recess)


def area_of(outline: Outline) -> float:
    """The shoelace formula."""
    pairs = zip(outline, (*outline[1:], outline[0]), strict=True)
    return round(abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs)) / 2, 1)


def turned(middle: Place, along: float, across: float, angle: float) -> Outline:
    """A rectangle about its middle, turned by an angle in radians."""
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return tuple(_turn(middle, sx * along / 2, sy * across / 2, angle) for sx, sy in corners)


def heading(a: Place, b: Place) -> float:
    return atan2(b[1] - a[1], b[0] - a[0])


def _turn(about: Place, dx: float, dy: float, angle: float) -> Place:
    x, y = dx * cos(angle) - dy * sin(angle), dx * sin(angle) + dy * cos(angle)
    return (round(about[0] + x, 2), round(about[1] + y, 2))


def _doorways(item: Item, number: int) -> tuple[tuple[float, float], ...]:
    if item.kind in TWO_DOORS:
        return ((item.width * 0.2, 1.6), (item.width * 0.8, 1.6))
    if item.kind in WIDE_OPEN:
        return ((item.width / 2, item.width * 0.6),)
    if item.width <= 5:
        return ((item.width / 2, 1.0),)
    return ((1.4 if number % 2 else item.width - 1.4, 1.0),)


def _on_corridor(strip: Strip, u: float) -> float:
    """The long outer strips reach past the ring; their corner rooms open where it still runs."""
    if strip.length < WIDTH:
        return u
    return min(max(u, layout.RING[0] + CORRIDOR_HALF), layout.RING[2] - CORRIDOR_HALF)


def _arc(low: float, high: float) -> list[Place]:
    radius, centre = (high - low) / 2, (low + high) / 2
    angles = [pi * step / HALF_ROUND - pi / 2 for step in range(HALF_ROUND + 1)]
    return [(round(WIDTH + radius * cos(a), 2), round(centre + radius * sin(a), 2)) for a in angles]


def _box(strip: Strip, start: float, width: float, depth: float) -> Outline:
    return (
        strip.place(start, 0),
        strip.place(start + width, 0),
        strip.place(start + width, depth),
        strip.place(start, depth),
    )


def _rectangle(left: float, low: float, right: float, high: float) -> Outline:
    return ((left, low), (right, low), (right, high), (left, high))


def _ring(floor: int) -> Corridor:
    """The eight of corridors: the ring's outside, and the two blocks the spine divides as holes."""
    left, low, right, high = layout.RING
    inset = layout.AISLE
    west = _rectangle(left + inset, low + inset, layout.SPINE[0], high - inset)
    east = _rectangle(layout.SPINE[1], low + inset, right - inset, high - inset)
    return Corridor(f"corridor-{floor}", f"Corridor {floor}", floor, _rectangle(*layout.RING), (west, east))
