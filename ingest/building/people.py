"""Who is about: staff with their own desk, students who take a free one, and those always on their feet."""

from random import Random
from typing import NamedTuple

from ingest.building.elements import Building

STAFF, STUDENTS, VISITORS, CARETAKERS = 64, 56, 14, 7
RIDERS = 0.25


class Person(NamedTuple):
    """`pace` divides walking times; who `rides` takes the elevator; `desk` is the own one of staff."""

    id: str
    kind: str
    pace: float
    rides: bool
    desk: str | None = None


def people(building: Building, seed: int) -> tuple[Person, ...]:
    """Everybody, the same for every process that knows the seed."""
    draw = Random(f"{seed}/people")
    offices = {room.id for room in building.rooms if room.kind in ("office", "reception", "mail")}
    desks = draw.sample([desk.id for desk in building.desks if desk.room in offices], STAFF)
    found = [_person(draw, "staff", n, desk) for n, desk in enumerate(desks, start=1)]
    found += [_person(draw, "student", n) for n in range(1, STUDENTS + 1)]
    found += [_person(draw, "visitor", n) for n in range(1, VISITORS + 1)]
    return (*found, *(_person(draw, "caretaker", n) for n in range(1, CARETAKERS + 1)))


def _person(draw: Random, kind: str, number: int, desk: str | None = None) -> Person:
    return Person(f"{kind}-{number:02d}", kind, draw.uniform(0.88, 1.12), draw.random() < RIDERS, desk)
