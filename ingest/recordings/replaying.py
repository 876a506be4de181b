"""A recording in place of everything that fed the log: its entries, with the stamps that they had.

    stamp' = stamp + shift          whatever the speed; so views, windows of time included, are what they
                                    were, and how fast it went can be seen nowhere but in the ticks

How far the recording is, is written with its entries: a process that is killed
goes on where it was, and appends nothing twice.

    python -m ingest.recordings.replaying --log URL --recording FILE --state DIR [--speed 1|max]
"""

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from engine.model.errors import SmartCISError
from ingest.acquisition import HEALTH_FILE
from ingest.ending import when_told_to_end
from ingest.lifeline import end_with_parent
from ingest.log import CLOCK_ENTRY, Entry, Log, StateChange
from ingest.log.writer import CLOCK_PERIOD
from ingest.recordings.file import read_recording
from ingest.recordings.pacing import POSITION, Wait, due_together, is_replayed
from ingest.sources import RESERVED
from ingest.sources.recordings import MAX, speed_of
from ingest.wrapper import SourceHealth, SourceState

SOURCE = "recording"
COMPUTED = tuple(
    word for word in RESERVED if word != "gateway"
)  # how gateways are is told, no answers of theirs
Told = Callable[[int], None]


class LogTime:
    """The time of a log that a recording is replayed into: that of its last entry."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def now(self) -> int:
        return self._log.last().received


def replay(log: Log, file: Path, speed: float, wait: Wait, told: Told = lambda _: None) -> int:
    """Append a recording to a log; return how many entries there are of it then."""
    done = int(log.state(SOURCE).get(POSITION, 0))
    wanted = (each for each in read_recording(file) if is_replayed(each, COMPUTED))
    records = islice(wanted, done, None)
    for group in due_together(records, speed, wait):
        done += len(group)
        entries = [Entry(each.source, each.topic, each.payload) for each in group]
        stamps = [each.received for each in group]
        state = [StateChange(SOURCE, POSITION, str(done)), StateChange(SOURCE, "file", file.name)]
        log.append(entries, state, stamps)
        told(done)
    return done


def stand_still(log: Log, wait: Wait) -> None:
    """Let ticks go on, which whoever asks something waits for, while time stands at the recording's end."""
    last = log.last().received
    while not wait(CLOCK_PERIOD):
        log.append([CLOCK_ENTRY], stamps=[last])


def _report(state: Path, file: Path, entries: int, problem: str = "") -> None:
    """Say how the recording does, where the acquisition would say how its sources do."""
    how = SourceHealth(SourceState.FAILING if problem else SourceState.LIVE, problem, accepted=entries)
    told = {"pid": os.getpid(), "declared": 0, "sources": {f"{SOURCE}:{file.name}": asdict(how)}}
    draft = (state / HEALTH_FILE).with_suffix(".draft")
    with suppress(OSError):
        draft.write_text(json.dumps(told), "utf-8")
        draft.replace(state / HEALTH_FILE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the process until the recording ends and it is told to; return its exit code."""
    parser = argparse.ArgumentParser(
        "python -m ingest.recordings.replaying", description="Replay a recording."
    )
    parser.add_argument("--log", required=True, help="sqlite:///path or postgresql://host/name")
    parser.add_argument("--recording", required=True, type=Path, help="what smartcis record wrote")
    parser.add_argument("--state", required=True, type=Path, help="folder for the health file")
    parser.add_argument("--speed", default="1", help=f"recorded seconds in a second, or {MAX}")
    chosen = parser.parse_args(arguments)
    ending = threading.Event()
    when_told_to_end(ending.set)
    end_with_parent()
    entries = 0

    def told(done: int) -> None:
        nonlocal entries
        entries = done
        _report(chosen.state, chosen.recording, done)

    try:
        with Log(chosen.log) as log:
            replay(log, chosen.recording, speed_of(chosen.speed), ending.wait, told)
            stand_still(log, ending.wait)
    except (SmartCISError, SQLAlchemyError) as error:
        problem = " ".join(str(error).split())[:300]
        _report(chosen.state, chosen.recording, entries, problem)
        sys.stderr.write(f"replaying: {problem}\n")
    ending.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
