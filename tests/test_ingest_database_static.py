"""Tables that are read once, and databases that nothing installed can read."""

import json
from pathlib import Path

import pytest

from app.catalog import patiently
from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from ingest.declarations import asking_for, read_declaration
from ingest.wrappers.database import DeclaredTableWrapper
from ingest.wrappers.database.connecting import open_facts
from tests.asked_database import DDL, LABS, PAIRS, PER_FLOOR, Site, run
from tests.environment.waiting import until
from tests.fact_tables import empty_sqlite
from tests.plain_dialect import plain_url
from tests.watched_tables import FILLED, Watched


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_server = request.param == "postgresql"
    return str(request.getfixturevalue("postgres")) if is_server else empty_sqlite(tmp_path)


def test_a_static_table_is_read_at_each_start_and_not_again(facts: str, tmp_path: Path) -> None:
    run(facts, *FILLED)
    watched = Watched(facts, tmp_path, ("desks",), static=("rooms",))
    watched.step()
    run(facts, "DELETE FROM rooms", "DELETE FROM desks")
    watched.step()
    assert (len(watched.of("rooms")), watched.of("desks")) == (2, [])
    watched.wrapper.close()
    watched.writer.close()
    watched.start()
    watched.step()
    assert watched.of("rooms") == []
    watched.close()


def test_where_all_is_static_nothing_is_asked_any_more(facts: str, tmp_path: Path) -> None:
    run(facts, *FILLED)
    watched = Watched(facts, tmp_path, (), static=("rooms", "desks"))
    assert watched.wrapper.pause() == 3_600
    watched.step()
    assert watched.wrapper.pause() == 86_400
    watched.close()


def test_a_declared_table_may_be_read_once_and_is_tried_until_it_was(facts: str, tmp_path: Path) -> None:
    run(facts, *FILLED)
    body = {"name": "copy", "kind": "table", "wrapper": "database", "url": facts, "table": "rooms"}
    body |= {"columns": [["room", "text", False]], "key": ["room"], "poll_seconds": 0}
    wrapper = DeclaredTableWrapper(read_declaration(1, json.dumps(body).encode()), facts, ManualClock())
    run(facts, "ALTER TABLE rooms RENAME TO away")
    with pytest.raises(SourceError, match=r"rooms.*trying again"):
        wrapper.poll()
    assert wrapper.pause() == 2
    run(facts, "ALTER TABLE away RENAME TO rooms")
    assert list(wrapper.poll()["copy"]) == [("r1",), ("r2",)]
    assert wrapper.pause() == 86_400


@pytest.mark.integration
def test_a_static_table_is_read_again_when_the_database_says_so(postgres: str, tmp_path: Path) -> None:
    run(postgres, *FILLED)
    watched = Watched(postgres, tmp_path, (), static=("rooms", "desks"), notify="facts")
    watched.wrapper.close()
    watched.start()
    watched.wrapper.close()
    wrapper = type(watched.wrapper)(watched.source, watched.wrapper._clock)
    wrapper.open(watched.writer, watched.log)
    until(lambda: len(watched.log.state("db:facts")) == 3, 20, "the first read")
    until(lambda: not wrapper._hastened.is_set(), 20, "the wrapper to rest")
    run(postgres, "DELETE FROM desks", "NOTIFY facts")
    until(lambda: len(watched.log.state("db:facts")) == 2, 20, "the read that was asked for")
    wrapper.close()
    watched.close()


def test_a_database_whose_sql_is_unknown_here_is_polled_and_asked_on_demand(tmp_path: Path) -> None:
    url = plain_url(tmp_path / "facts.db")
    run(url, *DDL)
    site = Site(url, tmp_path)
    site.declare(asking_for(LABS), asking_for(PER_FLOOR), asking_for(PAIRS))
    site.step()
    assert (site.of(LABS), site.of(PER_FLOOR)) == ([(1,), (1,)], [(1, 2), (2, 1)])
    assert len(site.of(PAIRS)) == 5
    run(url, "DELETE FROM rooms WHERE room = 'r2'", "INSERT INTO audits VALUES (1, 'r1')")
    site.step()
    assert (site.of(LABS), site.of(PER_FLOOR)) == ([(1,)], [(1, 1), (2, 1)])
    assert site.rows["audits"] == {(1, "r1"): 1}
    run(url, "ALTER TABLE rooms RENAME COLUMN kind TO sort")
    site.step()
    site.step()
    assert "table rooms is not as it was: column kind is gone (new: sort)" in site.wrapper.health().problem
    assert site.of(LABS) == [(1,)]
    site.close()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "mysql+pymysql://u:secret@h/d",
            "needs the Python package pymysql, which is not installed",
        ),
        (
            "oracle://u:secret@h/d",
            "needs the Python package oracledb, which is not installed; install it, or",
        ),
        (
            "postgress://u:secret@h/d",
            "nothing installed here can read postgress: .* did you mean postgresql?",
        ),
    ],
)
def test_a_database_that_nothing_installed_can_read_is_told_at_once(url: str, expected: str) -> None:
    with pytest.raises(SourceError, match=expected) as caught:
        patiently(lambda: open_facts(url), pytest.fail)
    assert "secret" not in caught.value.message
    assert len(caught.value.message.splitlines()) == 1
