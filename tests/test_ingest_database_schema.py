"""A schema that changes while it is read: what fits goes on, what does not stands and is told, once."""

import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from engine.model.catalog import Catalog
from engine.model.values import Row
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from ingest.declarations import asking_for
from ingest.reader import LogReader
from ingest.sources import Sources
from ingest.wrapper import SourceState
from tests.asked_database import DDL, LABS, PER_FLOOR, Site, run
from tests.fact_tables import empty_sqlite
from tests.watched_tables import FILLED, ROOMS, Watched, stored

SOME_POLLS = 8  # PostgreSQL's driver prepares what it was asked five times


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_server = request.param == "postgresql"
    return str(request.getfixturevalue("postgres")) if is_server else empty_sqlite(tmp_path)


@pytest.fixture
def watched(facts: str, tmp_path: Path) -> Iterator[Watched]:
    run(facts, *FILLED)
    found = Watched(facts, tmp_path)
    for _ in range(SOME_POLLS):
        found.step()
    yield found
    found.close()


def retyped(url: str, table: str, column: str, kind: str) -> tuple[str, ...]:
    """Statements that give a column of ``rooms`` another type; SQLite makes the table anew for it."""
    if not url.startswith("sqlite"):
        return (f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind} USING {column}::{kind}",)
    columns = {
        "room": "VARCHAR(20) PRIMARY KEY",
        "floor": "INTEGER",
        "area": "DOUBLE PRECISION",
        column: kind,
    }
    if column == "room":
        columns["room"] = f"{kind} PRIMARY KEY"
    text = ", ".join(f"{name} {its}" for name, its in columns.items())
    return (
        f"CREATE TABLE draft ({text})",
        f"INSERT INTO draft SELECT * FROM {table}",
        f"DROP TABLE {table}",
        f"ALTER TABLE draft RENAME TO {table}",
    )


def test_a_new_column_is_told_and_the_others_go_on(watched: Watched) -> None:
    run(watched.url, "ALTER TABLE rooms ADD COLUMN name VARCHAR(20)", "UPDATE rooms SET floor = 7")
    watched.step()
    assert watched.of("rooms") == [("r1", 7, 10.5), ("r2", 7, 20.0)]
    health = watched.wrapper.health()
    assert health.state is SourceState.LIVE
    assert health.problem == "table rooms: column name is new; the next start of SmartCIS reads it as it is"
    assert watched.rejects == []


def test_a_column_that_goes_leaves_its_tables_rows_as_they_were_and_the_other_tables_go_on(
    watched: Watched,
) -> None:
    before = watched.of("rooms")
    run(watched.url, "ALTER TABLE rooms DROP COLUMN area", "UPDATE rooms SET floor = 7", "DELETE FROM desks")
    for _ in range(3):
        watched.step()
    assert watched.of("rooms") == before
    assert watched.of("desks") == []
    assert watched.wrapper.health().state is SourceState.FAILING
    undone = "it goes on when that is undone, or by a restart of SmartCIS"
    assert watched.problem == f"table rooms stands as it was read last: column area is gone; {undone}"
    assert watched.rejects == [watched.problem]
    run(watched.url, "ALTER TABLE rooms ADD COLUMN area DOUBLE PRECISION")
    watched.step()
    assert watched.of("rooms") == [("r1", 7, None), ("r2", 7, None)]
    assert (watched.wrapper.health().state, watched.problem) == (SourceState.LIVE, "")


def test_a_column_that_is_renamed_is_told_with_its_new_name(watched: Watched) -> None:
    before = watched.of("rooms")
    run(watched.url, "ALTER TABLE rooms RENAME COLUMN floor TO storey")
    watched.step()
    assert "column floor is gone (new: storey)" in watched.problem
    assert watched.of("rooms") == before
    run(watched.url, "ALTER TABLE rooms RENAME COLUMN storey TO floor")
    watched.step()
    assert watched.problem == ""


def test_a_column_of_another_type_stands_and_one_of_the_same_values_goes_on(watched: Watched) -> None:
    before = watched.of("rooms")
    run(watched.url, *retyped(watched.url, "rooms", "floor", "TEXT"), "UPDATE rooms SET floor = 'up'")
    watched.step()
    assert "column floor was bigint and is text" in watched.problem
    assert watched.of("rooms") == before
    run(watched.url, "UPDATE rooms SET floor = '3'", *retyped(watched.url, "rooms", "floor", "BIGINT"))
    for _ in range(SOME_POLLS):
        watched.step()
    assert watched.problem == ""
    assert watched.of("rooms") == [("r1", 3, 10.5), ("r2", 3, 20.0)]


