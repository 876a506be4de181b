"""All of the map at one moment, and since when there is such a past."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.roles import Role
from engine.model.clock import ManualClock
from tests.browser.recorded import RecordedMap
from tests.memory_engine import MemoryEngine
from tests.web_parts import client_of, web_over

SECOND = 1_000_000
BEGAN = 1_700_000_000 * SECOND
NOON, LATER, NOW = BEGAN + 60 * SECOND, BEGAN + 120 * SECOND, BEGAN + 600 * SECOND


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[RecordedMap]:
    recorded = RecordedMap(tmp_path, BEGAN, "dark_rooms", "taken_desks")
    yield recorded
    recorded.close()


def client(recorded: RecordedMap, folder: Path, role: Role = Role.ANALYST) -> FlaskClient:
    return client_of(web_over(MemoryEngine(), folder, past=recorded.past(), feed=ManualClock(NOW)), role)


def test_several_views_are_told_as_they_were_at_once(recorded: RecordedMap, tmp_path: Path) -> None:
    recorded.say(NOON, dark_rooms=[("1.09", 2.0)], taken_desks=[("1.01-d01", "1.01")])
    recorded.say(LATER, dark_rooms=[], taken_desks=[("1.01-d02", "1.01")])
    asked = client(recorded, tmp_path)
    path = f"/api/past/at?t={NOON + 1}&view=dark_rooms&view=taken_desks&view=people"
    found = asked.get(path).json
    assert found["at"] == NOON + 1
    assert found["views"]["dark_rooms"]["rows"] == [["1.09", 2.0]]
    assert found["views"]["taken_desks"]["rows"] == [["1.01-d01", "1.01"]]
    assert list(found["untold"]) == ["people"]
    assert "no past of people is kept" in found["untold"]["people"]
    assert asked.get("/api/past/at?t=1 second&view=dark_rooms").json["views"]["dark_rooms"]["rows"] == []


def test_the_span_has_the_gaps_in_which_nothing_was_recorded(recorded: RecordedMap, tmp_path: Path) -> None:
    recorded.say(NOON, dark_rooms=[("1.09", 2.0)])
    recorded.miss(LATER)
    recorded.say(NOW, dark_rooms=[])
    found = client(recorded, tmp_path).get("/api/past").json
    assert found == {
        "from": BEGAN,
        "until": NOW,
        "gaps": [[NOON, LATER]],
        "views": ["dark_rooms", "taken_desks"],
    }


def test_a_gap_of_one_view_is_no_gap_of_the_map(recorded: RecordedMap, tmp_path: Path) -> None:
    recorded.say(NOON, dark_rooms=[("1.09", 2.0)])
    recorded.views.pop("taken_desks")
    recorded.miss(LATER)
    recorded.say(NOW, dark_rooms=[])
    assert client(recorded, tmp_path).get("/api/past").json["gaps"] == []


def test_where_no_past_is_kept_the_span_is_empty_and_a_moment_is_refused(tmp_path: Path) -> None:
    asked = client_of(web_over(MemoryEngine(), tmp_path), Role.ANALYST)
    assert asked.get("/api/past").json == {"from": None, "until": None, "gaps": [], "views": []}
    answer = asked.get("/api/past/at?t=1 hour&view=people")
    assert (answer.status_code, answer.json) == (400, {"error": "no past is kept by this server"})


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("t=soon&view=people", "t=soon is no time; expected a moment"),
        ("t=1 hour", "no view is named; expected some on the map"),
        ("t=1 hour&view=rejected", "view=rejected is not on the map; of any other view"),
    ],
)
def test_what_cannot_be_asked_is_said(
    recorded: RecordedMap, tmp_path: Path, query: str, problem: str
) -> None:
    answer = client(recorded, tmp_path).get(f"/api/past/at?{query}")
    assert answer.status_code == 400
    assert answer.json["error"].startswith(problem)


def test_a_kiosk_is_not_told_where_people_were(recorded: RecordedMap, tmp_path: Path) -> None:
    kiosk = client(recorded, tmp_path, Role.KIOSK)
    assert kiosk.get("/api/past").status_code == 403
    assert kiosk.get("/api/past/at?t=1 hour&view=people").status_code == 403
