"""A file of SQLite that is removed or replaced is seen; nobody is answered from the one before."""

import os
from pathlib import Path

import pytest

from engine.model.clock import ManualClock
from ingest.declarations import asking_for
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import DatabaseSource
from ingest.wrapper import SourceState
from ingest.wrappers.database.wrapper import DatabaseWrapper
from tests.asked_database import DDL, PER_FLOOR, SITE, Site, run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.db"
    run(f"sqlite:///{path}", *DDL, "INSERT INTO audits VALUES (1, 'r1')")
    return path


def put_back(file: Path, *statements: str) -> None:
    """What putting back a backup does: another file gets the name."""
    other = file.with_name("backup.db")
    run(f"sqlite:///{other}", *DDL, *statements)
    os.replace(other, file)


def test_a_file_that_is_replaced_is_read_instead_by_fragments_and_tables(file: Path, tmp_path: Path) -> None:
    site = Site(f"sqlite:///{file}", tmp_path)
    site.declare(asking_for(PER_FLOOR))
    site.step()
    put_back(file, "DELETE FROM rooms WHERE floor = 1", "INSERT INTO audits VALUES (7, 'r7')")
    site.step()
    assert site.of(PER_FLOOR) == [(2, 1)]
    assert +site.rows["audits"] == {(7, "r7"): 1}
    assert site.sites == [(SITE, "up")]
    site.close()


def test_a_file_that_is_away_is_told_its_rows_stand_and_it_is_read_when_it_is_back(
    file: Path, tmp_path: Path
) -> None:
    site = Site(f"sqlite:///{file}", tmp_path)
    site.declare(asking_for(PER_FLOOR))
    site.step()
    file.rename(tmp_path / "away.db")
    site.step()
    assert site.of(PER_FLOOR) == [(1, 2), (2, 1)]
    assert f"there is no database file {file}" in site.wrapper.health().problem
    (tmp_path / "away.db").rename(file)
    run(f"sqlite:///{file}", "DELETE FROM rooms WHERE floor = 2")
    site.step()
    assert site.of(PER_FLOOR) == [(1, 2)]
    assert [state for _, state in site.sites] == ["up", "failing", "up"]
    site.close()


def test_a_table_with_a_change_column_is_read_whole_from_the_file_that_is_put_back(
    file: Path, tmp_path: Path
) -> None:
    log = Log(f"sqlite:///{tmp_path}/log.db")
    source = DatabaseSource(
        "facts", f"sqlite:///{file}", ("audits",), 3_600, change_columns=(("audits", "n"),)
    )
    wrapper = DatabaseWrapper(source, ManualClock())
    wrapper._ending.set()
    writer = LogWriter(log)
    writer.start()
    wrapper.open(writer, log)
    wrapper.step()
    put_back(file, "INSERT INTO audits VALUES (0, 'earlier')")
    wrapper.step()
    writer.close()
    assert wrapper.health().state is SourceState.LIVE
    assert list(log.state(wrapper.source)) == ['["audits", [0]]']
    wrapper.close()
    log.close()
