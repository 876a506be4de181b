"""What an analyst may try with a text: all is refused or stopped, and who watches goes on being told."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.paces import Paces
from app.roles import Role
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.operators.budget import Budget, Meter
from engine.service import Engine
from tests.environment.waiting import until
from tests.memory_log import MemoryLog
from tests.web_parts import ORIGIN, Site, client_of, running_site, web_over

TEXT, BIGINT = Type.TEXT, Type.BIGINT
DESK = (Column("desk", TEXT), Column("room", TEXT), Column("n", BIGINT))
SEATS = Relation("seats", RelationKind.TABLE, DESK, key=("desk",))
PULSES = Relation("pulses", RelationKind.TABLE, (Column("n", BIGINT),), key=("n",))
ROUTES = ("/api/statements", "/api/query", "/api/explain", "/api/check")
BEAT, MICROSECONDS = 0.05, 50_000
FAST = Paces(10_000, 10_000, 10_000, 10_000, 10_000, 8)


class Ticking:
    """An engine over seats, with limits a tenth of the product's, whose pulses go on."""

    def __init__(self, folder: Path) -> None:
        self.log, self._ended, self.told = MemoryLog(), threading.Event(), 0
        self.log.write(0, "seats", *((f"d{n}", "a" * 40, n) for n in range(500)))
        # Steps of this thread's own computing: a busy machine stops nothing that a quiet one would not.
        budget = Budget(rows=100_000, rounds=2_000, seconds=0.2, start=0.2, meter=Meter(time.thread_time))
        session = self.log.session(Catalog([SEATS, PULSES]), budget)
        session.restored(print)
        self.log.tick(session)
        self.engine = Engine(session)
        self.engine.create_view("CREATE VIEW watched AS SELECT max(n) AS n FROM pulses")
        self.subscription = self.engine.subscribe("watched", self._hear)
        self.thread = threading.Thread(target=self._go, daemon=True)
        self.thread.start()
        self.web = web_over(self.engine, folder, paces=FAST)
        self.analyst = client_of(self.web, Role.ANALYST)

    def _hear(self, _delta: object) -> None:
        self.told += 1

    def _go(self) -> None:
        number = 0
        while not self._ended.wait(BEAT):
            number += 1
            self.log.write(MICROSECONDS, "pulses", (number,))
            start, end = self.engine.stamp().offset, self.log.end
            pieces = {each: self.log.piece(each, start, end) for each in self.engine.fragments()}
            self.engine.advance(end, self.log.stamps[end], pieces)

    def end(self) -> None:
        self._ended.set()
        self.thread.join()
        self.engine.stop()

    def ask(self, path: str, sql: str, role: Role | None = None) -> tuple[int, str]:
        """Return the status, and the error or, of a stream, its first line."""
        client = self.analyst if role is None else client_of(self.web, role)
        answer = client.post(path, json={"sql": sql}, headers=ORIGIN, buffered=False)
        try:
            if answer.is_json:
                return answer.status_code, str((answer.get_json() or {}).get("error") or "")
            return answer.status_code, next(iter(answer.response)).decode()  # type: ignore[arg-type]
        finally:
            answer.close()

    def goes_on(self) -> None:
        before = self.told
        until(lambda: self.told > before + 1, 5, "deltas of another view")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ticking]:
    ticking = Ticking(tmp_path_factory.mktemp("bypass"))
    yield ticking
    ticking.end()


def union_of_unions(levels: int) -> str:
    names = ["seats", *(f"a{n}" for n in range(levels))]
    parts = [
        f"{name} AS (SELECT * FROM {below} UNION ALL SELECT * FROM {below})"
        for below, name in pairwise(names)
    ]
    return f"WITH {', '.join(parts)} SELECT * FROM {names[-1]}"


def lengthened(number: int) -> str:
    """A text that becomes a megabyte and is then made too long; one a row is nothing to a quick machine."""
    return f"replace(replace(repeat('a', 1000), 'a', repeat('b', {1_000 - number})), 'b', 'cc') AS c{number}"


