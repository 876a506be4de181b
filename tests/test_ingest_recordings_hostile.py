"""Recordings that anybody may have written, and full disks: one line each, and nothing ends in silence."""

import math
import threading
from pathlib import Path

import pytest

from engine.model.errors import SourceError
from ingest.log import Log, Record
from ingest.log.writer import LogWriter
from ingest.recordings.file import read_recording, write_recording
from ingest.recordings.replaying import replay
from ingest.wrapper import SourceState
from ingest.wrappers.replay import ReplayWrapper
from tests.environment.waiting import until
from tests.recording_parts import START, log_at, made, of_section, writing

__all__ = ["writing"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[" * 100_000, "is no line of a recording"),
        ('{"offset":1,"at":Infinity,"source":"mqtt","topic":"a","text":""}', "is no line of a recording"),
        ('{"offset":1,"at":1e300,"source":"mqtt","topic":"a","text":""}', "expected microseconds since 1970"),
        ('{"offset":1,"at":1,"source":"mqtt","topic":"\\ud800","text":""}', "is no line of a recording"),
        ('{"offset":1,"at":1,"source":"declared","topic":"a","text":"{"}', "declares what cannot be read"),
        ('{"offset":1,"at":1,"source":"declared","topic":"a","text":"[]"}', "declares what cannot be read"),
        (
            '{"offset":1,"at":1,"source":"declared","topic":"a","text":"{\\"name\\": \\"a\\"}"}',
            "declares what cannot be read",
        ),
        ("5", "is no line of a recording"),
    ],
)
def test_what_anybody_wrote_into_a_recording_is_one_line(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(f'{{"recording": 1}}\n{line}\n{{"end": true, "entries": 1}}\n')
    log = log_at(tmp_path, "log")
    with pytest.raises(SourceError, match=told) as caught:
        replay(log, file, math.inf, threading.Event().wait)
    assert "\n" not in caught.value.message
    assert log.last().offset == 0


def test_a_damaged_or_full_disk_is_one_line(tmp_path: Path) -> None:
    file = made(tmp_path)
    content = bytearray(file.read_bytes())
    for at in range(20, len(content), 97):
        content[at] ^= 0x55
    file.write_bytes(content)
    with pytest.raises(SourceError, match=r"cannot be read after line|is no line of a recording"):
        list(read_recording(file))
    records = [Record(n, START, "mqtt", "a", None, b"x" * 100) for n in range(1_000)]
    with pytest.raises(SourceError, match="cannot write /dev/full: No space left on device"):
        write_recording(Path("/dev/full"), records)


def test_a_recording_that_fails_beside_live_sources_is_said_and_tried_again(
    tmp_path: Path, writing: tuple[Log, LogWriter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.wrappers.replay.RETRY_SECONDS", 0.01)
    log, writer = writing
    wrapper = ReplayWrapper(of_section({"file": str(made(tmp_path)), "speed": "max"}).recordings[0])
    monkeypatch.setattr(wrapper, "_entries", lambda: 1 / 0)
    wrapper.open(writer, log)
    until(lambda: wrapper.health().state is SourceState.FAILING, 10, "the failure to be said")
    assert wrapper.health().problem.startswith("internal: ZeroDivisionError")
    monkeypatch.undo()
    until(lambda: wrapper.health().state is SourceState.LIVE, 10, "another try")
    wrapper.close()
