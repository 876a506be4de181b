"""A database as a site: fragments come and go, units are whole, outages are told and survived."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from engine.model.relation import Column, Relation, RelationKind
from engine.plan.expressions import Call, Field, Literal
from engine.plan.leaves import Shipped, StreamFragment, Table
from engine.plan.logical import AggregateCall
from engine.plan.physical import Filter, GroupBy, HashJoin
from ingest.declarations import asking_for, dropping
from ingest.sources import DatabaseSource
from ingest.wrapper import SourceState
from ingest.wrappers.database import DatabaseWrapper
from ingest.wrappers.database.remembered import remembered
from tests.asked_database import (
    BIGINT,
    BOOLEAN,
    COLUMNS,
    DDL,
    LABS,
    LEAF,
    PAIRS,
    PER_FLOOR,
    SITE,
    TEXT,
    Site,
    run,
)
from tests.environment.postgres import Postgres
from tests.environment.waiting import until
from tests.fact_tables import empty_sqlite


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_server = request.param == "postgresql"
    url = str(request.getfixturevalue("postgres")) if is_server else empty_sqlite(tmp_path)
    run(url, *DDL)
    return url


@pytest.fixture
def site(facts: str, tmp_path: Path) -> Iterator[Site]:
    opened = Site(facts, tmp_path)
    yield opened
    opened.close()


def test_a_fragment_is_answered_and_follows_every_change(site: Site, facts: str) -> None:
    site.declare(asking_for(LABS), asking_for(PER_FLOOR), asking_for(PAIRS))
    site.step()
    assert (site.of(LABS), site.of(PER_FLOOR)) == ([(1,), (1,)], [(1, 2), (2, 1)])
    assert len(site.of(PAIRS)) == 5
    run(facts, "DELETE FROM rooms WHERE room = 'r1'", "UPDATE rooms SET floor = 1 WHERE room = 'r3'")
    site.step()
    assert (site.of(LABS), site.of(PER_FLOOR), len(site.of(PAIRS))) == ([(1,)], [(1, 2)], 4)
    assert "rooms" not in site.rows
    assert site.sites == [(SITE, "up")]


def test_a_fragment_without_rows_is_answered_too_and_once(site: Site, facts: str) -> None:
    run(facts, "DELETE FROM rooms")
    site.declare(asking_for(LABS))
    site.step()
    site.step()
    assert (site.of(LABS), site.answered) == ([], [LABS.name])


def test_what_changed_in_one_transaction_is_one_unit(site: Site, facts: str) -> None:
    site.declare(asking_for(LABS))
    site.step()
    site.units.clear()
    run(facts, "INSERT INTO audits VALUES (1, 'r9')", "INSERT INTO rooms VALUES ('r9', 3, 'lab')")
    site.step()
    assert [sorted(unit) for unit in site.units] == [["audits", LABS.name]]


def test_a_restart_goes_on_where_the_log_stopped(site: Site, facts: str) -> None:
    site.declare(asking_for(LABS), asking_for(PER_FLOOR))
    site.step()
    site.wrapper.close()
    run(facts, "INSERT INTO rooms VALUES ('r4', 1, 'lab')")
    site.start()
    site.follow()
    site.step()
    assert (site.of(LABS), site.of(PER_FLOOR)) == ([(1,), (1,), (1,)], [(1, 3), (2, 1)])
    assert site.answered == [LABS.name, PER_FLOOR.name]


def test_a_fragment_that_is_back_starts_afresh_and_is_not_told_what_was_of_the_earlier_one(
    site: Site, facts: str
) -> None:
    site.declare(asking_for(LABS))
    site.step()
    run(facts, "DELETE FROM rooms WHERE room = 'r1'")
    site.log.append([dropping(LABS.name), asking_for(LABS)])
    site.rows.clear()
    site.step()  # of the earlier one: the wrapper has not heard yet
    assert site.of(LABS) == []
    site.follow()
    site.step()
    assert site.of(LABS) == [(1,)]
    first, _, last = (offset for offset, _ in site.log.declared())
    assert site.log.state(f"{LABS.name}@{first}") == {}
    assert remembered(site.log.state(f"{LABS.name}@{last}")) == (Counter({(1,): 1}), True)


def test_a_fragment_that_cannot_be_asked_is_told_and_holds_nobody_up(site: Site, facts: str) -> None:
    gone = Table(Relation("gone", RelationKind.TABLE, COLUMNS, site=SITE), StreamFragment("gone", COLUMNS))
    site.declare(asking_for(Shipped(SITE, gone)), asking_for(LABS))
    site.step()
    assert site.of(LABS) == [(1,), (1,)]
    why = "there is no table gone; there are audits, rooms"
    assert site.wrapper.health().problem == f"gone ({Shipped(SITE, gone).name}): {why}"
    assert site.sites == [(SITE, "failing")]
    site.declare(dropping(Shipped(SITE, gone).name))
    site.step()
    assert site.sites == [(SITE, "failing"), (SITE, "up")]


def test_a_value_that_its_column_cannot_hold_is_a_reject_and_no_answer(tmp_path: Path) -> None:
    facts = empty_sqlite(tmp_path)
    run(facts, *DDL)
    site = Site(facts, tmp_path)
    site.declare(asking_for(PER_FLOOR))
    site.step()
    run(facts, "UPDATE rooms SET floor = 'ground' WHERE room = 'r1'")
    site.step()
    site.step()
    assert site.of(PER_FLOOR) == [(1, 2), (2, 1)]
    assert [row[2:] for row in site.rejects] == [("column floor holds 'ground'; expected bigint", "ground")]
    run(facts, "UPDATE rooms SET floor = 2 WHERE room = 'r1'")
    site.step()
    assert site.of(PER_FLOOR) == [(1, 1), (2, 2)]
    assert site.wrapper.health().problem == ""
    site.close()


def test_a_statement_that_takes_too_long_is_ended_and_told(facts: str, tmp_path: Path) -> None:
    run(facts, "DELETE FROM rooms")
    engine = sa.create_engine(facts)
    with engine.begin() as connection:
        many = [{"r": f"r{i}", "f": i % 2} for i in range(3_000)]
        connection.execute(sa.text("INSERT INTO rooms VALUES (:r, :f, 'lab')"), many)
    engine.dispose()
    site = Site(facts, tmp_path, statement_seconds=0.1)
    long = HashJoin(
        LABS.plan,
        HashJoin(LABS.plan, LABS.plan, (Field(0, BIGINT),), (Field(0, BIGINT),)),
        (Field(0, BIGINT),),
        (Field(0, BIGINT),),
    )
    slow = Shipped(SITE, GroupBy(long, (), (AggregateCall("count", None),), (Column("n", BIGINT),)))
    site.declare(asking_for(slow), asking_for(PER_FLOOR))
    site.step()
    assert site.of(PER_FLOOR) == [(0, 1_500), (1, 1_500)]
    assert "it took longer than statement_seconds allows" in site.wrapper.health().problem
    site.close()


@pytest.mark.integration
def test_a_database_that_stops_and_starts_is_told_and_goes_on(tmp_path: Path) -> None:
    server = Postgres()
    server.start()
    facts = server.create_database()
    run(facts, *DDL)
    site = Site(facts, tmp_path)
    site.declare(asking_for(PER_FLOOR))
    site.step()
    server.stop()
    site.step()
    assert site.wrapper.health().state is SourceState.FAILING
    assert site.of(PER_FLOOR) == [(1, 2), (2, 1)]
    server.start()
    run(facts, "DELETE FROM rooms WHERE floor = 2")
    site.step()
    assert site.of(PER_FLOOR) == [(1, 2)]
    assert [state for _, state in site.sites] == ["up", "failing", "up"]
    site.close()
    server.remove()


@pytest.mark.integration
def test_a_notification_polls_at_once(postgres: str, tmp_path: Path) -> None:
    run(postgres, *DDL)
    site = Site(postgres, tmp_path, notify="facts changed")
    site.wrapper.close()
    wrapper = DatabaseWrapper(site.source, ManualClock(5))
    wrapper.follow({LABS.name: {**json.loads(asking_for(LABS).payload), "version": 1}})
    wrapper.open(site.writer, site.log)
    label = f"{LABS.name}@1"
    until(lambda: remembered(site.log.state(label)).rows[(1,)] == 2, 20, "the first poll")
    run(postgres, "INSERT INTO rooms VALUES ('r7', 7, 'lab')", 'NOTIFY "facts changed"')
    until(lambda: remembered(site.log.state(label)).rows[(7,)] == 1, 20, "a poll long before the next is due")
    wrapper.close()
    site.close()


def test_notify_is_of_postgresql_alone(tmp_path: Path) -> None:
    source = DatabaseSource("facts", empty_sqlite(tmp_path), (), notify="x")
    with pytest.raises(SourceError, match="notify is declared for sqlite; expected postgresql"):
        DatabaseWrapper(source, ManualClock())


@pytest.mark.integration
def test_a_constant_that_a_database_cannot_be_sent_is_compared_here(postgres: str, tmp_path: Path) -> None:
    run(postgres, *DDL)
    site = Site(postgres, tmp_path)
    odd = Literal("a\x00b", TEXT)
    asked = Shipped(SITE, Filter(LEAF, Call("<>", (Field(0, TEXT), odd), BOOLEAN)))
    site.declare(asking_for(asked))
    site.step()
    assert len(site.of(asked)) == 3
    site.close()


def test_what_one_transaction_changed_is_never_seen_half(facts: str, tmp_path: Path) -> None:
    """Every transaction writes the same number into both tables, while both are asked."""
    run(facts, "INSERT INTO audits VALUES (1, '0')", "UPDATE rooms SET floor = 0")
    site = Site(facts, tmp_path)
    newest = Shipped(SITE, GroupBy(LEAF, (), (AggregateCall("max", Field(1, BIGINT)),), (COLUMNS[1],)))
    site.declare(asking_for(newest))
    ending = threading.Event()

    def write() -> None:
        n = 0
        while not ending.wait(0.003):
            n += 1
            run(facts, f"UPDATE audits SET room = '{n}'", f"UPDATE rooms SET floor = {n} WHERE room = 'r1'")

    writing = threading.Thread(target=write)
    writing.start()
    seen = []
    for _ in range(40):
        site.step()
        ((_, audit),) = (+site.rows["audits"]).keys()
        seen.append((int(audit), *site.of(newest)[0]))
    ending.set()
    writing.join()
    assert len(set(seen)) > 3
    assert all(audit == floor for audit, floor in seen)
    site.close()


def test_the_tables_on_demand_are_counted_when_everything_is_read(facts: str, tmp_path: Path) -> None:
    site = Site(facts, tmp_path, full_every=2)
    try:
        site.step()
        assert site.wrapper.health().rows == {"rooms": 3}
        run(facts, "INSERT INTO rooms VALUES ('r4', 2, NULL)")
        site.step()
        assert site.wrapper.health().rows == {"rooms": 3}
        site.step()
        assert site.wrapper.health().rows == {"rooms": 4}
        run(facts, "DROP TABLE rooms")
        site.step()
        site.step()
        assert site.wrapper.health().rows == {}
    finally:
        site.close()
