"""Floor plans as GeoJSON: one FeatureCollection per floor, in metres of the building's own frame.

Every feature has the properties kind, id, name, room, room_kind and floor; what does not apply is null.
"""

from collections.abc import Iterator
from typing import Any

from ingest.building.elements import Building, Outline, Place

Feature = dict[str, Any]


def plan(building: Building, floor: int) -> Feature:
    """The plan of one floor, painted from the slab upwards: later features lie above earlier ones."""
    features = [*_walls(building, floor), *_contents(building, floor)]
    frame = {"unit": "metre", "x": "right", "y": "up", "width": building.width, "height": building.height}
    return {"type": "FeatureCollection", "floor": floor, "frame": frame, "features": features}


def summary(building: Building) -> Feature:
    """building.json: what the map must know before it has a plan."""
    kiosk = building.kiosk
    return {
        "name": building.name,
        "frame": {"unit": "metre", "x": "right", "y": "up", "width": building.width, "height": building.height},
        "floors": [
            {"floor": floor.number, "label": floor.label, "plan": f"floor-{floor.number}.geojson"}
            for floor in building.floors
        ],
        "kiosk": {"point": kiosk.id, "floor": kiosk.floor, "x": kiosk.place[0], "y": kiosk.place[1]},
    }


def _walls(building: Building, floor: int) -> Iterator[Feature]:
    for slab in building.floors:
        if slab.number == floor:
            yield _feature("floor", f"floor-{floor}", slab.label, floor, _polygon(slab.outline, *slab.courtyards))
    for corridor in building.corridors:
        if corridor.floor == floor:
            yield _feature("corridor", corridor.id, corridor.name, floor, _polygon(corridor.outline, *corridor.holes))
    for room in building.rooms:
        if room.floor == floor:
            shape = _polygon(room.outline)
            yield _feature("room", room.id, room.name, floor, shape, room=room.id, room_kind=room.kind)
    for shaft in building.shafts:
        if shaft.floor == floor:
            yield _feature(shaft.kind, shaft.id, shaft.name, floor, _polygon(shaft.outline))
    rooms = {room.id for room in building.rooms}
    for door in building.doors:
        if door.floor == floor:
            inside = door.room if door.room in rooms else None
            yield _feature("door", door.id, None, floor, _line(*door.ends), room=inside)


def _contents(building: Building, floor: int) -> Iterator[Feature]:
    kinds = {room.id: room.kind for room in building.rooms}
    for desk in building.desks:
        if desk.floor == floor:
            kind = kinds[desk.room]
            yield _feature("desk", desk.id, desk.id, floor, _polygon(desk.outline), room=desk.room, room_kind=kind)
    for machine in building.machines:
        if machine.floor == floor:
            shape, kind = _point(machine.place), kinds[machine.room]
            found = _feature("machine", machine.id, machine.host, floor, shape, room=machine.room, room_kind=kind)
            found["properties"]["desk"] = machine.desk
            yield found
    for detector in building.detectors:
        if detector.floor == floor:
            yield _feature("detector", detector.id, detector.id, floor, _point(detector.place))
    for entrance in building.entrances:
        if entrance.floor == floor:
            yield _feature("entrance", entrance.id, entrance.name, floor, _point(entrance.place))


def _feature(
    kind: str, name: str, label: str | None, floor: int, geometry: Feature, **more: str | None
) -> Feature:
    properties = {"kind": kind, "id": name, "name": label, "room": None, "room_kind": None, "floor": floor, **more}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def _polygon(*rings: Outline) -> Feature:
    return {"type": "Polygon", "coordinates": [[list(place) for place in (*ring, ring[0])] for ring in rings]}


def _line(*places: Place) -> Feature:
    return {"type": "LineString", "coordinates": [list(place) for place in places]}


def _point(place: Place) -> Feature:
    return {"type": "Point", "coordinates": list(place)}
