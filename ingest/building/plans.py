"""Floor plans as GeoJSON: one FeatureCollection per floor, in metres of the building's own frame.

Every feature has the properties kind, id, name, room, room_kind and floor; what does not apply is null.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from ingest.building.bounds import SENSORS, TARIFF
from ingest.building.elements import (
    Building,
    Corridor,
    Desk,
    Detector,
    Door,
    Entrance,
    Machine,
    Outline,
    Place,
    Room,
    Shaft,
)

Feature = dict[str, Any]
OnFloor = TypeVar("OnFloor", Corridor, Room, Shaft, Door, Desk, Machine, Detector, Entrance)


def plan(building: Building, floor: int) -> Feature:
    """The plan of one floor, painted from the slab upwards: later features lie above earlier ones."""
    features = [*_walls(building, floor), *_contents(building, floor)]
    return {"type": "FeatureCollection", "floor": floor, "frame": _frame(building), "features": features}


def summary(building: Building) -> Feature:
    """building.json: what the map must know before it has a plan."""
    kiosk = building.kiosk
    return {
        "name": building.name,
        "frame": _frame(building),
        "floors": [
            {"floor": floor.number, "label": floor.label, "plan": f"floor-{floor.number}.geojson"}
            for floor in building.floors
        ],
        "kiosk": {"point": kiosk.id, "floor": kiosk.floor, "x": kiosk.place[0], "y": kiosk.place[1]},
        "tariff": TARIFF,
        "sensors": SENSORS,
    }


def _frame(building: Building) -> Feature:
    return {"unit": "metre", "x": "right", "y": "up", "width": building.width, "height": building.height}


def _walls(building: Building, floor: int) -> Iterator[Feature]:
    rooms = {room.id for room in building.rooms}
    for slab in building.floors:
        if slab.number == floor:
            shape = _polygon(slab.outline, *slab.courtyards)
            yield _feature("floor", f"floor-{floor}", slab.label, floor, shape)
    for corridor in _on(floor, building.corridors):
        shape = _polygon(corridor.outline, *corridor.holes)
        yield _feature("corridor", corridor.id, corridor.name, floor, shape)
    for room in _on(floor, building.rooms):
        shape = _polygon(room.outline)
        yield _feature("room", room.id, room.name, floor, shape, room=room.id, room_kind=room.kind)
    for shaft in _on(floor, building.shafts):
        yield _feature(shaft.kind, shaft.id, shaft.name, floor, _polygon(shaft.outline))
    for door in _on(floor, building.doors):
        inside = door.room if door.room in rooms else None
        yield _feature("door", door.id, None, floor, _line(*door.ends), room=inside)


def _contents(building: Building, floor: int) -> Iterator[Feature]:
    kinds = {room.id: room.kind for room in building.rooms}
    for desk in _on(floor, building.desks):
        inside = {"room": desk.room, "room_kind": kinds[desk.room]}
        yield _feature("desk", desk.id, desk.id, floor, _polygon(desk.outline), **inside)
    for machine in _on(floor, building.machines):
        inside = {"room": machine.room, "room_kind": kinds[machine.room], "desk": machine.desk}
        yield _feature("machine", machine.id, machine.host, floor, _point(machine.place), **inside)
    for detector in _on(floor, building.detectors):
        yield _feature("detector", detector.id, detector.id, floor, _point(detector.place))
    for entrance in _on(floor, building.entrances):
        yield _feature("entrance", entrance.id, entrance.name, floor, _point(entrance.place))


def _on(floor: int, found: Iterable[OnFloor]) -> Iterator[OnFloor]:
    return (one for one in found if one.floor == floor)


def _feature(
    kind: str, name: str, label: str | None, floor: int, geometry: Feature, **more: str | None
) -> Feature:
    properties = {
        "kind": kind,
        "id": name,
        "name": label,
        "room": None,
        "room_kind": None,
        "floor": floor,
        **more,
    }
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def _polygon(*rings: Outline) -> Feature:
    return {"type": "Polygon", "coordinates": [[list(place) for place in (*ring, ring[0])] for ring in rings]}


def _line(*places: Place) -> Feature:
    return {"type": "LineString", "coordinates": [list(place) for place in places]}


def _point(place: Place) -> Feature:
    return {"type": "Point", "coordinates": list(place)}
