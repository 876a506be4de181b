"""Where one can walk: along the corridors' centre lines, through doors, up stairs; RFID detectors.

    corridor ──c──c──c──c── centre line, a point every few metres and before every door
                  │d          the door
                  │r          inside the room (labs: one more per row)

Distances are those of the geometry; a storey counts 12 m by stairs and 4 m by elevator. Seconds add
what the distance does not tell: waiting for the elevator, climbing.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import dist

from ingest.building import layout
from ingest.building.elements import Detector, Door, Entrance, Place, RoutingPoint, RoutingSegment
from ingest.building.furniture import aisles
from ingest.building.rooms import Storey

METRES_A_SECOND = {"corridor": 1.3, "door": 1.0, "ramp": 1.0, "stairs": 0.6}
STOREY = {"stairs": (12.0, 20.0), "elevator": (4.0, 35.0)}
FILL = 5.0
LEFT, LOW, RIGHT, HIGH = 8.75, 8.75, 83.25, 45.25
SPINE = sum(layout.SPINE) / 2
LINES = {
    "s": ((LEFT, LOW), (RIGHT, LOW)),
    "n": ((LEFT, HIGH), (RIGHT, HIGH)),
    "w": ((LEFT, LOW), (LEFT, HIGH)),
    "e": ((RIGHT, LOW), (RIGHT, HIGH)),
    "m": ((SPINE, LOW), (SPINE, HIGH)),
}
PASSAGES = {"north": ((SPINE, HIGH), (SPINE, 52.8)), "west": ((LEFT, 27.0), (1.2, 27.0))}
FOYER_DOOR, KIOSK = (46.0, 2.0), (43.2, 4.4)
WAYS_IN = (
    (
        "south",
        "Main Entrance",
        FOYER_DOOR,
        (("steps", (46.0, -2.0), "stairs"), ("ramp", (53.5, -1.2), "ramp")),
    ),
    ("north", "North Entrance", (SPINE, 54.0), (("steps", (46.0, 57.0), "stairs"),)),
    ("west", "West Entrance", (0.0, 27.0), (("ramp", (-5.0, 27.0), "ramp"),)),
)


class Net:
    """Routing points and segments as they are laid."""

    def __init__(self) -> None:
        self.points: dict[str, RoutingPoint] = {}
        self.segments: list[RoutingSegment] = []
        self.entrances: list[Entrance] = []
        self._at: dict[tuple[int, Place], str] = {}

    def put(self, name: str, floor: int, place: Place, kind: str, room: str | None = None) -> str:
        """Return the point at a place; a corridor point that is there already is shared."""
        if kind == "corridor" and (floor, place) in self._at:
            return self._at[(floor, place)]
        self.points[name] = RoutingPoint(name, floor, place, kind, room)
        if kind == "corridor":
            self._at[(floor, place)] = name
        return name

    def on_corridor(self, floor: int, place: Place) -> str:
        """Return the corridor's point at a place."""
        if (floor, place) not in self._at:
            message = (
                f"no corridor point at {place} on floor {floor}; expected it on a centre line: move the door"
            )
            raise ValueError(message)
        return self._at[(floor, place)]

    def join(self, a: str, b: str, way: str) -> None:
        metres = round(dist(self.points[a].place, self.points[b].place), 2)
        if metres > 0:
            self._lay(a, b, metres, metres / METRES_A_SECOND[way], way)

    def climb(self, a: str, b: str, way: str) -> None:
        metres, seconds = STOREY[way]
        self._lay(a, b, metres, seconds, way)

    def _lay(self, a: str, b: str, metres: float, seconds: float, way: str) -> None:
        name = f"s{len(self.segments) + 1:04d}"
        self.segments.append(RoutingSegment(name, a, b, metres, round(seconds, 2), way))


def lay_routes(storeys: Iterable[Storey]) -> Net:
    net = Net()
    wells: dict[str, str] = {}
    for storey in storeys:
        _lay_corridors(net, storey)
        for door in storey.doors:
            _lay_door(net, storey, door)
        for shaft in storey.shafts:
            below, here = wells.get(shaft.well), f"r{shaft.id}"
            if below is not None:
                net.climb(below, here, shaft.kind)
            wells[shaft.well] = here
    _lay_entrances(net)
    return net


