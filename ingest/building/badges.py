"""Beacons of people: active RFID badges, and the detectors in the corridors that hear them.

A badge speaks once a second while its wearer walks, every other second while one stands, and sleeps when
its wearer has sat down, so the map shows who walks or stands. Detectors hear a badge on their own floor
within 13 m, but not round a corner; the signal falls with the logarithm of the distance (exponent 2).
Stairwells and elevators are shielded: for more than five seconds nothing is heard, so nobody is ever on two
floors of one 3-second window.
"""

from bisect import bisect_right
from functools import partial
from math import hypot, log10
from random import Random
from typing import NamedTuple

from ingest.building.agenda import Agenda, Stage, Stay, Walk
from ingest.building.devices import chance
from ingest.building.elements import Building, Place, RoutingSegment
from ingest.building.paths import Paths
from ingest.building.people import Person
from ingest.building.publisher import Publisher
from ingest.building.rota import SECOND, Rota
from ingest.building.schedule import Moment, Schedule

HEARS, ROUND_THE_CORNER = 13.0, 5.0
AT_ONE_METRE, EXPONENT, NOISE = -41.0, 2.0, 0.5
SHIELDED = {"stairs": (0.35, 0.65), "elevator": (0.55, 0.8)}
BEACON, STANDING, LOOK = 1.0, 2.0, 10.0


class Stop(NamedTuple):
    """From a second on somebody is on the way from this place to the next stop's, heard or not."""

    at: float
    floor: int
    place: Place
    heard: bool


class Position(NamedTuple):
    """Where somebody is."""

    floor: int
    place: Place
    heard: bool
    moves: bool


class Whereabouts:
    """Positions of people on the day being played."""

    def __init__(self, building: Building, seed: int) -> None:
        self._building, self._paths, self._seed = building, Paths.of(building), seed
        self._day: int | None = None
        self._begins: dict[str, list[float]] = {}
        self._stages: dict[str, list[Stage]] = {}
        self._walk: dict[str, tuple[Walk, list[Stop]]] = {}
        self.people: tuple[Person, ...] = ()
        self.turn_to(0)

    def turn_to(self, day: int) -> None:
        """Look the day up when it is another one."""
        if day == self._day:
            return
        agenda = Agenda(self._building, self._paths, self._seed, day)
        self.people, self._stages, self._day = agenda.people, agenda.stages, day
        self._begins = {name: [stage.begins for stage in stages] for name, stages in agenda.stages.items()}
        self._walk.clear()

    def stage(self, person: Person, second: float) -> Stage | None:
        """Return what somebody does at a second; nothing before coming and after going."""
        n = bisect_right(self._begins[person.id], second) - 1
        stages = self._stages[person.id]
        return stages[n] if n >= 0 and second < stages[n].ends else None

    def position(self, person: Person, second: float) -> Position | None:
        """Return where somebody is, or nothing when that is not in the building."""
        stage = self.stage(person, second)
        if stage is None:
            return None
        if isinstance(stage, Stay):
            heard = not stage.sits and stage.spot.room is not None
            return Position(stage.spot.floor, stage.spot.place, heard, moves=False)
        return _between(self._stops(person, stage), second)

    def _stops(self, person: Person, walk: Walk) -> list[Stop]:
        known = self._walk.get(person.id)
        if known is None or known[0] != walk:
            known = self._walk[person.id] = (walk, trace(self._paths, person, walk))
        return known[1]


class BadgeDevices:
    """The badges of everybody and the detectors that hear them, enrolled in a rota."""

    def __init__(self, building: Building, seed: int, schedule: Schedule, out: Publisher) -> None:
        self._schedule, self._out = schedule, out
        self.whereabouts = Whereabouts(building, seed)
        self._noise = Random(seed)
        self._detectors = {
            floor.number: [(d.id, *d.place) for d in building.detectors if d.floor == floor.number]
            for floor in building.floors
        }

    def enrol(self, rota: Rota) -> None:
        """Give every badge its turns."""
        for person in self.whereabouts.people:
            rota.add(partial(self._badge, person), chance(person.id))

    def _badge(self, person: Person, now: int) -> int:
        day, second = self._schedule.at(now)
        self.whereabouts.turn_to(day)
        position = self.whereabouts.position(person, second)
        if position is not None and position.heard:
            self._beacon(person, position)
            return now + int((BEACON if position.moves else STANDING) * SECOND)
        return self._wakes(person, Moment(day, second), now)

    def _beacon(self, person: Person, position: Position) -> None:
        x, y = position.place
        for detector, dx, dy in self._detectors[position.floor]:
            aside, metres = min(abs(x - dx), abs(y - dy)), hypot(x - dx, y - dy)
            if metres <= HEARS and aside <= ROUND_THE_CORNER:
                heard = round(rssi(metres) + self._noise.gauss(0, NOISE), 1)
                self._out.send(f"building/sighting/{detector}/{person.id}", {"rssi": heard})

    def _wakes(self, person: Person, moment: Moment, now: int) -> int:
        stage = self.whereabouts.stage(person, moment.second)
        quiet = (
            min(stage.ends - moment.second, LOOK) if isinstance(stage, Stay) else BEACON if stage else LOOK
        )
        return now + int((quiet + 0.01) * SECOND)


def rssi(metres: float) -> float:
    """Log-distance path loss."""
    return AT_ONE_METRE - 10 * EXPONENT * log10(max(metres, 1.0))


def trace(paths: Paths, person: Person, walk: Walk) -> list[Stop]:
    """The stops of a walk in time: from the spot to its routing point, along the way, to the other spot."""
    start, end = walk.start, walk.end
    at = paths.points[start.point]
    stops = [Stop(walk.begins, start.floor, start.place, True)]
    now = walk.begins + _metres(start.place, at.place) / person.pace
    for segment, point in paths.path(start.point, end.point, person.rides):
        there = paths.points[point]
        stops.append(Stop(now, at.floor, at.place, True))
        lasts = segment.seconds / person.pace
        if there.floor != at.floor:
            stops += _climb(segment, now, lasts, (at.floor, there.floor), at.place)
        now, at = now + lasts, there
    stops.append(Stop(now, at.floor, at.place, True))
    stops.append(Stop(walk.ends, end.floor, end.place, True))
    return stops


def _climb(
    segment: RoutingSegment, now: float, lasts: float, floors: tuple[int, int], place: Place
) -> list[Stop]:
    from_share, to_share = SHIELDED[segment.way]
    return [
        Stop(now + lasts * from_share, floors[0], place, False),
        Stop(now + lasts * to_share, floors[1], place, True),
    ]


def _between(stops: list[Stop], second: float) -> Position:
    n = min(max(bisect_right(stops, second, key=lambda stop: stop.at) - 1, 0), len(stops) - 2)
    a, b = stops[n], stops[n + 1]
    share = min(max((second - a.at) / (b.at - a.at), 0.0), 1.0) if b.at > a.at else 1.0
    x = a.place[0] + (b.place[0] - a.place[0]) * share
    y = a.place[1] + (b.place[1] - a.place[1]) * share
    return Position(a.floor, (round(x, 2), round(y, 2)), a.heard, moves=True)


def _metres(a: Place, b: Place) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])
