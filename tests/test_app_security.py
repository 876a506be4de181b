"""Headers, origins, host names; and that no page needs code inside its markup."""

import re
from pathlib import Path

import pytest

from app.create_app import ROOT, Web
from app.roles import Role
from app.security import is_loopback, policy
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over

EXPLAIN = {"sql": "people"}
SOCKET = "/socket.io/?EIO=4&transport=polling"


@pytest.fixture
def web(tmp_path: Path) -> Web:
    return web_over(MemoryEngine(), tmp_path)


@pytest.mark.parametrize(
    "path", ["/", "/login", "/healthz", "/api/building", "/nowhere", "/static/js/main.js", SOCKET]
)
def test_every_answer_is_hardened(web: Web, path: str) -> None:
    for client in (client_of(web), client_of(web, Role.ADMIN)):
        headers = client.get(path).headers
        if path == SOCKET and "Content-Security-Policy" not in headers:
            continue  # Socket.IO's own answers carry no page
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_the_policy_allows_no_inline_code_and_no_framing() -> None:
    rules = dict(rule.split(" ", 1) for rule in policy("127.0.0.1:8000").split("; "))
    assert rules["script-src"] == rules["style-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["default-src"] == "'none'"
    assert rules["connect-src"] == "'self' ws://127.0.0.1:8000 wss://127.0.0.1:8000"


def test_templates_hold_no_inline_code() -> None:
    inline = re.compile(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:", re.IGNORECASE)
    assert [
        path.name for path in (ROOT / "templates").glob("*.html") if inline.search(path.read_text())
    ] == []


def test_no_script_makes_markup_of_a_string() -> None:
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
    )
    assert [
        path.name for path in (ROOT / "static/js").glob("*.js") if forbidden.search(path.read_text())
    ] == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site", **ORIGIN},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Origin": "null"},
        {},
    ],
)
def test_an_unsafe_request_of_another_site_is_not_carried_out(web: Web, headers: dict[str, str]) -> None:
    client = client_of(web, Role.ADMIN)
    assert client.post("/api/explain", json=EXPLAIN, headers=headers).status_code == 403
    assert client.post("/logout", headers=headers).status_code == 403
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("headers", [ORIGIN, {"Sec-Fetch-Site": "same-origin"}])
def test_our_own_pages_may_post(web: Web, headers: dict[str, str]) -> None:
    assert client_of(web, Role.ADMIN).post("/api/explain", json=EXPLAIN, headers=headers).status_code == 200


def test_the_bearer_token_needs_no_origin(web: Web, tmp_path: Path) -> None:
    headers = {"Authorization": f"Bearer {(tmp_path / 'token').read_text()}"}
    assert client_of(web).post("/api/explain", json=EXPLAIN, headers=headers).status_code == 200


def test_the_public_address_in_front_of_us_is_our_origin(tmp_path: Path) -> None:
    web = web_over(MemoryEngine(), tmp_path, public_url="https://cis.example.org")
    headers = {"Origin": "https://cis.example.org"}
    assert client_of(web, Role.ADMIN).post("/api/explain", json=EXPLAIN, headers=headers).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
@pytest.mark.parametrize("path", ["/healthz", "/", SOCKET])
def test_no_other_name_reaches_a_server_on_loopback(web: Web, host: str, path: str) -> None:
    assert client_of(web, Role.ADMIN).get(path, headers={"Host": host}).status_code == 421


def test_any_name_reaches_a_server_bound_to_the_network(tmp_path: Path) -> None:
    web = web_over(MemoryEngine(), tmp_path, host="0.0.0.0")
    assert client_of(web).get("/login", headers={"Host": "cis.example.org"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.7", False),
        ("", False),
    ],
)
def test_loopback_is_told_apart(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_a_stranger_gets_no_socket(web: Web) -> None:
    assert client_of(web).get(SOCKET).status_code == 401


def test_another_site_gets_no_socket(web: Web) -> None:
    assert (
        client_of(web, Role.ADMIN).get(SOCKET, headers={"Origin": "http://evil.example"}).status_code == 403
    )


def test_a_reader_who_is_signed_in_gets_a_socket(web: Web) -> None:
    assert client_of(web, Role.KIOSK).get(SOCKET, headers=ORIGIN).status_code == 200