def place_detectors(floor: int) -> tuple[Detector, ...]:
    """At most 15 m from one to the next along every corridor; one more listens in the foyer."""
    along = [(LEFT + n * (RIGHT - LEFT) / 5, y) for y in (LOW, HIGH) for n in range(6)]
    along += [(x, LOW + n * (HIGH - LOW) / 3) for x in (LEFT, RIGHT) for n in (1, 2)]
    along += [(SPINE, LOW + n * (HIGH - LOW) / 6) for n in (1, 3, 5)]
    if floor == 1:
        along += [(SPINE, 3.5), (SPINE, 52.0), (2.0, 27.0)]
    places = sorted((round(x, 2), round(y, 2)) for x, y in along)
    return tuple(Detector(f"rfid-{floor}-{n:02d}", floor, place) for n, place in enumerate(places, start=1))


def _lay_corridors(net: Net, storey: Storey) -> None:
    lines = LINES | (PASSAGES if storey.floor == 1 else {})
    stops = [door.corridor for door in storey.doors] + [place for line in lines.values() for place in line]
    for line, (start, end) in lines.items():
        on_line = {place for place in stops if _is_on(place, start, end)}
        chain = list(_filled(sorted(on_line, key=lambda place: dist(start, place))))
        names = [
            net.put(f"c{storey.floor}-{line}{n:02d}", storey.floor, p, "corridor")
            for n, p in enumerate(chain)
        ]
        for a, b in pairwise(names):
            net.join(a, b, "corridor")


def _is_on(place: Place, start: Place, end: Place) -> bool:
    return abs(dist(start, place) + dist(place, end) - dist(start, end)) < 1e-6


def _filled(places: list[Place]) -> Iterator[Place]:
    """No two neighbours further apart than FILL."""
    for a, b in pairwise(places):
        pieces = int(dist(a, b) / FILL - 1e-9) + 1
        for n in range(pieces):
            share = n / pieces
            yield (round(a[0] + (b[0] - a[0]) * share, 2), round(a[1] + (b[1] - a[1]) * share, 2))
    yield places[-1]


def _lay_door(net: Net, storey: Storey, door: Door) -> None:
    corridor = net.on_corridor(storey.floor, door.corridor)
    threshold = net.put(door.id.replace("door-", "d"), storey.floor, door.middle, "door", door.room)
    net.join(corridor, threshold, "door")
    if door.room not in storey.strips:
        shaft = next(shaft for shaft in storey.shafts if shaft.id == door.room)
        net.join(threshold, net.put(f"r{shaft.id}", storey.floor, shaft.middle, shaft.kind), "door")
        return
    room = next(room for room in storey.rooms if room.id == door.room)
    if f"r{room.id}" not in net.points:
        inside = aisles(room, *storey.strips[room.id])
        for suffix, place in inside.items():
            net.put(f"r{room.id}{suffix}", storey.floor, place, "room", room.id)
            if suffix:
                net.join(f"r{room.id}", f"r{room.id}{suffix}", "door")
    net.join(threshold, f"r{room.id}", "door")


def _lay_entrances(net: Net) -> None:
    foyer = next(
        point for point in net.points.values() if point.kind == "room" and point.place == (46.0, 5.3)
    )
    net.put("kiosk-1", 1, KIOSK, "kiosk", foyer.room)
    net.join("kiosk-1", foyer.id, "door")
    for name, label, place, outside in WAYS_IN:
        inner = net.on_corridor(1, PASSAGES[name][1]) if name in PASSAGES else foyer.id
        door = net.put(f"x-{name}", 1, place, "entrance")
        net.join(inner, door, "door")
        for suffix, where, way in outside:
            net.join(net.put(f"x-{name}-{suffix}", 1, where, "outside"), door, way)
        step_free = any(way == "ramp" for _, _, way in outside)
        net.entrances.append(Entrance(name, label, 1, place, door, step_free))
