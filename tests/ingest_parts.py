"""Real brokers, databases and processes for the tests of acquisition."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import paho.mqtt.client as paho

from ingest.log import Log
from tests.environment.waiting import free_port, listens, until

ROOT = Path(__file__).parent.parent
SOURCES = """
mqtt:
  counts:
    topic: count/{sender}
    columns: {sender: text, seq: bigint}
    key: [sender]
"""


class Process:
    """A child whose stdin is its lifeline."""

    def __init__(self, *command: str) -> None:
        self.popen = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )

    def kill(self) -> None:
        self.popen.send_signal(signal.SIGKILL)
        self.popen.wait(120)

    def end(self) -> int:
        self.popen.terminate()
        try:
            return self.popen.wait(120)
        finally:
            if self.popen.poll() is None:
                self.kill()


def python(module: str, *arguments: str) -> Process:
    return Process(sys.executable, "-m", module, *arguments)


@contextmanager
def embedded_broker(*arguments: str) -> Iterator[int]:
    port = free_port()
    process = python("ingest.broker", "--port", str(port), *arguments)
    try:
        until(lambda: listens(port), 20, "the broker's port")
        yield port
    finally:
        process.end()


class Acquisition:
    """The acquisition process, its folder and its log."""

    def __init__(self, folder: Path, port: int, sources: str = SOURCES) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder}/log.db"
        self._port = port
        (folder / "sources.yaml").write_text(sources)
        self.start()

    def start(self) -> None:
        (self.folder / "acquisition.json").unlink(missing_ok=True)
        self.process = python(
            "ingest.acquisition", "--log", self.url, "--mqtt", f"mqtt://127.0.0.1:{self._port}",
            "--sources", str(self.folder / "sources.yaml"), "--state", str(self.folder),
        )  # fmt: skip

    def health(self) -> dict[str, dict[str, object]]:
        try:
            return dict(json.loads((self.folder / "acquisition.json").read_text())["sources"])
        except FileNotFoundError:
            return {}

    def wait_live(self) -> None:
        until(lambda: self.health().get("mqtt", {}).get("state") == "live", 20, "acquisition to be live")


class Sender:
    """Publishes numbered messages at QoS 1; a number is acknowledged or still being sent."""

    def __init__(self, port: int, name: str = "s") -> None:
        self.name = name
        self.sent = 0
        self._numbers: dict[int, int] = {}
        self._acknowledged: list[int] = []
        self.client = paho.Client(
            paho.CallbackAPIVersion.VERSION2, client_id=f"sender-{name}", clean_session=False
        )
        self.client.max_inflight_messages_set(200)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_publish = self._published
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _published(self, _client: object, _data: object, mid: int, *_: object) -> None:
        self._acknowledged.append(mid)

    @property
    def acknowledged(self) -> set[int]:
        return {self._numbers[mid] for mid in self._acknowledged}

    def send(self) -> None:
        self.resend(self.sent)
        self.sent += 1

    def resend(self, number: int) -> None:
        info = self.client.publish(f"count/{self.name}", json.dumps({"seq": number}), qos=1)
        self._numbers[info.mid] = number

    def send_for(self, seconds: float, rate: float) -> None:
        tick, began = threading.Event(), time.monotonic()
        while (passed := time.monotonic() - began) < seconds:
            while self.sent < passed * rate:
                self.send()
            tick.wait(0.01)

    def finish(self) -> None:
        until(lambda: len(self._acknowledged) >= self.sent, 40, "every publish to be acknowledged")
        self.client.disconnect()
        self.client.loop_stop()


def logged_numbers(url: str, name: str = "s") -> list[int]:
    """Return the numbers in the log, in its order."""
    found, at = [], 0
    with Log(url) as log:
        while records := log.read(at):
            found += [json.loads(r.payload)["seq"] for r in records if r.topic == f"count/{name}"]
            at = records[-1].offset
    return found
