"""Which rooms are booked on a schedule day, and for what: timetable and people both follow it."""

from random import Random
from typing import NamedTuple

from ingest.building.elements import Building, Room
from ingest.building.schedule import HOUR, MINUTE, START

LECTURES = (
    "Introduction to Databases",
    "Operating Systems",
    "Algorithms",
    "Computer Graphics",
    "Type Systems",
)
SEMINARS = (
    "Stream Processing", "Program Verification", "Sensor Networks", "Human-Computer Interaction",
    "Cryptography", "Distributed Systems", "Query Optimization", "Machine Learning", "Compilers",
    "Robotics Reading Group",
)  # fmt: skip
MEETINGS = (
    "Project Meeting",
    "Thesis Talk",
    "Hiring Committee",
    "Group Meeting",
    "Oral Exam",
    "Sprint Review",
)
WEEKLY = "Weekly Database Seminar"
SLOTS = {
    "hall": ((8.25, 9.75), (10.0, 11.5), (12.25, 13.75), (14.0, 15.5), (16.0, 17.5)),
    "seminar": ((8.25, 9.75), (10.0, 11.5), (11.75, 13.0), (14.0, 15.5), (15.75, 17.25)),
    "meeting": ((9.0, 10.0), (10.0, 11.0), (11.0, 12.0), (13.5, 14.5), (14.5, 15.5), (16.0, 17.0)),
}
SHARE = {"hall": 0.8, "seminar": 0.35, "meeting": 0.25}
GUESTS = {"hall": (10, 15), "seminar": (4, 6), "meeting": (2, 3)}
SOON = 80.0


class Booking(NamedTuple):
    """A room booked from one second of the day to another; `guests` is how many come."""

    room: str
    title: str
    begins: float
    ends: float
    guests: int
    weekly: bool = False


def bookings(building: Building, seed: int, day: int) -> tuple[Booking, ...]:
    """All bookings of a day in the order of their beginnings.

    On the first day, when people look, the hall is busy, the weekly seminar runs, and a meeting is about
    to begin.
    """
    draw = Random(f"{seed}/{day}/bookings")
    rooms = [room for room in building.rooms if room.kind in SLOTS]
    found = [booking for room in rooms for booking in _of_room(draw, room, day)]
    if day == 0:
        seminars = [room for room in rooms if room.kind == "seminar"]
        meetings = [room for room in rooms if room.kind == "meeting"]
        now_weekly, starting = draw.choice(seminars).id, draw.choice(meetings).id
        taken = {now_weekly: (9 * HOUR, 12 * HOUR), starting: (9.75 * HOUR, 12 * HOUR)}
        found = [one for one in found if not _clashes(one, taken)]
        found.append(Booking(now_weekly, WEEKLY, START - 20 * MINUTE, START + 50 * MINUTE, 8, weekly=True))
        found.append(Booking(starting, draw.choice(MEETINGS), START + SOON, START + SOON + 45 * MINUTE, 4))
    return tuple(sorted(found, key=lambda one: (one.begins, one.room)))


def _of_room(draw: Random, room: Room, day: int) -> list[Booking]:
    titles = {"hall": LECTURES, "seminar": SEMINARS, "meeting": MEETINGS}[room.kind]
    found = []
    for begins, ends in SLOTS[room.kind]:
        sure = day == 0 and room.kind == "hall" and begins * HOUR < START < ends * HOUR
        if draw.random() < SHARE[room.kind] or sure:
            guests = draw.randint(*GUESTS[room.kind])
            found.append(Booking(room.id, draw.choice(titles), begins * HOUR, ends * HOUR, guests))
    return found


def _clashes(booking: Booking, taken: dict[str, tuple[float, float]]) -> bool:
    begins, ends = taken.get(booking.room, (0.0, 0.0))
    return booking.begins < ends and begins < booking.ends
