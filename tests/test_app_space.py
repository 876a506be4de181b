"""The use of space: what its pages say is what a recomputation, turn by turn, says too."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.building import Building, read_building
from app.history.past import Past
from app.roles import Role
from app.space.energy import drawn, drawn_by_hour, tariff_of
from app.space.hours import HeldHours
from app.space.sensors import Stuck, judged, rules_of
from app.space.shelf import Shelf
from app.space.use import ROOMS, Asked, by_hour, uses
from engine.model.clock import ManualClock
from engine.model.errors import QueryError, SourceError
from engine.model.values import Row
from engine.views.history import HOUR
from tests.memory_engine import MemoryEngine
from tests.space_parts import DAY, START, Said, UsedBuilding, random_turns
from tests.web_parts import BUILDING, client_of, web_over

END = START + 2 * DAY + 5 * HOUR
ROOM_KEYS: list[Row] = [("1.01", 1), ("1.09", 1), ("2.01", 2)]


def room_use(chosen: random.Random, _key: Row) -> Row:
    taken, reserved = chosen.choice([0, 0, 1, 3, 7]), chosen.random() < 0.4
    return taken, taken > 0, reserved, reserved and not taken


def watts(chosen: random.Random, _key: Row) -> Row | None:
    return None if chosen.random() < 0.1 else (round(chosen.uniform(3, 120), 1),)


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UsedBuilding]:
    past = UsedBuilding(tmp_path_factory.mktemp("used"))
    past.record("room_use", random_turns(1, ROOM_KEYS, END, 0.8, room_use), END)
    past.record("floor_use", random_turns(2, [(1,), (2,)], END, 2, room_use), END)
    past.record("building_use", random_turns(3, [("building",)], END, 2, room_use), END)
    past.record("room_power", random_turns(4, [("1.01",), ("2.01",)], END, 2, watts), END)
    past.record("machine_power", random_turns(5, [("1.01-m01",), ("gone",)], END, 1, watts), END)
    past.record("desk_states", desks(), END)
    past.record("lamp_states", lamps(), END)
    yield past
    past.close()


def desks() -> list[Said]:
    """One is pressed since the first hour, one changes, one is pressed lately, in the dark."""
    found = [
        Said(START + 1, ("1.01-d01",), (True,)),
        *(Said(START + n * HOUR, ("1.01-d02",), (n % 2 == 0,)) for n in range(53)),
        Said(START + 2, ("1.09-d01",), (False,)),
        Said(END - 5 * HOUR, ("1.09-d01",), (True,)),
    ]
    return sorted(found, key=lambda said: said.at)


def lamps() -> list[Said]:
    return [
        Said(START, ("1.01",), (True,)),
        Said(START + 1, ("1.09",), (True,)),
        Said(END - 9 * HOUR, ("1.01",), (False,)),
        Said(END - 8 * HOUR, ("1.01",), (True,)),
        Said(END - 6 * HOUR, ("1.09",), (False,)),
    ]


@pytest.fixture(scope="module")
def building() -> Building:
    return read_building(BUILDING)


@pytest.fixture
def held(used: UsedBuilding, tmp_path: Path) -> HeldHours:
    return HeldHours(used.store.database, Shelf(tmp_path / "space"))


STRETCHES = ((START, END), (START + 30 * HOUR, START + 31 * HOUR), (START + 20 * HOUR, END - HOUR))


@pytest.mark.parametrize(("start", "end"), STRETCHES)
def test_the_use_of_a_room_is_that_of_all_its_stays(
    used: UsedBuilding, held: HeldHours, start: int, end: int
) -> None:
    for use in uses(held, ROOMS, start, end):
        key = next(key for key in ROOM_KEYS if key[0] == use.place)
        stays = list(used.stays("room_use", key, start, end))
        known = sum(until - at for at, until, _ in stays)
        areas = [sum(row[n] * (until - at) for at, until, row in stays) for n in range(4)]
        assert use.known == pytest.approx(known / HOUR, abs=1e-4)
        assert use.mean == pytest.approx(areas[0] / known, abs=1e-4)
        assert use.peak == max(row[0] for *_, row in stays)
        assert (use.used, use.reserved, use.idle) == pytest.approx([a / HOUR for a in areas[1:]], abs=1e-4)


def test_an_hour_in_which_nothing_changed_has_what_was_held(
    used: UsedBuilding, held: HeldHours, building: Building
) -> None:
    hours = by_hour(held, building, Asked(room="1.01"), START, END)
    assert [hour.at for hour in hours] == list(range(START, END, HOUR))
    for hour in hours:
        stays = list(used.stays("room_use", ("1.01", 1), hour.at, hour.at + HOUR))
        known = sum(until - at for at, until, _ in stays)
        assert hour.peak == max((row[0] for *_, row in stays), default=0)
        assert hour.mean == (
            pytest.approx(sum(row[0] * (until - at) for at, until, row in stays) / known, abs=1e-4)
            if known
            else None
        )


def test_energy_is_power_by_the_time_in_which_it_was_known(
    used: UsedBuilding, held: HeldHours, building: Building
) -> None:
    found = drawn(held, building, START, END)
    for room in found.rooms:
        stays = used.stays("room_power", (room.of,), START, END)
        joules = sum(row[0] * (until - at) / 1e6 for at, until, row in stays)
        assert room.kwh == pytest.approx(joules / 3.6e6, rel=1e-5)
    assert [floor.of for floor in found.floors] == ["1", "2"]
    assert found.total == pytest.approx(sum(floor.kwh for floor in found.floors))
    hours = drawn_by_hour(held, {"1.01": True, "2.01": True}, START, END)
    assert sum(hour.kwh or 0 for hour in hours) == pytest.approx(found.total, rel=1e-5)
    assert {machine.of: machine.where for machine in found.machines}["gone"] == ""


def test_what_is_read_again_or_after_a_restart_is_the_same(used: UsedBuilding, tmp_path: Path) -> None:
    first = HeldHours(used.store.database, Shelf(tmp_path))
    told = uses(first, ROOMS, START, END)
    assert uses(first, ROOMS, START, END) == told
    assert len(list(tmp_path.glob("*.npz"))) == 2  # the days that are over
    for again, before in zip(
        uses(HeldHours(used.store.database, Shelf(tmp_path)), ROOMS, START, END), told, strict=True
    ):
        assert again[1:] == pytest.approx(before[1:], rel=1e-5)
    next(tmp_path.glob("*.npz")).write_bytes(b"half a file")
    assert uses(HeldHours(used.store.database, Shelf(tmp_path)), ROOMS, START, END)[0].peak == told[0].peak


def test_sensors_that_say_the_same_for_too_long_are_stuck(held: HeldHours, building: Building) -> None:
    rules = rules_of(
        {
            "sensors": [
                {
                    "view": "desk_states", "column": "pressed", "name": "seat", "on_hours": 40,
                    "against": {"view": "lamp_states", "column": "lit", "hours": 3},
                },
                {"view": "lamp_states", "column": "lit", "name": "lamp", "on_hours": 4, "off_hours": 5},
                {"view": "nobody", "column": "x", "name": "ghost", "on_hours": 1},
            ]
        }
    )  # fmt: skip
    found = judged(held, building, rules, END)
    assert [each.sensor for each in found.stuck] == ["1.01-d01", "1.01", "1.09", "1.09-d01"]
    desk, lamp, _dark, bag = found.stuck
    assert desk == Stuck(
        "1.01-d01", "seat", "1.01", True, END - 41 * HOUR, 41.0,
        "the same for longer than 40 h, the limit in a room of kind lab",
    )  # fmt: skip
    assert (lamp.is_on, lamp.hours) == (True, 6.0)
    assert (bag.is_on, bag.why) == (True, "on for 3 h and more while lit was off")
    assert found.unknown[0].startswith("ghost: no past of nobody is kept")


def test_a_kind_of_room_has_limits_of_its_own(held: HeldHours, building: Building) -> None:
    rule = {"view": "desk_states", "column": "pressed", "name": "seat", "on_hours": 40}
    for limit, stuck in ((None, []), (60, []), (30, ["1.01-d01"])):
        rules = rules_of({"sensors": [{**rule, "kinds": {"lab": {"on_hours": limit}}}]})
        assert [each.sensor for each in judged(held, building, rules, END).stuck] == stuck


@pytest.mark.parametrize(
    ("described", "problem"),
    [
        ({"tariff": 3}, 'tariff is 3; expected {"currency": "EUR"'),
        ({"tariff": {"currency": "EUR", "per_kwh": -1}}, "expected"),
        ({"sensors": {}}, "sensors is {}; expected a list"),
        ({"sensors": [{"view": "v"}]}, "sensors[0]: column is missing or wrong"),
        (
            {"sensors": [{"view": "v", "column": "c", "name": "n", "on_hours": 0}]},
            "on_hours is 0; expected hours",
        ),
        (
            {"sensors": [{"view": "v", "column": "c", "name": "n", "kinds": {"lab": 4}}]},
            "sensors[0].kinds.lab is 4; expected such as",
        ),
        (
            {"sensors": [{"view": "v", "column": "c", "name": "n", "against": {"view": "w"}}]},
            "sensors[0].against is",
        ),
    ],
)
def test_what_building_json_says_wrong_is_said(described: dict[str, object], problem: str) -> None:
    read = tariff_of if "tariff" in described else rules_of
    with pytest.raises(SourceError) as raised:
        read(described)
    assert problem in raised.value.message


@pytest.fixture
def client(used: UsedBuilding, tmp_path: Path) -> FlaskClient:
    past = Past(used.store.database, lambda: "ok")
    return client_of(web_over(MemoryEngine(), tmp_path, past=past, feed=ManualClock(END)), Role.VIEWER)


def test_the_pages_questions_are_answered_as_json_and_csv(client: FlaskClient) -> None:
    stretch = f"from={START}&to={END}"
    use = client.get(f"/api/space/use?{stretch}").json
    assert [room["place"] for room in use["rooms"]] == ["1.01", "1.09", "2.01"]
    assert use["rooms"][1]["kind"] == "lab"
    lines = client.get(f"/api/space/use?{stretch}&format=csv").text.splitlines()
    assert lines[0].startswith("place,name,kind,floor,known_hours,mean,peak")
    assert len(lines) == 1 + 2 + 3
    hours = client.get(f"/api/space/hours?{stretch}&floor=2").json
    assert len(hours["at"]) == len(hours["mean"]) == len(hours["kwh"]) == 53
    assert len(client.get(f"/api/space/hours?{stretch}&format=csv").text.splitlines()) == 54
    energy = client.get(f"/api/space/energy?{stretch}").json
    assert energy["tariff"] == {"currency": "EUR", "per_kwh": 0.31}
    assert energy["total"]["cost"] == round(energy["total"]["kwh"] * 0.31, 2)
    assert "machine,gone,gone" in client.get(f"/api/space/energy?{stretch}&format=csv").text
    assert "sensors" in client.get("/api/space/sensors").json
    assert client.get("/space").status_code == 200


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("hours?room=9.99", "unknown room 9.99"),
        ("hours?floor=9", "unknown floor 9; there are 1, 2, 3"),
        ("hours?floor=x", "floor=x is no floor"),
        ("hours?floor=1&room=1.01", "a room or a floor, not both"),
        ("use?from=0", "at most 400 days"),
        (f"use?from={END}", "begins before it ends"),
        ("energy?format=xml", "format=xml is not told"),
        ("use?from=soon", "from=soon is no time"),
    ],
)
def test_what_cannot_be_asked_is_said(client: FlaskClient, path: str, problem: str) -> None:
    answer = client.get(f"/api/space/{path}")
    assert answer.status_code == 400
    assert problem in answer.json["error"]


def test_without_a_past_nothing_is_known_and_that_is_said(tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.VIEWER)
    assert "no past is kept" in client.get("/api/space/use").json["error"]
    found = client.get("/api/space/sensors")
    assert (found.status_code, found.json["sensors"]) == (200, [])
    assert client_of(web_over(MemoryEngine(), tmp_path), Role.KIOSK).get("/space").status_code == 403


def test_a_building_that_keeps_no_such_past_says_which_view_lacks(used: UsedBuilding, tmp_path: Path) -> None:
    held = HeldHours(used.store.database, Shelf(tmp_path))
    with pytest.raises(QueryError) as raised:
        held.of("room_heat", ("x",), START, END)
    assert "no past of room_heat is kept" in raised.value.message
