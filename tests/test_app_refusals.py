"""Whoever does not get what they asked for is told why and what to do, in the house's look."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.create_app import Web
from app.roles import Role, public
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over

PAGE = {"Accept": "text/html"}


@pytest.fixture
def web(tmp_path: Path) -> Web:
    web = web_over(MemoryEngine(), tmp_path, admin_password="correct horse")

    @web.app.get("/broken")
    @public("fails")
    def broken() -> str:
        raise ZeroDivisionError

    @web.app.get("/api/broken")
    @public("fails")
    def broken_api() -> str:
        raise ZeroDivisionError

    return web


def page(web: Web, path: str, role: Role | None = None) -> tuple[int, str]:
    answer = client_of(web, role).get(path, headers=PAGE)
    return answer.status_code, answer.text


def test_an_address_that_is_not_there_leads_to_the_map(web: Web) -> None:
    status, text = page(web, "/nowhere", Role.KIOSK)
    assert status == 404
    assert "There is nothing at this address." in text
    assert 'href="/"' in text


def test_who_is_not_signed_in_is_told_how_to_get_in(web: Web) -> None:
    status, text = page(web, "/alarms")
    assert status == 401
    assert "sign-in link in the terminal" in text


def test_whose_role_is_too_low_is_told_the_role_and_who_can_raise_it(web: Web) -> None:
    status, text = page(web, "/alarms", Role.KIOSK)
    assert status == 403
    assert "signed in as kiosk" in text
    assert "sign-in link in the terminal" not in text


def test_what_came_from_elsewhere_is_not_a_question_of_roles(web: Web) -> None:
    answer = client_of(web, Role.ADMIN).post("/logout", headers=PAGE | {"Origin": "http://elsewhere.example"})
    assert answer.status_code == 403
    assert "nothing was changed" in answer.text
    assert "higher role" not in answer.text


def test_who_tries_too_often_is_told_to_wait(web: Web) -> None:
    client = client_of(web)
    for _ in range(11):
        answer = client.post("/login", data={"password": "x"}, headers=ORIGIN | PAGE)
    assert answer.status_code == 429
    assert "at most 10 per 1 minute" in answer.text
    assert "Wait a minute" in answer.text


@pytest.mark.parametrize(
    ("path", "said"),
    [("/broken", lambda answer: answer.text), ("/api/broken", lambda answer: answer.get_json()["error"])],
)
def test_a_failure_of_ours_is_said_without_a_traceback(web: Web, path: str, said: Callable) -> None:
    answer = client_of(web, Role.ADMIN).get(path, headers=PAGE)
    assert answer.status_code == 500
    assert "Something went wrong on our side." in said(answer)
    assert "ZeroDivisionError" not in answer.text
