"""Every route and every socket event says who may use it, and nobody else may."""

import re
from pathlib import Path

import pytest

from app.create_app import Web
from app.roles import Access, Role, access_of, role_for_view
from tests.memory_engine import MAP_SHAPES, MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over


@pytest.fixture
def web(tmp_path: Path) -> Web:
    return web_over(MemoryEngine(), tmp_path)


def routes(web: Web) -> list[tuple[str, str, Access | None]]:
    return [
        (
            method,
            re.sub(r"<int:\w+>", "1", rule.rule.replace("<path:filename>", "js/main.js")),
            access_of(web.app.view_functions[rule.endpoint]),
        )
        for rule in web.app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def test_every_route_declares_its_access(web: Web) -> None:
    assert [path for _, path, access in routes(web) if access is None] == []


def test_whoever_needs_no_account_does_so_for_a_reason(web: Web) -> None:
    assert all(access.reason for _, _, access in routes(web) if access and access.role is None)


def test_every_socket_event_declares_its_access_and_is_guarded(web: Web) -> None:
    handlers = web.socketio.server.handlers["/"]
    assert set(handlers) == {"connect", "disconnect", "watch", "unwatch"}
    assert [event for event, handler in handlers.items() if access_of(handler) is None] == []


def test_an_event_without_a_declaration_cannot_be_registered(web: Web) -> None:
    with pytest.raises(TypeError, match="declares no access"):
        web.socketio.on("open_door")(lambda: None)


def test_a_route_without_a_declaration_is_refused_even_to_an_admin(tmp_path: Path) -> None:
    web = web_over(MemoryEngine(), tmp_path)
    web.app.add_url_rule("/forgotten", view_func=lambda: "open")
    assert client_of(web, Role.ADMIN).get("/forgotten").status_code == 403


def test_a_stranger_is_refused_every_route_that_is_not_public(web: Web) -> None:
    stranger = client_of(web)
    closed = [(method, path) for method, path, access in routes(web) if access and access.role is not None]
    assert len(closed) >= 8
    for method, path in closed:
        assert stranger.open(path, method=method, headers=ORIGIN).status_code == 401, path


def test_a_role_below_the_declared_one_is_refused(web: Web) -> None:
    clients = {role: client_of(web, role) for role in Role}
    for method, path, access in routes(web):
        for role in Role:
            if access and access.role is not None and role < access.role:
                assert clients[role].open(path, method=method, headers=ORIGIN).status_code == 403, (
                    path,
                    role,
                )


def test_a_role_permits_what_a_lower_one_may(web: Web) -> None:
    for role in Role:
        assert client_of(web, role).get("/").status_code == 200


def test_a_refused_reader_of_pages_is_told_how_to_get_in(web: Web) -> None:
    page = client_of(web).get("/", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert "sign-in link" in page.text
    assert "http://127.0.0.1:8000" in page.text


def test_a_refused_caller_of_the_api_gets_one_line_of_json(web: Web) -> None:
    answer = client_of(web, Role.VIEWER).post("/api/query", json={"sql": "people"}, headers=ORIGIN)
    problem = "Your role, viewer, does not permit this; it takes analyst or higher."
    assert (answer.status_code, answer.json) == (403, {"error": problem})


def test_the_views_of_the_map_are_for_everyone_signed_in_but_rejects_are_for_operators() -> None:
    operators = {"rejected", "known_devices", "device_values"}
    assert {role_for_view(view) for view in MAP_SHAPES.keys() - operators - {"people"}} == {Role.KIOSK}
    assert role_for_view("people") is Role.ANALYST
    assert {role_for_view(view) for view in operators} == {Role.OPERATOR}
    assert role_for_view("query_17") is Role.ANALYST
