"""What people put onto the plan of an imported building: desks, machines on them, and detectors of badges.

Kept as placed.geojson in the building folder: a desk is a polygon, a detector a point. Which room a thing is
in is found by geometry whenever it is read, so that it stays right when the building is imported anew.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shapely import Point, Polygon, from_wkt

from engine.model.errors import QueryError
from ingest.importing.folder import PLACED, read_json, read_rows, write_text
from ingest.importing.reading import clean
from ingest.importing.sorting import slug

Row = dict[str, Any]
Rows = Mapping[str, Sequence[Row]]
KINDS = ("desk", "detector")
HALF_DESK = (0.7, 0.4)  # metres
MOST = 20_000


@dataclass(frozen=True)
class Thing:
    """One thing on the plan; ``machine`` is the host that stands on a desk."""

    kind: str
    id: str
    floor: int
    x: float
    y: float
    machine: str | None = None

    def feature(self, room: str | None) -> dict[str, Any]:
        """Return it as plans have it."""
        (dx, dy), x, y = HALF_DESK, self.x, self.y
        corners = [[x - dx, y - dy], [x + dx, y - dy], [x + dx, y + dy], [x - dx, y + dy], [x - dx, y - dy]]
        rounded = [[round(number, 3) for number in corner] for corner in corners]
        shape = {"type": "Polygon", "coordinates": [rounded]} if self.kind == "desk" else self._point()
        return {
            "type": "Feature",
            "properties": self._properties(self.kind, self.id, room),
            "geometry": shape,
        }

    def machine_feature(self, room: str | None) -> dict[str, Any] | None:
        """Return the machine as plans have it."""
        if self.machine is None:
            return None
        properties = {**self._properties("machine", self.machine, room), "desk": self.id}
        return {"type": "Feature", "properties": properties, "geometry": self._point()}

    def _point(self) -> dict[str, Any]:
        return {"type": "Point", "coordinates": [round(self.x, 3), round(self.y, 3)]}

    def _properties(self, kind: str, name: str, room: str | None) -> dict[str, Any]:
        own = {"machine": self.machine} if kind == "desk" and self.machine else {}
        return {
            "kind": kind,
            "id": name,
            "name": name,
            "room": room,
            "room_kind": None,
            "floor": self.floor,
            **own,
        }


def read_placed(folder: Path) -> tuple[Thing, ...]:
    """Return what is placed in a building."""
    path = folder / PLACED
    if not path.is_file():
        return ()
    features = read_json(path).get("features", [])
    return tuple(_thing_of(feature) for feature in features if feature["properties"]["kind"] in KINDS)


def _thing_of(feature: Mapping[str, Any]) -> Thing:
    told, places = feature["properties"], feature["geometry"]["coordinates"]
    x, y = places if told["kind"] == "detector" else _centre(places[0])
    return Thing(told["kind"], str(told["id"]), int(told["floor"]), x, y, told.get("machine"))


def _centre(ring: Sequence[Sequence[float]]) -> tuple[float, float]:
    centre = Polygon(ring).centroid
    return (round(centre.x, 3), round(centre.y, 3))


def write_placed(folder: Path, things: Sequence[Thing]) -> None:
    """Keep what is placed."""
    features = list(features_of(things, Rooms(read_rows(folder))))
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in features)
    write_text(folder / PLACED, f'{{"type": "FeatureCollection", "features": [\n{lines}\n]}}\n')


def features_of(things: Sequence[Thing], rooms: "Rooms") -> Iterator[dict[str, Any]]:
    """Yield things as plans have them, each machine after its desk."""
    for thing in things:
        room = rooms.at(thing.floor, thing.x, thing.y)
        yield thing.feature(room)
        machine = thing.machine_feature(room)
        if machine is not None:
            yield machine


class Rooms:
    """The rooms of a building by place."""

    def __init__(self, rows: Rows) -> None:
        self._shapes = [
            (row["floor"], row["room"], from_wkt(row["outline"])) for row in rows.get("outlines", ())
        ]
        self.points = rows.get("routing_points", ())
        self.own = {row["room"]: row["point"] for row in rows.get("rooms", ())}

    def at(self, floor: int, x: float, y: float) -> str | None:
        """Return the room a place is in, the smallest of several."""
        place = Point(x, y)
        found = [
            (shape.area, room) for on, room, shape in self._shapes if on == floor and shape.covers(place)
        ]
        return min(found)[1] if found else None

    def point(self, room: str, x: float, y: float) -> str:
        """Return the routing point of a room that is nearest to a place in it."""
        inside = [each for each in self.points if each["room"] == room]
        near = min(inside, key=lambda p: (math.dist((p["x"], p["y"]), (x, y)), p["point"]), default=None)
        return str(near["point"] if near else self.own[room])


def rows_of_placed(things: Sequence[Thing], rows: Rows) -> dict[str, list[Row]]:
    """Return the rows of what is placed; a desk that is in no room any more has none."""
    rooms = Rooms(rows)
    found: dict[str, list[Row]] = {"desks": [], "machines": [], "detectors": []}
    for thing in things:
        place = {"floor": thing.floor, "x": thing.x, "y": thing.y}
        if thing.kind == "detector":
            found["detectors"].append({"detector": thing.id, **place})
            continue
        room = rooms.at(thing.floor, thing.x, thing.y)
        if room is None:
            continue
        found["desks"].append(
            {"desk": thing.id, "room": room, **place, "point": rooms.point(room, thing.x, thing.y)}
        )
        if thing.machine is not None:
            found["machines"].append(
                {
                    "machine": thing.machine, "desk": thing.id, "room": room, "floor": thing.floor,
                    "host": thing.machine, "cpu_type": "unknown", "cores": 0, "memory_gb": 0, "gpu": None,
                }
            )  # fmt: skip
    return found


def checked_things(body: Any, rows: Rows) -> tuple[Thing, ...]:
    """Return the things that a body says, or raise what is wrong with the first that is wrong."""
    if not isinstance(body, list) or len(body) > MOST:
        message = f"things is no list of at most {MOST:,}"
        raise QueryError(message)
    rooms, found = Rooms(rows), [_checked(each) for each in body]
    floors = {row["floor"] for row in rows.get("routing_points", ())}
    names: set[tuple[str, str]] = set()
    for thing in found:
        _check_one(thing, names, floors)
        if thing.kind == "desk" and rooms.at(thing.floor, thing.x, thing.y) is None:
            message = f"desk {thing.id} at ({thing.x:g}, {thing.y:g}) is in no room; move it into one"
            raise QueryError(message)
    return tuple(found)


def _check_one(thing: Thing, names: set[tuple[str, str]], floors: set[int]) -> None:
    if thing.floor not in floors:
        message = f"{thing.kind} {thing.id} is on floor {thing.floor}, which the building does not have"
        raise QueryError(message)
    for kind, name in ((thing.kind, thing.id), ("machine", thing.machine)):
        if name is not None and (kind, name) in names:
            message = f"{kind} {name} stands there twice; give one another name"
            raise QueryError(message)
        names.add((kind, str(name)))


def _checked(each: Any) -> Thing:
    if not isinstance(each, dict) or each.get("kind") not in KINDS:
        message = f"a thing is of kind {' or '.join(KINDS)}; found {each!r:.60}"
        raise QueryError(message)
    place: list[Any] = [each.get("x"), each.get("y")]
    if not all(type(number) in (int, float) and math.isfinite(number) for number in place):
        message = f"{each['kind']} {each.get('id')!r:.40} has no place; expected numbers x and y in metres"
        raise QueryError(message)
    if type(each.get("floor")) is not int:
        message = f"{each['kind']} {each.get('id')!r:.40} has no floor; expected its number"
        raise QueryError(message)
    machine = each.get("machine")
    has_machine = each["kind"] == "desk" and machine not in (None, "")
    x, y = (round(float(number), 3) for number in place)
    return Thing(
        each["kind"], _name(each.get("id")), each["floor"], x, y, _name(machine) if has_machine else None
    )


def _name(found: Any) -> str:
    """A name may stand in a topic."""
    if not isinstance(found, str) or not found or slug(found) != found or len(found) > 80:
        message = f"{found!r:.60} is no name; expected letters, digits, . _ ~ and -, at most 80"
        raise QueryError(message)
    return clean(found)
