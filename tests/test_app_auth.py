"""Signing in and out: links, sessions, the bearer token, the password."""

from pathlib import Path

from app.auth import LINK_SECONDS, SESSION_SECONDS
from app.create_app import Web
from app.roles import Role
from engine.model.clock import SECOND, ManualClock
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over

START = 1_800_000_000 * SECOND


def make(state: Path, clock: ManualClock | None = None, password: str | None = None) -> Web:
    return web_over(MemoryEngine(), state, wall=clock or ManualClock(START), admin_password=password)


def test_a_link_signs_in_once(tmp_path: Path) -> None:
    web = make(tmp_path)
    link = web.auth.issue_link()
    first, second = client_of(web), client_of(web)
    assert first.get(link).status_code == 303
    assert first.get("/").status_code == 200
    answer = second.get(link, headers={"Accept": "text/html"})
    assert answer.status_code == 403
    assert "used or is too old" in answer.text
    assert second.get("/").status_code == 401


def test_a_link_is_good_for_ten_minutes(tmp_path: Path) -> None:
    clock = ManualClock(START)
    web = make(tmp_path, clock)
    link = web.auth.issue_link()
    clock.advance(LINK_SECONDS * SECOND)
    assert client_of(web).get(link).status_code == 403


def test_a_link_carries_its_role(tmp_path: Path) -> None:
    web = make(tmp_path)
    answer = client_of(web, Role.ADMIN).post("/api/links", json={"role": "kiosk"}, headers=ORIGIN)
    guest = client_of(web)
    guest.get(answer.json["link"])
    assert guest.get("/api/building").status_code == 200
    assert guest.get("/api/views").status_code == 403


def test_a_session_survives_a_restart(tmp_path: Path) -> None:
    before = client_of(make(tmp_path), Role.ADMIN)
    cookie = before.get_cookie("smartcis_8000", domain="127.0.0.1")
    after = client_of(make(tmp_path))
    assert cookie is not None
    after.set_cookie("smartcis_8000", cookie.value, domain="127.0.0.1")
    assert after.get("/api/views").status_code == 200


def test_a_session_ends(tmp_path: Path) -> None:
    clock = ManualClock(START)
    client = client_of(make(tmp_path, clock), Role.ADMIN)
    clock.advance(SESSION_SECONDS * SECOND)
    assert client.get("/api/views").status_code == 401


def test_a_copied_cookie_is_worthless_after_signing_out_and_after_a_restart(tmp_path: Path) -> None:
    web = make(tmp_path)
    client = client_of(web, Role.ADMIN)
    cookie = client.get_cookie("smartcis_8000", domain="127.0.0.1")
    assert cookie is not None
    client.post("/logout", headers=ORIGIN)
    for server in (web, make(tmp_path)):
        thief = client_of(server)
        thief.set_cookie("smartcis_8000", cookie.value, domain="127.0.0.1")
        assert thief.get("/api/views").status_code == 401


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(tmp_path: Path) -> None:
    web = make(tmp_path)
    cookie = client_of(web).get(web.auth.issue_link()).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_secrets_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    make(tmp_path)
    for name in ("token", "session.key"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_the_bearer_token_acts_as_admin(tmp_path: Path) -> None:
    client = client_of(make(tmp_path))
    token = (tmp_path / "token").read_text()
    assert client.get("/metrics", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert client.get("/metrics", headers={"Authorization": "Bearer guess"}).status_code == 401


def test_a_wrong_bearer_token_is_not_saved_by_a_session(tmp_path: Path) -> None:
    client = client_of(make(tmp_path), Role.ADMIN)
    assert client.get("/metrics", headers={"Authorization": "Bearer guess"}).status_code == 401


def test_the_password_signs_in_where_one_is_set(tmp_path: Path) -> None:
    client = client_of(make(tmp_path, password="correct horse"))
    assert client.post("/login", data={"password": "wrong"}, headers=ORIGIN).status_code == 403
    assert client.post("/login", data={"password": "correct horse"}, headers=ORIGIN).status_code == 303
    assert client.get("/metrics").status_code == 200


def test_no_password_signs_in_where_none_is_set(tmp_path: Path) -> None:
    client = client_of(make(tmp_path))
    assert client.post("/login", data={"password": ""}, headers=ORIGIN).status_code == 403


def test_guessing_passwords_is_slowed_down(tmp_path: Path) -> None:
    client = client_of(make(tmp_path, password="correct horse"))
    answers = [client.post("/login", data={"password": "x"}, headers=ORIGIN).status_code for _ in range(11)]
    assert answers == [403] * 10 + [429]
