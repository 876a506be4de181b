"""The devices of one floor: what feels desks, lamps, air, radiators and windows; meters; machines' daemons.

What is small and runs on a battery speaks on the bus of the floor's gateway, ``field/floor-N/…``; what
has a plug speaks to the broker itself, but for power units, which have a page on the web. Cushions, lamps
and windows speak when they change, and once a minute for whoever came late; the others at their period.
"""

from collections import defaultdict
from functools import partial
from typing import Any

from ingest.building import devices, heating
from ingest.building.agenda import Agenda
from ingest.building.devices import Uses, chance
from ingest.building.elements import Building, Desk, Machine, Room
from ingest.building.outlets import Load, fitted, outlets, page
from ingest.building.paths import Paths
from ingest.building.publisher import Publisher
from ingest.building.rota import SECOND, Rota
from ingest.building.schedule import MINUTE, Moment, Schedule
from ingest.building.web_pages import WebPages

REPEAT, WARMTH, POWER, DAEMON, VALVE, OUTLETS = 60.0, 75.0, 60.0, 60.0, 60.0, 5.0
SOON, LATER = 3.0, 25.0
OUTDOORS = ("terrace",)
OWN_DESKS = ("office", "reception", "mail")


class Occupancy:
    """Who is where on the day being played, taken from the agenda; the agenda itself is let go."""

    def __init__(self, building: Building, seed: int) -> None:
        self._building, self._paths, self._seed = building, Paths.of(building), seed
        self._day: int | None = None
        self.desks: dict[str, Uses] = {}
        self.stays: dict[str, Uses] = {}
        self.lit: dict[str, Uses] = {}
        self.aired: dict[str, Uses] = {}

    def turn_to(self, day: int) -> None:
        """Look the day up when it is another one."""
        if day == self._day:
            return
        agenda = Agenda(self._building, self._paths, self._seed, day, restless=False)
        self.desks = defaultdict(
            list, {desk: devices.joined(uses) for desk, uses in agenda.desk_uses.items()}
        )
        self.stays = defaultdict(list, agenda.room_uses())
        self.lit = {room: devices.joined(uses, devices.LINGER) for room, uses in self.stays.items()}
        rooms = {room.id: room for room in self._building.rooms}
        self.aired = {
            room: heating.airings(rooms[room], devices.joined(uses)) for room, uses in self.stays.items()
        }
        self._day = day

    def people_lately(self, room: str, second: float) -> float:
        """The mean number of people over the last twenty minutes, by three looks."""
        looks = (second, second - 10 * MINUTE, second - 20 * MINUTE)
        return sum(begins <= look < ends for begins, ends in self.stays[room] for look in looks) / len(looks)


