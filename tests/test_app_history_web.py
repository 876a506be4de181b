"""The past over HTTP and on the command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from app.cli import main
from app.history.past import Past
from app.history.reading import State
from app.history.told import state_csv
from app.roles import Role
from engine.model.clock import ManualClock
from engine.model.relation import Column
from engine.model.values import Type
from tests.memory_engine import MemoryEngine
from tests.random_past import SECOND, past_in
from tests.web_parts import client_of, running_site, web_over

BEGAN = 1_700_000_000 * SECOND


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Past]:
    kept = past_in(tmp_path, 1)
    for minute in range(120):
        row = ("1.01", float(minute % 10), minute >= 60, "x")
        before = [("1.01", float((minute - 1) % 10), minute > 60, "x")] if minute else []
        kept.view.take(BEGAN + minute * 60 * SECOND, [(row, 1), *((each, -1) for each in before)])
    guests = [(f"guest {n}", 1.0, True, "x") for n in range(6)]
    kept.at = BEGAN + 7_200 * SECOND
    kept.view.take(kept.at, [(row, count) for row in guests for count in (1, -1)])
    kept.flush()
    yield Past(kept.store.database, lambda: "ok")
    kept.close()


@pytest.fixture
def client(past: Past, tmp_path: Path) -> FlaskClient:
    web = web_over(MemoryEngine(), tmp_path, past=past, feed=ManualClock(BEGAN + 7_200 * SECOND))
    return client_of(web, Role.ANALYST)


def test_a_view_is_seen_as_it_was(client: FlaskClient) -> None:
    found = client.get(f"/api/views/v/at?t={BEGAN + 90 * SECOND}").json
    assert found["rows"] == [["1.01", 1.0, False, "x"]]
    assert [column["name"] for column in found["columns"]] == ["room", "celsius", "open", "task"]
    assert found["gap"] is None
    assert client.get("/api/views/v/at?t=30 minutes").json["rows"] == [["1.01", 0.0, True, "x"]]
    told = client.get("/api/views/v/at?t=2023-11-14T22:15:00Z&format=csv")
    assert told.mimetype == "text/csv"
    assert told.text == "room,celsius,open,task\n1.01,1.0,False,x\n"


def test_a_stretch_is_told_in_the_points_that_are_wanted(client: FlaskClient) -> None:
    found = client.get(
        "/api/views/v/history?from=2 hours&points=12&key=room%3D1.01&column=celsius&column=open"
    ).json
    (series,) = found["series"]
    celsius, opened = series["columns"]
    assert found["level"] == "minutes"
    assert len(found["at"]) <= 12
    assert sum(celsius["count"]) == 120
    assert (min(celsius["min"]), max(celsius["max"])) == (0.0, 9.0)
    assert opened["mean_over_time"][0] == 0
    assert opened["mean_over_time"][-1] == 1
    assert opened["held"][-1] is True
    assert series["key"] == ["1.01"]
    told = client.get(
        "/api/views/v/history?from=2 hours&points=12&column=celsius&format=csv"
    ).text.splitlines()
    assert told[0].startswith("at,room,celsius_count,celsius_changes,celsius_min,celsius_max,celsius_mean,")
    assert len(told) == 1 + len(found["at"])


def test_a_stretch_of_thousands_of_years_costs_what_was_said_in_it(client: FlaskClient) -> None:
    found = client.get("/api/views/v/history?from=0&to=253402300799999999&points=10&column=celsius").json
    assert found["level"] == "hours"


def test_a_text_in_csv_is_no_formula() -> None:
    found = State("v", 0, (Column("=n", Type.TEXT), Column("x", Type.DOUBLE)), (("=1+1", -1.5), ("@a", 2.0)))
    assert state_csv(found) == "'=n,x\n'=1+1,-1.5\n'@a,2.0\n"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (
            "history?points=10000&from=1 hour",
            "7 series of 3 columns in 10,000 points each is more than is told",
        ),
        ("at?t=soon", "t=soon is no time; expected a moment such as 2026-01-31T09:30:00Z"),
        (f"at?t={10**30}", "t=1000000000000000000000000000000 is no time; expected a moment"),
        (f"at?t={'1' * 5000}", "t=1111111111111111111111111111111111111111 is no time; expected a moment"),
        ("history?from=0&to=9999999999999999999", "to=9999999999999999999 is no time; expected"),
        ("history?points=1", "points=1 cannot be; expected a number from 2 to 10,000"),
        ("history?key=1.01", "key=1.01 says no column, or one twice; expected such as key=room=1.01"),
        ("history?format=xml", "format=xml is not told; there are json and csv"),
        ("at?t=1", "the past of v is kept from 2023-11-14 22:13:20 on, found 1970-01-01 00:00:00"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(client: FlaskClient, path: str, problem: str) -> None:
    answer = client.get(f"/api/views/v/{path}")
    assert answer.status_code == 400
    assert answer.json["error"].startswith(problem)


def test_the_past_of_a_view_needs_its_role(past: Past, tmp_path: Path) -> None:
    viewer = client_of(web_over(MemoryEngine(), tmp_path, past=past), Role.VIEWER)
    assert viewer.get("/api/views/v/at").status_code == 403
    assert "no past of room_power is kept" in viewer.get("/api/views/room_power/at").json["error"]


def test_a_server_without_a_past_says_so(tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.ANALYST)
    assert client.get("/api/views/v/at").json == {"error": "no past of v is kept by this server"}


def test_how_the_recording_goes_is_told_beside_the_sources(past: Past, tmp_path: Path) -> None:
    full = past._replace(health=lambda: "the past cannot be written: disk full")
    client = client_of(web_over(MemoryEngine(), tmp_path, past=full), Role.OPERATOR)
    assert client.get("/api/sources").json["history"] == "the past cannot be written: disk full"


def test_the_command_line_prints_both(past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock(BEGAN + 7_200 * SECOND)
    with running_site(tmp_path, past=past, feed=clock) as site:
        monkeypatch.setenv("SMARTCIS_STATE", str(tmp_path))
        monkeypatch.setenv("SMARTCIS_PORT", str(site.port))
        seen = CliRunner().invoke(main, ["history", "v", "--at", "30 minutes"]).output
        assert seen.splitlines()[2:] == ["1.01      0.0  true  x", "(1 rows at 2023-11-14 23:43:20)"]
        drawn = CliRunner().invoke(main, ["history", "v", "--from", "2 hours", "--column", "celsius"]).output
        assert drawn.startswith("1.01: celsius\n")
        assert drawn.rstrip().endswith("points, from minutes)")
        as_csv = CliRunner().invoke(main, ["history", "v", "--at", "30 minutes", "--csv"]).output
        assert as_csv == "room,celsius,open,task\n1.01,0.0,True,x\n"
        wrong = CliRunner().invoke(main, ["history", "v", "--at", "soon"])
        assert (wrong.exit_code, json.dumps(wrong.output)[:19]) == (2, '"t=soon is no time;')
