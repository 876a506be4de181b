"""The devices as processes: they really speak MQTT, survive their broker, and end with their parent."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from ingest.building.agenda import Agenda
from ingest.building.design import the_building
from ingest.building.devices import during, joined
from ingest.building.paths import Paths
from ingest.building.schedule import Schedule
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until

SEED = 7
Start = Callable[..., subprocess.Popen[str]]


DECLARED = ("building/", "field/")


def kind_of(topic: str) -> str:
    """What speaks under a topic: building/KIND/… or field/GATEWAY/KIND/…"""
    return topic.split("/")[2 if topic.startswith("field/") else 1]


class Listener:
    """Everything that was said on a broker."""

    def __init__(self, port: int) -> None:
        self.messages: list[tuple[str, dict]] = []
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_message = self._on_message
        self._client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self._client.reconnect_delay_set(1, 1)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def kinds(self) -> Counter[str]:
        said = [topic for topic, _ in self.messages if topic.startswith(DECLARED)]
        return Counter(map(kind_of, said))

    def say(self, topic: str, payload: dict) -> None:
        self._client.publish(topic, json.dumps(payload), qos=1)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _on_message(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        self.messages.append((message.topic, json.loads(message.payload)))


@pytest.fixture
def listener(mosquitto: Mosquitto) -> Iterator[Listener]:
    listening = Listener(mosquitto.port)
    yield listening
    listening.close()


@pytest.fixture
def start(mosquitto: Mosquitto) -> Iterator[Start]:
    """Starts a part with a pipe as its stdin; what still runs afterwards is ended."""
    started = []

    def starting(part: str, *more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "ingest.building.simulate", "--mqtt", mosquitto.url, "--part", part]
        command += ["--seed", str(SEED), *more]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield starting
    for process in started:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_a_floor_tells_who_sits_where_as_the_agenda_has_it(start: Start, listener: Listener):
    epoch = time.time_ns() // 1000
    start("floor-2", "--epoch", str(epoch))
    desks = {desk.id for desk in the_building().desks if desk.floor == 2}
    kinds = {"seat", "light", "temperature", "energy", "machine", "radiator", "window"}
    until(
        lambda: set(listener.kinds()) >= kinds and listener.kinds()["seat"] >= len(desks),
        15,
        "a floor's devices",
    )
    second = Schedule(epoch).at(time.time_ns() // 1000).second
    uses = Agenda(the_building(), Paths.of(the_building()), SEED, 0, restless=False).desk_uses
    said = {
        topic.split("/")[3]: payload["pressed"] for topic, payload in listener.messages if "/seat/" in topic
    }
    assert set(said) == desks
    steady = [
        desk for desk in desks if all(min(abs(t - second) for t in use) > 20 for use in uses.get(desk, []))
    ]
    assert len(steady) > len(desks) / 2
    assert {desk: said[desk] for desk in steady} == {
        desk: during(joined(uses.get(desk, [])), second) is not None for desk in steady
    }


def test_payloads_have_the_fields_of_the_contract_and_a_sequence_number(start: Start, listener: Listener):
    start("floor-1")
    start("people")
    fields = {
        "seat": {"pressed"}, "light": {"lux"}, "temperature": {"celsius"}, "energy": {"watts", "kwh"},
        "machine": {"cpu", "task", "logged_in", "tasks"}, "sighting": {"rssi"}, "door": {"open"},
        "radiator": {"valve", "battery"}, "window": {"open"},
    }  # fmt: skip
    until(lambda: set(listener.kinds()) == set(fields), 20, "every kind of device")
    for topic, payload in list(listener.messages):
        if topic.startswith(DECLARED):
            assert set(payload) == fields[kind_of(topic)] | {"seq"}
    from_people = [payload["seq"] for topic, payload in listener.messages if "/sighting/" in topic]
    assert from_people == list(range(from_people[0], from_people[0] + len(from_people)))


def test_a_door_that_is_told_to_close_says_so_within_a_second_and_to_whoever_comes_later(
    start: Start, listener: Listener, mosquitto: Mosquitto
):
    start("floor-1")
    topic = "building/door/door-1.09"
    until(lambda: any(said == topic for said, _ in listener.messages), 15, "the door's first word")
    listener.messages.clear()
    listener.say(f"{topic}/set", {"open": False})
    until(lambda: is_said(listener, topic, False), 1, "the door to close")
    late = Listener(mosquitto.port)
    until(lambda: is_said(late, topic, False), 5, "what the broker kept")
    late.close()


def test_a_door_told_closed_is_closed_after_its_device_was_started_anew(
    start: Start, listener: Listener, tmp_path: Path
):
    topic = "building/door/door-1.09"
    first = start("floor-1", "--state", str(tmp_path))
    until(lambda: any(said == topic for said, _ in listener.messages), 15, "the door's first word")
    listener.say(f"{topic}/set", {"open": False})
    until(lambda: is_said(listener, topic, False), 5, "the door to close")
    first.kill()
    first.wait()
    listener.messages.clear()
    start("floor-1", "--state", str(tmp_path))
    until(lambda: any(said == topic for said, _ in listener.messages), 15, "the door's word after the start")
    assert not is_said(listener, topic, True)


def is_said(listener: Listener, topic: str, is_open: bool) -> bool:
    return any(said == topic and payload["open"] is is_open for said, payload in listener.messages)


def test_a_part_ends_when_its_parent_lets_go_of_its_stdin(start: Start, listener: Listener):
    process = start("people")
    until(lambda: listener.kinds()["sighting"] > 5, 15, "beacons")
    process.stdin.close()
    assert process.wait(120) == 0


def test_devices_go_on_after_the_broker_was_restarted(start: Start, listener: Listener, mosquitto: Mosquitto):
    start("people")
    until(lambda: listener.kinds()["sighting"] > 5, 15, "beacons")
    mosquitto.kill()
    mosquitto.start()
    listener.messages.clear()
    until(lambda: listener.kinds()["sighting"] > 5, 20, "beacons after the restart")


def test_yesterday_is_told_room_by_room_and_marked_as_simulated(start: Start, listener: Listener):
    start("recorded")
    until(lambda: len(listener.messages) >= 150, 15, "records of yesterday")
    rooms = {room.id for room in the_building().rooms}
    midnight = (time.time_ns() // 1000 // 86_400_000_000 - 1) * 86_400_000_000
    for topic, payload in list(listener.messages):
        assert topic.split("/")[0] == "recorded"
        assert topic.split("/")[1] in rooms
        assert set(payload) == {"at", "occupied", "celsius", "watts", "simulated", "seq"}
        assert payload["simulated"] is True
        assert midnight <= payload["at"] < midnight + 86_400_000_000


def test_the_load_is_paced_and_acknowledged(start: Start, listener: Listener):
    process = start("load", "--rate", "400", "--devices", "500", "--seconds", "2")
    told = json.loads(process.stdout.readline())
    assert told["sent"] == told["acknowledged"]
    assert told["sent"] == pytest.approx(800, rel=0.05)
    until(lambda: len(listener.messages) >= told["sent"], 5, "all of the load")
    assert len({topic for topic, _ in listener.messages}) == 500
