"""A recording beside live sources: its entries as they were received, at the time at which they fall due.

    entry due = began + (its stamp − the first stamp) / speed          stamped by the log, like any other

``loop`` begins anew at its end. How far it is, is written with its entries, so that a restart goes on there.
Unlike ``ingest.recordings.replaying``, which stands for all sources and gives each entry the stamp that it
had, this one lives in the log's time: a window of time sees a recording at ten times the speed in a tenth of
the time.
"""

import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import structlog

from engine.model.errors import SourceError
from engine.model.relation import Relation
from ingest.log import CLOCK_SOURCE, Entry, Log, Record, StateChange
from ingest.log.writer import LogWriter
from ingest.recordings.file import read_recording
from ingest.recordings.pacing import POSITION, due_together, is_replayed
from ingest.sources import RecordingSource
from ingest.wrapper import SourceHealth, SourceState

RETRY_SECONDS = 5.0


class ReplayWrapper:
    """Replays in a thread of its own."""

    def __init__(self, recording: RecordingSource) -> None:
        self._recording = recording
        self.source = recording.source
        self._health = SourceHealth()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.source, daemon=True)

    def describe(self) -> tuple[Relation, ...]:
        """Return nothing: what it says is of relations that others declare."""
        return ()

    def open(self, writer: LogWriter, log: Log) -> None:
        """Begin, or go on, to replay."""
        self._writer = writer
        self._done = int(log.state(self.source).get(POSITION, 0))
        self._thread.start()

    def close(self) -> None:
        """Stop replaying."""
        self._ending.set()
        self._thread.join(5)
        self._health = replace(self._health, state=SourceState.CLOSED)

    def health(self) -> SourceHealth:
        """Return how many entries were replayed, and why no more are."""
        return self._health

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._once()
            except SourceError as error:
                self._failed(error.message)
            except Exception as error:  # a bug here must not end the source in silence
                structlog.get_logger().exception("replaying failed", source=self.source)
                self._failed(f"internal: {error!r}")
            else:
                if not self._recording.loop:
                    return
                self._done = 0

    def _failed(self, problem: str) -> None:
        self._health = replace(self._health, state=SourceState.FAILING, problem=problem)
        self._ending.wait(RETRY_SECONDS)

    def _once(self) -> None:
        """Replay what is left of the recording."""
        records = islice(self._entries(), self._done, None)
        for group in due_together(records, self._recording.speed, self._ending.wait):
            self._done += len(group)
            entries = [Entry(each.source, each.topic, each.payload) for each in group]
            self._writer.submit(entries, None, [StateChange(self.source, POSITION, str(self._done))])
            accepted = self._health.accepted + len(group)
            self._health = replace(self._health, state=SourceState.LIVE, problem="", accepted=accepted)

    def _entries(self) -> Iterator[Record]:
        wanted = self._recording.of
        for record in read_recording(self._recording.file):
            is_wanted = record.source in wanted if wanted else record.source != CLOCK_SOURCE
            if is_wanted and is_replayed(record):
                yield record
