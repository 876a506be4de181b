"""The description of the API: all of what is there, nothing else, valid, and readable."""

from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate
from werkzeug.exceptions import TooManyRequests

from app.create_app import Web
from app.openapi import asking
from app.openapi.document import BESIDE, document
from app.openapi.operation import Operation, answers
from app.openapi.shapes import TEXT
from app.roles import Role, access_of, public
from engine.model.errors import InternalError
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over


@pytest.fixture
def web(tmp_path: Path) -> Web:
    return web_over(MemoryEngine(), tmp_path)


@pytest.fixture
def described(web: Web) -> dict[str, Any]:
    return dict(client_of(web).get("/openapi.json").json)


def there(web: Web) -> dict[tuple[str, str], str]:
    """Return the routes that are to be described, in the words of OpenAPI, each with its endpoint."""
    return {
        (method.lower(), rule.rule.replace("<int:", "<").replace("<", "{").replace(">", "}")): rule.endpoint
        for rule in web.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/") or rule.rule in BESIDE
    }


def test_it_is_openapi(described: dict[str, Any]) -> None:
    validate(described)
    assert described["openapi"].startswith("3.1")


def test_it_has_every_route_of_the_api_and_no_other(web: Web, described: dict[str, Any]) -> None:
    told = {(method, path) for path, methods in described["paths"].items() for method in methods}
    assert told == set(there(web))


def test_every_route_has_an_answer_with_a_schema_and_the_one_shape_of_errors(
    described: dict[str, Any],
) -> None:
    for path, methods in described["paths"].items():
        for method, told in methods.items():
            done = [answer for status, answer in told["responses"].items() if status.startswith("2")]
            assert done, (method, path)
            assert all(content["schema"] for answer in done for content in answer["content"].values()), path
            wrong = [answer for status, answer in told["responses"].items() if status >= "400"]
            shapes = [answer["content"]["application/json"]["schema"] for answer in wrong]
            own = path in {"/healthz", "/readyz"}
            assert own or all(shape == {"$ref": "#/components/schemas/Error"} for shape in shapes), path


def test_it_says_of_each_route_who_may(web: Web, described: dict[str, Any]) -> None:
    for (method, path), endpoint in there(web).items():
        access = access_of(web.app.view_functions[endpoint])
        assert access is not None
        told = described["paths"][path][method]
        assert told["x-role"] == (access.role.label if access.role else "anyone")
        assert told["security"] == ([{"bearer": []}, {"session": []}] if access.role else [])


def test_a_route_that_is_not_described_is_an_error(web: Web) -> None:
    web.app.add_url_rule("/api/new", "new", public("a test's")(lambda: "new"))
    with pytest.raises(InternalError, match="GET /api/new is not described"):
        document(web.app, "1")


def test_what_is_described_and_not_there_is_an_error(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    more = {**asking.OPERATIONS, "GET /api/gone": Operation("Nothing.", answers(TEXT))}
    monkeypatch.setattr(asking, "OPERATIONS", more)
    with pytest.raises(InternalError, match="not there: GET /api/gone"):
        document(web.app, "1")


def test_the_page_has_every_route_and_every_shape(web: Web, described: dict[str, Any]) -> None:
    page = client_of(web).get("/docs/api").text
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}</h3>" in page
    assert all(f"{name}</h3>" in page for name in described["components"]["schemas"])
    assert 'href="/docs/api"' in client_of(web).get("/docs/streamsql").text


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("GET", "/api/nowhere", b"", 404, "nothing at this address"),
        ("GET", "/api/alarms/x", b"", 404, "nothing at this address"),
        ("DELETE", "/api/views", b"", 405, "does not take that kind"),
        ("POST", "/healthz", b"", 405, "does not take that kind"),
        ("POST", "/api/views", b'{"sql": ', 400, "the body has no sql"),
        ("POST", "/api/views", b"x" * 70_000, 413, "64,000 bytes"),
        ("POST", "/api/tokens", b"[]", 400, "no account"),
        ("GET", "/api/broken", b"", 500, "wrong on our side"),
        ("GET", "/api/often", b"", 429, "too often"),
        ("GET", "/api/closed", b"", 403, "declares nobody"),
    ],
)
def test_what_goes_wrong_under_api_is_one_line_of_json_whoever_asks(
    web: Web, method: str, path: str, body: bytes, status: int, said: str
) -> None:
    @web.app.get("/api/broken")
    @public("a test's")
    def broken() -> str:
        raise ZeroDivisionError

    @web.app.get("/api/often")
    @public("a test's")
    def often() -> str:
        raise TooManyRequests("10 per minute")

    web.app.add_url_rule("/api/closed", "closed", lambda: "open")
    headers = {**ORIGIN, "Accept": "text/html", "Content-Type": "application/json"}
    answer = client_of(web, Role.ADMIN).open(path, method=method, data=body, headers=headers)
    assert (answer.status_code, list(answer.json)) == (status, ["error"])
    assert said in answer.json["error"]
    assert "\n" not in answer.json["error"]


def test_a_method_that_is_not_taken_is_answered_with_those_that_are(web: Web) -> None:
    answer = client_of(web, Role.ADMIN).delete("/api/views", headers=ORIGIN)
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"


def test_a_strange_name_of_ours_is_refused_as_json_too(web: Web) -> None:
    answer = client_of(web).get("/api/views", base_url="http://elsewhere.example")
    assert answer.status_code == 421
    assert "127.0.0.1" in answer.json["error"]
