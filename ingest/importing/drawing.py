"""Plans of an imported building: one FeatureCollection per floor, as the map wants them.

The properties kind, id, name, room, room_kind and floor are those of every plan; beside them stand
``source``, what the feature is called in the file, and ``tags``, those that were used, for an export.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import shapely
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from ingest.importing.elements import Elements, Space
from ingest.importing.laying import Laid
from ingest.importing.levels import Level
from ingest.importing.meeting import Fitted
from ingest.importing.reading import Tags
from ingest.importing.rows import door_ends, door_name, room_kind

ROOMY = 0.4  # metres around what is on a floor, where the file has no outline of it
Plan = dict[str, Any]


def plans(laid: Laid, elements: Elements, floors: Mapping[Level, int], frame: Plan) -> dict[int, Plan]:
    """Return the plan of each floor, painted from the slab upwards."""
    found = {}
    for level, floor in floors.items():
        features = [_feature(floor, **each) for each in _on(laid, elements, level)]
        found[floor] = {"type": "FeatureCollection", "floor": floor, "frame": frame, "features": features}
    return found


def _on(laid: Laid, elements: Elements, level: Level) -> Iterator[dict[str, Any]]:
    spaces = [space for space in elements.spaces if space.level == level]
    spaces.sort(key=lambda space: (-space.shape.area, space.id))
    yield from _slabs(elements, level, spaces)
    for kinds in (("corridor", "ramp"), ("room",), ("stairs", "elevator")):
        yield from (_space(space) for space in spaces if space.kind in kinds)
    for wall in elements.walls:
        if wall.level == level:
            yield {
                "kind": "wall",
                "id": wall.source,
                "source": wall.source,
                "tags": wall.tags,
                "shape": wall.shape,
            }
    for line in elements.lines:
        if line.levels[0] == level:
            yield {
                "kind": "line",
                "id": line.id,
                "source": line.source,
                "tags": line.tags,
                "shape": line.shape,
            }
    fitted = [each for each in laid.fitted if each.door.level == level]
    yield from (_door(each) for each in fitted)
    yield from (_entrance(each) for each in fitted if each.leads_out)


def _slabs(elements: Elements, level: Level, spaces: list[Space]) -> Iterator[dict[str, Any]]:
    told = [slab for slab in elements.slabs if slab.level == level]
    for slab in told:
        yield {
            "kind": "floor", "id": slab.source, "source": slab.source, "tags": slab.tags, "shape": slab.shape,
            "name": slab.tags.get("name"),
        }  # fmt: skip
    if not told:
        whole = shapely.union_all([space.shape for space in spaces]).buffer(ROOMY, join_style="mitre")
        filled = [Polygon(part.exterior) for part in shapely.get_parts(whole)]
        for number, shape in enumerate(filled, start=1):
            yield {"kind": "floor", "id": f"floor-{number}", "shape": shape.simplify(0.05)}


def _space(space: Space) -> dict[str, Any]:
    room = {"room": space.id, "room_kind": room_kind(space.tags)} if space.kind == "room" else {}
    kind = "corridor" if space.kind == "ramp" else space.kind
    told = {"source": space.source, "tags": space.tags, "shape": space.shape}
    return {"kind": kind, "id": space.id, "name": space.name, **room, **told}


def _door(fitted: Fitted) -> dict[str, Any]:
    door = fitted.door
    inside = next((cell.space.id for cell, _ in fitted.sides if cell.space.kind == "room"), None)
    told = {"source": door.source, "tags": door.tags, "shape": LineString(door_ends(fitted))}
    return {"kind": "door", "id": door.id, "name": door_name(fitted), "room": inside, **told}


def _entrance(fitted: Fitted) -> dict[str, Any]:
    door = fitted.door
    name = door.tags.get("name") or door.tags.get("ref") or "Entrance"
    return {"kind": "entrance", "id": door.id.removeprefix("door-"), "name": name, "shape": door.place}


def _feature(floor: int, kind: str, id: str, shape: BaseGeometry, **more: str | Tags | None) -> Plan:
    own = {"kind": kind, "id": id, "name": None, "room": None, "room_kind": None, "floor": floor}
    rounded = shapely.transform(shape, lambda places: places.round(3))
    return {"type": "Feature", "properties": {**own, **more}, "geometry": shapely.geometry.mapping(rounded)}
