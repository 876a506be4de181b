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

WIDTH, HEIGHT = 92.0, 54.0
OUTER, AISLE, INNER = 7.5, 2.5, 5.5  # depth of outer rooms, width of a corridor, depth of inner rooms
RING = (OUTER, OUTER, WIDTH - OUTER, HEIGHT - OUTER)
SPINE = (44.75, 47.25)
COURTYARDS = ((10.0, 15.5, 38.25, 38.5), (53.0, 15.5, 82.0, 38.5))
PORTAL = (41.0, 51.0, 2.0)  # the main entrance stands back from the street: from x, to x, depth
APSE = (17.0, 37.0)  # the half round at the east end: from y, to y

KINDS = (
    "lab office seminar meeting hall library study workshop cafe foyer reception exhibition lounge kitchen "
    "printers toilets storage server plant lockers mail archive studio phone terrace"
).split()
FLOORS = {1: "Ground floor", 2: "First floor", 3: "Second floor"}


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
CORE = {
    "spine west": "lounge 9 Lounge; toilets 5 Toilets; toilets 5 Toilets; toilets 4 Accessible Toilet",
    "spine east": "stairs 6.5 Main Stairs; elevator 3 Main Elevator; printers 4.5 Printers; ",
    "south-west inner": "stairs 5.5 South-West Stairs; printers 4.25 Printers; ",
    "north-east inner": "; elevator 3 East Elevator; stairs 5.5 North-East Stairs",
}
SHEETS = {
    1: {
        "south outer": "lab 18 Lab Hopper; workshop 10 Electronics Workshop; office 6 Student Advice; cafe 7 Café;"
        "foyer 10 Foyer; reception 6 Reception; seminar 11 Seminar Room Liskov; office 6; lab 18 Lab Lovelace",
        "north outer": "seminar 12 Seminar Room Backus; office 8; office 8; storage 6; workshop 10 Maker Space;"
        "passage 4 North Passage; study 12 Study Room; office 8; office 8; workshop 16 Robotics Hall",
        "west outer": "office 7; office 6; mail 4.5 Mail Room; passage 4 West Passage; office 7; office 6; storage 4.5",
        "east outer": "office 9.5 Teaching Office; hall 20 Lecture Hall Turing; meeting 9.5 Meeting Room Gray",
        "south-west inner": "office 8; meeting 9 Meeting Room Codd; lockers 8 Lockers",
        "south-east inner": "office 8; meeting 9 Meeting Room Hoare; storage 4.75; office 8; lockers 5 Lockers",
        "north-west inner": "office 8; kitchen 6.75 Kitchen; office 8; storage 4; office 8",
        "north-east inner": "server 12 Server Room; plant 5.25 Plant Room; office 9",
        "spine east": "exhibition 9 Exhibition",
    },
    2: {
        "south outer": "lab 18 Lab Dijkstra; office 8; office 8; seminar 10 Seminar Room Gödel; lounge 8 Balcony;"
        "office 8; office 8; meeting 6 Meeting Room Perlis; lab 18 Lab Noether",
        "north outer": "office 9; office 8; office 8; seminar 12 Seminar Room Church; kitchen 8 Kitchen; office 8;"
        "office 8; meeting 9 Meeting Room Naur; storage 6; office 8; office 8",
        "west outer": "office 7; office 7; meeting 8 Meeting Room Milner; office 7; storage 3; office 7",
        "east outer": "meeting 9.5 Meeting Room Wing; library 20 Library; study 9.5 Reading Room",
        "south-west inner": "office 8; office 8; archive 9 Archive",
        "south-east inner": "office 8; phone 3 Phone Booth; meeting 8.75 Meeting Room Karp; office 8; storage 7",
        "north-west inner": "study 12 Study Room; office 8; storage 5; office 9.75",
        "north-east inner": "office 8; studio 10.25 VR Studio; office 8",
        "spine east": "meeting 9 Meeting Room Cook",
    },
    3: {
        "south outer": "seminar 12 Seminar Room Floyd; lab 18 Lab Knuth; office 7; office 7; lounge 8 Winter Garden;"
        "office 8; lab 18 Lab Hamilton; office 7; office 7 Dean",
        "north outer": "office 8; office 8; office 8; office 8; meeting 8 Meeting Room Allen; kitchen 8 Kitchen;"
        "office 8; office 8; workshop 10 Systems Workshop; office 9; office 9",
        "west outer": "office 7; office 7; seminar 11 Seminar Room Minsky; office 7; office 7",
        "east outer": "office 9.5 Deanery; terrace 20 Roof Terrace; meeting 9.5 Meeting Room Shannon",
        "south-west inner": "office 8; office 8; study 9 Study Room",
        "south-east inner": "office 8; storage 4; office 8; meeting 9 Meeting Room Rabin; phone 2.75 Phone Booth;"
        "phone 3 Phone Booth",
        "north-west inner": "studio 10 Recording Studio; office 8; storage 4.75; meeting 12 Meeting Room Wirth",
        "north-east inner": "office 8; office 8; archive 10.25 Archive",
        "spine east": "lounge 9 Chess Corner",
    },
}


def items(floor: int, strip: str) -> tuple[Item, ...]:
    """What stands along a strip of a floor; the core (stairs, elevators, toilets) is the same on each."""
    sheet, core = SHEETS[floor].get(strip, ""), CORE.get(strip, "")
    text = sheet + core if core.startswith(";") else core + sheet
    found = tuple(_item(part) for part in text.split(";") if part.strip())
    taken = sum(item.width for item in found)
    if abs(taken - STRIPS[strip].length) > 1e-6:
        message = f"floor {floor}, {strip}: rooms take {taken} m, expected {STRIPS[strip].length} m; mend a width"
        raise ValueError(message)
    return found


def _item(part: str) -> Item:
    kind, width, *name = part.split()
    return Item(kind, float(width), " ".join(name) or kind.capitalize())
