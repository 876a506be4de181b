"""What is known of devices and what people say of one, over HTTP and on the command line."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app import device_words
from app.cli import main
from app.device_views import IN_ROOMS, KNOWN, VALUES, install_device_views
from app.device_words import DeviceWords
from app.roles import Role
from engine.model.catalog import Catalog
from ingest.discovery.relations import DEVICE_STATES, DEVICES, DISCOVERED, ENTITIES, MEASUREMENTS
from ingest.log import Log
from tests.memory_engine import MAP_SHAPES, MemoryEngine
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.web_parts import ORIGIN, Site, client_of, running_site, web_over

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def engine() -> MemoryEngine:
    engine = MemoryEngine()
    engine.replace(
        1,
        known_devices=[
            ("d/1", "Kettle", "Acme", "K2", "zigbee", None, None, None, False, "online", 5),
            ("d2", HOSTILE, None, None, None, None, "1.01", None, True, None, None),
        ],
        device_values=[("t", "d/1", "Water", "temperature", "°C", 60.0, 97.5, None, 1_000_000)],
    )
    return engine


class Heard:
    """Whoever is told what people say."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Any]] = []

    def __call__(self, device: str, words: Any) -> None:
        self.said.append((device, dict(words)))


@pytest.fixture
def heard() -> Heard:
    return Heard()


Post = Callable[..., tuple[int, Any]]


@pytest.fixture
def post(engine: MemoryEngine, heard: Heard, tmp_path: Path) -> Post:
    def ask(device: str, body: dict[str, Any], role: Role = Role.OPERATOR) -> tuple[int, Any]:
        client = client_of(web_over(engine, tmp_path, say_of_device=heard), role)
        answer = client.post("/api/devices", json={"device": device, **body}, headers=ORIGIN)
        return answer.status_code, answer.get_json()

    return ask


def test_every_known_device_is_listed_with_its_values(engine: MemoryEngine, tmp_path: Path) -> None:
    found = client_of(web_over(engine, tmp_path), Role.OPERATOR).get("/api/devices").get_json()["devices"]
    assert [each["device"] for each in found] == ["d2", "d/1"]
    assert found[0]["name"] == HOSTILE
    assert (found[0]["values"], found[0]["seen"]) == ([], None)
    assert found[1]["seen"] == "1970-01-01T00:00:01.000000Z"
    (value,) = found[1]["values"]
    assert (value["quantity"], value["value"], value["unit"]) == ("temperature", 97.5, "°C")


def test_what_people_say_reaches_the_log_a_desk_says_its_room_and_a_room_leaves_the_desk(
    post: Post, heard: Heard
) -> None:
    assert post("d/1", {"name": "  My   kettle ", "disabled": True})[0] == 200
    assert post("d/1", {"desk": "1.01-d07"})[1] == {"device": "d/1", "desk": "1.01-d07", "room": "1.01"}
    assert post("d/1", {"room": "1.02"})[0] == 200
    assert post("d/1", {"room": ""})[0] == 200
    assert post("d2", {"forgotten": True})[0] == 200
    assert heard.said == [
        ("d/1", {"name": "My kettle", "disabled": True}),
        ("d/1", {"desk": "1.01-d07", "room": "1.01"}),
        ("d/1", {"room": "1.02", "desk": None}),
        ("d/1", {"room": None, "desk": None}),
        ("d2", {"forgotten": True}),
    ]


