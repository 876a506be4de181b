"""Two buildings in the awkward corners of OpenStreetMap's Simple Indoor Tagging, as GeoJSON.

clinic    400 rooms on levels -1 to 3, in degrees and turned: rings with holes and corridors in pieces, doors
          with several levels, repeat_on, closed lines, closed doors and rooms, outlines that cross
station   in metres: half levels, ramps, lines in place of areas, an elevator that is a point, an escalator,
          walls across an area, a room in a room, a level that nothing leads to
"""

import math
from typing import Any

from ingest.importing.frame import Frame

Feature = dict[str, Any]
LEVELS = (-1, 0, 1, 2, 3)
PER_ROW = 20
TURN = math.radians(20)
HOSTILE = "<script>alert('room')</script>"


class Sheet:
    """Features as they are drawn, in metres."""

    def __init__(self) -> None:
        self.features: list[Feature] = []

    def add(self, kind: str, coordinates: Any, **tags: str) -> None:
        number = len(self.features) + 1
        element = "node" if kind == "Point" else "way"
        properties = {key.replace("__", ":"): value for key, value in tags.items()}
        geometry = {"type": kind, "coordinates": coordinates}
        self.features.append(
            {"type": "Feature", "id": f"{element}/{number}", "properties": properties, "geometry": geometry}
        )

    def area(self, *ring: tuple[float, float], holes: Any = (), **tags: str) -> None:
        rings = [[list(place) for place in (*each, each[0])] for each in (ring, *holes)]
        self.add("Polygon", rings, **tags)

    def box(self, x: float, y: float, wide: float, tall: float, **tags: str) -> None:
        self.area((x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall), **tags)

    def line(self, *places: tuple[float, float], **tags: str) -> None:
        self.add("LineString", [list(place) for place in places], **tags)

    def door(self, x: float, y: float, **tags: str) -> None:
        self.add("Point", [x, y], **{"door": "yes", **tags})

    def collection(self, name: str) -> dict[str, Any]:
        return {"type": "FeatureCollection", "name": name, "features": self.features}


def clinic() -> dict[str, Any]:
    sheet = Sheet()
    for level in LEVELS:
        _corridors(sheet, level)
        for row, (y, door) in enumerate(((0, 5), (8, 8), (13, 18), (21, 21))):
            for number in range(PER_ROW):
                _clinic_room(sheet, level, row, number, y, door)
    sheet.box(-9, 5, 6, 6, indoor="room", stairs="yes", level="-1-3", name="Main stairs")
    sheet.door(-3, 8, level="-1;0-3")
    sheet.box(-9, 12, 6, 3, indoor="room", highway="elevator", level="-1-3", wheelchair="yes", ref="A")
    sheet.door(-3, 13, level="-1-3", door="sliding")
    for level in LEVELS:  # a second staircase, drawn level by level; no doors
        sheet.box(83, 10, 4, 6, indoor="area", stairs="yes", level=str(level), name="East stairs")
    sheet.door(-3, 19, level="0", entrance="main", wheelchair="yes", name="Main entrance")
    sheet.door(83, 6, level="0", entrance="yes", wheelchair="no")
    sheet.box(30, 13.2, 3, 2, indoor="room", ref="shelf", repeat_on="1;2")  # neither door nor its own level
    sheet.area((0, 30), (8, 36), (8, 30), (0, 36), indoor="room", level="0", ref="bow")
    sheet.box(10, 30, 4, 4, indoor="room", ref="nowhere")
    sheet.box(20, 30, 4, 4, indoor="room", ref="word", level="ground")
    sheet.add("Point", [1, 1], amenity="bench", level="0")
    sheet.add("Polygon", [[[0, 0], [1, float("nan")], [1, 1], [0, 0]]], indoor="room", level="0", ref="nan")
    sheet.area((-9, 0), (87, 0), (87, 40), (-9, 40), building="yes", name="Clinic outline")
    return _in_degrees(sheet.collection("Clinic"))


def _corridors(sheet: Sheet, level: int) -> None:
    told = {"indoor": "corridor", "level": str(level)}
    if level % 2 == 0:
        outer = ((-3, 5), (83, 5), (83, 21), (-3, 21))
        sheet.area(*outer, holes=[((0, 8), (0, 18), (80, 18), (80, 8))], **told)
        return
    sheet.box(0, 5, 80, 3, **told)
    sheet.box(0, 18, 80, 3, **told)
    sheet.box(-3, 5, 3, 16, **told)
    sheet.box(80, 5, 3, 16, **told)


