"""Scripts and styles: kept for ever under the hash of what they are, asked about under any other address."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.roles import Role
from app.static_files import STATIC, modules_of
from tests.memory_engine import MemoryEngine
from tests.web_parts import client_of, web_over


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    return client_of(web_over(MemoryEngine(), tmp_path), Role.KIOSK)


def addresses(page: str) -> list[str]:
    return re.findall(r'(?:src|href)="(/static/[^"]+)"', page)


def test_what_a_page_names_is_kept_for_ever_and_says_so(client: FlaskClient) -> None:
    found = addresses(client.get("/").text)
    assert len(found) > 20
    for address in found:
        if not address.startswith("/static/vendor/"):
            assert re.match(r"/static/v-[0-9a-f]{16}/", address)
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("address", ["/static/js/start.js", "/static/v-0123456789abcdef/js/start.js"])
def test_an_address_of_another_day_is_asked_about_each_time(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-cache"
    assert client.get(address, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("how", ["br", "gzip"])
def test_scripts_and_answers_are_sent_compressed(client: FlaskClient, how: str) -> None:
    for address in ("/static/js/main.js", "/static/css/layout.css", "/api/building", "/"):
        plain, packed = (client.get(address, headers={"Accept-Encoding": way}) for way in ("identity", how))
        assert packed.headers["Content-Encoding"] == how, address
        assert "Accept-Encoding" in packed.headers["Vary"]
        assert len(packed.data) < 0.5 * len(plain.data)


def test_nothing_outside_of_the_folder_is_served(client: FlaskClient) -> None:
    for address in ("/static/v-x/../../pyproject.toml", "/static/../pyproject.toml", "/static/v-x/"):
        assert client.get(address).status_code == 404


def test_a_page_names_every_module_that_it_imports(client: FlaskClient) -> None:
    named = {address.rpartition("/")[2] for address in addresses(client.get("/").text)}
    assert {*modules_of("start.js"), *modules_of("main.js")} <= named
    assert modules_of("start.js")[0] == "start.js"
    assert all((STATIC / "js" / name).is_file() for name in modules_of("main.js"))
