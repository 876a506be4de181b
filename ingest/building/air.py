"""Air sensors that nobody declared: they announce themselves, as devices that one buys do.

    co2 = outdoors + what the people of the last twenty minutes breathed out, by the room's area
    humidity = the day's + the people's        battery = some years

They speak to the broker under discovery, one message for all that they measure. Those on a wall say their
room; a portable one on each floor does not, and waits for somebody who says where it is.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ingest.building.devices import chance, wave
from ingest.building.elements import Building, Room
from ingest.building.floors import Occupancy, after
from ingest.building.publisher import Publisher
from ingest.building.rota import Rota
from ingest.building.schedule import HOUR, Schedule

KINDS = ("lab", "seminar", "meeting", "hall", "library", "cafe")
BIRTH = "homeassistant/status"
PERIOD, SOON = 45.0, 5.0
OUTDOORS, PERSON, MOST = 420.0, 6_000.0, 2_400.0  # ppm; of one person in a square metre
STALE_AFTER = 300
READINGS: tuple[tuple[str, str, str, str | None], ...] = (
    ("co2", "CO₂", "ppm", "carbon_dioxide"),
    ("humidity", "Humidity", "%", "humidity"),
    ("celsius", "Temperature", "°C", "temperature"),
    ("battery", "Battery", "%", "battery"),
)


class AirSensors:
    """The air sensors of a floor, enrolled in a rota."""

    def __init__(
        self, building: Building, floor: int, people: Occupancy, schedule: Schedule, out: Publisher
    ) -> None:
        self._people, self._schedule, self._out = people, schedule, out
        rooms = [room for room in building.rooms if room.floor == floor]
        self._sensors = {_name_of(room): room for room in rooms if room.kind in KINDS}
        self._portable = f"air-portable-{floor}"
        self._sensors[self._portable] = next(room for room in rooms if room.kind in KINDS)

    def enrol(self, rota: Rota) -> None:
        """Give every sensor its turns; all announce themselves when the birth message is heard."""
        for name, room in self._sensors.items():
            rota.add(partial(self._speak, name, room), SOON)
        self._out.listen(BIRTH, self._born(rota.call))

    def _born(self, call: Callable[[Callable[[], None]], None]) -> Callable[[str, bytes], None]:
        def heard(_topic: str, payload: bytes) -> None:
            if payload == b"online":
                call(self._announce_all)

        return heard

    def _announce_all(self) -> None:
        for name, room in self._sensors.items():
            self._announce(name, room)

    def _announce(self, name: str, room: Room) -> None:
        self._out.announce(f"homeassistant/device/{name}/config", self._config(name, room))

    def _config(self, name: str, room: Room) -> dict[str, Any]:
        is_portable = name == self._portable
        device = {
            "ids": [name],
            "name": "Portable air sensor" if is_portable else f"Air, {room.name}",
            "mf": "Simulated",
            "mdl": "Air 4",
            **({} if is_portable else {"sa": room.id}),
        }
        return {
            "dev": device,
            "o": {"name": "simulated building"},
            "stat_t": f"air/{name}/state",
            "exp_aft": STALE_AFTER,
            "cmps": {key: _component(name, key, label, unit, kind) for key, label, unit, kind in READINGS},
        }

    def _speak(self, name: str, room: Room, now: int) -> int:
        """Speak; whoever speaks for the first time since the connection has announced itself."""
        if not self._out.has_announced(f"homeassistant/device/{name}/config"):
            self._announce(name, room)
        self._out.send(f"air/{name}/state", self._measured(name, room, now))
        return after(name, now, PERIOD)

    def _measured(self, name: str, room: Room, now: int) -> dict[str, float]:
        day, second = self._schedule.at(now)
        self._people.turn_to(day)
        people = self._people.people_lately(room.id, second)
        breathed = OUTDOORS + PERSON * people / max(room.area, 8)
        return {
            "co2": round(min(breathed + 15 * wave(name, second, 700), MOST)),
            "humidity": round(38 + 6 * wave(name, second, 6 * HOUR) + min(people, 12) / 2, 1),
            "celsius": round(20.8 + 1.2 * chance(name, "wall") + 0.4 * wave(name, second, 2400), 1),
            "battery": round(100 - 55 * chance(name, "battery"), 0),
        }


def _component(name: str, key: str, label: str, unit: str, kind: str | None) -> dict[str, Any]:
    return {
        "p": "sensor",
        "uniq_id": f"{name}-{key}",
        "name": label,
        "unit_of_meas": unit,
        "dev_cla": kind,
        "stat_cla": "measurement",
        "val_tpl": f"{{{{ value_json.{key} }}}}",
    }


def _name_of(room: Room) -> str:
    """Return a sensor's name, which is a level of a topic: letters, digits, - and _ alone."""
    return f"air-{room.id.replace('.', '-')}"
