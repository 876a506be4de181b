"""Doors that are told to open or close: who may, what is answered, and that the way is MQTT."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import sleep

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from app import doors
from app.doors import TellDoor, door_teller
from app.roles import Role
from engine.model.errors import SourceError
from ingest import commands
from ingest.sources import parse_sources
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import free_port
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over

DOORS = """
mqtt:
  door_states:
    topic: hall/{door}/contact
    columns: {door: text, open: boolean}
"""


def row(door: str, is_open: bool) -> tuple:
    return (door, f"Door {door}", "lab", 1, 0.0, 0.0, 1.0, 0.0, is_open)


@pytest.fixture
def engine() -> MemoryEngine:
    engine = MemoryEngine()
    engine.replace(1, doors_now=[row("d1", True), row("d2", True)])
    return engine


class Obedient:
    """A door that does what it is told, and says so."""

    def __init__(self, engine: MemoryEngine) -> None:
        self.engine = engine
        self.told: list[tuple[str, bool]] = []

    def __call__(self, door: str, is_open: bool) -> None:
        self.told.append((door, is_open))
        self.engine.replace(2, doors_now=[row("d1", is_open if door == "d1" else True), row("d2", True)])


def ask(engine: MemoryEngine, state: Path, tell: TellDoor, role: Role, door: str, wanted: object) -> tuple:
    client = client_of(web_over(engine, state, tell_door=tell), role)
    answer = client.post(f"/api/doors/{door}", json={"state": wanted}, headers=ORIGIN)
    return answer.status_code, answer.get_json()


def test_an_operator_closes_a_door_and_is_told_once_the_door_has_said_so(
    engine: MemoryEngine, tmp_path: Path
) -> None:
    door = Obedient(engine)
    found = ask(engine, tmp_path, door, Role.OPERATOR, "d1", "closed")
    assert found == (200, {"door": "d1", "state": "closed"})
    assert door.told == [("d1", False)]
    assert engine.subscriptions == []


def test_a_door_that_is_so_already_is_told_all_the_same(engine: MemoryEngine, tmp_path: Path) -> None:
    door = Obedient(engine)
    assert ask(engine, tmp_path, door, Role.OPERATOR, "d1", "open")[0] == 200
    assert door.told == [("d1", True)]


@pytest.mark.parametrize("role", [Role.KIOSK, Role.VIEWER, Role.ANALYST])
def test_others_may_not(engine: MemoryEngine, tmp_path: Path, role: Role) -> None:
    door = Obedient(engine)
    assert ask(engine, tmp_path, door, role, "d1", "closed")[0] == 403
    assert door.told == []


@pytest.mark.parametrize(
    ("door", "wanted", "problem"),
    [
        ("d3", "closed", "unknown door d3; the view doors_now has them all"),
        ("d1%2F%23", "closed", "unknown door d1/#"),
        ("+", "closed", "unknown door +"),
        ("d1", "ajar", "a door cannot be ajar; it can be open or closed"),
        ("d1", False, "the body has no state"),
    ],
)
def test_what_is_wrong_is_said_and_no_door_is_told(
    engine: MemoryEngine, tmp_path: Path, door: str, wanted: object, problem: str
) -> None:
    obedient = Obedient(engine)
    status, body = ask(engine, tmp_path, obedient, Role.OPERATOR, door, wanted)
    assert status in (400, 404)
    assert status == 404 or body["error"].startswith(problem)
    assert obedient.told == []


def test_a_door_that_does_not_answer_is_said(
    engine: MemoryEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "PATIENCE_SECONDS", 0.05)
    status, body = ask(engine, tmp_path, lambda *_: None, Role.OPERATOR, "d1", "closed")
    assert status == 504
    assert body["error"].startswith("d1 was told, and has not answered for")


class Slow:
    """A door that does what it was told last, some time later, in one tick with whatever else it was told."""

    def __init__(self, engine: MemoryEngine) -> None:
        self.engine, self.told = engine, SimpleQueue[bool]()
        Thread(target=self._obey, daemon=True).start()

    def tell(self, _door: str, is_open: bool) -> None:
        self.told.put(is_open)

    def _obey(self) -> None:
        for tick in count(2):
            wanted = self.told.get()
            sleep(0.05)
            while not self.told.empty():
                wanted = self.told.get()
            self.engine.replace(tick, doors_now=[row("d1", wanted), row("d2", True)])


def test_of_opposite_commands_at_once_each_is_answered(engine: MemoryEngine) -> None:
    door = Slow(engine)
    wanted = [False, True] * 4
    with ThreadPoolExecutor(len(wanted)) as pool:
        turns = [pool.submit(doors.turn_door, engine, door.tell, "d1", state) for state in wanted]
        assert [turn.result(timeout=240) for turn in turns] == [None] * len(wanted)
    assert engine.subscriptions == []


def test_whoever_waits_for_a_door_that_does_not_answer_is_told_so(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "PATIENCE_SECONDS", 0.1)
    told: list[bool] = []

    def deaf(_door: str, is_open: bool) -> None:
        told.append(is_open)
        sleep(0.3)

    with ThreadPoolExecutor(2) as pool:
        turns = [pool.submit(doors.turn_door, engine, deaf, "d1", False) for _ in range(2)]
        problems = sorted(str(turn.exception(timeout=240)) for turn in turns)
    assert [problem[:16] for problem in problems] == ["d1 was not told:", "d1 was told, and"]
    assert told == [False]


def test_a_broker_that_does_not_answer_is_said(engine: MemoryEngine, tmp_path: Path) -> None:
    def unreachable(door: str, is_open: bool) -> None:
        message = "the broker at mqtt://elsewhere:1883 did not answer for 5 s"
        raise SourceError(message)

    found = ask(engine, tmp_path, unreachable, Role.OPERATOR, "d1", "closed")
    assert found == (504, {"error": "the broker at mqtt://elsewhere:1883 did not answer for 5 s"})


def test_a_building_without_such_doors_says_what_it_lacks(engine: MemoryEngine, tmp_path: Path) -> None:
    tell = door_teller(parse_sources("mqtt: {}", {}), "mqtt://127.0.0.1")
    status, body = ask(engine, tmp_path, tell, Role.OPERATOR, "d1", "closed")
    assert status == 400
    assert "declares no stream door_states" in body["error"]


def test_a_command_goes_to_the_doors_own_topic_and_set(mosquitto: Mosquitto) -> None:
    heard: SimpleQueue[MQTTMessage] = SimpleQueue()
    listener, subscribed = Client(CallbackAPIVersion.VERSION2), SimpleQueue()
    listener.on_message = lambda _c, _u, message: heard.put(message)
    listener.on_subscribe = lambda *_: subscribed.put(None)
    listener.connect("127.0.0.1", mosquitto.port)
    listener.subscribe("#", 1)
    listener.loop_start()
    subscribed.get(timeout=240)
    door_teller(parse_sources(DOORS, {}), mosquitto.url)("d1", False)
    message = heard.get(timeout=240)
    assert (message.topic, json.loads(message.payload)) == ("hall/d1/contact/set", {"open": False})
    assert not message.retain
    listener.loop_stop()


def test_a_command_to_no_broker_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "PATIENCE_SECONDS", 0.2)
    with pytest.raises(SourceError, match="did not answer"):
        commands.send_command(f"mqtt://127.0.0.1:{free_port()}", "hall/d1/contact/set", "{}")