def test_a_table_that_is_dropped_stands_until_one_of_its_name_is_there(watched: Watched) -> None:
    before = watched.of("rooms")
    run(watched.url, "DROP TABLE rooms", "INSERT INTO desks VALUES ('d2', 'r2')")
    watched.step()
    assert watched.of("rooms") == before
    assert watched.of("desks") == [("d1", "r1"), ("d2", "r2")]
    assert "table rooms stands as it was read last: it is gone" in watched.problem
    run(watched.url, ROOMS, "INSERT INTO rooms VALUES ('r2', 2, 20.0), ('r9', 9, NULL)")
    watched.step()
    assert watched.of("rooms") == [("r2", 2, 20.0), ("r9", 9, None)]
    assert watched.problem == ""


def test_another_key_is_another_table(watched: Watched) -> None:
    run(
        watched.url, "DROP TABLE desks", "CREATE TABLE desks (desk VARCHAR(20), room VARCHAR(20) PRIMARY KEY)"
    )
    watched.step()
    assert "its key was desk and is room" in watched.problem
    assert watched.of("desks") == [("d1", "r1")]
    run(watched.url, "DROP TABLE desks", "CREATE TABLE desks (desk VARCHAR(20), room VARCHAR(20))")
    watched.step()
    assert "has no primary key" in watched.problem


def test_after_a_restart_the_table_is_read_as_it_is(watched: Watched) -> None:
    run(
        watched.url,
        "ALTER TABLE rooms DROP COLUMN area",
        "ALTER TABLE rooms ADD COLUMN name VARCHAR(20) DEFAULT 'x' NOT NULL",
        "DELETE FROM rooms WHERE room = 'r2'",
        "INSERT INTO rooms VALUES ('r3', 3, 'y')",
    )
    watched.step()
    watched.wrapper.close()
    watched.writer.close()
    watched.start()
    watched.read()
    watched.rejects.clear()
    watched.step()
    assert watched.rejects == []
    assert [column.name for column in watched.relations["rooms"].columns] == ["room", "floor", "name"]
    assert watched.of("rooms") == [("r1", 1, "x"), ("r3", 3, "y")]
    assert watched.problem == ""


def test_an_acquisition_that_starts_again_goes_by_what_its_run_saw_first(watched: Watched) -> None:
    before = watched.of("rooms")
    run(watched.url, "ALTER TABLE rooms DROP COLUMN area", "UPDATE rooms SET floor = 7", "DELETE FROM desks")
    watched.wrapper.close()
    watched.writer.close()
    watched.start(is_new_run=False)
    watched.step()
    assert watched.of("rooms") == before
    assert watched.of("desks") == []
    assert "column area is gone" in watched.problem
    run(watched.url, "ALTER TABLE rooms ADD COLUMN area DOUBLE PRECISION")
    watched.step()
    assert watched.of("rooms") == [("r1", 7, None), ("r2", 7, None)]


def test_a_snapshot_of_a_table_as_it_was_does_not_keep_it_from_being_whole(watched: Watched) -> None:
    before = Session(Catalog(watched.relations.values()), FederatedOptimizer())
    read_on(before, watched)
    image = before.image()
    moved = ("ALTER TABLE rooms DROP COLUMN floor", "ALTER TABLE rooms ADD COLUMN floor INTEGER")
    run(watched.url, *moved, "UPDATE rooms SET floor = 1 WHERE room = 'r1'")
    run(watched.url, "UPDATE rooms SET floor = 2 WHERE room = 'r2'")
    watched.wrapper.close()
    watched.writer.close()
    watched.start()
    watched.step()
    assert watched.of("rooms") == [("r1", 10.5, 1), ("r2", 20.0, 2)]
    after = Session(Catalog(watched.relations.values()), FederatedOptimizer())  # nothing of the log is left
    after.restore(image, pytest.fail)
    read_on(after, watched)
    name = after.query("SELECT r.room, r.floor FROM rooms r")
    assert Counter(dict(after.snapshot(name).rows)) == Counter({("r1", 1): 1, ("r2", 2): 1})


def read_on(session: Session, watched: Watched) -> None:
    """Close a tick with all that the log has by now."""
    batch = LogReader(watched.log_url, Sources(), watched.relations.values()).read(session.stamp.offset)
    rows = {f: [r for r in batch.readings if r.relation == f.relation] for f in session.fragments()}
    session.advance(batch.end, batch.at, rows)


