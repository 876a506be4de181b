"""The HTTP API, over a real server where streams matter."""

import gzip
import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.config import WebConfig
from app.health import Health
from app.roles import Role
from app.tail import MAX_WAITING, NO_LONGER
from engine.model.clock import SECOND, ManualClock
from engine.model.values import Type
from tests.environment.waiting import until
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, Site, client_of, running_site, web_over


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path, max_queries=2) as site:
        yield site


@contextmanager
def following(site: Site, sql: str, cookie: str = "") -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=240)
    headers = {"Cookie": cookie or site.cookie(), "Origin": site.url, "Content-Type": "application/json"}
    connection.request("POST", "/api/query", json.dumps({"sql": sql}), headers)
    answer = connection.getresponse()
    yield answer
    answer.close()
    connection.close()


def line(answer: http.client.HTTPResponse) -> dict[str, Any]:
    while not (text := answer.readline()).strip():
        assert text, "the stream ended"
    return json.loads(text)


def test_a_query_streams_its_state_and_then_its_changes(site: Site) -> None:
    site.tick(free_desks=[(("1.01", 4), 1)])
    with following(site, "free_desks") as answer:
        first = line(answer)
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        assert first == {
            "view": "free_desks",
            "columns": [{"name": "room", "type": "text"}, {"name": "free", "type": "bigint"}],
            "order": [],
            "tick": 1,
            "rows": [["1.01", 4]],
            "missing": [],
        }
        site.tick(free_desks=[(("1.01", 4), -1), (("1.01", 3), 1)])
        assert line(answer) == {"tick": 2, "changes": [[-1, ["1.01", 4]], [1, ["1.01", 3]]]}


def test_a_query_ends_with_the_session_of_whoever_follows_it(site: Site) -> None:
    cookie = site.cookie(Role.ANALYST)
    with following(site, "free_desks", cookie) as answer:
        line(answer)
        headers = {"Cookie": cookie, "Origin": site.url}
        connection = http.client.HTTPConnection("127.0.0.1", site.port)
        connection.request("POST", "/logout", headers=headers)
        assert connection.getresponse().status == 303
        site.tick(free_desks=[(("1.01", 4), 1)])
        assert line(answer) == {"error": NO_LONGER}
        assert answer.read() == b""
    until(lambda: not site.engine.subscriptions, 8, "the stream to end")


@pytest.mark.parametrize("change", [{"disabled": True}, {"role": Role.VIEWER}])
def test_a_query_ends_when_its_account_may_no_longer_ask(site: Site, change: dict[str, Any]) -> None:
    accounts = site.web.auth.accounts
    accounts.make("maria", Role.ANALYST)
    with following(site, "free_desks", site.cookie(Role.ANALYST, "maria")) as answer:
        line(answer)
        accounts.change("maria", **change)
        assert line(answer) == {"error": NO_LONGER}


def test_a_query_says_which_sites_its_rows_are_without_for_as_long_as_they_are(site: Site) -> None:
    site.engine.without = {"free_desks": ("floor-2",), "people": ("floor-1",)}
    with following(site, "free_desks") as answer:
        assert line(answer)["missing"] == ["floor-2"]
        site.engine.without = {}
        site.tick(free_desks=[(("1.01", 4), 1)])
        assert line(answer)["changes"] == [[1, ["1.01", 4]]]
        assert line(answer) == {"missing": []}
        site.engine.without = {"free_desks": ("floor-1", "floor-2")}
        assert line(answer) == {"missing": ["floor-1", "floor-2"]}


def test_an_idle_stream_shows_that_it_lives(site: Site) -> None:
    with following(site, "people") as answer:
        line(answer)
        assert answer.readline() == b"\n"


def test_a_query_ends_when_its_reader_leaves(site: Site) -> None:
    with following(site, "people") as answer:
        line(answer)
        assert site.engine.subscriptions
    until(lambda: not site.engine.subscriptions, 8, "the subscription to close")


def test_a_reader_who_falls_behind_gets_the_state_again(site: Site) -> None:
    with following(site, "free_desks") as answer:
        line(answer)
        tail = next(iter(site.web.tails._open))
        with tail._waiting:
            for n in range(MAX_WAITING + 5):
                site.tick(free_desks=[((f"r{n}", n), 1)])
        assert len(line(answer)["rows"]) == MAX_WAITING + 5
        site.tick(free_desks=[(("r0", 0), -1)])
        assert line(answer)["changes"] == [[-1, ["r0", 0]]]


def test_a_place_is_free_again_when_a_stream_ends(site: Site) -> None:
    with following(site, "people"), following(site, "people"), following(site, "people") as third:
        assert third.status == 503
        assert "2 queries are being followed" in json.loads(third.read())["error"]
    until(lambda: not site.engine.subscriptions, 8, "the streams to end")
    with following(site, "people") as answer:
        assert answer.status == 200


@pytest.mark.parametrize("path", ["/api/query", "/api/explain", "/api/views"])
def test_a_wrong_query_is_said_in_one_line(tmp_path: Path, path: str) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.ADMIN)
    answer = client.post(path, json={"sql": "nothing"}, headers=ORIGIN)
    assert (answer.status_code, answer.json) == (400, {"error": "unknown view nothing in select, line 1"})


@pytest.mark.parametrize(
    "body", ["", "sql", "[]", '{"sql": 7}', '{"sql": " "}', '{"sql": "%s"}' % ("x" * 20_001)]
)
def test_a_body_without_a_query_is_answered_with_what_is_expected(tmp_path: Path, body: str) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.ADMIN)
    answer = client.post("/api/explain", data=body, headers=ORIGIN, content_type="application/json")
    assert answer.status_code == 400
    assert "\n" not in answer.json["error"]