class FloorDevices:
    """All devices of a floor, enrolled in a rota."""

    def __init__(
        self,
        building: Building,
        floor: int,
        seed: int,
        schedule: Schedule,
        out: Publisher,
        pages: WebPages | None = None,
    ) -> None:
        self._schedule, self._out, self._bus = schedule, out, f"field/floor-{floor}"
        self._pages = pages
        self._outlets = [outlet for outlet in outlets(building) if outlet.machine.floor == floor]
        self._delivered = {outlet: fitted(outlet) for outlet in self._outlets}
        self.people = Occupancy(building, seed)
        self._kwh = {m.id: round(400 + 900 * chance(m.id, "meter"), 3) for m in building.machines}
        self._desks = [desk for desk in building.desks if desk.floor == floor]
        self._rooms = [room for room in building.rooms if room.floor == floor]
        self._machines = [machine for machine in building.machines if machine.floor == floor]
        self._kinds = {room.id: room.kind for room in self._rooms}

    def enrol(self, rota: Rota) -> None:
        """Give every device its turns; what the map shows first speaks first."""
        for desk in self._desks:
            rota.add(partial(self._seat, desk), SOON)
        for room in self._rooms:
            if room.kind not in OUTDOORS:
                rota.add(partial(self._light, room), SOON)
            if heating.is_heated(room):
                rota.add(partial(self._temperature, room), LATER)
                rota.add(partial(self._window, room), SOON)
                rota.add(partial(self._radiator, room), SOON)
        metered = {outlet.machine.id for outlet in self._outlets}
        for machine in self._machines:
            rota.add(partial(self._daemon, machine), LATER)
            if machine.id not in metered:
                rota.add(partial(self._meter, machine), LATER)
        if self._outlets and self._pages is not None:
            rota.add(partial(self._power_units, self._pages), SOON)

    def _moment(self, now: int) -> Moment:
        moment = self._schedule.at(now)
        self.people.turn_to(moment.day)
        return moment

    def _seat(self, desk: Desk, now: int) -> int:
        second, uses = self._moment(now).second, self.people.desks[desk.id]
        self._out.send(f"{self._bus}/seat/{desk.id}", {"pressed": devices.during(uses, second) is not None})
        return next_turn(desk.id, now, devices.until_change(uses, second))

    def _light(self, room: Room, now: int) -> int:
        second, uses = self._moment(now).second, self.people.lit.get(room.id, [])
        lit = devices.during(uses, second) is not None
        self._out.send(f"{self._bus}/light/{room.id}", {"lux": devices.lux(room, lit, second)})
        return next_turn(room.id, now, devices.until_change(uses, second))

    def _temperature(self, room: Room, now: int) -> int:
        warmth = self._celsius(room, self._moment(now).second)
        self._out.send(f"{self._bus}/temperature/{room.id}", {"celsius": warmth})
        return after(room.id, now, WARMTH)

    def _celsius(self, room: Room, second: float) -> float:
        return devices.celsius(room, self.people.people_lately(room.id, second), second)

    def _window(self, room: Room, now: int) -> int:
        second, uses = self._moment(now).second, self.people.aired.get(room.id, [])
        self._say("window", room, {"open": devices.during(uses, second) is not None})
        return next_turn(room.id, now, devices.until_change(uses, second))

    def _radiator(self, room: Room, now: int) -> int:
        """A radiator feels the draught when its window opens, and speaks then too."""
        day, second = self._moment(now)
        aired = self.people.aired.get(room.id, [])
        opens = heating.valve(self._celsius(room, second), aired, second)
        self._say("radiator", room, {"valve": opens, "battery": heating.battery(room, day)})
        change = devices.until_change(aired, second)
        return min(next_turn(room.id, now, change), after(room.id, now, VALVE))

    def _say(self, kind: str, room: Room, payload: dict[str, Any]) -> None:
        """Say what the gateway alone holds so that it is told the last of it when it comes back."""
        self._out.send(f"{self._bus}/{kind}/{room.id}", payload, retain=True)

    def _state(self, machine: Machine, now: int) -> devices.State:
        day, second = self._moment(now)
        own = self._kinds[machine.room] in OWN_DESKS
        return devices.machine_state(machine, day, second, self.people.desks[machine.desk], own)

    def _daemon(self, machine: Machine, now: int) -> int:
        state = self._state(machine, now)
        tasks = devices.tasks(machine, state, self._moment(now).second)
        self._out.send(f"building/machine/{machine.id}", {**state._asdict(), "tasks": tasks})
        return after(machine.id, now, DAEMON)

    def _watts(self, machine: Machine, now: int) -> float:
        sits = devices.during(self.people.desks[machine.desk], self._moment(now).second) is not None
        return devices.watts(machine, self._state(machine, now), sits)

    def _power_units(self, pages: WebPages, now: int) -> int:
        """Count on what each outlet delivers until the next turn, and put it on its unit's page."""
        loads = [
            Load(outlet, self._watts(outlet.machine, now), self._delivered[outlet])
            for outlet in self._outlets
        ]
        for load in loads:
            self._delivered[load.outlet] += load.watts / 1000 * OUTLETS / 3600
        for unit in {outlet.unit for outlet in self._outlets}:
            pages.show(f"/{unit}", page(unit, [load for load in loads if load.outlet.unit == unit]))
        return now + int(OUTLETS * SECOND)

    def _meter(self, machine: Machine, now: int) -> int:
        power = self._watts(machine, now)
        again = after(machine.desk, now, POWER)
        self._kwh[machine.id] += power / 1000 * (again - now) / SECOND / 3600
        self._out.send(
            f"building/energy/{machine.id}", {"watts": power, "kwh": round(self._kwh[machine.id], 4)}
        )
        return again


def next_turn(name: str, now: int, change: float) -> int:
    """A moment after the change, so that it is seen; at the latest when it is time to repeat."""
    return min(now + int(min(change + 0.01, 2 * REPEAT) * SECOND), after(name, now, REPEAT))


def after(name: str, now: int, period: float) -> int:
    """A period later, give or take a quarter by the device's name, so that a floor never speaks at once."""
    return now + int(period * (0.75 + 0.5 * chance(name, period)) * SECOND)
