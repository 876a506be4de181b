"""SmartCIS as one of its own sources: every few seconds one entry of the log, if anything changed.

    what the engine says of itself  −  what its tables hold of it  =  {"changes": [[±1, table, row], …]}

No second entry is made before the engine has read the first. So queries over these tables, which change
them in turn, cost an entry a period and never more, and an engine that is behind is told less often.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import structlog

from engine.itself import Itself, Told
from engine.model.clock import Clock
from engine.model.itself import ITSELF, SELF
from engine.service import Engine
from ingest.log import Entry, Log

COLUMNS = {relation.name: [column.name for column in relation.columns] for relation in ITSELF}

NOTHING: Told = {relation.name: {} for relation in ITSELF}
RETRY_SECONDS = 1.0
LONGEST = 200

logger = structlog.get_logger()


class TellingItself:
    """Looks on a thread of its own; ``period`` in seconds, 0 for never: then what the last run said goes."""

    def __init__(self, engine: Engine, itself: Itself, log: Log, clock: Clock, period: float) -> None:
        self._engine, self._itself, self._log, self._clock = engine, itself, log, clock
        self._period = period
        self._said = log.last().offset
        self._is_said = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="itself", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def look(self) -> int:
        """Say what changed, unless what was said last is still on its way; return how many rows that was."""
        if self._engine.stamp().offset < self._said:
            return 0
        told, known = self._engine.ask(lambda: (self._told(), self._itself.known()))
        changes = list(changes_of(known, told))
        if changes:
            entry = Entry(SELF, "changes", json.dumps({"changes": changes}).encode())
            self._said = self._log.append([entry]).offset
        self._is_said = True
        return len(changes)

    def _told(self) -> Told:
        return self._itself.told(self._clock.now()) if self._period else NOTHING

    def _serve(self) -> None:
        while not self._ending.wait(self._period or RETRY_SECONDS):
            try:
                self.look()
            except Exception as error:  # whatever it is, the next look may well work
                said = " ".join(str(error).split())[:LONGEST]
                logger.warning(
                    "what SmartCIS says of itself is not logged", error=said or type(error).__name__
                )
            if self._is_said and not self._period:
                return


def changes_of(known: Told, told: Told) -> Iterator[Sequence[Any]]:
    """Yield what makes the tables say what is so; a row of the same key takes its place."""
    for table, rows in told.items():
        for key, row in known[table].items():
            if key not in rows:
                yield -1, table, _named(table, row)
        for key, row in rows.items():
            if known[table].get(key) != row:
                yield 1, table, _named(table, row)


def _named(table: str, row: Sequence[Any]) -> Mapping[str, Any]:
    return dict(zip(COLUMNS[table], row, strict=True))