SMUGGLED = (
    "SELECT desk FROM seats; DROP VIEW watched",
    "SELECT desk FROM seats /* ; */; DROP VIEW watched --",
    "/* /* */ DROP VIEW watched -- */",
    "SELECT desk FROM seats\0; DROP VIEW watched",
    "SELECT desk FROM seats\uff1b DROP VIEW watched",
    "SELECT ''';DROP VIEW watched; --' FROM seats; DROP VIEW watched",
    "\uff24\uff32\uff2f\uff30 VIEW watched",
    "DR\u200bOP VIEW watched",
    "\u0394ROP VIEW watched",
    "DROP VIEW w\u0430tched",
    "DROP\u2028VIEW\u2029watched",
    "EXPLAIN ANALYZE DELETE FROM seats WHERE desk = 'd1'",
    "WITH x AS (DELETE FROM seats) SELECT 1",
    "CREATE VIEW mine AS SELECT desk FROM seats",
    "CREATE OR REPLACE VIEW watched AS SELECT desk FROM seats",
    "INSERT INTO seats VALUES ('x', 'y', 1)",
    "DELETE FROM seats WHERE n > 0",
    "UPDATE seats SET n = 1",
    "SELECT desk FROM seats OUTPUT TO MQTT 'a/b'",
    "SELECT desk FROM seats OUTPUT TO DISPLAY 'hall'",
)
FETCHING = (
    "SELECT * FROM 'seats.csv'",
    'SELECT * FROM "/etc/passwd"',
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM parquet_scan('http://127.0.0.1/x')",
    "SELECT pg_read_file('/etc/passwd') FROM seats",
    "SELECT load_file('/etc/passwd') FROM seats",
    "SELECT getenv('SMARTCIS_ADMIN_PASSWORD') FROM seats",
    "COPY seats TO '/tmp/x'",
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "ATTACH 'x.db' AS y",
    "INSTALL httpfs",
    "LOAD 'x'",
    "PRAGMA database_list",
    "CALL f()",
    "SET a = 1",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_tables",
)
SHAPED = (
    f"SELECT {'(' * 9_000}1{')' * 9_000} FROM seats",
    f"SELECT {'[' * 9_000}",
    f"SELECT desk FROM seats WHERE {'NOT ' * 4_900}true",
    f"SELECT {'- ' * 9_000}n FROM seats",
    f"SELECT {'+'.join(['n'] * 3_000)} FROM seats",
    f"SELECT {'upper(' * 2_500}desk{')' * 2_500} FROM seats",
    f"SELECT * FROM {'(SELECT * FROM ' * 600}seats{') x' * 600}",
    f"SELECT {','.join(['desk'] * 2_500)} FROM seats",
    f"SELECT desk FROM {','.join(f'seats s{n}' for n in range(60))}",
    f"WITH {','.join(f'a{n} AS (SELECT 1)' for n in range(200))} SELECT * FROM a1",
    "SELECT desk FROM seats WHERE room ~ '(((a{99}){99}){99}){99}'",
    "SELECT desk FROM seats ORDER BY desk LIMIT 99999999999999999999999999",
    "SELECT desk FROM seats [RANGE 99999999999999999999 WEEKS]",
    "SELECT * FROM generate_series(1, 10000000000)",
    "SELECT generate_series(1, 1000000000) FROM seats",
    "x" * 20_001,
)
EXPLODING = (
    "SELECT a.desk FROM seats a, seats b, seats c",
    "SELECT count(*) FROM seats a, seats b, seats c",
    "SELECT DISTINCT a.n * b.n * c.n FROM seats a, seats b, seats c",
    union_of_unions(40),
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r) SELECT n FROM r",
    "WITH RECURSIVE r(n) AS (SELECT 'a' UNION SELECT n || 'a' FROM r) SELECT n FROM r",
    "DATALOG $$ .decl p(x: number)\np(1). p(x+1) :- p(x).\n?- p(x). $$",
    "SELECT translate(repeat('a', 1000000), repeat('b', 1000000), '') || n FROM seats",
    f"SELECT {', '.join(map(lengthened, range(20)))} FROM seats",
    "SELECT desk FROM seats WHERE repeat(room, 20000) || n ~ '(a+)+$b'",
    "SELECT desk FROM seats WHERE repeat(room, 20000) || n ~ '((a|a)*)*!'",
    f"SELECT desk FROM seats a WHERE n IN ({','.join(map(str, range(-3_500, 0)))}) AND n IN (1, 2)",
)
ANSWERED = (
    ("SELECT repeat('a', 1000000000) AS x FROM seats WHERE n = 1", '"rows":[[null]]'),
    ("SELECT lpad('a', 2000000000) AS x FROM seats WHERE n = 1", '"rows":[[null]]'),
    ("SELECT repeat(desk, 9223372036854775807) AS x FROM seats WHERE n = 1", '"rows":[[null]]'),
    ("SELECT 9223372036854775807 * 2 * n AS x FROM seats WHERE n = 1", '"rows":[[null]]'),
    ("SELECT n / 0 AS x FROM seats WHERE n = 1", '"rows":[[null]]'),
    ("SELECT repeat('a', 40) || '!' ~ '^(a+)+$' AS x FROM seats WHERE n = 1", '"rows":[[false]]'),
    ("SELECT desk FROM seats WHERE room LIKE '" + "%a" * 60 + "%b'", '"rows":[]'),
    ("SELECT '\ud800' AS x FROM seats WHERE n = 1", '"rows":[["\\ud800"]]'),
)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("sql", SMUGGLED)
def test_nothing_is_smuggled_past_the_role(site: Ticking, path: str, sql: str) -> None:
    status, error = site.ask(path, sql)
    if path == "/api/check" or (path == "/api/explain" and "CREATE" in sql):
        assert status == 200 or status == 400
    elif path == "/api/explain" and not error:
        assert "OUTPUT" in sql  # its plan, without its outputs
    else:
        assert status in (400, 403)
        assert error
        assert len(error) < 600
        assert "\n" not in error
    assert {view.name for view in site.engine.views() if not view.name.startswith("query_")} == {"watched"}
    assert len(site.engine.snapshot("watched").rows) == 1


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("sql", FETCHING + SHAPED, ids=lambda sql: sql[:40])
def test_what_is_no_query_of_ours_is_refused_in_one_line(site: Ticking, path: str, sql: str) -> None:
    status, error = site.ask(path, sql)
    assert status == (200 if path == "/api/check" else 400)
    assert error
    assert len(error) < 2_500
    assert "\n" not in error
    assert "Error" not in error
    site.goes_on()