def test_a_fragment_over_a_table_that_is_other_keeps_its_answer_and_says_why(
    facts: str, tmp_path: Path
) -> None:
    run(facts, *DDL)
    site = Site(facts, tmp_path)
    site.declare(asking_for(LABS), asking_for(PER_FLOOR))
    site.step()
    before = site.of(LABS), site.of(PER_FLOOR)
    run(facts, "ALTER TABLE rooms RENAME COLUMN kind TO sort", "DELETE FROM rooms")
    site.step()
    assert (site.of(LABS), site.of(PER_FLOOR)) == before
    assert "table rooms is not as it was: column kind is gone (new: sort)" in site.wrapper.health().problem
    assert site.sites[-1] == ("database:facts", "failing")
    run(facts, "ALTER TABLE rooms RENAME COLUMN sort TO kind")
    site.step()
    assert site.of(LABS) == []
    assert site.sites[-1] == ("database:facts", "up")
    site.close()


CHANGES = (
    "ALTER TABLE rooms ADD COLUMN extra INTEGER",
    "ALTER TABLE rooms DROP COLUMN extra",
    "ALTER TABLE rooms DROP COLUMN area",
    "ALTER TABLE rooms ADD COLUMN area DOUBLE PRECISION",
    "ALTER TABLE rooms RENAME COLUMN floor TO storey",
    "ALTER TABLE rooms RENAME COLUMN storey TO floor",
    "DROP TABLE rooms",
    ROOMS,
    "INSERT INTO rooms (room) VALUES ('{}')",
    "DELETE FROM rooms WHERE room < '{}'",
    "INSERT INTO desks VALUES ('{}', 'r')",
    "DELETE FROM desks WHERE desk < '{}'",
)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 6))])
def test_whatever_is_altered_what_fits_is_followed_and_what_does_not_stands(
    watched: Watched, seed: int
) -> None:
    chance = random.Random(seed)
    standing = watched.of("rooms")
    for _ in range(40):
        for _ in range(chance.randrange(1, 4)):
            attempt(watched.url, chance.choice(CHANGES).format(chance.randrange(20)))
        watched.step()
        assert watched.of("desks") == stored(watched.url, "desks", "desk", "room")
        fits = maybe_stored(watched.url)
        if fits is None:
            assert watched.wrapper.health().state is SourceState.FAILING
            assert watched.of("rooms") == standing
        else:
            assert watched.wrapper.health().state is SourceState.LIVE
            standing = fits
            assert watched.of("rooms") == fits
    assert all(reason.startswith("table rooms stands") for reason in watched.rejects)


def attempt(url: str, statement: str) -> None:
    """Carry a statement out if the database can."""
    with suppress(sa.exc.SQLAlchemyError):
        run(url, statement)


def maybe_stored(url: str) -> list[Row] | None:
    """The rows of rooms, if it has the columns that it had at first."""
    try:
        return stored(url, "rooms", "room", "floor", "area")
    except sa.exc.SQLAlchemyError:
        return None


@pytest.mark.integration
def test_a_table_that_may_not_be_read_is_told_as_that(postgres: str, tmp_path: Path) -> None:
    role = f"guest_{uuid4().hex[:8]}"
    run(postgres, *FILLED, f"CREATE ROLE {role} LOGIN", f"GRANT SELECT ON desks, rooms TO {role}")
    watched = Watched(postgres.replace("smartcis@", f"{role}@"), tmp_path)
    watched.step()
    assert len(watched.of("rooms")) == 2
    run(postgres, f"REVOKE SELECT ON rooms FROM {role}")
    watched.step()
    assert "permission denied for table rooms" in watched.problem
    assert len(watched.of("rooms")) == 2
    run(postgres, f"GRANT SELECT ON rooms TO {role}", "DELETE FROM rooms")
    watched.step()
    assert (watched.problem, watched.of("rooms")) == ("", [])
    watched.close()
    run(postgres, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


@pytest.mark.integration
def test_a_table_that_is_rewritten_while_it_is_read_never_looks_empty(postgres: str, tmp_path: Path) -> None:
    run(postgres, *FILLED)
    watched = Watched(postgres, tmp_path)
    watched.step()
    ending = threading.Event()

    def rewrite() -> None:
        while not ending.is_set():
            for kind in ("BIGINT", "INTEGER"):
                run(postgres, f"ALTER TABLE rooms ALTER COLUMN floor TYPE {kind}")

    thread = threading.Thread(target=rewrite)
    thread.start()
    polls = [watched.step() for _ in range(60)]
    ending.set()
    thread.join(120)
    watched.step()
    assert polls
    assert watched.deletes == 0
    assert watched.of("rooms") == [("r1", 1, 10.5), ("r2", 2, 20.0)]
    assert watched.rejects == []
    watched.close()
