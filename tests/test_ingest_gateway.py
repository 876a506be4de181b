"""Gateway processes on real brokers: what is installed while they run, brokers that restart, kill -9."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest

from engine.model.values import Row
from ingest.gateways.kept import Kept
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until
from tests.gateway_parts import DEVICES, Answers, house, installing, planned
from tests.ingest_parts import Process, embedded_broker, python

pytestmark = pytest.mark.integration

LINKS = {"a": ["base"], "b": ["a"]}
LIGHT = "SELECT seat, room FROM seats WHERE weight < 2"
PAIRS = "SELECT s.seat, r.room FROM seats s, rooms r WHERE s.room = r.room AND s.weight < 2 AND r.open"


class Base:
    """Where the results arrive, and where devices and queries speak from."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.folder = port, folder
        self.sources = house(LINKS)
        text = "".join(f"  {name}: {{links: [{', '.join(to)}]}}\n" for name, to in LINKS.items())
        (folder / "sources.yaml").write_text(DEVICES + text)
        self.answers: dict[str, Answers] = {}
        self.states: dict[str, dict[str, Any]] = {}
        self.handed_on: list[tuple[str, bytes]] = []
        self.gateways: dict[str, Process] = {}
        self._lock = threading.Lock()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id="base", clean_session=False)
        self._client.on_message = self._heard
        self._client.on_connect = lambda client, *_: client.subscribe(
            [("fragment/#", 1), ("gateway/+/state", 1), ("building/#", 1)]
        )
        self._client.max_inflight_messages_set(0)
        self._client.max_queued_messages_set(0)
        self._client.reconnect_delay_set(1, 1)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def start(self, name: str) -> None:
        self.gateways[name] = python(
            "ingest.gateway", "--name", name, "--mqtt", f"mqtt://127.0.0.1:{self.port}",
            "--sources", str(self.folder / "sources.yaml"), "--state", str(self.folder),
        )  # fmt: skip

    def close(self) -> None:
        for process in self.gateways.values():
            process.end()
        self._client.disconnect()
        self._client.loop_stop()

    def says(self, gateway: str, device: str, **payload: Any) -> None:
        self._client.publish(f"field/{gateway}/{device}", json.dumps(payload), qos=1)

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> None:
        self._client.publish(topic, payload, qos=1, retain=retain)

    def asks(self, sql: str, method: str = "natural") -> str:
        topic, payload = installing(planned(sql, self.sources), method)
        key = topic.partition("/")[2]
        self.answers.setdefault(key, Answers(payload))
        self.publish(topic, payload, retain=True)
        return key

    def rows(self, key: str) -> Counter[Row]:
        with self._lock:
            return self.answers[key].rows()

    def answered(self, key: str) -> set[str]:
        with self._lock:
            return self.answers[key].answered(self.gateways)

    def wait_up(self, *names: str) -> None:
        for name in names:
            until(lambda: self.states.get(name, {}).get("state") == "up", 20, f"{name} to be up")  # noqa: B023

    def wait_rows(self, key: str, *rows: Row) -> None:
        def is_so() -> bool:
            return self.rows(key) == Counter(rows)

        try:
            until(is_so, 15, "rows")
        except TimeoutError:
            pytest.fail(f"expected {rows}, found {self.rows(key)}; {self.states}")

    def _heard(self, _client: object, _data: object, message: paho.MQTTMessage) -> None:
        with self._lock:
            match message.topic.split("/"):
                case ["fragment", key, _]:
                    self.answers[key].heard(message.topic, message.payload)
                case ["gateway", name, "state"]:
                    self.states[name] = json.loads(message.payload)
                case _:
                    self.handed_on.append((message.topic, message.payload))


@pytest.fixture
def base(mosquitto: Mosquitto, tmp_path: Path) -> Iterator[Base]:
    found = Base(mosquitto.port, tmp_path)
    yield found
    found.close()


def eventually(condition: Callable[[], object], what: str) -> None:
    until(condition, 15, what)


