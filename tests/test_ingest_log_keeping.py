"""The log is verified, recorded into a file and read back, and gives its space back."""

import gzip
import json
import random
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.model.clock import SECOND, ManualClock
from engine.model.errors import SourceError
from ingest.log import DECLARED_SOURCE, Entry, Log, Record
from ingest.log.check import verify
from ingest.log.compact import HOUR, compact
from ingest.log.schema import ANNOUNCED, DECLARED, LOG, open_engine
from ingest.recordings.file import read_recording, write_recording
from ingest.snapshots import Snapshots, StoredSnapshot

DOOR = {"name": "door", "kind": "table", "wrapper": "", "columns": [["id", "text", False]]}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/log.db"
    return str(request.getfixturevalue("postgres"))


def filled(url: str, entries: int = 30) -> None:
    with Log(url, ManualClock(1_000)) as log:
        log.append([Entry("mqtt", f"t/{at}", b"{}", at) for at in range(entries)])
        log.append([Entry(DECLARED_SOURCE, "door", json.dumps(DOOR).encode())])
        log.append([Entry("mqtt", "homeassistant/sensor/a/config", b"{}")])


def spoil(url: str, statement: sa.Executable) -> None:
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(statement)
    engine.dispose()


def test_a_log_that_is_whole_is_found_whole_from_wherever_it_was_trimmed(url: str) -> None:
    filled(url)
    assert verify(url)[:3] == (1, 32, 32)
    spoil(url, sa.delete(LOG).where(LOG.c.offset < 10))
    found = verify(url)
    assert (found.first, found.last, found.entries, found.wrong) == (10, 32, 23, 0)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (sa.delete(LOG).where(LOG.c.offset.in_([7, 8])), "entries 7 to 8 are not there"),
        (
            sa.update(LOG).where(LOG.c.offset == 9).values(received=3),
            "entry 9 was received before entry 8: 3",
        ),
        (sa.delete(DECLARED), "entry 31 declares door, and the index does not know it"),
        (sa.delete(ANNOUNCED), "entry 32 declares homeassistant/sensor/a/config, and the index does not"),
    ],
)
def test_what_a_log_has_lost_is_said_with_its_place(url: str, damage: sa.Executable, said: str) -> None:
    filled(url)
    spoil(url, damage)
    found = verify(url)
    assert (found.problems[0].startswith(said), found.wrong) == (True, 1)


def test_a_snapshot_of_what_the_log_no_longer_has_is_said(url: str) -> None:
    filled(url)
    snapshots = Snapshots(url)
    snapshots.save(StoredSnapshot(3, 99, 0, b""))
    snapshots.close()
    assert verify(url).problems == ("the snapshot of tick 3 is of entry 99; there are 1 to 32",)


def test_an_empty_log_is_no_problem(url: str) -> None:
    assert verify(url) == (0, 0, 0, (), 0)


def records(count: int, seed: int) -> list[Record]:
    dice = random.Random(seed)
    topics = ("", "a/b", "söll/\u2028x", "<script>")
    return [
        Record(
            offset,
            offset * SECOND,
            dice.choice(("mqtt", "db:facts")),
            dice.choice(topics),
            dice.choice((None, dice.randrange(65_536))),
            dice.choice((b"", b'{"a": "\xc3\xa9\n"}', dice.randbytes(20), "\u2028\r".encode())),
        )
        for offset in range(1, count + 1)
    ]


@pytest.mark.parametrize("name", ["entries.jsonl", "entries.jsonl.gz"])
@pytest.mark.parametrize("count", [0, 1, 500])
def test_a_recording_read_back_is_what_was_written(tmp_path: Path, name: str, count: int) -> None:
    written = records(count, seed=count)
    assert write_recording(tmp_path / name, iter(written)) == count
    assert list(read_recording(tmp_path / name)) == written


def test_a_recording_that_was_cut_off_gives_what_it_has_and_then_says_so(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    write_recording(whole, records(5, seed=5))
    cut.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:4]))
    found = read_recording(cut)
    assert [next(found).offset for _ in range(3)] == [1, 2, 3]
    with pytest.raises(SourceError, match="ends after line 4 without its last line: it was cut off"):
        next(found)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("no json\n", "line 1 is no line of a recording"),
        ('{"recording": 2}\n', 'expected {"recording": 1'),
        ('{"recording": 1}\n{"offset": 1}\n', "line 2 is no line of a recording"),
        ('{"recording": 1}\n[1]\n', "line 2 is no line of a recording"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_with_its_line(tmp_path: Path, lines: str, said: str) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text(lines, "utf-8")
    with pytest.raises(SourceError) as refused:
        list(read_recording(file))
    assert said in refused.value.message


def test_a_compressed_file_that_is_damaged_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"recording": 1}\n' * 9)[:-9])
    with pytest.raises(SourceError):
        list(read_recording(file))


def test_compacting_removes_what_is_old_and_gives_its_space_back(url: str) -> None:
    clock = ManualClock(1_000)
    with Log(url, clock) as log:
        log.append([Entry("mqtt", "t", b"x" * 200, 1) for _ in range(70_000)])
        clock.advance(10 * HOUR)
        log.append([Entry("mqtt", "t", b"y", 1) for _ in range(66_000)])
        last = log.last().offset
    snapshots = Snapshots(url)
    snapshots.save(StoredSnapshot(1, last, 0, b""))
    snapshots.close()
    found = compact(url, 1, clock, is_quiet=True)
    assert found.removed == 69_999, "the last of the old ones says since when the next are"
    assert found.after < found.before / 2
    assert (verify(url).entries, verify(url).wrong) == (66_001, 0)
