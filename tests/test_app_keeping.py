"""Everything that SmartCIS remembers goes into one file and comes back; the log's commands by hand."""

import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from uuid import uuid4

import psycopg
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from app.cli import main
from app.history.schema import METADATA, RECORDED
from ingest.log import Entry, Log
from ingest.log.check import verify
from ingest.recordings.file import read_recording
from ingest.snapshots import Snapshots, StoredSnapshot


def said(*words: str | Path, **environment: str) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], env=environment)


def state_of(folder: Path, log_url: str | None = None) -> dict[str, str]:
    """A state folder as a run leaves it, and the environment that names it."""
    state = folder / "state"
    (state / "broker").mkdir(parents=True)
    (state / "logs").mkdir()
    (state / "logs" / "spark.log").write_text("long")
    (state / "session.key").write_bytes(b"\0secret")
    (state / "session.key").chmod(0o600)
    (state / "broker" / "held.json").write_text("[1, 2]")
    with closing(sqlite3.connect(state / "facts.db")) as facts:
        facts.execute("CREATE TABLE rooms (room TEXT)")
        facts.execute("INSERT INTO rooms VALUES ('1.01')")
        facts.commit()
    fill(log_url or f"sqlite:///{state / 'log.db'}")
    return {"SMARTCIS_STATE": str(state), **({"SMARTCIS_LOG_URL": log_url} if log_url else {})}


def fill(url: str) -> None:
    with Log(url) as log:
        log.append([Entry("mqtt", f"t/{at}", bytes([at, 255]), at) for at in range(50)])
    snapshots = Snapshots(url)
    snapshots.save(StoredSnapshot(3, 40, 7, b"\0image"))
    snapshots.close()


def contents(url: str) -> tuple[object, object]:
    snapshots = Snapshots(url)
    with Log(url) as log:
        found = log.read(0), snapshots.latest()
    snapshots.close()
    return found


