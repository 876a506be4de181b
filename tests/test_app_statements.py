"""Statements over HTTP and on the command line: what may be asked by whom, and what is printed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app import asking
from app.cli import main
from app.client import Refused
from app.roles import Role
from app.told import table
from app.underline import underlined
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.explaining.tree import OPERATORS
from engine.service import Engine
from tests.memory_log import MemoryLog
from tests.web_parts import client_of, web_over

SEATS = Relation(
    "seats",
    RelationKind.TABLE,
    (Column("desk", Type.TEXT), Column("room", Type.TEXT), Column("taken", Type.BIGINT)),
    key=("desk",),
)


@pytest.fixture
def engine() -> Iterator[Engine]:
    log = MemoryLog()
    log.write(0, "seats", ("d1", "a", 1), ("d2", "a", 0), ("d3", "Straße", None))
    session = log.session(Catalog([SEATS]))
    log.tick(session)
    engine = Engine(session)
    yield engine
    engine.stop()


@pytest.fixture
def web(engine: Engine, tmp_path: Path) -> Any:
    return web_over(engine, tmp_path)


def post(web: Any, role: Role, path: str, **body: Any) -> Any:
    client = client_of(web, role)
    return client.post(path, json=body, headers={"Origin": "http://127.0.0.1:8000"})


def test_every_statement_has_its_outcome(web: Any) -> None:
    sql = (
        "CREATE VIEW free AS SELECT desk FROM seats WHERE taken = 0; "
        "SELECT desk, taken FROM seats WHERE room = :r;"
        "EXPLAIN free; EXPLAIN WHY free('d2'); EXPLAIN WHY NOT free('d1'); DROP VIEW free"
    )
    answer = post(web, Role.ADMIN, "/api/statements", sql=sql, parameters={"R": "a"})
    assert answer.status_code == 200
    made, rows, plan, why, why_not, gone = answer.json["outcomes"]
    assert made == {"done": "created", "kind": "view", "names": ["free"]}
    assert [column["name"] for column in rows["columns"]] == ["desk", "taken"]
    assert sorted(rows["rows"]) == [["d1", 1], ["d2", 0]]
    assert "select" in plan["plan"]
    assert why["why"]["witness"] == [{"relation": "seats", "row": ["d2", "a", 0]}]
    assert why_not["why"]["missing"]
    assert gone["done"] == "dropped"


def test_an_error_tells_its_place_and_what_was_done_before_it(web: Any) -> None:
    answer = post(web, Role.ANALYST, "/api/statements", sql="SHOW TABLES;\nSELECT rom FROM seats; SHOW VIEWS")
    assert answer.status_code == 400
    assert answer.json["error"].startswith("unknown column rom in select, line 2")
    assert answer.json["span"] == {"line": 2, "start": 20, "end": 23}
    assert len(answer.json["outcomes"]) == 1


@pytest.mark.parametrize(
    "sql", ["CREATE VIEW v AS SELECT desk FROM seats", "SHOW VIEWS; DROP VIEW v", "DROP TABLE seats"]
)
def test_making_and_dropping_need_an_admin(web: Any, sql: str) -> None:
    refused = post(web, Role.OPERATOR, "/api/statements", sql=sql)
    assert refused.status_code == 403
    assert "needs the role admin" in refused.json["error"]
    assert post(web, Role.VIEWER, "/api/statements", sql="SHOW VIEWS").status_code == 403
    assert post(web, Role.ANALYST, "/api/statements", sql="SHOW VIEWS").status_code == 200


def test_parameters_are_values_by_name(web: Any) -> None:
    explained = post(
        web, Role.ANALYST, "/api/explain", sql="SELECT desk FROM seats WHERE taken = :n", parameters={"n": 0}
    )
    assert "taken = 0" in explained.json["plan"]
    wrong = post(web, Role.ANALYST, "/api/statements", sql="SHOW VIEWS", parameters=["n"])
    assert wrong.status_code == 400
    assert "parameters must be values by name" in wrong.json["error"]
    missing = post(web, Role.ANALYST, "/api/query", sql="SELECT desk FROM seats WHERE taken = :n")
    assert missing.json["error"] == "no value is given for :n"


def test_several_views_are_dropped_at_once(web: Any, engine: Engine) -> None:
    engine.create_view("CREATE VIEW a AS SELECT desk FROM seats")
    engine.create_view("CREATE VIEW b AS SELECT desk FROM a")
    assert post(web, Role.ADMIN, "/api/views", sql="DROP VIEW a, b").json == {"dropped": "a, b"}
    assert post(web, Role.ADMIN, "/api/views", sql="DROP VIEW IF EXISTS a, b").json == {"dropped": ""}
    assert post(web, Role.ADMIN, "/api/views", sql="DROP VIEW a").status_code == 400
    assert engine.views() == ()


def test_explain_takes_a_query_a_view_or_the_statement(web: Any, engine: Engine) -> None:
    engine.create_view("CREATE VIEW a AS SELECT desk FROM seats")
    for sql in (
        "SELECT desk FROM seats",
        "a",
        "EXPLAIN a",
        "EXPLAIN ANALYZE a",
        "EXPLAIN SELECT desk FROM a",
    ):
        assert "project desk" in post(web, Role.ANALYST, "/api/explain", sql=sql).json["plan"]


def test_a_plan_is_told_as_json_too(web: Any, engine: Engine) -> None:
    engine.create_view("CREATE VIEW a AS SELECT desk FROM seats")
    asked = post(web, Role.ANALYST, "/api/explain", sql="a", format="json").json["plan"]
    stated = post(web, Role.ANALYST, "/api/statements", sql="EXPLAIN (FORMAT JSON) a").json["outcomes"][0]
    assert asked == stated["plan"]
    read = client_of(web, Role.ANALYST).get("/api/views/a/plan").json["plan"]
    assert [node["id"] for node in read["nodes"]] == [node["id"] for node in asked["nodes"]]
    assert all(node["observed"]["rows"] == 3 for node in read["nodes"] if node["site"] == OPERATORS)
    wrong = post(web, Role.ANALYST, "/api/explain", sql="a", format="xml")
    assert (wrong.status_code, wrong.json["error"]) == (
        400, "a plan has no format xml; there are text and json",
    )  # fmt: skip
    unknown = client_of(web, Role.ANALYST).get("/api/views/nothing/plan")
    assert unknown.status_code == 400
    assert "unknown view nothing" in unknown.json["error"]


class Wire:
    """The command line's client over a test client of the web side."""

    def __init__(self, web: Any) -> None:
        self._web = web

    def post(self, path: str, body: dict[str, Any]) -> Any:
        answer = post(self._web, Role.ADMIN, path, **body)
        if answer.status_code >= 400:
            raise Refused(answer.json, is_the_askers=answer.status_code == 400)
        return answer.json

    def stream(self, path: str, body: dict[str, Any]) -> Iterator[str]:
        return iter([str(self.post(path, body))])