def test_a_plan_is_explained_and_a_view_created(tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.ADMIN)
    assert client.post("/api/explain", json={"sql": "people"}, headers=ORIGIN).json == {"plan": "scan people"}
    created = client.post("/api/views", json={"sql": "people"}, headers=ORIGIN)
    assert (created.status_code, created.json) == (201, {"view": "people"})


def test_views_are_listed_with_columns_and_text(tmp_path: Path) -> None:
    web = web_over(MemoryEngine({"v": {"n": Type.BIGINT}}), tmp_path)
    assert client_of(web, Role.VIEWER).get("/api/views").json == []
    assert client_of(web, Role.ANALYST).get("/api/views").json == [
        {
            "name": "v",
            "columns": [{"name": "n", "type": "bigint"}],
            "sql": "SELECT * FROM v",
            "rows": 0,
            "suspended": None,
            "missing": [],
        }
    ]


def test_the_building_is_sent_once(tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.KIOSK)
    plain, zipped = (
        client.get("/api/building"),
        client.get("/api/building", headers={"Accept-Encoding": "gzip"}),
    )
    assert json.loads(gzip.decompress(zipped.data)) == plain.json
    assert [plan["floor"] for plan in plain.json["plans"]] == [1, 2, 3]
    again = client.get("/api/building", headers={"If-None-Match": plain.headers["ETag"]})
    assert again.status_code == 304


def test_it_is_healthy_while_ticks_flow(tmp_path: Path) -> None:
    clock, engine = ManualClock(5 * SECOND), MemoryEngine()
    client = client_of(
        web_over(engine, tmp_path, feed=clock, sources=lambda: {"mqtt": "ok", "facts": "refused"})
    )
    assert (client.get("/healthz").status_code, client.get("/healthz").json["reason"]) == (
        503,
        "no tick has closed yet",
    )
    engine.close_tick(clock.now())
    clock.advance(2 * SECOND)
    assert client.get("/healthz").json == {
        "status": "ok",
        "run": "run-1",
        "tick": 1,
        "lag": 2.0,
        "sources": {"mqtt": True, "facts": False},
    }
    clock.advance(1 * SECOND)
    stale = client.get("/healthz")
    assert (stale.status_code, stale.json["reason"]) == (503, "the last tick is 3 s old")


def test_it_says_why_no_ticks_flow(tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path, why_no_ticks=lambda: "it is starting"))
    assert client.get("/healthz").json["reason"] == "no tick has closed yet; Spark: it is starting"


def test_lag_is_in_the_readers_seconds_whatever_the_feeds_speed(tmp_path: Path) -> None:
    clock, engine = ManualClock(100 * SECOND), MemoryEngine()
    engine.close_tick(80 * SECOND)
    client = client_of(web_over(engine, tmp_path, feed=clock, speed=10.0))
    assert client.get("/healthz").json["lag"] == 2.0


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("ok", "ok, at mqtts://broker:8883"),
        ("stalled", "stalled, at mqtts://broker:8883"),
        ("no broker at mqtts://broker:8883", "no broker at mqtts://broker:8883"),
    ],
)
def test_the_operator_is_told_where_the_broker_is_and_no_password(
    tmp_path: Path, state: str, told: str
) -> None:
    sources = {"mqtt": state, "facts": "ok"}
    config = WebConfig(tmp_path, tmp_path, sources=lambda: sources, mqtt_url="mqtts://ann:secret@broker")
    health = Health(MemoryEngine(), config, [])
    assert health.sources() == {"mqtt": told, "facts": "ok"}
    assert health.report()[0]["sources"] == {"mqtt": state == "ok", "facts": True}


def test_metrics_name_ticks_views_and_sources(tmp_path: Path) -> None:
    engine = MemoryEngine()
    engine.close_tick(1, people=[(("ann", 1, 0.0, 0.0), 1)])
    text = (
        client_of(web_over(engine, tmp_path, sources=lambda: {"mqtt": "ok"}), Role.ADMIN).get("/metrics").text
    )
    assert "smartcis_tick 1.0" in text
    assert "smartcis_plans_considered 90.0" in text
    assert "smartcis_plan_switches 2.0" in text
    assert 'smartcis_share_rows{share="1"} 50.0' in text
    assert "smartcis_shares_rounds 9.0" in text
    assert "smartcis_shares_last_rounds 3.0" in text
    assert 'smartcis_shares_sent_rows{kind="derived"} 120.0' in text
    assert 'smartcis_shares_sent_bytes{kind="derived"} 4800.0' in text
    assert "smartcis_plans_given_up 1.0" in text
    assert 'smartcis_view_rows{view="people"} 1.0' in text
    assert 'smartcis_source_up{source="mqtt"} 1.0' in text
    assert 'smartcis_window_late_rows{window="badges [RANGE 5 MINUTES] by at"} 3.0' in text
    assert 'smartcis_window_waiting_rows{window="badges [RANGE 5 MINUTES] by at"} 2.0' in text


def test_the_operator_is_told_how_each_other_site_is(tmp_path: Path) -> None:
    told = client_of(web_over(MemoryEngine(), tmp_path), Role.OPERATOR).get("/api/sites").json
    since = "2023-11-14T22:13:20.000000Z"
    assert told == [{"site": "floor-1", "state": "gone", "since": since, "problem": "it does not answer"}]


def test_the_operator_is_told_how_punctual_the_rows_of_each_window_are(tmp_path: Path) -> None:
    told = client_of(web_over(MemoryEngine(), tmp_path), Role.OPERATOR).get("/api/windows").json
    assert told == [{"window": "badges [RANGE 5 MINUTES] by at", "late": 3, "waiting": 2}]
