"""Everything that SmartCIS remembers goes into one file and comes back; the log's commands by hand."""

import json
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

from app.accounts.audit import Audit
from app.alarming.life import Turn
from app.alarming.rule import Rule
from app.alarming.store import AlarmStore, Named, Written
from app.cli import main
from app.history.schema import METADATA, RECORDED
from engine.model.clock import SystemClock
from ingest.log import Entry, Log
from ingest.log.check import verify
from ingest.recordings.file import read_recording
from ingest.snapshots import Snapshots, StoredSnapshot
from tests.environment.small_disk import small_disk
from tests.environment.waiting import free_port
from tests.memory_engine import MemoryEngine
from tests.web_parts import web_over


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


def raise_alarm(url: str, room: str) -> int:
    """Have an alarm stand; return its number."""
    store = AlarmStore(url, SystemClock())
    raised = {room: (f'{{"room": "{room}"}}', Turn(room, True, 5))}
    (number,) = store.write(Named("hot", "too hot"), Rule(), {}, Written(raised)).values()
    store.close()
    return number


def in_words(url: str) -> tuple[object, object]:
    """What the tables beside a log say: alarms, and what was done by whom."""
    store = AlarmStore(url, SystemClock())
    found = store.listed(10), Audit(url, SystemClock()).listed(10)
    store.close()
    return found


def test_alarms_and_the_audit_log_of_postgresql_come_back_and_are_numbered_on(
    tmp_path: Path, copy: Path, postgres: str
) -> None:
    there = state_of(tmp_path, postgres)
    number = raise_alarm(postgres, "1.01")
    store = AlarmStore(postgres, SystemClock())
    store.acknowledge(number, "ann", "a heater is stuck")
    store.shelve(number, whole=True, until=SystemClock().now() + 60_000_000, by="ann", reason="known")
    store.close()
    Audit(postgres, SystemClock()).say("ann", "acknowledged", "alarm 1")
    before = in_words(postgres)
    assert said("backup", copy, **there).exit_code == 0
    empty = another_database(postgres)
    back = {"SMARTCIS_STATE": str(tmp_path / "back"), "SMARTCIS_LOG_URL": empty}
    found = said("restore", copy, **back)
    assert found.exit_code == 0, found.output
    assert in_words(empty) == before
    assert raise_alarm(empty, "1.02") == number + 1
    Audit(empty, SystemClock()).say("bob", "signed in")
    assert [row["who"] for row in Audit(empty, SystemClock()).listed(10)] == ["bob", "ann"]


def test_no_table_that_stands_beside_the_log_is_left_out(tmp_path: Path, copy: Path, postgres: str) -> None:
    there = state_of(tmp_path, postgres)
    broker = f"mqtt://127.0.0.1:{free_port()}"
    web_over(MemoryEngine(), tmp_path / "web", database_url=postgres, mqtt_url=broker).stop()
    assert said("backup", copy, **there).exit_code == 0
    with tarfile.open(copy) as archive:
        lines = (archive.extractfile("log.rows") or pytest.fail("no rows")).read().decode().splitlines()
    kept = {line["table"] for line in map(json.loads, lines) if isinstance(line, dict)}
    assert kept == set(sa.inspect(sa.create_engine(postgres)).get_table_names())


def test_a_database_of_an_earlier_version_is_backed_up_and_comes_back(
    tmp_path: Path, copy: Path, postgres: str
) -> None:
    there = state_of(tmp_path, postgres)
    raise_alarm(postgres, "1.01")
    with psycopg.connect(postgres.replace("+psycopg", ""), autocommit=True) as server:
        server.execute("ALTER TABLE alarms DROP COLUMN severity")
        server.execute("DROP TABLE alarm_shelves")
    assert said("backup", copy, **there).exit_code == 0
    empty = another_database(postgres)
    back = {"SMARTCIS_STATE": str(tmp_path / "back"), "SMARTCIS_LOG_URL": empty}
    assert said("restore", copy, **back).exit_code == 0
    assert [alarm["severity"] for alarm in AlarmStore(empty, SystemClock()).listed(10)] == ["medium"]


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


def test_a_folder_that_is_a_disk_of_its_own_gets_a_backup_or_stays_empty(tmp_path: Path, copy: Path) -> None:
    assert said("backup", copy, **state_of(tmp_path)).exit_code == 0
    with small_disk(tmp_path / "volume", 40) as disk:
        there = {"SMARTCIS_STATE": str(disk.folder)}
        refused = said("restore", copy, **there, SMARTCIS_LOG_URL=f"sqlite:///{tmp_path}/elsewhere.db")
        assert "the backup has the log as a file" in refused.output
        assert list(disk.folder.iterdir()) == []
        found = said("restore", copy, **there)
        assert found.exit_code == 0, found.output
        assert contents(f"sqlite:///{disk.folder}/log.db")
        assert not [path for path in disk.folder.iterdir() if path.name.startswith(".")]


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


@pytest.mark.parametrize(("name", "link"), [("../out", ""), ("/tmp/out", ""), ("in", "/etc/passwd")])
def test_a_copy_that_reaches_out_of_its_folder_is_refused(
    tmp_path: Path, copy: Path, name: str, link: str
) -> None:
    with tarfile.open(copy, "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = (tarfile.SYMTYPE, link) if link else (tarfile.REGTYPE, "")
        archive.addfile(member)
    refused = said("restore", copy, SMARTCIS_STATE=str(tmp_path / "back"))
    assert (refused.exit_code, len(refused.output.splitlines())) == (1, 1), refused.output
    assert "is no file of a state folder; nothing is restored" in refused.output
    assert [path.name for path in tmp_path.iterdir()] == ["all.tar.gz"]


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