@pytest.fixture
def run(web: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(asking, "Client", lambda _: Wire(web))
    return lambda *arguments, **options: CliRunner().invoke(main, list(arguments), **options)


def test_rows_are_printed_in_columns(run: Any) -> None:
    done = run("sql", "SELECT room, desk, taken FROM seats WHERE desk <> 'd2'; SHOW VIEWS")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "room    desk  taken",
        "------  ----  -----",
        "a       d1        1",
        "Straße  d3     NULL",
        "(2 rows)",
        "view  columns  rows  state",
        "----  -------  ----  -----",
        "(0 rows)",
    ]


def test_a_wide_sign_takes_two_cells() -> None:
    columns = [{"name": "n", "type": "text"}, {"name": "x", "type": "bigint"}]
    assert list(table(columns, [["部屋", 1], ["a\x1b", True]])) == [
        "n           x",
        "-------  ----",
        "部屋        1",
        "a\\u001b  true",
    ]


def test_a_wrong_part_is_underlined(run: Any) -> None:
    done = run("sql", "SELECT desk\nFROM seats\nWHERE rom = 'a'")
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        "WHERE rom = 'a'",
        "      ^^^",
        "unknown column rom in where, line 3; seats has desk, room, taken; did you mean room?",
    ]
    assert run("explain", "SELECT rom FROM seats").stderr.splitlines()[1] == "       ^^^"
    assert run("query", "SELECT rom FROM seats").stderr.splitlines()[1] == "       ^^^"


