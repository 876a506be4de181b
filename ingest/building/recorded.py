"""Yesterday, so that charts have a past: what each room was like every quarter of an hour.

It goes the ordinary way, over MQTT at a steady rate, marked as simulated; the process ends when the broker
has acknowledged all.
"""

from collections.abc import Iterator
from typing import Any

from ingest.building import devices
from ingest.building.elements import Building, Machine, Room
from ingest.building.floors import OWN_DESKS, Occupancy
from ingest.building.publisher import Publisher
from ingest.building.rota import SECOND, Rota
from ingest.building.schedule import HOUR

KINDS = (
    "lab",
    "office",
    "seminar",
    "meeting",
    "hall",
    "library",
    "study",
    "cafe",
    "kitchen",
    "lounge",
    "server",
)
QUARTER, DAY = 900.0, 86_400
YESTERDAY = -1
A_SECOND = 100
BURST = 10
RACKS = 4200.0


def records(building: Building, seed: int, now: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Room and payload, quarter by quarter of the calendar day (UTC) before `now`."""
    midnight = (now // (DAY * SECOND) - 1) * DAY * SECOND
    people = Occupancy(building, seed)
    people.turn_to(YESTERDAY)
    rooms = [room for room in building.rooms if room.kind in KINDS]
    machines = {room.id: [m for m in building.machines if m.room == room.id] for room in rooms}
    for quarter in range(int(24 * HOUR / QUARTER)):
        second = quarter * QUARTER
        for room in rooms:
            yield (
                room.id,
                {
                    "at": midnight + int(second * SECOND),
                    "occupied": sum(begins <= second < ends for begins, ends in people.stays[room.id]),
                    "celsius": devices.celsius(room, people.people_lately(room.id, second), second),
                    "watts": _power(room, machines[room.id], people, second),
                    "simulated": True,
                },
            )


class Replay:
    """A device that says all records, a few at a time, and then stops its rota."""

    def __init__(self, found: Iterator[tuple[str, dict[str, Any]]], rota: Rota, out: Publisher) -> None:
        self._found, self._rota, self._out = found, rota, out

    def turn(self, now: int) -> int:
        """Say a few more, as fast as the broker acknowledges them."""
        if self._out.waiting() < A_SECOND and self._out.connected.is_set():
            for _ in range(BURST):
                record = next(self._found, None)
                if record is None:
                    return self._end(now)
                self._out.send(f"recorded/{record[0]}", record[1])
        return now + BURST * SECOND // A_SECOND

    def _end(self, now: int) -> int:
        if self._out.waiting() == 0:
            self._rota.end()
        return now + SECOND // 2


def enrol(building: Building, seed: int, now: int, rota: Rota, out: Publisher) -> None:
    """Let the day before `now` be told; the rota should run in real time, whatever the building does."""
    rota.add(Replay(records(building, seed, now), rota, out).turn, 0.0)


def _power(room: Room, machines: list[Machine], people: Occupancy, second: float) -> float:
    own, drawn = room.kind in OWN_DESKS, RACKS if room.kind == "server" else 0.0
    for machine in machines:
        session = people.desks[machine.desk]
        state = devices.machine_state(machine, YESTERDAY, second, session, own)
        drawn += devices.watts(machine, state, devices.during(session, second) is not None)
    return round(drawn, 1)
