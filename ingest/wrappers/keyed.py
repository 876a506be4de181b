"""Sources that are asked: the rows they have now, compared with what the log last said of them.

    poll → {table: {key: row}} → diff with the last → one entry {"changes": [[±1, table, {…}], …]}

The entry and what the log now says (``source_state``, an item a row) are committed together, so a
crash between two polls neither loses nor repeats a change. A poll that fails changes nothing and is
told in health; content that cannot be read is also told in the log, once for each content.
"""

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import structlog

from engine.model.clock import SECOND, Clock
from engine.model.errors import SourceError
from engine.model.values import Row
from ingest.diff import NamedRow, Rows, diff
from ingest.log import Entry, Log, StateChange
from ingest.log.writer import LogWriter
from ingest.wrapper import SourceHealth, SourceState

Tables = Mapping[str, Rows]
Said = tuple[list[list[Any]], list[StateChange]]
REJECT_ITEM = "reject"
REST = 86_400.0  # seconds between two looks at what is read once


class UnreadableError(SourceError):
    """The source answered, with something that cannot be taken apart."""

    def __init__(self, message: str, sample: str) -> None:
        super().__init__(message)
        self.sample = sample


class KeyedWrapper(ABC):
    """Polls in a thread of its own; a subclass says how."""

    def __init__(self, source: str, poll_seconds: float, clock: Clock) -> None:
        self.source = source
        self._poll_seconds = poll_seconds
        self._clock = clock
        self._said: dict[str, dict[Row, NamedRow]] = {}
        self._rejected = ""
        self._polled: int | None = None
        self._health = SourceHealth()
        self._ending, self._hastened = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=source, daemon=True)

    @abstractmethod
    def poll(self) -> Tables:
        """Return all rows as of one moment, or raise SourceError."""

    def open(self, writer: LogWriter, log: Log) -> None:
        """Begin to poll, from what the log last said."""
        self._writer = writer
        for item, body in log.state(self.source).items():
            if item == REJECT_ITEM:
                self._rejected = body
                continue
            if not item.startswith("["):
                self.recall(item, body)
                continue
            table, key = json.loads(item)
            if not self.says(table):
                continue
            self._said.setdefault(table, {})[tuple(key)] = json.loads(body)
        self._thread.start()

    def close(self) -> None:
        """Stop polling."""
        self._ending.set()
        self._hastened.set()
        self._thread.join(5)
        self._health = replace(self._health, state=SourceState.CLOSED)

    def health(self) -> SourceHealth:
        """Return the health; lag is the age of the last poll that worked."""
        lag = 0.0 if self._polled is None else max(0, self._clock.now() - self._polled) / SECOND
        return replace(self._health, lag=round(lag, 3))

    def hasten(self) -> None:
        """Poll now, or at once after the poll that runs."""
        self._hastened.set()

    def _run(self) -> None:
        while not self._ending.is_set():
            self._hastened.clear()
            try:
                self.step()
            except Exception as error:  # a bug here must not end the source in silence
                structlog.get_logger().exception("polling failed", source=self.source)
                self._failed(f"internal: {error!r}")
            self._hastened.wait(self.pause())

    def pause(self) -> float:
        """Return in how many seconds the next poll comes, unless it is hastened."""
        return self._poll_seconds

    def step(self) -> None:
        """Poll once and submit what changed."""
        try:
            tables = self.poll()
        except SourceError as error:
            self._failed(error.message)
            if isinstance(error, UnreadableError):
                self._reject(error)
            return
        failure = self.failure()
        if failure:
            self._failed(failure)
        else:
            self._polled = self._clock.now()
            self._health = replace(self._health, state=SourceState.LIVE, problem=self.warning())
        self._submit(tables)
        unreadable = self.unreadable()
        if unreadable is not None:
            self._reject(unreadable)

    def _failed(self, problem: str) -> None:
        self._health = replace(self._health, state=SourceState.FAILING, problem=problem)

    def failure(self) -> str:
        """Return why the source cannot be read, although there are rows: what was read before goes on."""
        return ""

    def says(self, table: str) -> bool:
        """Tell whether the rows of a table are ours to say."""
        return True

    def recall(self, item: str, body: str) -> None:  # noqa: B027, most have nothing to take back
        """Take back what ``beside`` had the log keep under a name that is no row's."""

    @property
    def tells_departures(self) -> bool:
        """Tell whether the log is told of rows that went; those of a stream leave by its window."""
        return True

    def warning(self) -> str:
        """Return what people should know although polling works."""
        return ""

    def unreadable(self) -> UnreadableError | None:
        """Return what else was met that cannot be taken apart, although polling works."""
        return None

    def beside(self) -> Said:
        """Return what else was read at the same moment, to be told with the rows."""
        return [], []

    def _submit(self, tables: Tables) -> None:
        changes, state = self.beside()
        for table, sign, key, row in self._changes(tables):
            if sign > 0 or self.tells_departures:
                changes.append([sign, table, row])
            body = json.dumps(row) if sign > 0 else None
            state.append(StateChange(self.source, json.dumps([table, list(key)]), body))
        if self._rejected and self.unreadable() is None:
            self._rejected = ""
            state.append(StateChange(self.source, REJECT_ITEM, None))
        if tables is not self._said:
            self._said = {table: dict(rows) for table, rows in tables.items()}
        if changes:
            payload = json.dumps({"changes": changes}).encode()
            self._writer.submit([Entry(self.source, "changes", payload)], None, state)
            accepted = self._health.accepted + 1
            self._health = replace(self._health, accepted=accepted, received=self._clock.now())
        elif state:
            self._writer.submit([], None, state)

    def _changes(self, tables: Tables) -> Iterator[tuple[str, int, Row, NamedRow]]:
        for table in {**self._said, **tables} if tables is not self._said else ():
            for change in diff(self._said.get(table, {}), tables.get(table, {})):
                yield table, change.sign, change.key, change.row

    def _reject(self, error: UnreadableError) -> None:
        """Log what could not be read, unless the log said so last."""
        body = json.dumps({"reject": {"reason": error.message, "sample": error.sample}})
        if body == self._rejected:
            return
        self._rejected = body
        entry = Entry(self.source, "reject", body.encode())
        self._writer.submit([entry], None, [StateChange(self.source, REJECT_ITEM, body)])
        self._health = replace(self._health, rejected=self._health.rejected + 1)