def test_what_is_asked_while_gateways_run_is_answered_and_one_that_is_killed_answers_again(
    base: Base,
) -> None:
    base.start("a")
    base.start("b")
    base.wait_up("a", "b")
    base.says("b", "seat/s1", room="x", weight=1.0)
    base.says("a", "room/r1", room="x", open=True)
    light, pairs = base.asks(LIGHT), base.asks(PAIRS)
    base.wait_rows(light, ("s1", "x"))
    base.wait_rows(pairs, ("s1", "x"))
    eventually(lambda: base.answered(light) == base.answered(pairs) == {"a", "b"}, "both to have answered")
    base.says("b", "seat/s1", room="x", weight=3.0)
    base.wait_rows(pairs)
    base.wait_rows(light)
    kept = Kept(base.folder / "b.said")
    eventually(lambda: len(kept.read()) == 2, "what was said to be on its disk")

    life = base.states["b"]["incarnation"]
    base.gateways["b"].kill()
    eventually(lambda: base.states["b"]["state"] == "gone", "its last will")
    base.start("b")
    base.wait_up("b")
    assert base.states["b"]["incarnation"] > life
    assert base.states["b"]["streams"]["seats"]["devices"] == 1
    base.says("b", "seat/s2", room="x", weight=0.0)
    base.wait_rows(pairs, ("s2", "x"))
    base.publish(f"fragments/{light}", b"", retain=True)
    eventually(lambda: base.states["b"]["runs"] == [f"fragment:{pairs}"], "it to run no longer")
    assert base.states["b"]["hops"] == 2
    assert base.states["b"]["messages"]["by"][pairs]["results"] > 0

    base.gateways.pop("b").end()
    eventually(lambda: base.states["b"]["state"] == "gone", "its good-bye")
    base.start("b")
    base.wait_up("b")
    assert base.states["b"]["streams"]["seats"]["devices"] == 2
    base.wait_rows(pairs, ("s2", "x"))


def test_what_cannot_be_read_or_run_is_said_and_stops_nothing(base: Base) -> None:
    base.start("a")
    base.wait_up("a")
    good = base.asks(LIGHT)
    base.publish("fragments/0000000000000001", b"{not json", retain=True)
    _, payload = installing(planned(LIGHT, base.sources))
    other = payload.replace(b"seats", b"chairs")
    base.publish("fragments/0000000000000002", other, retain=True)
    for payload in (b"\xff", b"{}", b'{"room": "x", "weight": "heavy"}', b"[" * 9_000):
        base.publish("field/a/seat/s1", payload)
    base.publish("field/a/unknown/s1", b"{}")
    base.publish("mesh/a/b", b"{}")
    base.says("a", "seat/s2", room="x", weight=1)
    base.wait_rows(good, ("s2", "x"))
    eventually(lambda: base.states["a"].get("rejected") == 5, "the bad messages to be counted")
    failed = base.states["a"]["failed"]
    assert "not JSON" in failed["fragment:0000000000000001"]
    unknown = "no device here speaks stream chairs; there are seats, rooms"
    assert failed["fragment:0000000000000002"].startswith(unknown)
    assert base.states["a"]["runs"] == [f"fragment:{good}"]


def test_a_broker_that_restarts_finds_gateways_that_say_everything_again(
    base: Base, mosquitto: Mosquitto
) -> None:
    base.start("a")
    base.start("b")
    base.wait_up("a", "b")
    light = base.asks(LIGHT)
    base.says("b", "seat/s1", room="x", weight=1.0)
    base.says("b", "door/d1", open=True)
    base.wait_rows(light, ("s1", "x"))
    lives = {name: base.states[name]["incarnation"] for name in "ab"}
    mosquitto.stop()
    mosquitto.start()
    eventually(lambda: all(base.states[n].get("incarnation", 0) > lives[n] for n in "ab"), "new lives")
    base.says("b", "seat/s2", room="y", weight=1.0)
    base.wait_rows(light, ("s1", "x"), ("s2", "y"))
    eventually(lambda: len(base.handed_on) >= 2, "the last message of the door again")
    assert set(base.handed_on) == {("building/door/d1", b'{"open": true}')}


def test_a_broken_sources_file_is_one_line_and_exit_code_2(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sources.yaml").write_text("mqtt: 7")
    process = python(
        "ingest.gateway", "--name", "a", "--mqtt", "mqtt://127.0.0.1:1", "--state", str(tmp_path),
        "--sources", str(tmp_path / "sources.yaml"),
    )  # fmt: skip
    assert process.popen.wait(120) == 2
    error = capfd.readouterr().err.strip()
    assert error.startswith("gateway a: ")
    assert "\n" not in error


@pytest.mark.slow
def test_a_thousand_devices_behind_one_gateway_of_the_embedded_broker(tmp_path: Path) -> None:
    with embedded_broker() as port:
        base = Base(port, tmp_path)
        try:
            base.start("a")
            base.wait_up("a")
            for number in range(1_000):
                base.says("a", f"seat/s{number}", room=f"r{number % 50}", weight=float(number % 4))
            light = base.asks(LIGHT)
            count = base.asks("SELECT room, count(*) FROM seats GROUP BY room")
            eventually(lambda: len(base.rows(light)) == 500, "half of them")
            for number in range(1_000):
                base.says("a", f"seat/s{number}", room=f"r{number % 50}", weight=0.0)
            eventually(lambda: len(base.rows(light)) == 1_000, "all of them")
            eventually(lambda: base.rows(count) == Counter((f"r{n}", 20) for n in range(50)), "their number")
            eventually(lambda: base.states["a"]["streams"]["seats"]["devices"] == 1_000, "to be told")
            assert base.states["a"]["rejected"] == 0
        finally:
            base.close()
