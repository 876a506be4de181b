"""A flood of readings in phases of a rate each, by one socket: it takes little of what it measures.

    python -m tests.benchmarks._flood --mqtt URL --phases 2000:60,6000:15,2000:30

Every message says when it was sent. At the end one line is printed: when each phase began and ended, and how
many messages of each stream the broker acknowledged.
"""

import argparse
import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import NamedTuple

from ingest.building.load import devices
from ingest.mqtt_frames import build_length, build_publish
from ingest.wrappers.mqtt.url import parse_mqtt_url

PASS = 0.005
IN_FLIGHT = 4_000
ACK_BYTES = 4
DEVICES, ANNOUNCED = 400, 100
PATIENCE = 30.0


class Phase(NamedTuple):
    """Messages a second, for so many seconds."""

    rate: float
    seconds: float


class Publisher:
    """One client at QoS 1 that counts what was acknowledged, in the order of sending."""

    def __init__(self, url: str) -> None:
        address = parse_mqtt_url(url)
        self._socket = socket.create_connection((address.host, address.port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        body = b"\x00\x04MQTT\x04\x02\x00\x00" + b"\x00\x05flood"
        self._socket.sendall(b"\x10" + build_length(len(body)) + body)
        self._socket.recv(4, socket.MSG_WAITALL)
        self._socket.setblocking(False)
        self.sent = self._acknowledged_bytes = 0

    @property
    def acknowledged(self) -> int:
        return self._acknowledged_bytes // ACK_BYTES

    def publish(self, messages: list[tuple[str, bytes, bool]]) -> None:
        """Send these at once."""
        frames = []
        for topic, payload, retain in messages:
            mid = self.sent % 65_535 + 1
            frames.append(build_publish(topic.encode(), payload, mid, retain=retain))
            self.sent += 1
        self._socket.setblocking(True)
        self._socket.sendall(b"".join(frames))
        self._socket.setblocking(False)
        self.hear()

    def hear(self) -> None:
        """Count the acknowledgements that have come."""
        try:
            while found := self._socket.recv(65_536):
                self._acknowledged_bytes += len(found)
        except BlockingIOError:
            return

    def settle(self) -> None:
        """Wait until all is acknowledged."""
        deadline, pause = time.monotonic() + PATIENCE, threading.Event()
        while self.acknowledged < self.sent and time.monotonic() < deadline:
            self.hear()
            pause.wait(PASS)


def announced(number: int) -> tuple[str, bytes, bool]:
    """Return the announcement of a thermometer."""
    body = {
        "name": "t", "uniq_id": f"bench-{number}", "stat_t": f"bench/{number}/state",
        "val_tpl": "{{ value_json.t }}", "unit_of_meas": "°C", "dev_cla": "temperature",
        "dev": {"ids": [f"bench-{number}"], "name": f"Bench {number}"},
    }  # fmt: skip
    return f"homeassistant/sensor/bench-{number}/config", json.dumps(body).encode(), True


def speakers() -> list[tuple[str, str, Callable[[int], str]]]:
    """Return stream, topic and payload of every device: four of the building's to one that was announced."""
    found = [(topic.split("/")[1], topic, reading) for topic, reading in devices(DEVICES)]
    own = [("measurements", f"bench/{n}/state", _thermometer) for n in range(ANNOUNCED)]
    return [each for n, one in enumerate(own) for each in (*found[4 * n : 4 * n + 4], one)]


def _thermometer(n: int) -> str:
    return f'{{"t": {18 + n % 80 / 10:.1f}, "seq": {n}}}'


def flood(publisher: Publisher, phases: list[Phase]) -> Iterator[dict[str, object]]:
    """Publish; yield of each phase when it was and what was sent of each stream."""
    voices, number, pause = cycle(speakers()), 0, threading.Event()
    for phase in phases:
        sent, began, wall = 0, time.monotonic(), time.time()
        counts: Counter[str] = Counter()
        while (passed := time.monotonic() - began) < phase.seconds:
            room = IN_FLIGHT - (publisher.sent - publisher.acknowledged)
            burst = []
            for _ in range(min(int(passed * phase.rate) - sent, room)):
                stream, topic, reading = next(voices)
                number, sent = number + 1, sent + 1
                counts[stream] += 1
                payload = f'{reading(number)[:-1]}, "sent": {time.time_ns() // 1000}}}'
                burst.append((topic, payload.encode(), False))
            if burst:
                publisher.publish(burst)
            publisher.hear()
            pause.wait(PASS)
        yield {"rate": phase.rate, "began": wall, "ended": time.time(), "sent": dict(counts)}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mqtt", required=True)
    parser.add_argument("--phases", required=True)
    chosen = parser.parse_args()
    phases = [Phase(*map(float, each.split(":"))) for each in chosen.phases.split(",")]
    publisher = Publisher(chosen.mqtt)
    publisher.publish([announced(number) for number in range(ANNOUNCED)])
    publisher.settle()
    threading.Event().wait(2)  # until what was announced is listened to
    found = list(flood(publisher, phases))
    publisher.settle()
    told = {"phases": found, "unacknowledged": publisher.sent - publisher.acknowledged}
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
