"""A view's plan over HTTP: what else could run where that is asked for, its changes, how ticks keep up."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.create_app import Web
from app.keeping_up import keeping_up
from app.roles import Role
from app.tick_trace import TickTimes
from tests.three_sites_alive import ThreeSites, three_sites_alive
from tests.web_parts import ORIGIN, client_of, web_over

MS = 1_000


@pytest.fixture
def three() -> Iterator[ThreeSites]:
    with three_sites_alive() as made:
        yield made


@pytest.fixture
def web(three: ThreeSites, tmp_path: Path) -> Web:
    return web_over(three.engine, tmp_path)  # type: ignore[arg-type]


def plan_of(web: Web, address: str) -> Any:
    return client_of(web, Role.ANALYST).get(f"/api/views/{address}").json


def test_the_page_is_for_analysts_and_names_the_view(web: Web) -> None:
    found = client_of(web, Role.ANALYST).get("/plans/word_rooms")
    assert "Plan of word_rooms" in found.text
    assert client_of(web, Role.VIEWER).get("/plans/word_rooms").status_code == 403


def test_what_lost_is_weighed_unless_it_is_not_asked_for(web: Web) -> None:
    whole, brief = plan_of(web, "lit_seats/plan")["plan"], plan_of(web, "lit_seats/plan?weighs=no")["plan"]
    assert whole["choice"]["chosen"]["name"]
    assert all(each["price"] >= 1 for each in whole["choice"]["lost"])
    assert [brief["choice"], brief["joins"]] == [None, []]
    assert [node["id"] for node in brief["nodes"]] == [node["id"] for node in whole["nodes"]]


def test_a_word_that_says_neither_is_refused(web: Web) -> None:
    found = client_of(web, Role.ANALYST).get("/api/views/word_rooms/plan?weighs=perhaps")
    assert (found.status_code, found.json) == (
        400, {"error": "weighs=perhaps says nothing; it is yes or no"},
    )  # fmt: skip


def test_the_orders_of_a_join_say_what_each_costs_and_why_it_lost(web: Web, three: ThreeSites) -> None:
    for _ in range(8):
        three.tick()
    (joined,) = plan_of(web, "word_rooms/plan")["plan"]["joins"]
    assert [each["name"] for each in joined["inputs"]] == ["l", "s", "m"]
    assert joined["searched"]
    assert [each["cost"] for each in joined["lost"]] == sorted(each["cost"] for each in joined["lost"])
    for each in joined["lost"]:
        assert each["times"] == pytest.approx(each["cost"] / joined["chosen"]["cost"])
        assert "rows handled" in each["why"]


def test_what_leaves_a_site_says_which_columns_go(web: Web) -> None:
    plan = plan_of(web, "lit_seats/plan")["plan"]
    sites = {node["id"]: node["site"] for node in plan["nodes"]}
    crossing = [edge for edge in plan["edges"] if edge["crosses"]]
    assert {sites[edge["from"]] for edge in crossing} == {"sensor: gateways", "database: hall"}
    assert sorted(map(tuple, (edge["ships"] for edge in crossing))) == [
        ("room", "lux"), ("room", "owner", "phone"),
    ]  # fmt: skip
    assert all(edge["ships"] is None for edge in plan["edges"] if not edge["crosses"])


def test_a_text_that_does_not_run_is_explained_with_a_document_beside_the_text(web: Web) -> None:
    body = {"sql": "EXPLAIN SELECT room FROM loads WHERE cpu > 0.5"}
    found = client_of(web, Role.ANALYST).post("/api/statements", json=body, headers=ORIGIN).json
    (outcome,) = found["outcomes"]
    assert "stream: Spark" in outcome["plan"]
    assert all(node["observed"] is None and node["id"] for node in outcome["document"]["nodes"])


def ticks(every: int, takes: int, many: int = 10) -> list[TickTimes]:
    return [TickTimes(n, n, 0, 1, n * every - takes, n * every) for n in range(1, many + 1)]


@pytest.mark.parametrize(
    ("every", "takes", "lag", "state"),
    [(250 * MS, 10 * MS, 0.3, "well"), (100 * MS, 95 * MS, 0.2, "full"), (100 * MS, 95 * MS, 9.0, "late")],
)
def test_ticks_keep_up_come_without_a_pause_or_are_late(
    every: int, takes: int, lag: float, state: str
) -> None:
    found = keeping_up(ticks(every, takes), lag)
    assert found is not None
    assert (found["state"], found["behind"]) == (state, lag)
    assert (found["every"], found["takes"]) == (pytest.approx(every / 1e6), pytest.approx(takes / 1e6))
    assert keeping_up(ticks(every, takes, 1), lag) is None
