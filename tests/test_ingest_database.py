"""Polled tables: every insert, update and delete reaches the log once, whatever happens between."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from engine.model.relation import Column
from engine.model.values import Type
from ingest.decoding.decoder import Decoder
from ingest.diff import diff
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import DatabaseSource, Sources
from ingest.wrapper import SourceState
from ingest.wrappers.database import DatabaseWrapper
from ingest.wrappers.database.rows import STANDS
from ingest.wrappers.database.schema import reflect
from ingest.wrappers.database.values import converter
from tests.asked_database import run
from tests.environment.waiting import until

keys = st.tuples(st.sampled_from("abc"), st.integers(0, 2))
values = st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 2)
tables = st.dictionaries(keys, st.fixed_dictionaries({"v": values}), max_size=6)


@given(tables, tables)
def test_applying_the_difference_gives_the_other_table(old: dict, new: dict) -> None:  # type: ignore[type-arg]
    changed = dict(old)
    for sign, key, row in diff(old, new):
        if sign < 0:
            assert changed.pop(key) == row
        else:
            assert key not in changed
            changed[key] = row
    assert {k: repr(v) for k, v in changed.items()} == {k: repr(v) for k, v in new.items()}
    assert list(diff(new, new)) == []


DDL = """
CREATE TABLE rooms (
    room VARCHAR(20) PRIMARY KEY, floor INTEGER NOT NULL, area NUMERIC(8, 2), open_lab BOOLEAN,
    built DATE, seen TIMESTAMP, factor DOUBLE PRECISION
)
"""
INSERT = "INSERT INTO rooms VALUES ('r1', 1, 12.5, TRUE, '2001-02-03', '2020-01-01 00:00:01', 0.5)"
R1 = ("r1", 1, 12.5, True, 981_158_400_000_000, 1_577_836_801_000_000, 0.5)


@pytest.fixture(params=["sqlite", "postgresql"])
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/facts.db"
    else:
        url = str(request.getfixturevalue("postgres"))
    run(url, DDL, INSERT)
    return url


class Polled:
    """A wrapper, its log, and what its entries decode to."""

    def __init__(self, facts: str, folder: Path) -> None:
        self.log = Log(f"sqlite:///{folder}/log.db")
        self.writer = LogWriter(self.log)
        self.writer.start()
        self.wrapper = DatabaseWrapper(DatabaseSource("facts", facts, ("rooms",), 3_600), ManualClock())
        self.wrapper._ending.set()
        self.wrapper.open(self.writer, self.log)
        self.at = self.log.last().offset

    def step(self) -> list[tuple[int, tuple[object, ...]]]:
        self.wrapper.step()
        self.writer.close()
        self.writer = LogWriter(self.log)
        self.wrapper._writer = self.writer
        self.writer.start()
        decoder = Decoder(Sources(), self.wrapper.describe())
        records = self.log.read(self.at)
        self.at = self.log.last().offset
        return [(r.sign, r.row) for record in records for r in decoder.decode(record)]

    def close(self) -> None:
        self.writer.close()
        self.log.close()


def test_columns_and_keys_are_the_databases_own(facts: str) -> None:
    (rooms,) = reflect(facts, ["rooms"], "db:facts")
    assert (rooms.key, rooms.source) == (("room",), "db:facts")
    assert rooms.columns == (
        Column("room", Type.TEXT, nullable=False),
        Column("floor", Type.BIGINT, nullable=False),
        Column("area", Type.DOUBLE),
        Column("open_lab", Type.BOOLEAN),
        Column("built", Type.TIMESTAMP),
        Column("seen", Type.TIMESTAMP),
        Column("factor", Type.DOUBLE),
    )


def test_inserts_updates_deletes_and_nulls_are_seen_once(facts: str, tmp_path: Path) -> None:
    polled = Polled(facts, tmp_path)
    assert polled.step() == [(1, R1)]
    assert polled.step() == []
    run(facts, "UPDATE rooms SET area = NULL", "INSERT INTO rooms (room, floor) VALUES ('ß', 2)")
    nulled = (*R1[:2], None, *R1[3:])
    assert polled.step() == [(-1, R1), (1, nulled), (1, ("ß", 2, None, None, None, None, None))]
    run(facts, "DELETE FROM rooms WHERE room = 'r1'")
    assert polled.step() == [(-1, nulled)]
    assert polled.wrapper.health().state is SourceState.LIVE
    polled.close()


def test_a_restart_says_only_what_changed_meanwhile(facts: str, tmp_path: Path) -> None:
    polled = Polled(facts, tmp_path)
    polled.step()
    polled.close()
    run(facts, "UPDATE rooms SET floor = 9")
    again = Polled(facts, tmp_path)
    assert again.step() == [(-1, R1), (1, ("r1", 9, *R1[2:]))]
    again.close()


GONE = "table rooms stands as it was read last: it is gone; it goes on when it is back"


def test_a_table_that_is_renamed_is_told_and_goes_on_when_it_is_back(facts: str, tmp_path: Path) -> None:
    polled = Polled(facts, tmp_path)
    polled.step()
    run(facts, "ALTER TABLE rooms RENAME TO away")
    assert polled.step() == [(1, ("db:facts", "reject", GONE, "rooms"))]
    assert polled.wrapper.health().state is SourceState.FAILING
    assert polled.wrapper.health().problem == GONE
    run(facts, "ALTER TABLE away RENAME TO rooms")
    assert polled.step() == []
    assert polled.wrapper.health().state is SourceState.LIVE
    polled.close()


def test_a_wrapper_polls_by_itself(facts: str, tmp_path: Path) -> None:
    log = Log(f"sqlite:///{tmp_path}/log.db")
    writer = LogWriter(log)
    writer.start()
    wrapper = DatabaseWrapper(DatabaseSource("facts", facts, ("rooms",), 0.05), ManualClock())
    wrapper.open(writer, log)
    until(lambda: len(log.state("db:facts")) == 1, 20, "it to happen")
    run(facts, "DELETE FROM rooms")
    until(lambda: log.state("db:facts") == {}, 20, "it to happen")
    wrapper.close()
    assert wrapper.health().state is SourceState.CLOSED
    writer.close()
    log.close()


def test_a_missing_table_or_key_is_one_line(facts: str) -> None:
    run(facts, "CREATE TABLE keyless (a INTEGER)")
    with pytest.raises(SourceError, match=r"no table room in .*did you mean rooms"):
        reflect(facts, ["room"])
    with pytest.raises(SourceError, match=r"table keyless in .* has no primary key"):
        reflect(facts, ["keyless"])


def test_a_database_file_that_is_missing_is_told_and_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "nope.db"
    with pytest.raises(SourceError, match=f"there is no database file {missing}"):
        reflect(f"sqlite:///{missing}", ["rooms"])
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_goes_meanwhile_is_told_until_it_is_back(tmp_path: Path) -> None:
    facts = f"sqlite:///{tmp_path}/facts.db"
    run(facts, DDL, INSERT)
    polled = Polled(facts, tmp_path)
    polled.step()
    polled.wrapper._engine.dispose()
    (tmp_path / "facts.db").rename(tmp_path / "away.db")
    assert polled.step() == []
    assert "there is no database file" in polled.wrapper.health().problem
    (tmp_path / "away.db").rename(tmp_path / "facts.db")
    assert polled.step() == []
    assert polled.wrapper.health().state is SourceState.LIVE
    polled.close()


@pytest.mark.parametrize(
    ("text", "at"),
    [("2026-01-31 09:30:15.000001", 1_769_851_815_000_001), ("2026-01-31", 1_769_817_600_000_000)],
)
def test_a_moment_that_the_database_keeps_as_text_is_read(text: str, at: int) -> None:
    read = converter(Column("at", Type.TIMESTAMP))
    assert read(text) == at
    with pytest.raises(SourceError, match=r"column at holds '31\.1\.2026'; expected timestamp"):
        read("31.1.2026")


def test_a_value_that_does_not_fit_its_column_is_told_once_and_changes_nothing(tmp_path: Path) -> None:
    facts = f"sqlite:///{tmp_path}/facts.db"
    run(facts, DDL, INSERT)
    polled = Polled(facts, tmp_path)
    polled.step()
    run(facts, "UPDATE rooms SET floor = 'ground'")
    problem = f"table rooms, row room 'r1': column floor holds 'ground'; expected bigint; {STANDS}"
    assert polled.step() == [(1, ("db:facts", "reject", problem, "ground"))]
    assert polled.step() == []
    assert polled.wrapper.health().problem == problem
    run(facts, "UPDATE rooms SET floor = 1")
    assert polled.step() == []
    assert polled.wrapper.health().state is SourceState.LIVE
    polled.close()


def test_a_text_that_is_no_url_is_one_line() -> None:
    with pytest.raises(SourceError, match=r"nonsense is no database URL; expected sqlite:///path"):
        reflect("nonsense", ["rooms"])
