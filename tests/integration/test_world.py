"""What is declared, written and routed while the product runs: devices, brokers and restarts are real."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.environment.product import Demo, demo
from tests.environment.waiting import until
from tests.integration.test_product import prepare

pytestmark = [pytest.mark.integration]

HUMIDITY = (
    "CREATE STREAM humidity (room text, value double) WITH (wrapper = 'mqtt', topic = 'air/{room}', "
    "path_value = 'reading.value', window = 'PARTITION BY room ROWS 1')"
)
OWNERS = "CREATE TABLE owners (room text PRIMARY KEY, person text)"
COPY = "CREATE TABLE copy WITH (wrapper = 'database', url = '${SMARTCIS_DATABASE_URL}', table = 'rooms')"
DAMP = (
    "CREATE VIEW damp AS SELECT h.room, o.person FROM humidity h JOIN owners o ON h.room = o.room "
    "WHERE h.value > 60 OUTPUT TO ALARM 'too damp' OUTPUT TO DISPLAY 'lobby' OUTPUT TO MQTT 'out/{room}'"
)


class Device:
    """Speaks, and hears what is published under out/."""

    def __init__(self, running: Demo) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_message = self._take
        self.client.on_connect = lambda client, *_: client.subscribe("out/#", 1)
        self.client.connect("127.0.0.1", int(running.mqtt_url.rpartition(":")[2]))
        self.client.loop_start()

    def _take(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        self.heard.append((message.topic, json.loads(message.payload) if message.payload else None))

    def says(self, room: str, value: float) -> None:
        payload = json.dumps({"reading": {"value": value}})
        self.client.publish(f"air/{room}", payload, qos=1).wait_for_publish(120)

    def hears(self, topic: str, message: Any) -> None:
        until(lambda: (topic, message) in self.heard, 10, f"{topic} {message}, heard {self.heard}")


@contextmanager
def speaking(running: Demo) -> Iterator[Device]:
    device = Device(running)
    yield device
    device.client.disconnect()
    device.client.loop_stop()


def done(running: Demo, sql: str) -> list[str]:
    try:
        found = running.get("/api/statements", {"sql": sql})
    except HTTPError as error:
        pytest.fail(error.read().decode())
    return [outcome["done"] for outcome in found["outcomes"]]


def rows(running: Demo, relation: str) -> list[list[Any]]:
    (found,) = running.get("/api/statements", {"sql": f"SELECT * FROM {relation}"})["outcomes"]
    return list(found["rows"])


def alarms(running: Demo) -> list[tuple[str, bool]]:
    return [(alarm["row"]["room"], alarm["until"] is None) for alarm in running.get("/api/alarms")["alarms"]]


def test_a_stream_that_is_declared_feeds_alarms_displays_and_topics_through_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    prepare(state)
    with demo(state, SMARTCIS_SIMULATE="0") as running, speaking(running) as device:
        assert done(running, f"{HUMIDITY}; {OWNERS}; {COPY}") == ["created"] * 3
        device.says("1.01", 71.5)
        assert done(running, f"INSERT INTO owners VALUES ('1.01', 'ann'), ('1.02', 'bob'); {DAMP}") == [
            "inserted",
            "created",
        ]
        until(lambda: rows(running, "humidity") == [["1.01", 71.5]], 5, "the first message")
        device.hears("out/1.01", {"present": True, "room": "1.01", "person": "ann"})
        until(lambda: alarms(running) == [("1.01", True)], 5, "the alarm")
        assert running.get("/api/displays") == {"lobby": ["damp"]}
        until(lambda: len(rows(running, "copy")) > 100, 5, "the rooms of the database")
        raised = running.get("/api/alarms")["alarms"]
    with demo(state, SMARTCIS_SIMULATE="0") as running, speaking(running) as device:
        assert rows(running, "humidity") == [["1.01", 71.5]]
        assert len(rows(running, "copy")) > 100
        device.hears("out/1.01", {"present": True, "room": "1.01", "person": "ann"})
        assert running.get("/api/alarms")["alarms"] == raised, "what stood stands, and was not raised again"
        device.says("1.01", 40.0)
        device.says("1.02", 80.0)
        device.hears("out/1.01", None)
        device.hears("out/1.02", {"present": True, "room": "1.02", "person": "bob"})
        until(
            lambda: alarms(running) == [("1.02", True), ("1.01", False)], 5, "one alarm to end, one to begin"
        )
        assert done(running, "DROP VIEW damp; DROP STREAM humidity") == ["dropped", "dropped"]
        device.hears("out/1.02", None)
        assert {is_standing for _, is_standing in alarms(running)} == {False}
        assert running.get("/api/displays") == {}