@pytest.mark.parametrize(
    ("device", "body", "problem"),
    [
        ("d3", {"room": "1.01"}, "unknown device d3"),
        ("d2", {"room": "9.99"}, "unknown room 9.99"),
        ("d2", {"desk": "1.01-d99"}, "unknown desk 1.01-d99"),
        ("d2", {"desk": "1.01-d07", "room": "1.02"}, "stands in 1.01, not in 1.02"),
        ("d2", {"disabled": "yes"}, "expected true or false"),
        ("d2", {"disabled": 1}, "disabled is 1; expected true or false"),
        ("d2", {"forgotten": False}, "forgotten is said alone, and true"),
        ("d2", {"name": "x", "forgotten": True}, "forgotten is said alone, and true; found name, forgotten"),
        ("d2", {"name": 7}, "name is no text"),
        ("d2", {"name": "x" * 201}, "at most 200"),
        ("d2", {"name": "a\0b"}, "characters that cannot be seen"),
        ("d2", {"colour": "red"}, "expected JSON with any of name"),
        ("d2", {}, "says nothing of a device"),
        ("", {"room": "1.01"}, "the body has no device"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_done(
    post: Post, heard: Heard, device: str, body: object, problem: str
) -> None:
    status, answer = post(device, body)
    assert (status, heard.said) == (400, [])
    assert problem in answer["error"]


def test_who_may_not_see_alarms_may_not_change_devices(post: Post, heard: Heard) -> None:
    assert post("d2", {"forgotten": True}, Role.ANALYST)[0] == 403
    assert heard.said == []


class Passing:
    """An engine whose ticks pass whatever was appended."""

    def on_tick(self, listener: object) -> None: ...


def test_each_entry_has_all_that_people_say_until_the_device_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_words.WaitingList, "wait", lambda *_: None)
    with Log(f"sqlite:///{tmp_path}/log.db") as log:
        words = DeviceWords(Passing(), log)  # type: ignore[arg-type]
        words.say("d", {"name": "Kettle"})
        words.say("d", {"room": "1.01"})
        DeviceWords(Passing(), log).say("d", {"name": None, "disabled": True})  # type: ignore[arg-type]
        words.say("d", {"forgotten": True})
        words.say("d", {"room": "1.02"})
        assert [each.body for each in log.announced()] == [
            b'{"name": "Kettle"}',
            b'{"name": "Kettle", "room": "1.01"}',
            b'{"room": "1.01", "disabled": true}',
            b'{"forgotten": true}',
            b'{"room": "1.02"}',
        ]


@pytest.fixture
def site(engine: MemoryEngine, heard: Heard, tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path, engine=engine, say_of_device=heard) as running:
        yield running


def run(site: Site, tmp_path: Path, *arguments: str) -> tuple[int, str]:
    environment = {"SMARTCIS_STATE": str(tmp_path), "SMARTCIS_PORT": str(site.port)}
    result = CliRunner().invoke(main, arguments, env=environment)
    return result.exit_code, result.output


def test_the_command_line_lists_tells_and_changes(site: Site, heard: Heard, tmp_path: Path) -> None:
    code, listed = run(site, tmp_path, "devices")
    assert code == 0
    assert "d/1  Kettle  online  no room  Water 97.5 °C" in listed
    assert f"d2  {HOSTILE}  disabled  1.01" in listed
    code, told = run(site, tmp_path, "device", "d/1")
    assert (code, "maker: Acme" in told, "t: 97.5 °C" in told) == (0, True, True)
    assert run(site, tmp_path, "device", "d/1", "--room", "1.02", "--disable")[0] == 0
    assert run(site, tmp_path, "device", "d/1", "--forget")[0] == 0
    assert heard.said == [
        ("d/1", {"room": "1.02", "desk": None, "disabled": True}),
        ("d/1", {"forgotten": True}),
    ]
    code, problem = run(site, tmp_path, "device", "nobody")
    assert (code, problem) == (1, "Error: unknown device nobody; `smartcis devices` lists them all\n")


def device(of: str, room: str | None = None, *, disabled: bool = False) -> Change:
    return Change(DEVICES.name, 1, (of, of.upper(), "Acme", None, room, None, None, None, disabled))


def entity(of: str, device: str) -> Change:
    return Change(ENTITIES.name, 1, (of, device, None, "sensor", "temperature", "°C", f"{of}/t", 60.0))


def measured(of: str, device: str, value: float, at: int) -> Change:
    return Change(MEASUREMENTS.name, 1, (of, device, "temperature", value, None, None, at))


def test_the_views_show_every_device_its_last_values_and_what_stands_in_rooms() -> None:
    log = MemoryLog()
    catalog = Catalog(DISCOVERED)
    session = log.session(catalog)
    install_device_views(session, catalog)
    log.append(Entry(1, [device("a", "1.01"), device("b"), device("c", "1.01", disabled=True)]))
    log.append(Entry(1, [entity("ta", "a"), entity("tb", "b"), measured("ta", "a", 20.0, 3)]))
    log.append(Entry(1, [measured("ta", "a", 21.0, 4), Change(DEVICE_STATES.name, 1, ("a", "online", 2))]))
    log.tick(session)
    for view in (KNOWN, VALUES, IN_ROOMS):
        assert [column.name for column in session.snapshot(view).columns] == list(MAP_SHAPES[view])
    known, values = rows_of(session, KNOWN), rows_of(session, VALUES)
    assert {(row[0], row[9]) for row in known} == {("a", "online"), ("b", None), ("c", None)}
    assert {(row[0], row[4], row[6]) for row in values} == {("ta", "°C", 21.0), ("tb", "°C", None)}
    (row,) = rows_of(session, IN_ROOMS)
    assert row == ("ta", "1.01", None, "a", "A", "online", None, "temperature", "°C", 60.0, 21.0, None, 4)
