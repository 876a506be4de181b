"""Kiosks: a link of their own, bound to a name and a place, that can be taken back."""

from pathlib import Path

import pytest

from app.create_app import Web
from app.kiosks import Kiosks
from app.roles import Role
from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over

POINTS = [("kiosk-1", 1, 43.2, 4.4, "kiosk"), ("x-north", 1, 46.0, 54.0, "entrance")]
DAY = 86_400_000_000


@pytest.fixture
def web(tmp_path: Path) -> Web:
    engine = MemoryEngine()
    engine.replace(1, walking_points=POINTS)
    return web_over(engine, tmp_path)


def change(web: Web, **body: object) -> tuple[int, dict[str, str]]:
    answer = client_of(web, Role.ADMIN).post("/api/kiosks", json=body, headers=ORIGIN)
    return answer.status_code, answer.json or {}


def test_a_kiosks_link_is_good_as_often_as_it_is_opened_and_knows_where_it_stands(web: Web) -> None:
    status, made = change(web, name="north door", point="x-north")
    assert (status, made["point"]) == (201, "x-north")
    for _ in range(2):
        kiosk = client_of(web)
        assert kiosk.get(made["link"]).headers["Location"] == "/kiosk"
        assert kiosk.get("/api/kiosk").json == {"name": "north door", "point": "x-north"}
        page = kiosk.get("/kiosk").text
        assert 'data-kiosk="north door" data-point="x-north"' in page
        assert kiosk.get("/alarms").status_code == 403


def test_a_link_that_is_taken_back_or_made_anew_ends_its_sessions(web: Web) -> None:
    kiosks = []
    for _ in range(2):
        kiosks.append(client_of(web))
        assert kiosks[-1].get(change(web, name="lobby")[1]["link"]).status_code == 303
    assert [kiosk.get("/kiosk").status_code for kiosk in kiosks] == [401, 200]
    assert change(web, name="lobby", removed=True) == (200, {"name": "lobby", "removed": True})
    assert kiosks[1].get("/kiosk").status_code == 401
    assert client_of(web, Role.VIEWER).get("/api/kiosks").json == {"kiosks": []}


def test_a_kiosk_that_runs_is_renewed_for_as_long_as_it_runs(tmp_path: Path) -> None:
    engine, clock = MemoryEngine(), ManualClock(1_700_000_000_000_000)
    engine.replace(1, walking_points=POINTS)
    web = web_over(engine, tmp_path, wall=clock)
    kiosk = client_of(web)
    kiosk.get(change(web, name="lobby")[1]["link"])
    for _ in range(4):
        clock.advance(5 * DAY)
        assert kiosk.get("/api/kiosk").status_code == 200
    clock.advance(8 * DAY)
    assert kiosk.get("/api/kiosk").status_code == 401


def test_kiosks_outlive_a_restart_and_their_tokens_are_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "kiosks.json"
    token = Kiosks(path).make("lobby", "kiosk-1")
    assert token not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    found = Kiosks(path).redeem(token)
    assert found
    assert (found.name, found.point) == ("lobby", "kiosk-1")
    assert Kiosks(path).redeem(token + "x") is None
    path.write_text('[{"name": 1}]')
    with pytest.raises(SourceError, match="is not what SmartCIS keeps of kiosks"):
        Kiosks(path)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"name": "lobby", "point": "x-nort"}, "there is no routing point x-nort; did you mean x-north"),
        ({"name": "two\nlines"}, "no kiosk can be called"),
        ({"name": "nobody", "removed": True}, "there is no kiosk nobody; there are: none"),
        ({}, "the body has no name"),
    ],
)
def test_what_is_wrong_with_a_kiosk_is_said(web: Web, body: dict[str, object], problem: str) -> None:
    status, said = change(web, **body)
    assert status == 400
    assert problem in said["error"]


def test_only_an_admin_makes_kiosks(web: Web) -> None:
    body = {"name": "mine", "point": "kiosk-1"}
    for role in (Role.KIOSK, Role.OPERATOR):
        assert client_of(web, role).post("/api/kiosks", json=body, headers=ORIGIN).status_code == 403
