"""Desks in rooms, laid out in the local frame of their strip (u along the corridor, v away from it).

    lab, rows      ▭▭▭▭▭ ▭▭▭▭▭  window       lab, islands   ▭▭  ▭▭  ▭▭       office   ▯▯  pairs face
                   ▭▭▭▭▭ ▭▭▭▭▭                              ▭▭  ▭▭  ▭▭                    to face
                   ────door────                             ───door───

A desk is 1.5 × 0.75 m, its chair 0.7 m from its middle; a row of a lab has its own routing point.
"""

from collections.abc import Iterator
from math import cos, pi, sin
from typing import NamedTuple

from ingest.building.elements import Desk, Place, Room
from ingest.building.layout import Strip
from ingest.building.rooms import heading, turned

LENGTH, DEPTH, PITCH, CHAIR = 1.5, 0.75, 1.6, 0.7
ISLANDS = ("Lab Noether", "Lab Hamilton", "Lab Lovelace")
TERMINALS = {"study": 3, "reception": 1, "workshop": 2, "studio": 1, "hall": 1, "mail": 1, "seminar": 1}


class Standing(NamedTuple):
    """A desk's middle, its chair's and its row, in the strip's frame from the room's start."""

    u: float
    v: float
    seat_u: float
    seat_v: float
    row: str = ""


def furnish(room: Room, strip: Strip, start: float, width: float) -> Iterator[Desk]:
    """All desks of a room."""
    for number, found in enumerate(_standings(room, strip, width), start=1):
        middle = strip.place(start + found.u, found.v)
        seat = strip.place(start + found.seat_u, found.seat_v)
        outline = turned(middle, LENGTH, DEPTH, heading(middle, seat) + pi / 2)
        point = f"r{room.id}{found.row}"
        yield Desk(f"{room.id}-d{number:02d}", room.id, room.floor, outline, middle, seat, point)


def aisles(room: Room, strip: Strip, start: float, width: float) -> dict[str, Place]:
    """Routing points inside a room by suffix: '' just inside, one more per row of a lab."""
    if room.kind == "lab":
        back, front = (5.55, 2.4) if room.name not in ISLANDS else (6.1, 2.0)
        return {"": strip.place(start + width / 2, front), "-b": strip.place(start + width / 2, back)}
    if room.kind in ("hall", "library", "terrace"):
        return {"": strip.place(start + width / 2, 4.0), "-b": strip.place(start + width / 2, 9.0)}
    return {"": strip.place(start + width / 2, min(strip.depth / 2, 2.2))}


def _standings(room: Room, strip: Strip, width: float) -> Iterator[Standing]:
    depth = strip.depth
    if room.kind == "lab":
        yield from _islands(width) if room.name in ISLANDS else _rows(width, depth)
    elif room.kind == "office":
        yield from _pairs(width, depth)
    elif room.kind == "library":
        yield from _half_round(width)
    else:
        count = TERMINALS.get(room.kind, 0)
        for n in range(count):
            u = width / 2 + (n - (count - 1) / 2) * PITCH * 1.25
            yield Standing(u, depth - 0.6, u, depth - 0.6 - CHAIR)


def _rows(width: float, depth: float) -> Iterator[Standing]:
    """Two rows of ten looking at the window, a gap in their middle."""
    for v, row in ((depth - 0.75, "-b"), (4.1, "")):
        for n in range(10):
            u = width / 2 + (n - 4.5) * PITCH + (0.6 if n >= 5 else -0.6)
            yield Standing(u, v, u, v - CHAIR, row)


def _islands(width: float) -> Iterator[Standing]:
    """Islands of four about the long axis of the room, with a cross aisle between each two."""
    for island in range(4):
        centre = width / 2 + (island - 1.5) * 4.45
        for v, row, seat in ((4.05 + 0.4, "-b", CHAIR), (4.05 - 0.4, "", -CHAIR)):
            for side in (-0.78, 0.78):
                yield Standing(centre + side, v, centre + side, v + seat, row)


def _pairs(width: float, depth: float) -> Iterator[Standing]:
    """Pairs face to face, their short ends to the window; a narrow office has one desk."""
    v = depth - 1.15
    if width <= 7:
        yield Standing(width / 2, depth - 0.8, width / 2, depth - 0.8 - CHAIR)
        return
    middles = (width / 2,) if width < 9.2 else (width * 0.27, width * 0.73)
    for middle in middles:
        yield Standing(middle - 0.4, v, middle - 0.4 - CHAIR, v)
        yield Standing(middle + 0.4, v, middle + 0.4 + CHAIR, v)


def _half_round(width: float) -> Iterator[Standing]:
    """Carrels along the curved window of the library."""
    radius = width / 2 - 1.2
    for n in range(10):
        angle = pi * (n + 0.5) / 10
        u, v = width / 2 - radius * cos(angle), 7.5 + radius * sin(angle)
        inner = (radius - CHAIR) / radius
        yield Standing(u, v, width / 2 + (u - width / 2) * inner, 7.5 + (v - 7.5) * inner, "-b")
