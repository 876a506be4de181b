"""The doors of a floor: what the day closes, and what a person at the console closes or opens.

    building/door/{door}       {"open": …}   what the contact says, retained
    building/door/{door}/set   {"open": …}   what the door is told; it holds for the rest of the schedule day,
                                             also over a new start of the device

Once a day a fire drill closes one wing of one floor for some minutes; a lab that is being cleaned is
locked, and now and then a corridor door is shut for the floor to dry.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial

from ingest.building.contacts import wing
from ingest.building.devices import Uses, chance, during, until_change
from ingest.building.elements import DoorContact
from ingest.building.floors import SOON, next_turn
from ingest.building.publisher import Publisher
from ingest.building.rota import Rota
from ingest.building.schedule import HOUR, MINUTE, OPENS, Moment, Schedule
from ingest.building.words import Word, Words

COMMANDS = "building/door/+/set"
DRILL, CLEANED, DRIES = 0.06, 0.4, 0.15


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

    def __init__(
        self,
        contacts: Iterable[DoorContact],
        seed: int,
        schedule: Schedule,
        out: Publisher,
        words: Words,
    ) -> None:
        self._seed, self._schedule, self._out = seed, schedule, out
        self._contacts, self._words = list(contacts), words
        self._day: int | None = None
        self._closings: dict[str, Uses] = {}

    def enrol(self, rota: Rota) -> None:
        """Give every door its turns, and let it be told; what it was told before still holds."""
        self._words.recall(rota.clock.now())
        for contact in self._contacts:
            rota.add(partial(self._speak, contact.id), SOON)

        def told(topic: str, payload: bytes) -> None:
            rota.call(lambda: self.tell(topic.split("/")[2], payload, rota.clock.now()))

        self._out.listen(COMMANDS, told)

    def tell(self, door: str, payload: bytes, now: int) -> None:
        """Obey what is for a door of this floor and can be understood."""
        wanted = _understood(payload)
        if wanted is not None and any(contact.id == door for contact in self._contacts):
            tomorrow = Moment(self._schedule.at(now).day + 1, OPENS)
            self._words.say(door, Word(self._schedule.when(tomorrow), wanted))
            self._speak(door, now)

    def is_open(self, door: str, moment: Moment) -> bool:
        told = self._words.at(door, self._schedule.when(moment))
        return told if told is not None else during(self._of_day(moment.day)[door], moment.second) is None

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
