"""The facts of an imported building: the rows of the tables in `ingest.building.facts`."""

from collections.abc import Iterator, Mapping
from typing import Any

from shapely import Polygon

from ingest.importing.laying import Laid
from ingest.importing.levels import Level
from ingest.importing.meeting import Fitted
from ingest.importing.net import Spot
from ingest.importing.reaching import has_no_steps, rooms_of
from ingest.importing.walking import door_point

Row = dict[str, Any]
Facts = dict[str, list[Row]]
WIDTH = 0.9  # metres of a door that does not say


def facts_of(laid: Laid, floors: Mapping[Level, int]) -> Facts:
    """Return the rows by table; what stands in rooms is for people to place."""
    return {
        "rooms": list(_rooms(laid, floors)),
        "outlines": [
            {"room": room.id, "floor": floors[room.level], "outline": outline(room.shape)}
            for room in rooms_of(laid)
        ],
        "routing_points": list(_points(laid, floors)),
        "routing_segments": [
            {"segment": s.id, "a": s.a, "b": s.b, "metres": s.metres, "seconds": s.seconds, "way": s.way}
            for s in laid.net.segments.values()
        ],
        "entrances": list(_entrances(laid, floors)),
        "doors": list(_doors(laid, floors)),
    }


def _rooms(laid: Laid, floors: Mapping[Level, int]) -> Iterator[Row]:
    for room in rooms_of(laid):
        point = laid.net.points[f"r{room.id}"]
        x, y = point.place
        yield {
            "room": room.id, "name": room.name, "kind": room_kind(room.tags), "floor": floors[room.level],
            "open_lab": not room.is_private, "area": round(room.shape.area, 2), "x": x, "y": y,
            "point": point.id,
        }  # fmt: skip


def room_kind(tags: Mapping[str, str]) -> str:
    """Return what a room is for, as far as its tags say."""
    return next((tags[key] for key in ("room", "amenity", "shop", "office") if tags.get(key)), "room")


def outline(shape: Polygon) -> str:
    corners = ", ".join(f"{x:.3f} {y:.3f}" for x, y in shape.exterior.coords)
    return f"POLYGON(({corners}))"


def _points(laid: Laid, floors: Mapping[Level, int]) -> Iterator[Row]:
    for point in laid.net.points.values():
        room = point.space.id if point.space is not None and point.space.kind == "room" else None
        x, y = point.place
        yield {
            "point": point.id, "floor": floors[point.level], "x": x, "y": y, "kind": point.kind, "room": room,
        }  # fmt: skip


def _entrances(laid: Laid, floors: Mapping[Level, int]) -> Iterator[Row]:
    for each in laid.entrances:
        door = each.door
        assert door.level is not None
        name = door.tags.get("name") or door.tags.get("ref") or "Entrance"
        yield {
            "entrance": door.id.removeprefix("door-"), "name": name, "floor": floors[door.level],
            "x": door.place.x, "y": door.place.y, "point": door_point(door.id),
            "step_free": has_no_steps(door),
        }  # fmt: skip


def _doors(laid: Laid, floors: Mapping[Level, int]) -> Iterator[Row]:
    """A door that is closed closes the first of its ways, and with it all of them."""
    ways: dict[str, str] = {}
    for segment in laid.net.segments.values():
        for end in (segment.a, segment.b):
            ways.setdefault(end, segment.id)
    for each in laid.fitted:
        assert each.door.level is not None
        (x1, y1), (x2, y2) = door_ends(each)
        closed = ways.get(door_point(each.door.id), "")
        yield {
            "door": each.door.id, "name": door_name(each), "kind": each.sides[0][0].space.kind,
            "floor": floors[each.door.level], "x1": x1, "y1": y1, "x2": x2, "y2": y2, "segment": closed,
        }  # fmt: skip


def door_name(fitted: Fitted) -> str:
    """Return what people call a door: by itself, else by the rooms it leads to."""
    tags = fitted.door.tags
    led = [cell.space for cell, _ in fitted.sides]
    rooms = [space for space in led if space.kind != "corridor"] or led
    return tags.get("name") or tags.get("ref") or " / ".join(dict.fromkeys(space.name for space in rooms))


def door_ends(fitted: Fitted) -> tuple[Spot, Spot]:
    """Return a door from post to post."""
    try:
        half = min(max(float(fitted.door.tags.get("width", WIDTH)), 0.4), 6.0) / 2
    except ValueError:
        half = WIDTH / 2
    (dx, dy), place = fitted.along, fitted.door.place
    return (
        (round(place.x - dx * half, 3), round(place.y - dy * half, 3)),
        (round(place.x + dx * half, 3), round(place.y + dy * half, 3)),
    )
