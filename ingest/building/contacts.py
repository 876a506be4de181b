"""The doors that tell whether they are open: entrances, stairs and elevators, labs, and the corridors' own.

    floor plan      ──┬─ nw ─┬─ ne ─┬──      a corridor door stands on the middle of a segment, from
                      │    north    │        wall to wall; any other where the plan has its opening
                      │    south    │
                    ──┴─ sw ─┴─ se ─┴──      west of nw and sw is a wing, east of ne and se another

Offices and seminar rooms have doors too, but nobody put a contact on them.
"""

from collections.abc import Iterable, Iterator
from math import dist

from ingest.building.elements import Door, DoorContact, Entrance, Place, RoutingSegment
from ingest.building.rooms import Storey
from ingest.building.routing import HIGH, LOW, SPINE, Net

CORRIDOR_DOORS = {
    "south-west": (40.0, LOW),
    "south-east": (52.0, LOW),
    "north-west": (40.0, HIGH),
    "north-east": (52.0, HIGH),
    "south": (SPINE, 12.0),
    "north": (SPINE, 43.0),
}
HALF_AISLE, HALF_PORTAL = 1.25, 1.0
WEST_WING, EAST_WING = 44.0, 48.0
Segments = dict[tuple[str, str], RoutingSegment]


def fit_contacts(storeys: Iterable[Storey], net: Net) -> Iterator[DoorContact]:
    segments = {(segment.a, segment.b): segment for segment in net.segments}
    for entrance in net.entrances:
        yield _at_entrance(entrance, segments)
    for storey in storeys:
        for door in storey.doors:
            kind, name = _leads_to(storey, door)
            if kind in ("lab", "stairs", "elevator"):
                yield _in_wall(door, kind, name, net, segments)
        for name, place in CORRIDOR_DOORS.items():
            yield _across_corridor(storey.floor, name, place, net)


def wing(contact: DoorContact) -> str | None:
    """Return the wing that a door belongs to or closes."""
    x = contact.ends[0][0]
    return "west" if x < WEST_WING else "east" if x > EAST_WING else None


def _at_entrance(entrance: Entrance, segments: Segments) -> DoorContact:
    within = next(s for (_, b), s in segments.items() if b == entrance.point and s.way == "door")
    x, y = entrance.place
    ends = (
        ((x, y - HALF_PORTAL), (x, y + HALF_PORTAL))
        if x == 0
        else ((x - HALF_PORTAL, y), (x + HALF_PORTAL, y))
    )
    return DoorContact(f"door-{entrance.id}", entrance.name, "entrance", entrance.floor, ends, within.id)


def _leads_to(storey: Storey, door: Door) -> tuple[str, str]:
    """Return what is behind a door, and what people call the door."""
    rooms = {room.id: room for room in storey.rooms}
    if door.room in rooms:
        room = rooms[door.room]
        return room.kind, f"{room.name}, {'second' if door.id.endswith('b') else 'first'} door"
    shaft = next(shaft for shaft in storey.shafts if shaft.id == door.room)
    return shaft.kind, shaft.name


def _in_wall(door: Door, kind: str, name: str, net: Net, segments: Segments) -> DoorContact:
    threshold = door.id.replace("door-", "d")
    segment = segments[(net.on_corridor(door.floor, door.corridor), threshold)]
    return DoorContact(door.id, name, kind, door.floor, door.ends, segment.id)


def _across_corridor(floor: int, name: str, wanted: Place, net: Net) -> DoorContact:
    def middle(segment: RoutingSegment) -> Place:
        (ax, ay), (bx, by) = (net.points[point].place for point in (segment.a, segment.b))
        return (round((ax + bx) / 2, 2), round((ay + by) / 2, 2))

    along = [s for s in net.segments if s.way == "corridor" and net.points[s.a].floor == floor]
    segment = min(along, key=lambda s: dist(middle(s), wanted))
    x, y = middle(segment)
    is_on_spine = net.points[segment.a].place[0] == net.points[segment.b].place[0]
    ends = (
        ((x - HALF_AISLE, y), (x + HALF_AISLE, y))
        if is_on_spine
        else ((x, y - HALF_AISLE), (x, y + HALF_AISLE))
    )
    return DoorContact(f"door-{floor}-{name}", f"Corridor, {name}", "corridor", floor, ends, segment.id)
