"""The architect's sheet: which rooms stand along which corridor, strip by strip.

    north outer   ┌──────────────────────────────────────┐
    corridor      │ ┌────────────────┬────────────────┐  │
    north inner   │ │ ┌────────────┐ │ ┌────────────┐ │  │
                  │ │ │ courtyard  │S│ │ courtyard  │ │  ├──╮
    west outer    │ │ │   west     │P│ │   east     │ │  │   ) apse: hall, library, terrace
                  │ │ └────────────┘ │ └────────────┘ │  ├──╯
    south inner   │ └────────────────┴────────────────┘  │
    south outer   └──────────────── portal ──────────────┘

The corridors form an eight: a ring and a spine. A strip is a row of rooms on one side of one corridor,
written as `kind width [name]` from its low end (west or south) to its high end; widths are metres.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ingest.building.sheets import CORE_AFTER, CORE_BEFORE, FIRST, GROUND, SECOND

WIDTH, HEIGHT = 92.0, 54.0
OUTER, AISLE, INNER = 7.5, 2.5, 5.5  # depth of outer rooms, width of a corridor, depth of inner rooms
RING = (OUTER, OUTER, WIDTH - OUTER, HEIGHT - OUTER)
SPINE = (44.75, 47.25)
COURTYARDS = ((10.0, 15.5, 38.25, 38.5), (53.0, 15.5, 82.0, 38.5))
PORTAL = (41.0, 51.0, 2.0)  # the main entrance stands back from the street: from x, to x, depth
APSE = (17.0, 37.0)  # the half round at the east end: from y, to y

FLOORS = {1: "Ground floor", 2: "First floor", 3: "Second floor"}
SHEETS = {1: GROUND, 2: FIRST, 3: SECOND}


@dataclass(frozen=True, slots=True)
class Strip:
    """Local frame of a strip: u along the corridor, v away from it; v = 0 is the wall with the doors."""

    name: str
    origin: tuple[float, float]
    along: tuple[float, float]
    away: tuple[float, float]
    length: float
    depth: float

    def place(self, u: float, v: float) -> tuple[float, float]:
        x = self.origin[0] + u * self.along[0] + v * self.away[0]
        y = self.origin[1] + u * self.along[1] + v * self.away[1]
        return (round(x, 2), round(y, 2))


class Item(NamedTuple):
    """What takes up a piece of a strip."""

    kind: str
    width: float
    name: str


EAST, NORTH, WEST, SOUTH = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)
STRIPS = {
    strip.name: strip
    for strip in (
        Strip("south outer", (0, 7.5), EAST, SOUTH, 92, OUTER),
        Strip("east outer", (84.5, 7.5), NORTH, EAST, 39, OUTER),
        Strip("north outer", (0, 46.5), EAST, NORTH, 92, OUTER),
        Strip("west outer", (7.5, 7.5), NORTH, WEST, 39, OUTER),
        Strip("south-west inner", (10, 10), EAST, NORTH, 34.75, INNER),
        Strip("south-east inner", (47.25, 10), EAST, NORTH, 34.75, INNER),
        Strip("north-east inner", (47.25, 44), EAST, SOUTH, 34.75, INNER),
        Strip("north-west inner", (10, 44), EAST, SOUTH, 34.75, INNER),
        Strip("spine west", (44.75, 15.5), NORTH, WEST, 23, 6.5),
        Strip("spine east", (47.25, 15.5), NORTH, EAST, 23, 5.75),
    )
}


def items(floor: int, strip: str) -> tuple[Item, ...]:
    """What stands along a strip of a floor."""
    parts = (part for sheet in (CORE_BEFORE, SHEETS[floor], CORE_AFTER) for part in _along(sheet, strip))
    found = tuple(_item(part) for part in parts)
    taken = sum(item.width for item in found)
    if abs(taken - STRIPS[strip].length) > 1e-6:
        message = (
            f"floor {floor}, {strip}: rooms take {taken} m, expected {STRIPS[strip].length} m; mend a width"
        )
        raise ValueError(message)
    return found


def _along(sheet: str, strip: str) -> list[str]:
    for line in sheet.replace("\n    ", " ").splitlines():
        name, _, text = line.partition(":")
        if name == strip:
            return text.split(";")
    return []


def _item(part: str) -> Item:
    kind, width, *name = part.split()
    return Item(kind, float(width), " ".join(name) or kind.capitalize())