def test_a_plan_is_printed_as_text_or_as_json(run: Any) -> None:
    assert run("explain", "SELECT desk FROM seats").stdout.startswith("project desk")
    printed = json.loads(run("explain", "SELECT desk FROM seats", "--json").stdout)
    assert [node["kind"] for node in printed["nodes"]] == ["Map", "Table", "Read"]
    stated = run("sql", "EXPLAIN (FORMAT JSON) SELECT desk FROM seats").stdout
    assert json.loads(stated) == printed


def test_what_was_done_before_an_error_is_printed(run: Any) -> None:
    done = run("sql", "CREATE VIEW v AS SELECT desk FROM seats; SELECT x FROM v")
    assert done.stdout == "view v created\n"
    assert done.exit_code == 2


@pytest.mark.parametrize(
    ("text", "span", "lines"),
    [
        ("SELECT\tüb FROM r", {"start": 7, "end": 9}, ["SELECT\tüb FROM r", "      \t^^"]),
        ("部屋 x", {"start": 3, "end": 4}, ["部屋 x", "     ^"]),
        ("a\nb c\r\nd", {"start": 4, "end": 8}, ["b c", "  ^"]),
        ("SELECT", {"start": 6, "end": 6}, ["SELECT", "      ^"]),
        ("SELECT", None, []),
        ("x", {"start": 7, "end": 9}, []),
    ],
)
def test_a_span_is_marked_below_its_line(text: str, span: Any, lines: list[str]) -> None:
    assert list(underlined(text, span)) == lines


def test_a_script_comes_from_a_file_or_the_standard_input(run: Any, tmp_path: Path) -> None:
    script = tmp_path / "straße.sql"
    script.write_text("SELECT desk FROM seats WHERE room = :r", "utf-8")
    for arguments, options in (
        (("-f", str(script)), {}),
        (("-",), {"input": script.read_text("utf-8")}),
        ((), {"input": script.read_text("utf-8")}),
    ):
        assert "d3" in run("sql", *arguments, "--param", "r=Straße", **options).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("query", ""), "expected a query, such as 'SELECT * FROM free_desks', found nothing"),
        (("sql", " "), "expected statements, such as 'SHOW VIEWS', found nothing"),
        (("explain", ""), "expected a query or the name of a view, found nothing"),
        (("sql", "SHOW VIEWS", "--param", "x"), "expected name=value, found x"),
        (("sql", "SHOW VIEWS", "--param", "x=1", "--param", "x=2"), "x is said more than once"),
    ],
)
def test_a_command_without_sense_is_told_what_it_takes(
    run: Any, arguments: tuple[str, ...], said: str
) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize("body", ["[]", '"x"', "null", "{", '{"sql": "SHOW VIEWS", "parameters": []}'])
def test_a_body_that_says_no_statements_is_refused(web: Any, body: str) -> None:
    headers = {"Origin": "http://127.0.0.1:8000", "Content-Type": "application/json"}
    answer = client_of(web, Role.ANALYST).post("/api/statements", data=body, headers=headers)
    assert answer.status_code == 400
    assert "expected JSON" in answer.json["error"] or "by name" in answer.json["error"]


def test_what_is_too_long_is_told_the_limit(web: Any) -> None:
    body, text = "a" * 70_000, f"SELECT '{'a' * 20_000}'"
    too_long = post(web, Role.ANALYST, "/api/statements", sql=body)
    assert too_long.status_code == 413
    assert "64,000 bytes" in too_long.text
    refused = post(web, Role.ANALYST, "/api/statements", sql=text)
    assert (refused.status_code, "20000" in refused.text) == (400, True)


def test_a_column_is_never_called_by_what_only_the_parser_knows(web: Any) -> None:
    sql = "SELECT :r, desk || 'a', desk ~ 'a', position('a' IN desk) FROM seats"
    answer = post(web, Role.ANALYST, "/api/statements", sql=sql, parameters={"r": "a"})
    columns = [column["name"] for column in answer.json["outcomes"][0]["columns"]]
    assert columns == ["r", "column", "column_2", "position"]
