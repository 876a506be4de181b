"""Forwarded headers count from named proxies alone; HTTPS is served by our own server."""

import http.client
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.client import Client
from app.proxies import Proxied, read_proxies
from app.settings import read_settings
from app.tls import Certificate, trusting
from engine.model.errors import SourceError
from tests.environment.certificates import Authority
from tests.environment.waiting import free_port
from tests.memory_engine import MemoryEngine
from tests.web_parts import client_of, web_over

ROOT = Path(__file__).resolve().parents[1]
FORWARDED = {
    "HTTP_X_FORWARDED_FOR": "6.6.6.6, 203.0.113.9, 10.1.2.3",
    "HTTP_X_FORWARDED_PROTO": "https",
    "HTTP_X_FORWARDED_HOST": "building.example",
}


def seen(sender: str, proxies: str, **headers: str) -> dict[str, Any]:
    """What the application sees of a request."""
    environ: dict[str, Any] = {
        "REMOTE_ADDR": sender,
        "wsgi.url_scheme": "http",
        "HTTP_HOST": "10.0.0.1",
        **headers,
    }
    found: dict[str, Any] = {}

    def inside(environ: dict[str, Any], _start: object) -> list[bytes]:
        found.update(environ)
        return []

    Proxied(inside, read_proxies(proxies))(environ, lambda *_: None)
    return {name: found[name] for name in ("REMOTE_ADDR", "wsgi.url_scheme", "HTTP_HOST")}


@pytest.mark.parametrize("sender", ["127.0.0.1", "::ffff:127.0.0.1", "10.9.9.9"])
def test_a_named_proxy_is_believed(sender: str) -> None:
    assert seen(sender, "127.0.0.1, 10.0.0.0/8", **FORWARDED) == {
        "REMOTE_ADDR": "203.0.113.9",
        "wsgi.url_scheme": "https",
        "HTTP_HOST": "building.example",
    }


@pytest.mark.parametrize(
    ("sender", "proxies"), [("203.0.113.9", "127.0.0.1"), ("127.0.0.1", ""), ("", "::/0")]
)
def test_nobody_else_is(sender: str, proxies: str) -> None:
    assert seen(sender, proxies, **FORWARDED) == {
        "REMOTE_ADDR": sender,
        "wsgi.url_scheme": "http",
        "HTTP_HOST": "10.0.0.1",
    }


def test_what_a_proxy_says_that_is_no_address_is_left(tmp_path: Path) -> None:
    found = seen("127.0.0.1", "127.0.0.1", HTTP_X_FORWARDED_FOR="<script>", HTTP_X_FORWARDED_PROTO="gopher")
    assert found == {"REMOTE_ADDR": "127.0.0.1", "wsgi.url_scheme": "http", "HTTP_HOST": "10.0.0.1"}


def test_behind_a_named_proxy_the_building_is_served_under_its_public_name(tmp_path: Path) -> None:
    public = {"X-Forwarded-Host": "building.example", "X-Forwarded-Proto": "https"}
    proxied = web_over(MemoryEngine(), tmp_path / "a", proxies=read_proxies("127.0.0.1"))
    assert client_of(proxied).get("/login", headers=public).status_code == 200
    plain = web_over(MemoryEngine(), tmp_path / "b")
    assert client_of(plain).get("/login", headers={"Host": "building.example"}).status_code == 421


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    return Certificate(*Authority(tmp_path).give("building"))


def test_settings_name_what_is_wrong_with_them(tmp_path: Path, certificate: Certificate) -> None:
    chain, key = map(str, certificate)
    wrong = {
        "SMARTCIS_TLS_KEY is not set": {"SMARTCIS_TLS_CERT": chain},
        "/nowhere is no file": {"SMARTCIS_TLS_CERT": chain, "SMARTCIS_TLS_KEY": "/nowhere"},
        "cannot be used": {"SMARTCIS_TLS_CERT": key, "SMARTCIS_TLS_KEY": key},
        "names the proxy, which is no address": {"SMARTCIS_PROXIES": "127.0.0.1, the proxy"},
        "found building.example": {"SMARTCIS_PUBLIC_URL": "building.example"},
    }
    for message, environment in wrong.items():
        with pytest.raises(SourceError, match=message):
            read_settings(environment)
    served = read_settings({"SMARTCIS_TLS_CERT": chain, "SMARTCIS_TLS_KEY": key})
    assert served.url == "https://127.0.0.1:8000"


@pytest.mark.integration
def test_our_own_server_speaks_https_and_the_command_line_trusts_it(
    tmp_path: Path, certificate: Certificate
) -> None:
    port, state = free_port(), tmp_path / "state"
    command = [sys.executable, "-m", "tests.served", str(port), str(state)]
    environment = {"SERVED_CERT": str(certificate.chain), "SERVED_KEY": str(certificate.key)}
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={"PATH": "/usr/bin:/bin", **environment}
    )
    try:
        assert server.stdout
        link = server.stdout.readline().strip()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", port, context=trusting(certificate), timeout=240
        )
        connection.request("GET", link)
        cookie = connection.getresponse().headers["Set-Cookie"]
        assert "Secure" in cookie
        settings = {"SMARTCIS_TLS_CERT": str(certificate.chain), "SMARTCIS_TLS_KEY": str(certificate.key)}
        said = read_settings({**settings, "SMARTCIS_PORT": str(port), "SMARTCIS_STATE": str(state)})
        assert Client(said).get("/api/kiosks") == {"kiosks": []}
        with pytest.raises(ssl.SSLCertVerificationError):
            http.client.HTTPSConnection("127.0.0.1", port, timeout=240).request("GET", "/login")
    finally:
        server.terminate()
        server.wait(120)
