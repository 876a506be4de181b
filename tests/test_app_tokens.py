"""API tokens: whose they are, what they may, and when they end."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from simple_websocket import Client, ConnectionError

from app.accounts.tokens import DAY, MOST_DAYS, MOST_OF_ONE, SEEN_EVERY
from app.create_app import Web
from app.roles import Role
from engine.model.clock import SECOND, ManualClock
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, Site, Socket, client_of, running_site, web_over

START = 1_800_000_000 * SECOND


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def web(tmp_path: Path, clock: ManualClock) -> Web:
    return web_over(MemoryEngine(), tmp_path, wall=clock, feed=clock)


def person(web: Web, name: str = "maria", role: Role = Role.ANALYST) -> Any:
    """Somebody signed in as an account."""
    accounts = web.auth.accounts
    if accounts.find(name) is None:
        accounts.make(name, role)
    client = client_of(web)
    assert client.get(web.auth.issue_link(role, name)).status_code == 303
    return client


def made(client: Any, name: str = "sync", **said: Any) -> dict[str, Any]:
    answer = client.post("/api/tokens", json={"name": name, **said}, headers=ORIGIN)
    assert answer.status_code == 201, answer.json
    return dict(answer.json)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def host(web: Web, state: Path) -> tuple[Any, dict[str, str]]:
    return client_of(web), bearer((state / "token").read_text())


def status(web: Web, secret: str, path: str, method: str = "GET", **said: Any) -> int:
    return int(client_of(web).open(path, method=method, headers=bearer(secret), **said).status_code)


def test_a_token_acts_as_its_account_and_no_higher_than_its_own_role(web: Web) -> None:
    maria = person(web)
    whole, less = made(maria, "all of it")["token"], made(maria, "map", role="viewer")["token"]
    assert [status(web, whole, path) for path in ("/api/views", "/api/schema", "/api/sources")] == [
        200,
        200,
        403,
    ]
    assert [status(web, less, path) for path in ("/api/views", "/api/schema")] == [200, 403]
    assert status(web, whole, "/api/saved", "POST", json={"name": "n", "text": "SELECT 1"}) == 201
    (kept,) = maria.get("/api/saved").json["saved"]
    assert kept["of"] == "maria"


def test_a_role_above_ones_own_is_refused(web: Web) -> None:
    answer = person(web).post("/api/tokens", json={"name": "sync", "role": "admin"}, headers=ORIGIN)
    assert answer.status_code == 400
    assert "maria is analyst" in answer.json["error"]


def test_a_token_that_reads_only_asks_and_changes_nothing(web: Web) -> None:
    admin = person(web, "admin", Role.ADMIN)
    secret = made(admin, reads_only=True)["token"]
    asked = {"sql": "SELECT * FROM people"}
    assert status(web, secret, "/api/accounts") == 200
    assert status(web, secret, "/api/accounts", "HEAD") == 200
    for path in ("/api/query", "/api/explain", "/api/check", "/api/statements"):
        assert status(web, secret, path, "POST", json=asked) == 200, path
    row = {"view": "people", "where": {"person": "a", "floor": 1, "x": 1, "y": 1}}
    assert status(web, secret, "/api/why", "POST", json=row) == 200
    routed = {"sql": "SELECT * FROM people OUTPUT TO DISPLAY 'lobby'"}
    created = {"sql": "CREATE VIEW v AS SELECT * FROM people"}
    for method, path, said in (
        ("POST", "/api/query", routed),
        ("POST", "/api/statements", created),
        ("POST", "/api/views", created),
        ("POST", "/api/links", {"role": "admin"}),
        ("POST", "/api/accounts", {"name": "x", "role": "admin"}),
        ("PATCH", "/api/accounts/admin", {"role": "viewer"}),
        ("DELETE", "/api/accounts/admin", {}),
        ("POST", "/logout", {}),
    ):
        assert status(web, secret, path, method, json=said) == 403, path


def test_every_post_that_a_reading_token_may_call_is_known_here(web: Web) -> None:
    from app.roles import access_of

    reads = {
        rule.rule
        for rule in web.app.url_map.iter_rules()
        if (access := access_of(web.app.view_functions[rule.endpoint])) and access.reads
    }
    assert reads == {"/api/query", "/api/explain", "/api/why", "/api/check", "/api/statements"}


def test_a_token_makes_none_and_changes_nothing_of_how_its_account_signs_in(web: Web) -> None:
    secret = made(person(web, "admin", Role.ADMIN), role="viewer")["token"]
    for method, path in (
        ("POST", "/api/tokens"),
        ("POST", "/api/me/password"),
        ("DELETE", "/api/me/sessions"),
    ):
        answer = client_of(web).open(
            path, method=method, json={"name": "more", "old": "", "new": "three blue herons"},
            headers=bearer(secret),
        )  # fmt: skip
        assert answer.status_code == 403, path
        assert "Set-Cookie" not in answer.headers
    assert web.auth.accounts.get("admin").password == ""


def test_a_token_ends_by_its_day(web: Web, clock: ManualClock) -> None:
    maria = person(web)
    secret = made(maria, days=2)["token"]
    clock.advance(2 * DAY - 1)
    assert status(web, secret, "/api/views") == 200
    clock.advance(1)
    refused = client_of(web).get("/api/views", headers=bearer(secret))
    assert refused.status_code == 401
    assert refused.json["error"] == "This token is unknown, has expired, or was taken back."
    assert refused.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"days": 0}, "1 to 365"),
        ({"days": MOST_DAYS + 1}, "1 to 365"),
        ({"days": "7"}, "days is '7'; expected"),
        ({"days": True}, "days is True"),
        ({"reads_only": "yes"}, "true or false"),
        ({"role": "kiosk"}, "no token of this account can be kiosk"),
        ({"role": "king"}, "unknown role"),
        ({"name": " "}, "no name"),
        ({"name": "x" * 61}, "1 to 60 signs"),
        ({"name": "a\u202eb"}, "can be seen"),
    ],
)
def test_what_cannot_be_is_said(web: Web, said: dict[str, Any], reason: str) -> None:
    answer = person(web).post("/api/tokens", json={"name": "sync", **said}, headers=ORIGIN)
    assert answer.status_code == 400
    assert reason in answer.json["error"]
    assert web.auth.tokens.all() == []


def test_names_are_told_apart_and_there_are_not_too_many(web: Web) -> None:
    maria = person(web)
    for number in range(MOST_OF_ONE):
        made(maria, f"number {number}")
    for name, reason in (("number 7", "has a token number 7 already"), ("one more", "take one back")):
        answer = maria.post("/api/tokens", json={"name": name}, headers=ORIGIN)
        assert (answer.status_code, reason in answer.json["error"]) == (400, True)


def test_a_token_is_taken_back_at_once_by_its_account_or_an_admin(web: Web) -> None:
    maria, otto, admin = person(web), person(web, "otto"), person(web, "admin", Role.ADMIN)
    first, second = made(maria, "first"), made(maria, "second")
    assert otto.delete(f"/api/tokens/{first['id']}", headers=ORIGIN).status_code == 404
    assert otto.get("/api/tokens").json == {"tokens": []}
    assert [each["name"] for each in admin.get("/api/tokens").json["tokens"]] == ["first", "second"]
    assert maria.delete(f"/api/tokens/{first['id']}", headers=ORIGIN).json == {"removed": first["id"]}
    assert admin.delete(f"/api/tokens/{second['id']}", headers=ORIGIN).status_code == 200
    assert [status(web, each["token"], "/api/views") for each in (first, second)] == [401, 401]


def test_a_token_takes_back_itself_alone(web: Web) -> None:
    maria = person(web)
    one, other = made(maria, "one"), made(maria, "other")
    assert status(web, one["token"], f"/api/tokens/{other['id']}", "DELETE") == 403
    assert status(web, one["token"], f"/api/tokens/{one['id']}", "DELETE") == 200
    assert status(web, one["token"], "/api/views") == 401


def test_a_lowered_role_lowers_the_token_and_being_kept_out_ends_it_for_good(web: Web) -> None:
    secret = made(person(web))["token"]
    accounts = web.auth.accounts
    accounts.change("maria", Role.VIEWER)
    assert [status(web, secret, path) for path in ("/api/views", "/api/schema")] == [200, 403]
    accounts.change("maria", Role.ADMIN)
    assert [status(web, secret, path) for path in ("/api/schema", "/api/sources")] == [200, 403]
    accounts.choose("maria", "three blue herons")
    assert status(web, secret, "/api/views") == 200
    accounts.change("maria", disabled=True)
    assert status(web, secret, "/api/views") == 401
    accounts.change("maria", disabled=False)
    assert status(web, secret, "/api/views") == 401


def test_whoever_takes_the_name_of_a_removed_account_has_none_of_its_tokens(web: Web) -> None:
    secret = made(person(web))["token"]
    web.auth.accounts.remove("maria")
    person(web)
    assert status(web, secret, "/api/views") == 401
    assert web.auth.tokens.all() == []


def test_whoever_runs_the_server_makes_tokens_of_any_account(web: Web, tmp_path: Path) -> None:
    person(web)
    client, headers = host(web, tmp_path)
    asked = {"name": "sync", "of": "Maria", "role": "viewer", "days": 7}
    token = client.post("/api/tokens", json=asked, headers=headers).json
    assert (token["of"], token["role"], token["until"]) == ("maria", "viewer", START + 7 * DAY)
    assert client.post("/api/tokens", json={"name": "own"}, headers=headers).json["of"] == "admin"
    web.auth.accounts.change("maria", disabled=True)
    answer = client.post("/api/tokens", json={**asked, "name": "again"}, headers=headers)
    assert answer.status_code == 400
    assert "may not sign in" in answer.json["error"]
    other = person(web, "otto").post("/api/tokens", json={"name": "n", "of": "admin"}, headers=ORIGIN)
    assert other.status_code == 403


def test_who_came_by_a_link_has_no_tokens(web: Web) -> None:
    answer = client_of(web, Role.ADMIN).post("/api/tokens", json={"name": "sync"}, headers=ORIGIN)
    assert answer.status_code == 400
    assert "no account" in answer.json["error"]


def test_only_the_digest_is_kept_and_the_last_use(web: Web, tmp_path: Path, clock: ManualClock) -> None:
    maria = person(web)
    secret = made(maria)["token"]
    kept = tmp_path / "tokens.json"
    assert secret.removeprefix("smartcis_") not in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert maria.get("/api/tokens").json["tokens"][0]["seen"] is None
    assert status(web, secret, "/api/views") == 200
    clock.advance(SEEN_EVERY - 1)
    assert status(web, secret, "/api/views") == 200
    assert maria.get("/api/tokens").json["tokens"][0]["seen"] == START
    clock.advance(1)
    assert status(web, secret, "/api/views") == 200
    again = web_over(MemoryEngine(), tmp_path, wall=clock, feed=clock)
    assert status(again, secret, "/api/views") == 200
    assert again.auth.tokens.all()[0].seen == START + SEEN_EVERY


def test_what_cannot_be_written_down_refuses_nobody(web: Web, tmp_path: Path) -> None:
    secret = made(person(web))["token"]
    (tmp_path / "tokens.next").mkdir()  # the file that is written beside cannot be
    assert status(web, secret, "/api/views") == 200
    assert web.auth.tokens.all()[0].seen == START
    os.rmdir(tmp_path / "tokens.next")


def test_what_tokens_do_is_written_down_without_their_secrets(web: Web) -> None:
    maria = person(web)
    token = made(maria)
    status(web, token["token"], "/api/views", "POST", json={"sql": "CREATE VIEW v AS SELECT 1"})
    maria.delete(f"/api/tokens/{token['id']}", headers=ORIGIN)
    rows = client_of(web, Role.ADMIN).get("/api/audit?words=maria").json["rows"]
    told = [(row["who"], row["what"], row["object"]) for row in rows if "link" not in row["what"]]
    assert told == [
        ("maria", "took a token back", "sync of maria"),
        ("maria, by the token sync", "was refused", "POST /api/views"),
        ("maria", "made a token", "sync of maria, analyst"),
    ]
    assert token["token"] not in json.dumps(rows)


def test_a_cookie_beside_a_token_that_is_wrong_lets_nobody_in(web: Web) -> None:
    assert person(web).get("/api/views", headers=bearer("smartcis_guessed")).status_code == 401


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path) as running:
        yield running


def test_a_socket_opens_by_a_token_and_ends_when_it_is_taken_back(site: Site) -> None:
    accounts, tokens = site.web.auth.accounts, site.web.auth.tokens
    accounts.make("maria", Role.ANALYST)
    token, secret = tokens.make(accounts.get("maria"), "screen", Role.VIEWER, reads_only=True, days=1)
    socket = Socket(site, "", headers=bearer(secret))
    assert socket.connected.wait(120)
    assert socket.emit("watch", {"view": "people_together"}) is None
    assert socket.next("snapshot")
    refused = socket.emit("watch", {"view": "query_7"})
    assert refused == {"error": "view query_7 needs the role analyst or higher"}
    tokens.remove(token.id)
    assert socket.closed.wait(120)
    url = f"ws://127.0.0.1:{site.port}/socket.io/?EIO=4&transport=websocket"
    with pytest.raises(ConnectionError):
        Client(url, headers=bearer(secret))