def another_database(postgres: str) -> str:
    """An empty database beside the one of a test."""
    name = f"again_{uuid4().hex[:8]}"
    with psycopg.connect(postgres.replace("+psycopg", ""), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    return sa.make_url(postgres).set(database=name).render_as_string(hide_password=False)


def add_view(url: str, name: str) -> int:
    """Have a history record one view more; return its number."""
    engine = sa.create_engine(url)
    METADATA.create_all(engine)
    with engine.begin() as connection:
        row = {"name": name, "columns": "[]", "key": "", "kept": 0, "hours": 0}
        (number,) = connection.execute(sa.insert(RECORDED).values(row)).inserted_primary_key
    engine.dispose()
    return int(number)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "all.tar.gz"


def test_what_is_backed_up_comes_back_as_it_was(tmp_path: Path, copy: Path) -> None:
    there = state_of(tmp_path)
    found = said("backup", copy, **there)
    assert found.exit_code == 0, found.output
    assert found.output.startswith("4 files, ")
    assert copy.stat().st_mode & 0o777 == 0o600, "it has secrets"
    back = tmp_path / "back"
    assert said("restore", copy, SMARTCIS_STATE=str(back)).exit_code == 0
    assert (back / "session.key").read_bytes() == b"\0secret"
    assert (back / "session.key").stat().st_mode & 0o777 == 0o600
    assert (back / "broker" / "held.json").read_text() == "[1, 2]"
    assert not (back / "logs").exists(), "a start makes it anew"
    with closing(sqlite3.connect(back / "facts.db")) as facts:
        assert list(facts.execute("SELECT * FROM rooms")) == [("1.01",)]
    before = f"sqlite:///{there['SMARTCIS_STATE']}/log.db"
    assert contents(f"sqlite:///{back}/log.db") == contents(before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.tar.gz", "back", "state"]


def test_a_log_of_postgresql_is_in_the_copy_and_comes_back_into_an_empty_database(
    tmp_path: Path, copy: Path, postgres: str
) -> None:
    there = state_of(tmp_path, postgres)
    assert said("backup", copy, **there).exit_code == 0
    back = {"SMARTCIS_STATE": str(tmp_path / "back")}
    refused = said("restore", copy, **back, SMARTCIS_LOG_URL=postgres)
    assert "has a log already; restore into an empty database" in refused.output
    empty = another_database(postgres)
    found = said("restore", copy, **back, SMARTCIS_LOG_URL=empty)
    assert found.exit_code == 0, found.output
    assert contents(empty) == contents(postgres)
    assert said("restore", copy, SMARTCIS_STATE=str(tmp_path / "third")).exit_code == 0
    assert contents(f"sqlite:///{tmp_path}/third/log.db") == contents(postgres), "SQLite takes it, too"


def test_a_history_of_postgresql_goes_on_numbering_where_it_was(
    tmp_path: Path, copy: Path, postgres: str
) -> None:
    empty = another_database(postgres)
    there = {**state_of(tmp_path), "SMARTCIS_HISTORY_URL": postgres}
    add_view(postgres, "warm")
    assert said("backup", copy, **there).exit_code == 0
    back = {"SMARTCIS_STATE": str(tmp_path / "back"), "SMARTCIS_HISTORY_URL": empty}
    assert said("restore", copy, **back).exit_code == 0
    assert (add_view(empty, "cold"), add_view(empty, "dark")) == (2, 3)


def test_what_was_a_file_is_not_taken_into_another_database(
    tmp_path: Path, copy: Path, postgres: str
) -> None:
    assert said("backup", copy, **state_of(tmp_path)).exit_code == 0
    back = {"SMARTCIS_STATE": str(tmp_path / "back"), "SMARTCIS_LOG_URL": postgres}
    refused = said("restore", copy, **back)
    assert "the backup has the log as a file; unset SMARTCIS_LOG_URL, and start from there" in refused.output
    assert not (tmp_path / "back").exists()


def test_a_copy_that_is_taken_while_the_log_is_written_is_whole(tmp_path: Path, copy: Path) -> None:
    there = state_of(tmp_path)
    url = f"sqlite:///{there['SMARTCIS_STATE']}/log.db"
    ending, begun = Event(), Event()

    def write() -> None:
        with Log(url) as log:
            while not ending.is_set():
                log.append([Entry("mqtt", "t", b"x" * 1_000) for _ in range(20)])
                begun.set()

    writer = Thread(target=write)
    writer.start()
    try:
        assert begun.wait(120)
        assert said("backup", copy, **there).exit_code == 0
    finally:
        ending.set()
        writer.join()
    assert said("restore", copy, SMARTCIS_STATE=str(tmp_path / "back")).exit_code == 0
    found = verify(f"sqlite:///{tmp_path}/back/log.db")
    assert found.wrong == 0
    assert 50 < found.entries <= verify(url).entries


def test_a_folder_that_has_something_is_not_overwritten(tmp_path: Path, copy: Path) -> None:
    there = state_of(tmp_path)
    assert said("backup", copy, **there).exit_code == 0
    refused = said("restore", copy, **there)
    assert refused.exit_code == 1
    assert "is not empty; move it away, or set SMARTCIS_STATE to a folder that is not there" in refused.output


@pytest.mark.parametrize("spoil", ["cut", "other", "changed"])
def test_a_copy_that_is_damaged_is_refused_and_leaves_nothing(tmp_path: Path, copy: Path, spoil: str) -> None:
    assert said("backup", copy, **state_of(tmp_path)).exit_code == 0
    if spoil == "cut":
        copy.write_bytes(copy.read_bytes()[:-200])
    elif spoil == "other":
        with tarfile.open(copy, "w:gz") as archive:
            archive.add(tmp_path / "state" / "session.key", "session.key")
    else:
        with tarfile.open(copy) as archive:
            archive.extractall(tmp_path / "open", filter="data")
        (tmp_path / "open" / "session.key").write_bytes(b"other")
        with tarfile.open(copy, "w:gz") as archive:
            archive.add(tmp_path / "open", "")
    refused = said("restore", copy, SMARTCIS_STATE=str(tmp_path / "back"))
    assert refused.exit_code == 1
    assert len(refused.output.splitlines()) == 1, refused.output
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize("manifest", ['{"backup": 1}', '{"backup": 1, "files": [1]}', "[]", "no"])
def test_a_copy_whose_manifest_is_none_is_refused(tmp_path: Path, copy: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    with tarfile.open(copy, "w:gz") as archive:
        archive.add(tmp_path / "manifest.json", "manifest.json")
    refused = said("restore", copy, SMARTCIS_STATE=str(tmp_path / "back"))
    assert (refused.exit_code, len(refused.output.splitlines())) == (1, 1)
    assert "is no whole backup" in refused.output


def test_a_copy_is_not_put_into_what_it_is_of(tmp_path: Path) -> None:
    there = state_of(tmp_path)
    refused = said("backup", tmp_path / "state" / "all.tar.gz", **there)
    assert refused.exit_code == 1
    assert "is in the folder that is backed up" in refused.output


def test_a_backup_that_cannot_be_written_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    there = state_of(tmp_path)
    refused = said("backup", tmp_path / "no" / "all.tar.gz", **there)
    assert refused.exit_code == 1
    assert "cannot write the backup" in refused.output
    assert said("backup", tmp_path / "x.tar.gz", SMARTCIS_STATE=str(tmp_path / "none")).exit_code == 1


def test_the_log_is_verified_exported_and_compacted_by_hand(tmp_path: Path) -> None:
    there = state_of(tmp_path)
    assert said("log", "verify", **there).output == "50 entries, 1 to 50: every one is there, in order\n"
    file = tmp_path / "log.jsonl.gz"
    assert said("log", "export", file, "--source", "mqtt", **there).output == f"50 entries in {file}\n"
    assert [record.payload for record in read_recording(file)] == [bytes([at, 255]) for at in range(50)]
    assert said("log", "compact", **there).output.startswith("0 entries removed; ")
    with closing(sqlite3.connect(tmp_path / "state" / "log.db")) as log:
        log.execute('DELETE FROM log WHERE "offset" = 5')
        log.commit()
    found = said("log", "verify", **there)
    assert (found.exit_code, found.output.splitlines()[0]) == (1, "entries 5 to 5 are not there")


def test_without_a_log_its_commands_say_where_they_looked(tmp_path: Path) -> None:
    for verb in (["verify"], ["compact"], ["export", str(tmp_path / "x.jsonl")]):
        found = said("log", *verb, SMARTCIS_STATE=str(tmp_path / "none"))
        assert found.exit_code == 1
        assert f"there is no log at {tmp_path / 'none' / 'log.db'}" in found.output
