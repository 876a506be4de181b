"""What everybody does on a schedule day: a pure function of (seed, day), so processes agree without talking.

    person ──→  Walk ─ Stay ─ Walk ─ Stay ─ … ─ Walk          each begins when the one before it ends

People are planned one after another; a student takes a desk that is free for the whole of a session
according to those planned before. Bookings come first: who is a guest of one is there in time.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from math import inf
from random import Random
from typing import NamedTuple

from ingest.building.bookings import Booking, bookings
from ingest.building.elements import Building
from ingest.building.paths import Paths
from ingest.building.people import Person, people
from ingest.building.schedule import HOUR, MINUTE
from ingest.building.spots import Spot, Spots

MARGIN, EARLY = 5 * MINUTE, 3 * MINUTE
VISIT = 6
LAST_MINUTE = 19.7 * HOUR
SPOTS = {
    "kitchen": (2, 6), "toilets": (2, 4), "printers": (0.7, 2), "lounge": (5, 15), "cafe": (8, 25),
    "exhibition": (3, 8), "archive": (4, 10), "mail": (0.7, 2), "terrace": (5, 12),
}  # fmt: skip
BREAKS = ("kitchen", "kitchen", "toilets", "toilets", "printers", "lounge", "cafe", "terrace")


class Wish(NamedTuple):
    """Where somebody wants to be next, and for how long."""

    spot: Spot
    lasts: float
    sits: bool = True


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
        self._spots = Spots(building)
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
            until = engaged[0].begins - EARLY if engaged else leaves
            if engaged and until - now < MARGIN:
                wish, until = Wish(self._spots.inside(engaged[0].room, draw), inf), engaged[0].ends
                engaged.pop(0)
            elif now > lunch:
                wish, lunch = Wish(self._spots.of_kind("cafe", draw), draw.uniform(25, 45) * MINUTE), inf
            else:
                wish = self._work_or_break(person, here, draw, now)
            walk = self._walk(person, now, here, wish.spot)
            stay = Stay(
                walk.ends, max(min(walk.ends + wish.lasts, until), walk.ends + 20), wish.spot, wish.sits
            )
            if wish.spot.desk is not None:
                self.desk_uses[wish.spot.desk].append((stay.begins, stay.ends))
            yield walk
            yield stay
            here, now = wish.spot, stay.ends
        yield self._walk(person, now, here, self._spots.outside(draw))

    def _work_or_break(self, person: Person, here: Spot, draw: Random, now: float) -> Wish:
        """Work after a break, a break after work."""
        if here.desk is None:
            lasts = draw.uniform(30, 95) * MINUTE if person.desk else draw.uniform(50, 130) * MINUTE
            desk = person.desk or self._free_desk(draw, now, lasts)
            if desk is not None:
                return Wish(self._spots.at_desk(desk), lasts)
        kind = draw.choice(BREAKS)
        low, high = SPOTS[kind]
        return Wish(self._spots.of_kind(kind, draw), draw.uniform(low, high) * MINUTE, kind != "printers")

    def _free_desk(self, draw: Random, now: float, lasts: float) -> str | None:
        for _ in range(4):
            desk = self._spots.common_desk(draw)
            if all(ends < now or begins > now + lasts + MARGIN for begins, ends in self.desk_uses[desk]):
                return desk
        return None

    def _rounds_of(self, person: Person, draw: Random) -> Iterator[Stage]:
        """Visitors come, ask the kiosk, look around and go; caretakers go from room to room all day."""
        here, now, leg = self._spots.outside(draw), 7.6 * HOUR + draw.uniform(0, 600), 0
        while now < LAST_MINUTE:
            leg += person.kind == "visitor"
            wish = self._round(leg % VISIT if leg else None, draw)
            walk = self._walk(person, now, here, wish.spot)
            yield walk
            yield Stay(walk.ends, walk.ends + wish.lasts, wish.spot, wish.sits)
            here, now = wish.spot, walk.ends + wish.lasts
        yield self._walk(person, now, here, self._spots.outside(draw))

    def _round(self, leg: int | None, draw: Random) -> Wish:
        if leg == 0:
            return Wish(self._spots.outside(draw), draw.uniform(30, 90), sits=False)
        spot = self._spots.kiosk if leg == 1 else self._spots.anywhere(draw)
        return Wish(spot, draw.uniform(6, 22), sits=False)

    def _walk(self, person: Person, now: float, start: Spot, end: Spot) -> Walk:
        metres = _reach(self._paths, start) + _reach(self._paths, end)
        seconds = self._paths.seconds(start.point, end.point, person.rides) + metres
        return Walk(now, now + seconds / person.pace, start, end)


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
