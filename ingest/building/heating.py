"""Radiators and windows: heat that is asked for, and air that is let in while somebody is there.

    aired  =  now and then some minutes of a stay in the room, by the room's name and the stay
    valve  =  how far the thermostat opens: more the colder the room, all the way beside an open window

A radiator's battery lasts some years; a day takes a little of it.
"""

from ingest.building.devices import Uses, chance, during
from ingest.building.elements import Room
from ingest.building.schedule import MINUTE

UNHEATED = ("terrace", "storage", "toilets", "plant", "lockers", "phone")
WARM, OPENS_BY = 22.5, 40.0  # degrees at which a valve is shut, and by how much it opens for each below
DRAUGHT = 35.0
AIR_EVERY, AIR_CHANCE = 30 * MINUTE, 0.4
BRIEFLY, LONG = 4 * MINUTE, 14 * MINUTE
FULL, WORN, A_DAY = 98.0, 60.0, 0.08


def is_heated(room: Room) -> bool:
    return room.kind not in UNHEATED


def airings(room: Room, stays: Uses) -> Uses:
    """Return when a window of a room is open; whoever leaves closes it."""
    found: Uses = []
    for begins, ends in stays:
        for number in range(int((ends - begins) // AIR_EVERY) + 1):
            key = (room.id, begins, number)
            if chance(*key, "air") < AIR_CHANCE:
                opened = begins + (number + 0.6 * chance(*key, "when")) * AIR_EVERY
                closed = min(opened + BRIEFLY + (LONG - BRIEFLY) * chance(*key, "long"), ends)
                if opened < closed:
                    found.append((round(opened, 1), round(closed, 1)))
    return found


def valve(celsius: float, aired: Uses, second: float) -> float:
    """Return by how many per cent of its way the valve is open."""
    asked = (WARM - celsius) * OPENS_BY + (DRAUGHT if during(aired, second) else 0.0)
    return float(round(min(max(asked, 0.0), 100.0)))


def battery(room: Room, day: int) -> float:
    """Return what is left of a radiator's battery, in per cent."""
    return round(max(FULL - WORN * chance(room.id, "battery") - A_DAY * day, 0.0), 1)