def _clinic_room(sheet: Sheet, level: int, row: int, number: int, y: float, door: float) -> None:
    x, name = 4.0 * number, f"{level}.{row}{number:02d}"
    tags = {"indoor": "room", "level": str(level), "ref": name}
    if number % 7 == 1:
        tags |= {"name": HOSTILE, "room": "office"}
    if name == "2.005":
        tags |= {"access": "private"}
    if number % 9 == 4:
        sheet.line((x, y), (x + 4, y), (x + 4, y + 5), (x, y + 5), (x, y), **tags)
    else:
        sheet.box(x, y, 4, 5, **tags)
    if name == "2.001":
        return  # no door
    if name == "2.002":
        sheet.door(x + 2, y + 2.5, level="2")  # in the middle of the room
    elif name == "2.003":
        sheet.door(x + 2, door, level="2", access="private")
    elif name == "2.006":
        sheet.door(x, y + 2.5, level="2")  # into 2.005, which is closed
    else:
        sheet.door(x + 2, door, level=str(level), width="1.2")


def _in_degrees(collection: dict[str, Any]) -> dict[str, Any]:
    frame = Frame((0, 0), (13.4, 52.5))
    across, up = frame.scale

    def place(found: Any) -> Any:
        if isinstance(found[0], list):
            return [place(each) for each in found]
        x, y = found
        turned = (x * math.cos(TURN) - y * math.sin(TURN), x * math.sin(TURN) + y * math.cos(TURN))
        return [13.4 + turned[0] / across, 52.5 + turned[1] / up]

    for feature in collection["features"]:
        feature["geometry"]["coordinates"] = place(feature["geometry"]["coordinates"])
    return collection


def station() -> dict[str, Any]:
    sheet = Sheet()
    # The hall, over which rooms and a kiosk are drawn; a wall parts its east off, with a door in it.
    sheet.area((0, 0), (60, 0), (60, 20), (0, 20), indoor="area", level="0", name="Hall")
    sheet.line((45, 0), (45, 20), indoor="wall", level="0")
    sheet.door(45, 10)  # its level is that of the only wall that is there
    sheet.box(10, 5, 4, 4, indoor="room", level="0", ref="kiosk", shop="kiosk")
    sheet.door(12, 9, level="0")
    sheet.box(50, 2, 6, 6, indoor="room", level="0", ref="office")
    sheet.box(52, 4, 2, 2, indoor="room", level="0", ref="safe")  # a room in a room
    sheet.door(50, 5, level="0")
    sheet.door(53, 6, level="0")
    sheet.door(0, 10, level="0", entrance="yes")
    # Half a level up, by a ramp and by steps; the line of the steps says nothing of its direction.
    sheet.box(0, 25, 20, 8, indoor="area", level="0.5", name="Platform 1")
    sheet.line((5, 18), (5, 26), highway="footway", level="0;0.5", ramp="yes", incline="6%")
    sheet.line((15, 26), (15, 18), highway="steps", level="0-0.5")
    # Above: a gallery reached by steps only, rooms beside lines without an area.
    sheet.box(30, 0, 10, 6, indoor="area", level="1", name="Gallery")
    sheet.line((35, 12), (35, 5), highway="steps", level="0;1", incline="up")
    sheet.line((32, 12), (32, 5), highway="steps", level="0;1", conveying="forward")
    sheet.line((40, 3), (48, 3), (48, 12), highway="corridor", level="1")
    sheet.line((38, 3), (40, 3), highway="corridor", level="1")
    sheet.box(49, 8, 5, 5, indoor="room", level="1", ref="attic")
    sheet.line((48, 10), (49, 10), highway="corridor", level="1")
    sheet.door(49, 10, level="1")
    # Below: by an elevator that is a point, and the store beyond the wall that its line goes through.
    sheet.box(18, 0, 12, 12, indoor="corridor", level="-1")
    sheet.add("Point", [24, 6], highway="elevator", level="-1;0")
    sheet.box(30, 0, 6, 6, indoor="room", level="-1", ref="store")
    sheet.line((28, 3), (33, 3), highway="corridor", level="-1")
    # A tower room that nothing leads to.
    sheet.box(0, 0, 8, 8, indoor="room", level="7", ref="tower")
    sheet.box(8, 0, 4, 8, indoor="corridor", level="7")
    sheet.door(8, 4, level="7")
    return sheet.collection("Station")
