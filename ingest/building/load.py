"""Load for benchmarks: readings of real desks, rooms and machines at a steady total rate, QoS 1.

    due(t) = rate · t        each pass publishes due(t) − sent, unless too many are unacknowledged

The generator shares its processors with what it measures, so payloads are plain text and the client runs
in one thread. At the end it prints one line: {"sent": …, "acknowledged": …, "seconds": …}.
"""

import json
import sys
from collections.abc import Callable, Iterator
from itertools import cycle
from time import monotonic

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from engine.model.errors import SourceError
from ingest.building.design import the_building
from ingest.building.publisher import KEEP_ALIVE, QOS
from ingest.wrappers.mqtt.url import parse_mqtt_url

IN_FLIGHT = 400
PASS = 0.01
PATIENCE = 30.0
Reading = Callable[[int], str]


class Load:
    """One client that publishes at a rate and counts what was acknowledged."""

    def __init__(self, url: str, rate: float, wanted: int) -> None:
        self.rate, self.sent, self.acknowledged = rate, 0, 0
        self._devices = cycle(list(devices(wanted)))
        self._client = Client(CallbackAPIVersion.VERSION2, client_id="building-load")
        self._client.max_inflight_messages_set(IN_FLIGHT)
        self._client.on_publish = self._on_publish
        parse_mqtt_url(url).prepare(self._client, KEEP_ALIVE)
        try:
            self._client.reconnect()
        except OSError as error:
            message = f"no broker answers at {url}: {error}; start one or correct the URL"
            raise SourceError(message) from error

    def run(self, seconds: float) -> float:
        """Publish for so long, wait for the acknowledgements, return the seconds of publishing."""
        while not self._client.is_connected():
            self._client.loop(PASS)
        began = monotonic()
        while (passed := monotonic() - began) < seconds:
            self._publish(int(passed * self.rate))
            self._client.loop(PASS)
        self._wait(monotonic() + PATIENCE)
        self._client.disconnect()
        return passed

    def _publish(self, due: int) -> None:
        for _ in range(min(due - self.sent, IN_FLIGHT - (self.sent - self.acknowledged))):
            self.sent += 1
            topic, reading = next(self._devices)
            self._client.publish(topic, reading(self.sent), qos=QOS)

    def _wait(self, deadline: float) -> None:
        while self.acknowledged < self.sent and monotonic() < deadline:
            self._client.loop(PASS)

    def _on_publish(self, _c: Client, _u: object, _m: int, _r: ReasonCode, _p: Properties | None) -> None:
        self.acknowledged += 1


def run(url: str, rate: float, devices: int, seconds: float) -> None:
    """Publish and print what came of it."""
    load = Load(url, rate, devices)
    passed = load.run(seconds)
    found = {"sent": load.sent, "acknowledged": load.acknowledged, "seconds": round(passed, 2)}
    sys.stdout.write(json.dumps(found) + "\n")


def devices(wanted: int) -> Iterator[tuple[str, Reading]]:
    """Yield the first so many of: a cushion, a meter and a thermometer by turns."""
    building = the_building()
    found: list[tuple[str, Reading]] = []
    for desk, machine, room in zip(building.desks, building.machines, cycle(building.rooms), strict=False):
        found.append((f"building/seat/{desk.id}", _pressed))
        found.append((f"building/energy/{machine.id}", _watts))
        if len(found) < 3 * len(building.rooms):
            found.append((f"building/temperature/{room.id}", _celsius))
    yield from found[:wanted]


def _pressed(n: int) -> str:
    return f'{{"pressed": {"true" if n // 7 % 2 else "false"}, "seq": {n}}}'


def _watts(n: int) -> str:
    return f'{{"watts": {40 + n % 90}.5, "kwh": {n / 1000:.3f}, "seq": {n}}}'


def _celsius(n: int) -> str:
    return f'{{"celsius": {19 + n % 50 / 10:.1f}, "seq": {n}}}'
