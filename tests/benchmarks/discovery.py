"""Seconds until 10,000 retained announcements, shuffled, are known devices; and until all are gone again.

    floors: 10 s from the start of the acquisition process, none lost, at most 10 filters, no reconnect;
            from the first one logged 8 times what a bare client takes
    peer:   a bare paho client that subscribes, reads the same burst and json-parses it, in the same minute

500 devices of 20 entities; one in five spoke before it was announced. Mosquitto, QoS 1. Known is what the
decoder makes of the log, which reads it meanwhile as Spark's reader does: rows of ``devices`` and
``entities``, and the early values as rows of ``measurements``. Then every announcement is taken back by an
empty message.
"""

import json
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import paho.mqtt.client as paho

from ingest.discovery.relations import DEVICES, ENTITIES, MEASUREMENTS
from ingest.log import Log
from ingest.reader import LogReader
from ingest.sources import parse_sources
from tests.announcing_devices import config
from tests.benchmarks._report import Result, report
from tests.environment.mosquitto import Mosquitto
from tests.environment.product import wall
from tests.environment.waiting import until
from tests.ingest_parts import Acquisition

DEVICES_COUNT, ENTITIES_EACH, EARLY_SHARE = 500, 20, 0.2
FLOOR_SECONDS, FLOOR_RATIO, FLOOR_FILTERS, PATIENCE = 10.0, 8.0, 10, 120
SOURCES = "mqtt: {}"
ABOUT = {"device_class": "temperature", "unit_of_measurement": "°C", "expire_after": 300}


class Message(NamedTuple):
    """What a device has the broker keep."""

    topic: str
    payload: bytes


def announcements() -> list[Message]:
    found = []
    for n in range(DEVICES_COUNT):
        device = f"node{n:03d}"
        for quantity in (f"q{k:02d}" for k in range(ENTITIES_EACH)):
            body = config(
                device, quantity, device_class="temperature", unit_of_measurement="°C", expire_after=300
            )
            found.append(Message(f"homeassistant/sensor/{device}/{quantity}/config", body))
    return found


def main() -> int:
    rng = random.Random(7)
    configs = announcements()
    spoke = range(0, DEVICES_COUNT, int(1 / EARLY_SHARE))
    early = [Message(f"house/node{n:03d}/q00", b"20.5") for n in spoke]
    rng.shuffle(configs)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "mosquitto").mkdir()
        broker = Mosquitto(folder / "mosquitto")
        broker.start()
        stack.callback(broker.stop)
        publish(broker.port, [*early, *configs])
        before = read_bare(broker.port, len(configs))
        run = measure(folder, broker, configs, early)
        publish(broker.port, configs)
        bare = (before + read_bare(broker.port, len(configs))) / 2
        connections = (broker.folder / "mosquitto.log").read_text().count(" as smartcis-")
    return report("discovery", results_of(run, bare, connections))


def publish(port: int, messages: Iterable[Message]) -> None:
    """Have the broker keep these, and return when it says that it does."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.max_inflight_messages_set(1000)
    client.max_queued_messages_set(0)
    client.connect("127.0.0.1", port)
    client.loop_start()
    for sent in [client.publish(*message, qos=1, retain=True) for message in messages]:
        sent.wait_for_publish(PATIENCE)
    client.disconnect()
    client.loop_stop()


def read_bare(port: int, count: int) -> float:
    """Return how long the least that one can do takes: subscribe, read, parse."""
    done, seen = threading.Event(), Counter[str]()

    def take(_client: object, _data: object, message: paho.MQTTMessage) -> None:
        json.loads(message.payload)
        seen[message.topic] += 1
        if len(seen) == count:
            done.set()

    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.on_message = take
    began = wall()
    client.connect("127.0.0.1", port)
    client.subscribe("homeassistant/#", 1)
    client.loop_start()
    done.wait(PATIENCE)
    took = wall() - began
    client.disconnect()
    client.loop_stop()
    return took


class Known:
    """The tables as the decoder makes them of the log, read to its end at each look."""

    def __init__(self, url: str) -> None:
        self._reader, self._at = LogReader(url, parse_sources(SOURCES, {})), 0
        names = (DEVICES.name, ENTITIES.name, MEASUREMENTS.name)
        self.tables: dict[str, set[str]] = {name: set() for name in names}
        self.rejects = 0

    def look(self) -> "Known":
        while (batch := self._reader.read(self._at)).end > self._at:
            self._at = batch.end
            for reading in batch.readings:
                table = self.tables.get(reading.relation)
                self.rejects += reading.relation == "rejects"
                if table is not None:
                    (table.add if reading.sign > 0 else table.discard)(reading.row[0])
        return self

    def has(self, devices: int, entities: int) -> bool:
        tables = self.look().tables
        return (len(tables[DEVICES.name]), len(tables[ENTITIES.name])) == (devices, entities)


class Run(NamedTuple):
    """What was measured; times in seconds."""

    registered: float
    burst: float
    removed: float
    lost: int
    doubled: int
    filters: int


def measure(folder: Path, broker: Mosquitto, configs: list[Message], early: list[Message]) -> Run:
    began = wall()
    acquisition = Acquisition(folder, broker.port, SOURCES)
    known = Known(acquisition.url)
    try:
        until(lambda: known.has(DEVICES_COUNT, len(configs)), PATIENCE, "every device to be known")
        ended = wall()
        until(lambda: len(known.look().tables[MEASUREMENTS.name]) >= len(early), PATIENCE, "what came early")
        burst, filters = ended - first_stamp(acquisition.url), subscribed(acquisition.url)
        removing = wall()
        publish(broker.port, [message._replace(payload=b"") for message in configs])
        until(lambda: known.has(0, 0), PATIENCE, "every device to be gone")
        removed = wall() - removing
    finally:
        acquisition.process.end()
    lost = len(configs) - len(set(logged(acquisition.url))) + known.rejects
    return Run(ended - began, burst, removed, lost, doubled(acquisition.url), len(filters))


def results_of(run: Run, bare: float, connections: int) -> list[Result]:
    ratio = run.burst / bare
    return [
        Result("10,000 known, from the start of the process", run.registered, "s", floor=FLOOR_SECONDS),
        Result("from the first in the log", run.burst, "s", peer="bare paho", ratio=ratio),
        Result("that is, times a bare client that reads and parses", ratio, "", floor=FLOOR_RATIO),
        Result("the bare client, mean of before and after", bare, "s"),
        Result("taken back by empty messages, with sending them", run.removed, "s", floor=FLOOR_SECONDS),
        Result("lost, or rejected", run.lost, "messages", floor=0),
        Result("logged more than once", run.doubled, "messages", floor=0),
        Result("filters", run.filters, "", floor=FLOOR_FILTERS),
        Result("connections", connections, "", floor=1),
    ]


def logged(url: str) -> list[str]:
    with Log(url) as log:
        return [each.topic for each in log.announced() if each.body]


def doubled(url: str) -> int:
    return sum(count - 1 for count in Counter(logged(url)).values())


def first_stamp(url: str) -> float:
    """Return when the first announcement came into the log."""
    with Log(url) as log:
        first = min(each.offset for each in log.announced())
        return log.read(first - 1, 1)[0].received / 1_000_000


def subscribed(url: str) -> list[str]:
    with Log(url) as log:
        return list(json.loads(log.state("mqtt")["filters"]))


if __name__ == "__main__":
    sys.exit(main())
