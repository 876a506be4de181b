"""Accounts: who gets in, with which role, and that what was done is written down without its secrets."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app import asking
from app.accounts.accounts import INVITATION_SECONDS, PASSWORD_LENGTHS, Accounts
from app.accounts.tries import MOST, WITHIN_SECONDS
from app.cli import main
from app.create_app import Web
from app.roles import Role
from engine.model.clock import SECOND, ManualClock
from engine.model.errors import QueryError
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, Socket, client_of, running_site, web_over

START = 1_800_000_000 * SECOND
PASSWORD = "three blue herons"
OTHER = "a kettle of moss"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def web(tmp_path: Path, clock: ManualClock) -> Web:
    return web_over(MemoryEngine(), tmp_path, wall=clock, feed=clock)


def invited(web: Web, name: str = "maria", role: str = "analyst") -> str:
    answer = client_of(web, Role.ADMIN).post(
        "/api/accounts", json={"name": name, "role": role}, headers=ORIGIN
    )
    assert answer.status_code == 201, answer.json
    return str(answer.json["link"])


def welcomed(web: Web, name: str = "maria", role: str = "analyst", password: str = PASSWORD) -> Any:
    client = client_of(web)
    link = invited(web, name, role)
    answer = client.post(link, data={"password": password, "again": password}, headers=ORIGIN)
    assert answer.status_code == 303, answer.text
    return client


def sign_in(web: Web, name: str, password: str) -> Any:
    client = client_of(web)
    client.answer = client.post("/login", data={"name": name, "password": password}, headers=ORIGIN)
    return client


class Desk:
    """What the command line asks, answered by the product."""

    url = "http://127.0.0.1:8000"

    def __init__(self, web: Web) -> None:
        self._client = client_of(web, Role.ADMIN)

    def get(self, path: str) -> Any:
        return self._client.get(path).json

    def post(self, path: str, body: Any) -> Any:
        return self.send("POST", path, body)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        return self._client.open(path, method=method, json=body, headers=ORIGIN).json


@pytest.mark.parametrize("change", ["--disable", "--enable"])
def test_keeping_out_somebody_who_is_not_there_invites_nobody(
    web: Web, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(asking, "Client", lambda _: Desk(web))
    refused = CliRunner().invoke(main, ["account", "mria", change])
    assert refused.exit_code == 2
    assert "there is no account mria to keep out or let in" in refused.stderr
    assert "mria" not in [each["name"] for each in Desk(web).get("/api/accounts")["accounts"]]
    made = CliRunner().invoke(main, ["account", "mria", "--role", "viewer"])
    assert "/welcome?token=" in made.stdout
    changed = CliRunner().invoke(main, ["account", "mria", change])
    assert changed.exit_code == 0


def test_whoever_is_invited_chooses_a_password_and_is_in(web: Web) -> None:
    client = welcomed(web)
    assert client.get("/api/schema").status_code == 200
    assert client.get("/api/accounts").status_code == 403
    assert sign_in(web, "Maria", PASSWORD).get("/api/schema").status_code == 200
    assert sign_in(web, "maria", PASSWORD + "x").answer.status_code == 403


def test_an_invitation_is_good_once_and_not_for_ever(web: Web, clock: ManualClock) -> None:
    link = invited(web)
    client = client_of(web)
    assert client.get(link).status_code == 200
    assert client.post(link, data={"password": PASSWORD, "again": OTHER}, headers=ORIGIN).status_code == 400
    assert (
        client.post(link, data={"password": PASSWORD, "again": PASSWORD}, headers=ORIGIN).status_code == 303
    )
    assert client_of(web).get(link).status_code == 403
    late = invited(web, "otto")
    clock.advance(INVITATION_SECONDS * SECOND)
    assert client_of(web).get(late).status_code == 403


def test_another_invitation_ends_the_one_before(web: Web) -> None:
    first = invited(web)
    again = client_of(web, Role.ADMIN).post("/api/accounts/maria/invitation", headers=ORIGIN).json["link"]
    assert client_of(web).get(first).status_code == 403
    assert client_of(web).get(again).status_code == 200


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("short", "10 to 200"),
        ("x" * 201, "10 to 200"),
        ("mariamariamaria", "quickly guessed"),
        ("aaaaaaaaaaaa", "quickly guessed"),
    ],
)
def test_a_password_that_is_quickly_guessed_is_refused(web: Web, password: str, reason: str) -> None:
    link = invited(web)
    answer = client_of(web).post(link, data={"password": password, "again": password}, headers=ORIGIN)
    assert answer.status_code == 400
    assert reason in answer.text


def test_another_role_counts_at_once_and_being_kept_out_too(web: Web) -> None:
    client, admin = welcomed(web), client_of(web, Role.ADMIN)
    admin.patch("/api/accounts/maria", json={"role": "operator"}, headers=ORIGIN)
    assert client.get("/api/schema").status_code == 200
    admin.patch("/api/accounts/maria", json={"role": "viewer"}, headers=ORIGIN)
    assert client.get("/api/views").status_code == 401
    client = sign_in(web, "maria", PASSWORD)
    assert client.get("/api/schema").status_code == 403
    assert client.get("/api/views").status_code == 200
    admin.patch("/api/accounts/maria", json={"disabled": True}, headers=ORIGIN)
    assert client.get("/api/views").status_code == 401
    assert sign_in(web, "maria", PASSWORD).answer.status_code == 403
    admin.patch("/api/accounts/maria", json={"disabled": False}, headers=ORIGIN)
    assert client.get("/api/views").status_code == 401
    assert sign_in(web, "maria", PASSWORD).get("/api/views").status_code == 200


def test_a_removed_account_is_nobody(web: Web) -> None:
    client = welcomed(web)
    client_of(web, Role.ADMIN).delete("/api/accounts/maria", headers=ORIGIN)
    assert client.get("/api/views").status_code == 401
    assert sign_in(web, "maria", PASSWORD).answer.status_code == 403


@pytest.mark.parametrize("change", [{"role": "viewer"}, {"disabled": True}, None])
def test_the_last_admin_stays(web: Web, change: dict[str, Any] | None) -> None:
    admin = client_of(web, Role.ADMIN)

    def attempt() -> Any:
        if change is None:
            return admin.delete("/api/accounts/admin", headers=ORIGIN)
        return admin.patch("/api/accounts/admin", json=change, headers=ORIGIN)

    refused = attempt()
    assert refused.status_code == 400
    assert "the last admin" in refused.json["error"]
    welcomed(web, "ruth", "admin")
    assert attempt().status_code == 200


def test_a_changed_password_ends_every_other_session(web: Web) -> None:
    here, there = welcomed(web), sign_in(web, "maria", PASSWORD)
    assert there.get("/api/views").status_code == 200
    wrong = here.post("/api/me/password", json={"old": OTHER, "new": OTHER}, headers=ORIGIN)
    assert wrong.json["error"] == "the old password is not right"
    assert (
        here.post("/api/me/password", json={"old": PASSWORD, "new": OTHER}, headers=ORIGIN).status_code == 200
    )
    assert here.get("/api/views").status_code == 200
    assert there.get("/api/views").status_code == 401
    assert sign_in(web, "maria", OTHER).get("/api/views").status_code == 200


def test_signing_out_everywhere_else(web: Web) -> None:
    here, there = welcomed(web), sign_in(web, "maria", PASSWORD)
    assert here.delete("/api/me/sessions", headers=ORIGIN).status_code == 200
    assert (here.get("/api/views").status_code, there.get("/api/views").status_code) == (200, 401)


def test_guessing_a_name_is_limited_wherever_it_comes_from(web: Web, clock: ManualClock) -> None:
    welcomed(web)
    for number in range(MOST):
        client = client_of(web)
        origin = {**ORIGIN, "X-Number": str(number)}
        answer = client.post(
            "/login",
            data={"name": "maria", "password": "a guess of mine"},
            headers=origin,
            environ_base={"REMOTE_ADDR": f"10.0.0.{number}"},
        )
        assert answer.status_code == 403
    held = client_of(web).post(
        "/login",
        data={"name": "maria", "password": PASSWORD},
        headers=ORIGIN,
        environ_base={"REMOTE_ADDR": "10.0.1.1"},
    )
    assert held.status_code == 429
    clock.advance(WITHIN_SECONDS * SECOND)
    assert sign_in(web, "maria", PASSWORD).answer.status_code == 303


def test_the_password_of_the_settings_is_that_of_admin(tmp_path: Path, clock: ManualClock) -> None:
    Accounts(tmp_path / "accounts.json", clock, PASSWORD)
    kept = Accounts(tmp_path / "accounts.json", clock, PASSWORD)
    epoch = kept.get("admin").epoch
    assert kept.check("admin", PASSWORD)
    assert Accounts(tmp_path / "accounts.json", clock, PASSWORD).get("admin").epoch == epoch
    changed = Accounts(tmp_path / "accounts.json", clock, OTHER)
    assert changed.check("admin", OTHER)
    assert not changed.check("admin", PASSWORD)
    assert changed.get("admin").epoch != epoch


def test_no_secret_is_kept_as_it_is(tmp_path: Path, clock: ManualClock) -> None:
    accounts = Accounts(tmp_path / "accounts.json", clock)
    token = accounts.make("maria", Role.VIEWER)
    accounts.choose("maria", PASSWORD)
    kept = (tmp_path / "accounts.json").read_text()
    assert token not in kept
    assert PASSWORD not in kept
    assert (tmp_path / "accounts.json").stat().st_mode & 0o777 == 0o600
    assert "$argon2id$" in kept


def test_an_invitation_that_two_take_at_once_is_taken_by_one(tmp_path: Path, clock: ManualClock) -> None:
    accounts = Accounts(tmp_path / "accounts.json", clock)
    token = accounts.make("maria", Role.VIEWER)
    with ThreadPoolExecutor(4) as pool:
        accepted = list(pool.map(lambda n: accounts.accept(token, f"{PASSWORD} {n}"), range(4)))
    (first,) = [n for n, account in enumerate(accepted) if account is not None]
    assert accounts.check("maria", f"{PASSWORD} {first}")


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\nb", "a\u202eb"])
def test_a_name_has_signs_that_can_be_seen(tmp_path: Path, clock: ManualClock, name: str) -> None:
    with pytest.raises(QueryError):
        Accounts(tmp_path / "accounts.json", clock).make(name, Role.VIEWER)


def test_what_was_done_is_written_down_without_secrets(web: Web) -> None:
    client = welcomed(web)
    sign_in(web, "maria", "not the password")
    client.post("/api/views", json={"sql": "CREATE VIEW v AS SELECT 1"}, headers=ORIGIN)
    client.post("/logout", headers=ORIGIN)
    rows = client_of(web, Role.ADMIN).get("/api/audit").json["rows"]
    deeds = [row for row in rows if row["what"] != "signed in by a link"]
    told = [(row["who"], row["what"], row["object"], row["outcome"].split(":")[0]) for row in deeds]
    assert told == [
        ("maria", "signed out", "", "done"),
        ("maria", "was refused", "POST /api/views", "refused"),
        ("nobody", "signed in", "maria", "refused"),
        ("nobody", "chose a password", "maria", "done"),
        ("a link of role admin", "made an account", "maria, analyst", "done"),
    ]
    whole = json.dumps(rows)
    assert PASSWORD not in whole
    assert "not the password" not in whole
    assert "token" not in whole


def test_the_audit_log_is_searched_and_paged(web: Web) -> None:
    admin = client_of(web, Role.ADMIN)
    for number in range(5):
        invited(web, f"guest-{number}", "viewer")
    found = admin.get("/api/audit?words=GUEST-3").json["rows"]
    assert [row["object"] for row in found] == ["guest-3, viewer"]
    first = admin.get("/api/audit?words=guest&most=2").json["rows"]
    then = admin.get(f"/api/audit?words=guest&most=2&before={first[-1]['id']}").json["rows"]
    assert [row["object"] for row in (*first, *then)] == [f"guest-{n}, viewer" for n in (4, 3, 2, 1)]
    assert admin.get("/api/audit?words=%25").json["rows"] == []
    for wrong in (f"before={10**30}", "before=-1", "before=x", "most=0", "most=201", "most=", "most=1.5"):
        refused = admin.get(f"/api/audit?{wrong}")
        assert refused.status_code == 400
        assert refused.json["error"].startswith(f"{wrong[:47]} cannot be; expected a whole number from ")
    assert client_of(web, Role.OPERATOR).get("/api/audit").status_code == 403


def test_a_length_is_said_in_the_form(web: Web) -> None:
    assert f'minlength="{PASSWORD_LENGTHS[0]}"' in client_of(web).get(invited(web)).text


@pytest.mark.parametrize("change", [{"disabled": True}, {"role": Role.VIEWER}, None])
def test_whoever_is_kept_out_or_may_less_is_cut_off_where_a_page_is_open(
    tmp_path: Path, change: dict[str, Any] | None
) -> None:
    with running_site(tmp_path) as site:
        accounts = site.web.auth.accounts
        accounts.make("maria", Role.ANALYST)
        socket = Socket(site, site.cookie(name="maria"))
        assert socket.connected.wait(120)
        accounts.change("maria", Role.OPERATOR)
        socket.emit("watch", {"view": "people"})
        assert socket.next("snapshot")
        if change is None:
            accounts.remove("maria")
        else:
            accounts.change("maria", **change)
        assert socket.closed.wait(120)


@pytest.mark.parametrize("body", [[1], "x", 3, None, {"role": 3}, {"disabled": "yes"}])
def test_a_body_that_says_nothing_to_change_is_told_so(web: Web, body: Any) -> None:
    welcomed(web)
    answer = client_of(web, Role.ADMIN).patch("/api/accounts/maria", json=body, headers=ORIGIN)
    assert answer.status_code == 400
    assert answer.json["error"]


def test_who_is_signed_in_by_a_link_has_no_sessions_of_an_account_to_end(web: Web) -> None:
    answer = client_of(web, Role.VIEWER).delete("/api/me/sessions", headers=ORIGIN)
    assert (answer.status_code, answer.json["error"]) == (
        400,
        "you are signed in by a link, which is no account; an admin makes you one",
    )
