"""Where people stay: chairs, corners of rooms, the kiosk, the street."""

from collections import defaultdict
from random import Random
from typing import NamedTuple

from ingest.building.elements import Building, Desk, Place, Room

ENTRANCES = ("x-south-steps", "x-south-steps", "x-south-ramp", "x-north-steps", "x-west-ramp")
COMMON = ("lab",) * 7 + ("study", "library", "library")
UNVISITED = ("plant", "phone", "hall", "terrace")


class Spot(NamedTuple):
    """A place to be: `point` is the routing point it is reached from."""

    point: str
    floor: int
    place: Place
    room: str | None = None
    desk: str | None = None


class Spots:
    """Draws places to be."""

    def __init__(self, building: Building) -> None:
        self._rooms = {room.id: room for room in building.rooms}
        self._desks = {desk.id: desk for desk in building.desks}
        self._points = {point.id: point for point in building.points}
        self._kinds: dict[str, list[Room]] = defaultdict(list)
        self._common: dict[str, list[Desk]] = defaultdict(list)
        for room in building.rooms:
            self._kinds[room.kind].append(room)
        for desk in building.desks:
            self._common[self._rooms[desk.room].kind].append(desk)
        self._inhabited = [r for r in building.rooms if r.kind not in UNVISITED]
        kiosk = building.kiosk
        self.kiosk = Spot(kiosk.id, kiosk.floor, kiosk.place, kiosk.room)

    def outside(self, draw: Random) -> Spot:
        """Return a spot before one of the entrances."""
        point = self._points[draw.choice(ENTRANCES)]
        return Spot(point.id, point.floor, point.place)

    def inside(self, room: str, draw: Random) -> Spot:
        """Return a spot in a room, a step or two from where one comes in."""
        point = self._points[f"r{room}"]
        x, y = point.place
        place = (round(x + draw.uniform(-0.9, 0.9), 2), round(y + draw.uniform(-0.9, 0.9), 2))
        return Spot(point.id, point.floor, place, room)

    def of_kind(self, kind: str, draw: Random) -> Spot:
        """Return a spot in a room of a kind."""
        return self.inside(draw.choice(self._kinds[kind]).id, draw)

    def anywhere(self, draw: Random) -> Spot:
        """Return a spot in a room one may look into."""
        return self.inside(draw.choice(self._inhabited).id, draw)

    def at_desk(self, desk: str) -> Spot:
        """Return the chair of a desk."""
        found = self._desks[desk]
        return Spot(found.point, found.floor, found.seat, found.room, desk)

    def common_desk(self, draw: Random) -> str:
        """Return a desk that belongs to nobody."""
        return draw.choice(self._common[draw.choice(COMMON)]).id
