"""What tests of recordings share: one that is made up, and logs to replay it into."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine.model.clock import SECOND, ManualClock
from ingest.log import Log, Record
from ingest.log.writer import LogWriter
from ingest.recordings.file import write_recording
from ingest.sources import Sources, parse_sources

START = 1_700_000_000 * SECOND


def made(folder: Path, seed: int = 1, entries: int = 300) -> Path:
    """A recording of half a minute or so, with silences."""
    draw, at = Random(seed), START
    records = []
    for offset in range(1, entries + 1):
        at += draw.choice((0, 0, 1_000, 50_000, 250_000))
        desk, who = f"d{draw.randrange(8)}", f"p{draw.randrange(3)}"
        row = {"event": desk, "room": desk, "title": None, "starts": 0, "ends": 1}
        changes = {"changes": [[draw.choice((1, -1)), "reserved", row]]}
        source, topic, payload = draw.choice(
            (
                ("mqtt", f"seat/{desk}", {"pressed": draw.random() < 0.5}),
                ("mqtt", f"heard/{who}", {"rssi": draw.random()}),
                ("mqtt", f"heard/{who}", {"rssi": "none"}),
                ("calendar:c", "changes", changes),
                ("clock", "", None),
            )
        )
        body = b"" if payload is None else json.dumps(payload).encode()
        records.append(Record(offset, at, source, topic, None, body))
    file = folder / "made.jsonl.gz"
    assert write_recording(file, records) == entries
    return file


def log_at(folder: Path, name: str) -> Log:
    return Log(f"sqlite:///{folder}/{name}.db", ManualClock())


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[tuple[Log, LogWriter]]:
    log = Log(f"sqlite:///{tmp_path}/live.db")
    writer = LogWriter(log)
    writer.start()
    yield log, writer
    writer.close()


def of_section(said: dict[str, object]) -> Sources:
    return parse_sources(json.dumps({"recordings": {"tape": said}}), {})
