"""What is dear may be asked so often by one account; the map and kiosks never wait."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.create_app import Web
from app.paces import MINUTE, Pace, Paces
from app.pacing import CALLED, KINDS
from app.roles import Role, access_of
from engine.model.clock import SECOND, ManualClock
from tests.memory_engine import MemoryEngine
from tests.test_app_bypass import followed
from tests.web_parts import ORIGIN, client_of, running_site, web_over

FEW = Paces(queries=2, questions=3, checks=4, past=2, imports=1, at_once=1)
ASK = {"sql": "SELECT * FROM people"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_800_000_000 * SECOND)


@pytest.fixture
def web(tmp_path: Path, clock: ManualClock) -> Web:
    return web_over(MemoryEngine(), tmp_path, wall=clock, feed=clock, paces=FEW)


def test_a_pace_is_of_the_last_minute_and_of_one(clock: ManualClock) -> None:
    pace = Pace(FEW, clock)
    assert [pace.wait("ann", "queries") for _ in range(3)] == [0, 0, 60]
    assert pace.wait("bob", "queries") == 0
    assert pace.wait("ann", "checks") == 0
    clock.advance(MINUTE // 2)
    assert pace.wait("ann", "queries") == 30
    clock.advance(MINUTE // 2)
    assert pace.wait("ann", "queries") == 0


@pytest.mark.parametrize(
    ("path", "body", "most", "called"),
    [
        ("/api/statements", ASK, 2, CALLED["queries"]),
        ("/api/explain", ASK, 3, CALLED["questions"]),
        ("/api/why", {"view": "people", "where": {}}, 3, CALLED["questions"]),
        ("/api/check", ASK, 4, CALLED["checks"]),
    ],
)
def test_over_the_pace_one_is_told_how_long_to_wait(
    web: Web, clock: ManualClock, path: str, body: dict[str, Any], most: int, called: str
) -> None:
    client = client_of(web, Role.ANALYST)
    for _ in range(most):
        assert client.post(path, json=body, headers=ORIGIN).status_code != 429
    clock.advance(20 * SECOND)
    answer = client.post(path, json=body, headers=ORIGIN)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "40")
    assert answer.json == {"error": f"over {most} {called} in a minute; wait 40 s and ask again"}
    assert client_of(web, Role.ANALYST).post(path, json=body, headers=ORIGIN).status_code != 429
    clock.advance(40 * SECOND)
    assert client.post(path, json=body, headers=ORIGIN).status_code != 429


def test_one_account_has_one_pace_over_its_sessions(web: Web) -> None:
    web.auth.accounts.make("ann", Role.ANALYST)
    web.auth.accounts.choose("ann", "correct horse battery")
    paths = [web.auth.issue_link(Role.ANALYST, "ann") for _ in range(3)]
    answers = []
    for path in paths:
        client = client_of(web)
        client.get(path)
        answers.append(client.post("/api/statements", json=ASK, headers=ORIGIN).status_code)
    assert answers == [200, 200, 429]


def test_one_follows_so_many_queries_at_once(tmp_path: Path) -> None:
    with running_site(tmp_path, paces=FEW) as site:
        mine, other = site.cookie(Role.ANALYST), site.cookie(Role.ANALYST)
        first, second, third = (
            followed(site, cookie, "SELECT * FROM people") for cookie in (mine, mine, other)
        )
        assert (first.status, second.status, third.status) == (200, 429, 200)
        assert second.headers["Retry-After"] == "5"
        told = "you follow 1 queries already; stop one and ask again"
        assert json.loads(second.read()) == {"error": told}


def test_kiosks_and_the_map_never_wait(web: Web) -> None:
    kiosk, viewer = client_of(web, Role.KIOSK), client_of(web, Role.VIEWER)
    for client, path in ((kiosk, "/"), (kiosk, "/api/building"), (kiosk, "/kiosk"), (viewer, "/api/past")):
        statuses = {client.get(path).status_code for _ in range(60)}
        assert statuses == {200}, path


def test_the_token_of_the_state_folder_is_free(web: Web, tmp_path: Path) -> None:
    token = {"Authorization": f"Bearer {(tmp_path / 'token').read_text().strip()}"}
    statuses = {client_of(web).post("/api/statements", json=ASK, headers=token).status_code for _ in range(9)}
    assert statuses == {200}


def test_every_paced_route_is_there_and_none_is_a_kiosks(web: Web) -> None:
    assert set(KINDS) <= set(web.app.view_functions)
    for endpoint in KINDS:
        access = access_of(web.app.view_functions[endpoint])
        assert access is not None
        assert access.role is not None
        assert access.role > Role.KIOSK
