"""Saved queries: one's own, those that others share, and who may change them."""

from pathlib import Path
from typing import Any

import pytest

from app.console.saved import MAX_OF_ONE, SavedQueries
from app.create_app import Web
from app.roles import Role
from engine.model.clock import SECOND, ManualClock
from engine.model.errors import QueryError
from tests.memory_engine import MemoryEngine
from tests.test_app_accounts import welcomed
from tests.web_parts import ORIGIN, client_of, web_over

TEXT = "SELECT desk FROM desks"


@pytest.fixture
def web(tmp_path: Path) -> Web:
    clock = ManualClock(1_800_000_000 * SECOND)
    return web_over(MemoryEngine(), tmp_path, wall=clock, feed=clock)


def keep(client: Any, name: str, **said: Any) -> Any:
    return client.post("/api/saved", json={"name": name, "text": TEXT, **said}, headers=ORIGIN)


def names(client: Any) -> list[str]:
    return [each["name"] for each in client.get("/api/saved").json["saved"]]


def test_what_is_saved_is_ones_own_until_it_is_shared(web: Web) -> None:
    maria, otto = welcomed(web), welcomed(web, "otto", password="seven wet socks")
    kept = keep(maria, "desks").json
    assert (names(maria), names(otto)) == (["desks"], [])
    maria.patch(f"/api/saved/{kept['id']}", json={"shared": True}, headers=ORIGIN)
    assert names(otto) == ["desks"]
    seen = otto.get("/api/saved").json["saved"][0]
    assert (seen["of"], seen["mine"], seen["changes"], seen["text"]) == ("maria", False, False, TEXT)


def test_only_its_maker_or_an_admin_changes_it(web: Web) -> None:
    maria, otto = welcomed(web), welcomed(web, "otto", password="seven wet socks")
    path = f"/api/saved/{keep(maria, 'desks', shared=True).json['id']}"
    refused = otto.delete(path, headers=ORIGIN)
    assert refused.status_code == 400
    assert "is kept by maria" in refused.json["error"]
    maria.patch(path, json={"shared": False}, headers=ORIGIN)
    hidden = otto.delete(path, headers=ORIGIN)
    assert "there is no such saved query" in hidden.json["error"]
    ruth = welcomed(web, "ruth", "admin", "nine green kites")
    assert ruth.delete(path, headers=ORIGIN).status_code == 200
    assert names(maria) == []


def test_saving_under_the_same_name_replaces_ones_own(web: Web) -> None:
    maria = welcomed(web)
    first = keep(maria, "desks").json
    second = keep(maria, "desks", text="SELECT 1").json
    assert first["id"] == second["id"]
    assert [each["text"] for each in maria.get("/api/saved").json["saved"]] == ["SELECT 1"]


def test_one_that_is_replaced_stays_shared_unless_that_is_said(web: Web) -> None:
    maria = welcomed(web)
    assert keep(maria, "desks").json["shared"] is False
    assert keep(maria, "desks", shared=True).json["shared"] is True
    assert keep(maria, "desks", text="SELECT 1").json["shared"] is True
    assert keep(maria, "desks", shared=False).json["shared"] is False


def test_a_link_without_a_name_keeps_nothing(web: Web) -> None:
    refused = keep(client_of(web, Role.ANALYST), "desks")
    assert refused.status_code == 400
    assert "an admin makes you an account" in refused.json["error"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"name": "x" * 81}, "1 to 80 signs"),
        ({"name": "a\u202eb"}, "1 to 80 signs"),
        ({"language": "prolog"}, "streamsql and datalog"),
        ({"shared": "yes"}, "true or false"),
        ({"text": " "}, "has no text"),
    ],
)
def test_what_cannot_be_kept_is_told(web: Web, said: dict[str, Any], reason: str) -> None:
    refused = keep(welcomed(web), **{"name": "desks", **said})
    assert refused.status_code == 400
    assert reason in refused.json["error"]


def test_it_outlives_a_restart_and_has_a_bound(tmp_path: Path) -> None:
    clock = ManualClock(0)
    saved = SavedQueries(tmp_path / "saved.json", clock)
    for number in range(MAX_OF_ONE):
        saved.keep("maria", f"q{number}", TEXT, "streamsql", shared=False)
    with pytest.raises(QueryError, match="remove one first"):
        saved.keep("maria", "one more", TEXT, "streamsql", shared=False)
    again = SavedQueries(tmp_path / "saved.json", clock)
    assert len(again.for_whom("maria")) == MAX_OF_ONE
