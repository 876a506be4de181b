"""What the devices of a gateway said last, on its disk: a gateway that starts again goes on with that.

    keep   →  ring:  slot of a topic's nth message  =  n mod KEPT
    write  →  what came since goes to said(topic, slot, number, at, payload), at most once a second
    read   →  all of it, in the order in which it came, at the times at which it came

Messages are kept as they came and decoded again, so that another sources.yaml finds in them what it
declares. The file has at most MOST_DEVICES · KEPT rows; one that is damaged is said and begun anew, and
where nothing can be written a gateway goes on without.
"""

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import DatabaseError

from ingest.log.schema import BIGINT, IMMEDIATE, open_engine

KEPT = 64
MOST_DEVICES = 20_000
LONGEST = 16_000
WRITE_SECONDS = 1.0
FAILURES = (DatabaseError, sqlite3.DatabaseError)

METADATA = sa.MetaData()
SAID = sa.Table(
    "said",
    METADATA,
    sa.Column("topic", sa.Text, primary_key=True),
    sa.Column("slot", sa.Integer, primary_key=True),
    sa.Column("number", BIGINT, nullable=False),
    sa.Column("at", BIGINT, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),
)

log = structlog.get_logger(__name__)


class Said(NamedTuple):
    """One message of a device."""

    topic: str
    at: int
    payload: bytes


class Kept:
    """The file; ``keep`` is called by who hears devices, ``write`` by a thread of its own."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._engine = open_engine(f"sqlite:///{file}")
        self._number = 0
        self._slots: dict[str, int] = {}
        self._fresh: dict[tuple[str, int], tuple[int, Said]] = {}
        self._gone: set[str] = set()
        self._lock = threading.Lock()
        self._is_failing = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="kept", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Write the rest and end."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self.write()
        self._engine.dispose()

    def read(self) -> list[Said]:
        """Return what earlier lives heard, and go on behind it."""
        rows = []
        try:
            rows = self._read()
        except FAILURES as error:
            self._failed(error)
        for row in rows:
            self._number = row.number
            self._slots[row.topic] = row.slot
        return [Said(row.topic, row.at, bytes(row.payload)) for row in rows]

    def keep(self, said: Said) -> None:
        """Keep a message; a device that was heard of first gives way where there are too many."""
        if len(said.payload) > LONGEST:
            return
        with self._lock:
            if said.topic not in self._slots and len(self._slots) >= MOST_DEVICES:
                self._forget(next(iter(self._slots)))
            slot = (self._slots.get(said.topic, -1) + 1) % KEPT
            self._slots[said.topic] = slot
            self._number += 1
            self._fresh[said.topic, slot] = (self._number, said)

    def write(self) -> None:
        """Write what came since."""
        with self._lock:
            fresh, self._fresh = self._fresh, {}
            gone, self._gone = self._gone, set()
        if not (fresh or gone):
            return
        try:
            self._write(fresh, gone)
            self._is_failing = False
        except FAILURES as error:
            self._failed(error)
            with self._lock:
                self._fresh = {**fresh, **self._fresh}
                self._gone |= gone

    def _forget(self, topic: str) -> None:
        del self._slots[topic]
        self._gone.add(topic)
        for slot in range(KEPT):
            self._fresh.pop((topic, slot), None)

    def _read(self) -> list[sa.Row[tuple[str, int, int, int, bytes]]]:
        METADATA.create_all(self._engine)
        with self._engine.connect() as connection:
            return list(connection.execute(sa.select(SAID).order_by(SAID.c.number)))

    def _write(self, fresh: dict[tuple[str, int], tuple[int, Said]], gone: set[str]) -> None:
        rows = [
            {"slot": slot, "number": number, **said._asdict()} for (_, slot), (number, said) in fresh.items()
        ]
        METADATA.create_all(self._engine)
        with self._engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            for topic in gone:
                connection.execute(sa.delete(SAID).where(SAID.c.topic == topic))
            if rows:
                connection.execute(sa.insert(SAID).prefix_with("OR REPLACE"), rows)

    def _failed(self, error: Exception) -> None:
        """Say once what is wrong; a file that is damaged is begun anew."""
        cause = getattr(error, "orig", None) or error
        if not self._is_failing:
            self._is_failing = True
            log.warning("what devices say is not kept", file=str(self._file), reason=str(cause))
        if type(cause) is sqlite3.DatabaseError:  # not of its kinds, such as a disk that is full
            self._engine.dispose()
            for end in ("", "-wal", "-shm"):
                with suppress(OSError):
                    self._file.with_name(self._file.name + end).unlink()
            log.warning("the damaged file is begun anew", file=str(self._file))

    def _serve(self) -> None:
        while not self._ending.wait(WRITE_SECONDS):
            self.write()