@pytest.mark.parametrize("path", ROUTES[:2])
@pytest.mark.parametrize("sql", EXPLODING, ids=lambda sql: sql[:40])
def test_what_explodes_is_stopped_in_time(site: Ticking, path: str, sql: str) -> None:
    status, error = site.ask(path, sql)
    assert status == 400, error[:200]
    assert "over" in error or "does not settle" in error
    assert "\n" not in error
    assert len(error) < 600
    site.goes_on()


@pytest.mark.parametrize(("sql", "told"), ANSWERED, ids=lambda sql: sql[:40])
def test_what_cannot_be_computed_is_null(site: Ticking, sql: str, told: str) -> None:
    status, line = site.ask("/api/query", sql)
    assert status == 200
    assert told in line.replace(" ", "")
    site.goes_on()


def test_a_text_of_many_statements_or_of_megabytes_is_not_read(site: Ticking) -> None:
    status, error = site.ask("/api/statements", ";".join(["SELECT 1"] * 800))
    assert (status, error) == (400, "800 statements in one text; at most 300 are carried out at once")
    for path in ROUTES:
        status, error = site.ask(path, "SELECT " + "1" * 10_000_000)
        assert status == 413
        assert "64,000 bytes" in error
    site.goes_on()


@pytest.mark.parametrize("where", [{"n": "x" * 9_000}, {"n": None, "y": 1}, {"n": {"a": [1]}}, {"\ud800": 1}])
def test_why_says_what_is_wrong_with_a_row(site: Ticking, where: dict[str, Any]) -> None:
    answer = site.analyst.post("/api/why", json={"view": "watched", "where": where}, headers=ORIGIN)
    assert answer.status_code == 400
    assert answer.json["error"]
    assert "\n" not in answer.json["error"]


@pytest.mark.parametrize("role", [Role.ANALYST, Role.OPERATOR])
def test_a_view_is_made_by_admins_alone(site: Ticking, role: Role) -> None:
    status, error = site.ask("/api/views", "CREATE VIEW mine AS SELECT desk FROM seats", role)
    assert (status, error) == (403, f"Your role, {role.label}, does not permit this; it takes admin.")


def test_two_hundred_queries_at_once_leave_places_to_others(site: Ticking, tmp_path: Path) -> None:
    with running_site(tmp_path, engine=site.engine, paces=FAST) as served:
        cookie = served.cookie(Role.ANALYST)
        answers: list[HTTPResponse] = []
        everybody = [
            threading.Thread(target=lambda: answers.append(followed(served, cookie))) for _ in range(200)
        ]
        for thread in everybody:
            thread.start()
        for thread in everybody:
            thread.join()
        assert Counter(answer.status for answer in answers) == {200: 8, 429: 192}
        refused = [answer for answer in answers if answer.status == 429]
        assert {answer.headers["Retry-After"] for answer in refused} == {"5"}
        assert followed(served, served.cookie(Role.ANALYST)).status == 200
        site.goes_on()


def followed(site: Site, cookie: str, sql: str = "SELECT n FROM pulses") -> HTTPResponse:
    """Ask by a connection of its own, and leave what was begun open."""
    connection = HTTPConnection("127.0.0.1", site.port, timeout=240)
    headers = {"Cookie": cookie, "Origin": site.url, "Content-Type": "application/json"}
    connection.request("POST", "/api/query", json.dumps({"sql": sql}), headers)
    return connection.getresponse()
