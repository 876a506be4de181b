"""Group commit: one thread that writes what many submit.

    submit(unit) → queue → [ unit unit unit ] → one append → each unit's ``committed``, in order

A commit follows the one before at the earliest after GATHER seconds: a lone message is written at
once, a flood in groups of what arrived meanwhile. Nothing written for CLOCK_PERIOD: a clock row,
so that time passes for whoever reads the log. While the database fails, everything stays queued,
attempts back off and health says why; the bounded queue then blocks whoever submits, and a source
whose acknowledgements stop stops sending.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import structlog
from sqlalchemy.exc import SQLAlchemyError

from ingest.log import CLOCK_ENTRY, Entry, Log, Position, StateChange
from ingest.pressure import Pressure, Progress

CLOCK_PERIOD = 0.25
GATHER = 0.005
MAX_GROUP = 5_000
MAX_QUEUED = 10_000  # below the MQTT wrapper's window, so that a redelivery of what is queued is known
MAX_QUEUED_BYTES = 64_000_000
FIRST_RETRY, LAST_RETRY = 0.1, 5.0

Committed = Callable[[], None]


class Unit(NamedTuple):
    """What is committed together; without entries it waits for those before it."""

    entries: Sequence[Entry]
    committed: Committed | None
    state: Sequence[StateChange]
    size: int


class WriterHealth(NamedTuple):
    """``error`` is why the last attempt failed, empty when it did not."""

    queued: int
    blocked: int
    commits: int
    rows: int
    last: Position
    error: str


class LogWriter:
    """Appends from any thread, in the order of submission."""

    def __init__(self, log: Log, views: Path | None = None) -> None:
        self._log = log
        progress = Progress(views) if views is not None else None
        behind = (lambda: progress.behind(self.end)) if progress is not None else (lambda: 0)
        self._pressure = Pressure(behind, lambda: self._rows)
        self._units: deque[Unit] = deque()
        self._rows = self._bytes = 0
        lock = threading.Lock()
        self._condition = threading.Condition(lock)
        self._room = threading.Condition(lock)
        self._ending = threading.Event()
        self._health = WriterHealth(0, 0, 0, 0, log.last(), "")
        self._blocked = 0
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def submit(
        self, entries: Sequence[Entry], committed: Committed | None = None, state: Sequence[StateChange] = ()
    ) -> None:
        """Queue a unit; blocks while the queue is full. ``committed`` runs on the writer's thread."""
        size = sum(len(entry.payload) for entry in entries)
        with self._condition:
            if self._is_full():
                self._blocked += 1
                self._room.wait_for(lambda: not self._is_full() or self._ending.is_set())
            self._units.append(Unit(entries, committed, state, size))
            self._rows += len(entries)
            self._bytes += size
            if len(self._units) == 1:
                self._condition.notify()

    @property
    def end(self) -> int:
        """Where the log ends, as of the last commit."""
        return self._health.last.offset

    def level(self) -> int:
        """Return how much has to be left out for queues and views to keep up (``pressure``)."""
        return self._pressure.look()

    def close(self, timeout: float = 5.0) -> bool:
        """Write what is queued and end; False if that took too long."""
        with self._condition:
            self._ending.set()
            self._condition.notify_all()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def health(self) -> WriterHealth:
        """Return what the writer says of itself."""
        with self._condition:
            return self._health._replace(queued=self._rows, blocked=self._blocked)

    def _is_full(self) -> bool:
        return self._rows >= MAX_QUEUED or self._bytes >= MAX_QUEUED_BYTES

    def _run(self) -> None:
        due = time.monotonic() + CLOCK_PERIOD
        while True:
            group = self._next_group(due)
            entries = [entry for unit in group for entry in unit.entries]
            if not group and self._ending.is_set():
                return
            if not self._append(entries or ([] if group else [CLOCK_ENTRY]), group):
                return
            if entries or not group:
                due = time.monotonic() + CLOCK_PERIOD
            for unit in group:
                _tell(unit)
            self._ending.wait(GATHER)

    def _next_group(self, due: float) -> list[Unit]:
        """Take what is queued, at most MAX_GROUP rows; nothing when ``due`` came first."""
        group: list[Unit] = []
        rows = 0
        with self._condition:
            self._condition.wait_for(lambda: self._units or self._ending.is_set(), due - time.monotonic())
            while self._units and (not group or rows + len(self._units[0].entries) <= MAX_GROUP):
                unit = self._units.popleft()
                group.append(unit)
                rows += len(unit.entries)
                self._bytes -= unit.size
            self._rows -= rows
            self._room.notify_all()
        return group

    def _append(self, entries: Sequence[Entry], group: Sequence[Unit]) -> bool:
        """Append until it succeeds; False when told to end before it did."""
        state = [change for unit in group for change in unit.state]
        if not entries and not state:
            return True
        wait = FIRST_RETRY
        position = self._attempt(entries, state, retry=False)
        while position is None:
            if self._ending.wait(wait):
                return False
            wait = min(wait * 2, LAST_RETRY)
            position = self._attempt(entries, state, retry=True)
        with self._condition:
            done = self._health
            self._health = WriterHealth(0, 0, done.commits + 1, done.rows + len(entries), position, "")
        return True

    def _attempt(
        self, entries: Sequence[Entry], state: Sequence[StateChange], *, retry: bool
    ) -> Position | None:
        """Append once. A commit whose answer was lost may have happened: a retry looks first."""
        try:
            if retry and entries and self._log.holds(entries, self._health.last.offset):
                return self._log.last()
            return self._log.append(entries, state)
        except SQLAlchemyError as error:
            reason = " ".join(str(error).split())[:300]
            if not self._health.error:
                structlog.get_logger().warning("the log cannot be written; retrying", reason=reason)
            with self._condition:
                self._health = self._health._replace(error=reason)
            return None


def _tell(unit: Unit) -> None:
    """Run a unit's callback; one that fails must not stop the log."""
    if unit.committed is None:
        return
    try:
        unit.committed()
    except Exception:
        structlog.get_logger().exception("a committed entry could not be acknowledged")
