"""The console's own routes: what a text can name, what is wrong with it so far, a part of an answer."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.console.examples import EXAMPLES
from app.roles import Role
from engine.model.catalog import Catalog
from engine.service import Engine
from tests.memory_log import MemoryLog
from tests.test_app_statements import SEATS
from tests.web_parts import ORIGIN, client_of, web_over


@pytest.fixture
def engine() -> Iterator[Engine]:
    log = MemoryLog()
    log.write(0, "seats", *((f"d{n}", "a", n) for n in range(9)))
    session = log.session(Catalog([SEATS]))
    log.tick(session)
    engine = Engine(session)
    yield engine
    engine.stop()


@pytest.fixture
def web(engine: Engine, tmp_path: Path) -> Any:
    return web_over(engine, tmp_path)


def post(web: Any, path: str, role: Role = Role.ANALYST, **body: Any) -> Any:
    return client_of(web, role).post(path, json=body, headers=ORIGIN)


def test_the_schema_has_relations_views_and_functions(web: Any, engine: Engine) -> None:
    engine.create_view("CREATE VIEW taken AS SELECT desk FROM seats WHERE taken > 0")
    found = client_of(web, Role.ANALYST).get("/api/schema").json
    by_name = {each["name"]: each for each in found["relations"]}
    assert by_name["seats"]["kind"] == "table"
    assert by_name["seats"]["columns"][0] == {"name": "desk", "type": "text"}
    assert by_name["taken"]["kind"] == "view"
    assert by_name["taken"]["rows"] == 8
    assert {"lower", "count"} <= {each["name"] for each in found["functions"]}


@pytest.mark.parametrize("path", ["/console", "/api/schema"])
def test_the_console_is_for_analysts(web: Any, path: str) -> None:
    assert client_of(web, Role.ANALYST).get(path).status_code == 200
    assert client_of(web, Role.VIEWER).get(path).status_code == 403


@pytest.mark.parametrize(
    ("sql", "use"),
    [
        ("", "nothing"),
        ("  -- only a comment", "nothing"),
        ("SELECT desk FROM seats", "query"),
        ("SHOW VIEWS; SELECT desk FROM seats", "read"),
        ("EXPLAIN SELECT desk FROM seats", "read"),
        ("CREATE VIEW v AS SELECT desk FROM seats; SELECT * FROM v", "change"),
    ],
)
def test_a_text_is_told_what_it_is_good_for(web: Any, engine: Engine, sql: str, use: str) -> None:
    assert post(web, "/api/check", sql=sql).json == {"use": use}
    assert engine.views() == ()


def test_what_is_wrong_with_a_text_is_told_with_its_place(web: Any) -> None:
    answer = post(web, "/api/check", sql="SELECT rom FROM seats")
    assert (answer.status_code, answer.json["use"]) == (200, None)
    assert answer.json["span"] == {"line": 1, "start": 7, "end": 10}
    assert "unknown column rom" in answer.json["error"]
    explained = post(web, "/api/check", sql="EXPLAIN SELECT rom FROM seats")
    assert "unknown column rom" in explained.json["error"]
    later = post(web, "/api/check", sql="SHOW VIEWS; CREATE VIEW v AS SELECT desk FROM seat")
    assert "did you mean seats?" in later.json["error"]


def test_a_bounded_answer_says_how_much_more_there_is(web: Any) -> None:
    answer = post(web, "/api/query", sql="SELECT desk, taken FROM seats ORDER BY taken DESC", most=3)
    first = json.loads(next(answer.response))
    assert [row[1] for row in first["rows"]] == [8, 7, 6]
    assert first["more"] == 6
    assert first["order"] == [{"column": 1, "descending": True, "nulls_first": True}]
    assert first["view"].startswith("query_")
    answer.close()


@pytest.mark.parametrize("body", [[], [1], "SELECT 1", None, {}, {"sql": 3}])
def test_a_body_that_has_no_text_is_told(web: Any, body: Any) -> None:
    answer = client_of(web, Role.ANALYST).post("/api/check", json=body, headers=ORIGIN)
    assert answer.status_code == 200
    assert "the body has no sql" in answer.json["error"]


@pytest.mark.parametrize("most", [0, -1, 1.5, "10", True, 10**9])
def test_a_senseless_bound_is_refused(web: Any, most: Any) -> None:
    answer = post(web, "/api/query", sql="SELECT desk FROM seats", most=most)
    assert answer.status_code == 400
    assert "expected how many rows are wanted at most" in answer.json["error"]


def test_the_page_offers_only_what_the_building_can_answer(web: Any) -> None:
    page = client_of(web, Role.ANALYST).get("/console").text
    offered = re.findall(r'data-example="[^"]*">([^<]+)<', page)
    assert offered == [EXAMPLES[-1].title]


def test_the_editors_styles_need_the_answers_own_nonce(web: Any) -> None:
    client = client_of(web, Role.ANALYST)
    first, second = (client.get("/console") for _ in range(2))
    nonces = [re.findall(r'data-nonce="([^"]+)"', page.text) for page in (first, second)]
    assert nonces[0] != nonces[1]
    assert f"style-src 'self' 'nonce-{nonces[0][0]}'" in first.headers["Content-Security-Policy"]
    assert "nonce" not in client.get("/api/schema").headers["Content-Security-Policy"]
