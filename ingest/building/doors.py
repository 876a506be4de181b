"""The doors of a floor: what the day closes, and what a person at the console closes or opens.

    building/door/{door}       {"open": …}   what the contact says, retained
    building/door/{door}/set   {"open": …}   what the door is told; it holds for the rest of the schedule day

Once a day a fire drill closes one wing of one floor for some minutes; a lab that is being cleaned is
locked, and now and then a corridor door is shut for the floor to dry.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from ingest.building.contacts import wing
from ingest.building.devices import Uses, chance, during, until_change
from ingest.building.elements import Building, DoorContact
from ingest.building.floors import SOON, next_turn
from ingest.building.publisher import Publisher
from ingest.building.rota import Rota
from ingest.building.schedule import HOUR, MINUTE, Moment, Schedule

COMMANDS = "building/door/+/set"
DRILL, CLEANED, DRIES = 0.06, 0.4, 0.15


class Word(NamedTuple):
    """What a person told a door on a schedule day."""

    day: int
    is_open: bool


def closings(contacts: Iterable[DoorContact], seed: int, day: int) -> dict[str, Uses]:
    """Return when each door is closed on a schedule day; a pure function, so that processes agree."""
    found: dict[str, Uses] = defaultdict(list)
    for contact in contacts:
        found[contact.id] = sorted(_closings(contact, seed, day))
    return found


def _closings(contact: DoorContact, seed: int, day: int) -> Iterator[tuple[float, float]]:
    if contact.kind != "lab" and (contact.floor, wing(contact)) == _drilled(seed, day):
        begins = (10.5 + 5 * chance(seed, day, "drill begins")) * HOUR
        yield begins, begins + DRILL * HOUR
    subject, share = (contact.id.rstrip("b"), CLEANED) if contact.kind == "lab" else (contact.id, DRIES)
    if contact.kind in ("lab", "corridor") and chance(seed, day, subject, "closes") < share:
        begins = (8 + 11 * chance(seed, day, subject, "begins")) * HOUR
        yield begins, begins + (5 + 5 * chance(seed, day, subject, "lasts")) * MINUTE


def _drilled(seed: int, day: int) -> tuple[int, str]:
    """Return the floor and the wing that practise on a day."""
    return 1 + int(3 * chance(seed, day, "drill")), "west" if chance(
        seed, day, "drill wing"
    ) < 0.5 else "east"


class DoorDevices:
    """The contacts of a floor, enrolled in a rota."""

    def __init__(self, building: Building, floor: int, seed: int, schedule: Schedule, out: Publisher) -> None:
        self._seed, self._schedule, self._out = seed, schedule, out
        self._contacts = [contact for contact in building.contacts if contact.floor == floor]
        self._words: dict[str, Word] = {}
        self._day: int | None = None
        self._closings: dict[str, Uses] = {}

    def enrol(self, rota: Rota) -> None:
        """Give every door its turns, and let it be told."""
        for contact in self._contacts:
            rota.add(partial(self._speak, contact.id), SOON)

        def told(topic: str, payload: bytes) -> None:
            rota.call(lambda: self.tell(topic.split("/")[2], payload, rota.clock.now()))

        self._out.listen(COMMANDS, told)

    def tell(self, door: str, payload: bytes, now: int) -> None:
        """Obey what is for a door of this floor and can be understood."""
        wanted = _understood(payload)
        if wanted is not None and any(contact.id == door for contact in self._contacts):
            self._words[door] = Word(self._schedule.at(now).day, wanted)
            self._speak(door, now)

    def is_open(self, door: str, moment: Moment) -> bool:
        word = self._words.get(door)
        if word is not None and word.day == moment.day:
            return word.is_open
        return during(self._of_day(moment.day)[door], moment.second) is None

    def _of_day(self, day: int) -> dict[str, Uses]:
        if day != self._day:
            self._closings, self._day = closings(self._contacts, self._seed, day), day
        return self._closings

    def _speak(self, door: str, now: int) -> int:
        moment = self._schedule.at(now)
        self._out.send(f"building/door/{door}", {"open": self.is_open(door, moment)}, retain=True)
        return next_turn(door, now, until_change(self._of_day(moment.day)[door], moment.second))


def _understood(payload: bytes) -> bool | None:
    """Return whether a door is to be open, or nothing where that is not what the payload says."""
    try:
        found = json.loads(payload)
    except ValueError:
        return None
    wanted = found.get("open") if isinstance(found, dict) else None
    return wanted if isinstance(wanted, bool) else None
