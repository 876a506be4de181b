"""What everybody does on a schedule day: a pure function of (seed, day), so processes agree without talking.

    person ──→  Walk ─ Stay ─ Walk ─ Stay ─ … ─ Walk          each begins when the one before it ends

People are planned one after another; a student takes a desk that is free for the whole of a session
according to those planned before. Bookings come first: who is a guest of one is there in time.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

from ingest.building.bookings import Booking, bookings
from ingest.building.elements import Building, Desk, Place, Room
from ingest.building.paths import Paths
from ingest.building.people import Person, people
from ingest.building.schedule import HOUR, MINUTE

MARGIN = 5 * MINUTE
LAST_MINUTE = 19.7 * HOUR
ENTRANCES = ("x-south-steps", "x-south-steps", "x-south-ramp", "x-north-steps", "x-west-ramp")
SPOTS = {
    "kitchen": (2, 6), "toilets": (2, 4), "printers": (0.7, 2), "lounge": (5, 15), "cafe": (8, 25),
    "exhibition": (3, 8), "archive": (4, 10), "mail": (0.7, 2), "terrace": (5, 12),
}  # fmt: skip
BREAKS = ("kitchen", "kitchen", "toilets", "toilets", "printers", "lounge", "cafe", "terrace")
STUDENT_PLACES = ("lab",) * 7 + ("study", "library", "library")


class Spot(NamedTuple):
    """A place to be: `point` is the routing point it is reached from."""

    point: str
    floor: int
    place: Place
    room: str | None = None
    desk: str | None = None


class Stay(NamedTuple):
    """Somebody at a spot; whoever stays without sitting down still has a badge that is awake."""

    begins: float
    ends: float
    spot: Spot
    sits: bool


class Walk(NamedTuple):
    """Somebody on the way between two spots; the way itself is looked up when it is needed."""

    begins: float
    ends: float
    start: Spot
    end: Spot


Stage = Stay | Walk


class Agenda:
    """One schedule day of a building."""

    def __init__(self, building: Building, paths: Paths, seed: int, day: int, restless: bool = True) -> None:
        self.people = people(building, seed)
        self.stages: dict[str, list[Stage]] = {}
        self.desk_uses: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._seed, self._day, self._paths = seed, day, paths
        self._spots = _Spots(building)
        self._guests = self._invite(bookings(building, seed, day))
        for person in self.people:
            sits = person.kind in ("staff", "student")
            if sits or restless:
                draw = Random(f"{seed}/{day}/{person.id}")
                self.stages[person.id] = list(
                    self._day_of(person, draw) if sits else self._rounds_of(person, draw)
                )

    def room_uses(self) -> dict[str, list[tuple[float, float]]]:
        """Return when somebody is in each room, one interval per stay."""
        uses: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for stages in self.stages.values():
            for stage in stages:
                if isinstance(stage, Stay) and stage.spot.room is not None:
                    uses[stage.spot.room].append((stage.begins, stage.ends))
        return uses

    def _invite(self, booked: tuple[Booking, ...]) -> dict[str, list[Booking]]:
        draw = Random(f"{self._seed}/{self._day}/guests")
        guests: dict[str, list[Booking]] = defaultdict(list)
        for booking in booked:
            kinds = ("staff",) if booking.guests <= 4 else ("staff", "student", "student")
            free = [p for p in self.people if p.kind in kinds and _is_free(guests[p.id], booking)]
            for person in draw.sample(free, min(booking.guests, len(free))):
                guests[person.id].append(booking)
        return guests

    def _day_of(self, person: Person, draw: Random) -> Iterator[Stage]:
        here = self._spots.outside(draw)
        now, leaves = _hours_of(person, draw)
        engaged = [one for one in self._guests[person.id] if now < one.begins - MARGIN and one.ends < leaves]
        lunch = draw.uniform(11.6, 13.4) * HOUR
        while now < leaves:
            next_one = engaged[0] if engaged else None
            until = min(next_one.begins - 3 * MINUTE if next_one else leaves, leaves)
            if next_one and until - now < MARGIN:
                there, lasts = (
                    self._spots.inside(next_one.room, draw),
                    max(next_one.ends - now - MINUTE, MINUTE),
                )
                engaged.pop(0)
                sits = True
            elif now > lunch:
                there, lasts, sits = self._spots.of_kind("cafe", draw), draw.uniform(25, 45) * MINUTE, True
                lunch = 2 * leaves
            else:
                there, lasts, sits = self._activity(person, here, draw, now)
            walk = Walk(now, now + self._walking(person, here, there), here, there)
            ends = max(min(walk.ends + lasts, until if walk.ends < until else leaves), walk.ends + 20)
            yield walk
            yield Stay(walk.ends, ends, there, sits)
            if there.desk is not None:
                self.desk_uses[there.desk].append((walk.ends, ends))
            here, now = there, ends
        way_out = self._spots.outside(draw)
        yield Walk(now, now + self._walking(person, here, way_out), here, way_out)

    def _activity(self, person: Person, here: Spot, draw: Random, now: float) -> tuple[Spot, float, bool]:
        """Work after a break, a break after work."""
        if here.desk is None:
            lasts = draw.uniform(30, 95) * MINUTE if person.desk else draw.uniform(50, 130) * MINUTE
            desk = person.desk or self._free_desk(draw, now, lasts)
            if desk is not None:
                return self._spots.at_desk(desk), lasts, True
        kind = draw.choice(BREAKS)
        low, high = SPOTS[kind]
        return self._spots.of_kind(kind, draw), draw.uniform(low, high) * MINUTE, kind != "printers"

    def _free_desk(self, draw: Random, now: float, lasts: float) -> str | None:
        for _ in range(4):
            desk = self._spots.common_desk(draw)
            if all(ends < now or begins > now + lasts + MARGIN for begins, ends in self.desk_uses[desk]):
                return desk
        return None

    def _rounds_of(self, person: Person, draw: Random) -> Iterator[Stage]:
        """Visitors come, ask the kiosk, look around and go; caretakers go from room to room all day."""
        here, now = self._spots.outside(draw), 7.6 * HOUR + draw.uniform(0, 600)
        legs = 0
        while now < LAST_MINUTE:
            if person.kind == "visitor":
                legs = (legs + 1) % 6
                there = self._visit(legs, draw)
            else:
                there = self._spots.anywhere(draw)
            walk = Walk(now, now + self._walking(person, here, there), here, there)
            ends = walk.ends + (
                draw.uniform(30, 90) if there.room is None and legs == 0 else draw.uniform(6, 22)
            )
            yield walk
            yield Stay(walk.ends, ends, there, sits=False)
            here, now = there, ends
        way_out = self._spots.outside(draw)
        yield Walk(now, now + self._walking(person, here, way_out), here, way_out)

    def _visit(self, leg: int, draw: Random) -> Spot:
        if leg == 0:
            return self._spots.outside(draw)
        return self._spots.kiosk if leg == 1 else self._spots.anywhere(draw)

    def _walking(self, person: Person, start: Spot, end: Spot) -> float:
        metres = _reach(self._paths, start) + _reach(self._paths, end)
        return (self._paths.seconds(start.point, end.point, person.rides) + metres) / person.pace


class _Spots:
    """Places to be, drawn."""

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
        self._inhabited = [r for r in building.rooms if r.kind not in ("plant", "phone", "hall", "terrace")]
        kiosk = building.kiosk
        self.kiosk = Spot(kiosk.id, kiosk.floor, kiosk.place, kiosk.room)

    def outside(self, draw: Random) -> Spot:
        point = self._points[draw.choice(ENTRANCES)]
        return Spot(point.id, point.floor, point.place)

    def inside(self, room: str, draw: Random) -> Spot:
        """Return a spot in a room, a step or two from where one comes in."""
        point = self._points[f"r{room}"]
        x, y = point.place
        place = (round(x + draw.uniform(-0.9, 0.9), 2), round(y + draw.uniform(-0.9, 0.9), 2))
        return Spot(point.id, point.floor, place, room)

    def of_kind(self, kind: str, draw: Random) -> Spot:
        return self.inside(draw.choice(self._kinds[kind]).id, draw)

    def anywhere(self, draw: Random) -> Spot:
        return self.inside(draw.choice(self._inhabited).id, draw)

    def at_desk(self, desk: str) -> Spot:
        found = self._desks[desk]
        return Spot(found.point, found.floor, found.seat, found.room, desk)

    def common_desk(self, draw: Random) -> str:
        return draw.choice(self._common[draw.choice(STUDENT_PLACES)]).id


@lru_cache(4096)
def _reach(paths: Paths, spot: Spot) -> float:
    """Seconds from a spot's routing point to the spot itself, at a metre a second."""
    (ax, ay), (bx, by) = paths.points[spot.point].place, spot.place
    return float(((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5)


def _hours_of(person: Person, draw: Random) -> tuple[float, float]:
    if person.kind == "staff":
        comes = min(max(draw.gauss(8.7, 0.5), 7.55), 9.9)
        return comes * HOUR, min(max(draw.gauss(17.6, 0.9), 15.0), 19.4) * HOUR
    comes = draw.uniform(7.8, 9.9) if draw.random() < 0.75 else draw.uniform(10.4, 13.5)
    return comes * HOUR, min(comes + draw.uniform(3.5, 8.5), 19.4) * HOUR


def _is_free(engaged: list[Booking], booking: Booking) -> bool:
    return all(one.ends + MARGIN < booking.begins or booking.ends + MARGIN < one.begins for one in engaged)
