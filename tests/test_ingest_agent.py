"""The agent over a real broker: discovered, heard, gone, back; and what it costs."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from engine.model.clock import SystemClock
from ingest.agent.announcing import Profile, announcement
from ingest.agent.identity import identity
from ingest.agent.machine import Machine
from ingest.agent.tasks import Tasks
from ingest.decoding.decoder import Decoder
from ingest.log import Record
from ingest.sources import Sources, parse_sources
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until

ME = f"smartcis_{identity()}"
CONFIG = f"homeassistant/device/{ME}/config"
STATE = f"smartcis/agent/{identity()}/state"
AVAILABILITY = f"smartcis/agent/{identity()}/availability"


class Subscriber:
    """A plain MQTT client: what it heard, by topic, the newest last."""

    def __init__(self, port: int) -> None:
        self.heard: list[tuple[str, str, bool]] = []
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_connect = lambda c, *_: c.subscribe([("homeassistant/#", 1), ("smartcis/#", 1)])
        self.client.on_message = self._take
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _take(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        self.heard.append((message.topic, message.payload.decode(), message.retain))

    def of(self, topic: str) -> list[str]:
        return [payload for heard, payload, _ in list(self.heard) if heard == topic]

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


class Process:
    """An agent as a machine runs it."""

    def __init__(self, repository: Path, folder: Path, *options: str) -> None:
        self.said = folder / "agent.err"
        with self.said.open("wb") as said:
            command = [sys.executable, "-m", "ingest.agent", *options]
            self.process = subprocess.Popen(command, cwd=repository, stderr=said)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(120)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def agent(broker: Mosquitto, repository: Path, tmp_path: Path) -> Iterator[Process]:
    found = Process(repository, tmp_path, "--broker", broker.url, "--interval", "1", "--room", "r2")
    yield found
    if found.process.poll() is None:
        found.end(signal.SIGKILL)


def test_a_machine_is_discovered_heard_and_says_good_bye(broker: Mosquitto, agent: Process) -> None:
    subscriber = Subscriber(broker.port)
    until(lambda: len(subscriber.of(STATE)) >= 2, 10, "two states")
    config, state = json.loads(subscriber.of(CONFIG)[0]), json.loads(subscriber.of(STATE)[-1])
    assert config["device"]["identifiers"] == [ME]
    assert config["device"]["suggested_area"] == "r2"
    assert config["origin"]["name"] == "smartcis agent"
    assert config["state_topic"] == STATE
    assert {"cpu", "memory", "disk", "uptime", "users", "received", "sent", "task"} <= set(
        config["components"]
    )
    for key, component in config["components"].items():
        assert component["value_template"] == f"{{{{ value_json.{key} }}}}"
        assert component["expire_after"] == 3
        assert key in state
    assert subscriber.of(AVAILABILITY)[-1] == "online"
    assert agent.end() == 0
    until(lambda: subscriber.of(AVAILABILITY)[-1] == "offline", 5, "its good-bye")
    subscriber.close()
    assert len(agent.said.read_text().splitlines()) == 1


@pytest.mark.slow
def test_a_killed_agent_is_offline_by_its_last_will(broker: Mosquitto, agent: Process) -> None:
    subscriber = Subscriber(broker.port)
    until(lambda: subscriber.of(STATE), 10, "a state")
    agent.end(signal.SIGKILL)
    until(lambda: subscriber.of(AVAILABILITY)[-1] == "offline", 5, "its last will")
    subscriber.close()


def test_it_announces_itself_again_at_the_birth_message_but_not_at_a_retained_one(
    broker: Mosquitto, agent: Process
) -> None:
    subscriber = Subscriber(broker.port)
    until(lambda: subscriber.of(STATE), 10, "a state")
    announced = len(subscriber.of(CONFIG))
    subscriber.client.publish("homeassistant/status", "online", qos=1)
    until(lambda: len(subscriber.of(CONFIG)) > announced, 10, "another announcement")
    until(lambda: len(subscriber.of(STATE)) > 2, 10, "more states")
    assert len(subscriber.of(CONFIG)) == announced + 1
    subscriber.close()


def test_it_is_back_after_the_broker_was_and_says_so_in_a_line_each(
    broker: Mosquitto, agent: Process
) -> None:
    first = Subscriber(broker.port)
    until(lambda: first.of(STATE), 10, "a state")
    first.close()
    broker.kill()
    until(lambda: "trying again" in agent.said.read_text(), 10, "the loss to be told")
    broker.start()
    second = Subscriber(broker.port)
    until(lambda: any(not retained for topic, _, retained in second.heard if topic == STATE), 20, "a state")
    assert subscriber_has_announcement(second)
    second.close()
    assert agent.end() == 0
    lines = agent.said.read_text().splitlines()
    assert len(lines) <= 4, lines
    assert all(line.startswith("smartcis agent: ") for line in lines)


def subscriber_has_announcement(subscriber: Subscriber) -> bool:
    return bool(subscriber.of(CONFIG)) and subscriber.of(AVAILABILITY)[-1] == "online"


def test_what_it_cannot_begin_with_is_said_in_a_line(repository: Path) -> None:
    for options, expected in (
        (["--broker", "broker:1883"], "expected mqtt://host:port"),
        (["--broker", "http://u:secret@h:1"], "the broker's URL is http://u:***@h:1; expected mqtt://"),
        (
            ["--broker", "mqtts://u:secret@h:8883?ca=/nowhere.pem"],
            "ca /nowhere.pem of mqtts://h:8883 cannot be used",
        ),
        (["--interval", "0"], "no number of seconds from 1 to 3600"),
        (["--tasks", "many"], "no number of tasks from 0 to 50"),
        (["--colour", "red"], "unrecognized arguments: --colour red"),
    ):
        command = [sys.executable, "-m", "app.cli", "agent", *options]
        found = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=240)
        assert found.returncode == 2
        assert expected in found.stderr
        assert len(found.stderr.splitlines()) == 1
        assert "secret" not in found.stderr


def test_it_starts_without_spark_flask_or_a_database(repository: Path) -> None:
    imported = "import sys, app.cli, app.agent, ingest.agent.command"
    program = f"{imported}; print(*{{m.partition('.')[0] for m in sys.modules}})"
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout.split()
    assert not {"pyspark", "flask", "sqlalchemy", "sqlglot", "pandas", "numpy"} & set(found)


def test_the_busiest_tasks_are_the_busy_ones_and_no_more_than_asked_for() -> None:
    all_of_them, two = Tasks(1_000), Tasks(2)
    all_of_them.busiest(1.0), two.busiest(1.0)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        spent = [psutil.Process(each.pid) for each in busy]
        until(lambda: all(sum(p.cpu_times()[:2]) > 0.3 for p in spent), 20, "three busy tasks")
        found = {task.pid: task for task in all_of_them.busiest(2.0)}
        for process in spent:
            least, most = 0.3 / 2.0, sum(process.cpu_times()[:2]) / 2.0
            assert 100 * least <= found[process.pid].cpu <= 100 * most + 0.1
            assert found[process.pid].memory > 0
        told = two.busiest(2.0)
        assert len(told) == 2
        assert told[0].cpu >= told[1].cpu >= 100 * 0.3 / 2.0
    finally:
        for each in busy:
            each.kill()
            each.wait()
    assert Tasks(0).busiest(1.0) == []


def test_a_machine_says_what_it_has_and_names_nobody_unless_asked() -> None:
    state = Machine(SystemClock(), tasks=3).look()
    assert 0 <= state["cpu"] <= 100
    assert 0 < state["memory"] <= 100
    assert 0 < state["disk"] <= 100
    assert state["uptime"] > 0
    assert state["received"] >= 0
    assert "user_names" not in state
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", state["at"])
    assert "user_names" in Machine(SystemClock(), tasks=0, names_people=True).look()
    json.dumps(state, allow_nan=False)


def test_what_it_announces_and_says_becomes_a_device_its_entities_and_their_measurements() -> None:
    profile, state = Profile("00ff", "pc", "2.07", 10.0), Machine(SystemClock(), tasks=3).look()
    found = announcement(profile, state, "1")
    decoder = Decoder(Sources())
    announced = decoder.decode(received(1, profile.config_topic, found))
    (device,) = [r.row for r in announced if r.relation == "devices"]
    assert {"smartcis_00ff", "pc", "2.07"} <= set(device)
    assert len([r for r in announced if r.relation == "entities"]) == len(found["components"])
    said = decoder.decode(received(2, profile.state_topic, state))
    assert {reading.relation for reading in said} == {"measurements"}
    values = {str(r.row[0]).removeprefix("sensor.smartcis_00ff_"): r.row[3:5] for r in said}
    assert values.keys() == found["components"].keys()
    assert values["memory"] == (state["memory"], None)
    assert values["task"][0] is None


def test_a_machine_that_falls_idle_takes_back_the_name_of_its_busiest_task() -> None:
    profile, state = Profile("00ff", "pc", "2.07", 10.0), Machine(SystemClock(), tasks=0).look()
    decoder = Decoder(Sources())
    decoder.decode(received(1, profile.config_topic, announcement(profile, state, "1")))

    def task(said: dict[str, Any]) -> list[Any]:
        rows = [
            r.row
            for r in decoder.decode(received(2, profile.state_topic, said))
            if r.relation == "measurements"
        ]
        return [row[3:5] for row in rows if row[0] == "sensor.smartcis_00ff_task"]

    assert task({**state, "task": "python3"}) == [(None, "python3")]
    assert task(state) == [(None, None)]


def test_the_list_of_tasks_is_a_stream_as_the_documentation_declares_it(repository: Path) -> None:
    declared = (repository / "docs" / "agent.md").read_text().partition("```yaml\n")[2].partition("```")[0]
    tasks = [
        {"name": "python3", "pid": 4711, "cpu": 97.1, "memory": 18},
        {"name": "x", "pid": 1, "cpu": 1, "memory": 5},
    ]
    state = {**Machine(SystemClock(), tasks=0).look(), "tasks": tasks, "host": "lab-7"}
    found = Decoder(parse_sources(declared, {})).decode(received(1, "smartcis/agent/00ff/state", state))
    rows = [(r.relation, *r.row[:2], *r.row[3:]) for r in found]
    assert rows == [
        ("tasks", "00ff", "lab-7", 0, "python3", 4711, 97.1, 18),
        ("tasks", "00ff", "lab-7", 1, "x", 1, 1.0, 5),
    ]


def received(offset: int, topic: str, document: dict[str, Any]) -> Record:
    return Record(offset, 99, "mqtt", topic, None, json.dumps(document).encode())


def test_what_a_machine_does_not_say_is_not_announced() -> None:
    profile = Profile("00ff", "pc", None, 10.0)
    found: dict[str, Any] = announcement(profile, {"cpu": 1.0}, "1")
    assert set(found["components"]) == {"cpu"}
    assert "suggested_area" not in found["device"]


def test_the_same_machine_has_the_same_id_and_does_not_tell_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "machine-id"
    own.write_text("3d1219c7c4c5404aaa1f6d2a48adfda4\n")
    assert identity((own,)) == identity((tmp_path / "none", own))
    assert identity((own,)) not in own.read_text()
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    made = identity(())
    assert re.fullmatch(r"[0-9a-f]{16}", made)
    assert identity(()) == made
