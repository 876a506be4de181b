"""Polled tables whose schema may change, and what a reader of the log has of them by now."""

import json
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.model.clock import ManualClock
from engine.model.relation import REJECTS, Relation
from engine.model.values import Row
from ingest.decoding.decoder import Decoder
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import DatabaseSource, Sources
from ingest.wrappers.database import DatabaseWrapper
from ingest.wrappers.database.first_seen import forget

ROOMS = "CREATE TABLE rooms (room VARCHAR(20) PRIMARY KEY, floor INTEGER, area DOUBLE PRECISION)"
DESKS = "CREATE TABLE desks (desk VARCHAR(20) PRIMARY KEY, room VARCHAR(20))"
FILLED = (
    ROOMS,
    DESKS,
    "INSERT INTO rooms VALUES ('r1', 1, 10.5), ('r2', 2, 20.0)",
    "INSERT INTO desks VALUES ('d1', 'r1')",
)


class Watched:
    """A wrapper, its log, and the rows that the log says."""

    def __init__(self, url: str, folder: Path, tables: tuple[str, ...] = ("rooms", "desks"), **settings: Any):
        self.url = url
        self.source, self.folder = DatabaseSource("facts", url, tables, 3_600, **settings), folder
        self.log_url = f"sqlite:///{folder}/log.db"
        self.log = Log(self.log_url)
        self.rejects: list[str] = []
        self.deletes = 0
        self.start()

    def start(self, is_new_run: bool = True) -> None:
        """Begin as a start of SmartCIS does, with the schema as it is; or as an acquisition that died."""
        if is_new_run:
            forget(self.folder)
        self.relations: dict[str, Relation] = {}
        self.rows: dict[str, dict[Row, Row]] = {}
        self._at = 0
        self.wrapper = DatabaseWrapper(self.source, ManualClock(5), self.folder)
        self.wrapper._ending.set()
        self.writer = LogWriter(self.log)
        self.writer.start()
        self.wrapper.open(self.writer, self.log)
        for relation in self.wrapper.describe():
            self.relations[relation.name] = relation
            self.rows[relation.name] = {}
        self.decoder = Decoder(Sources(), self.relations.values())

    def step(self) -> None:
        self.wrapper.step()
        self.writer.close()
        self.writer = LogWriter(self.log)
        self.wrapper._writer = self.writer
        self.writer.start()
        self.read()

    def read(self) -> None:
        for record in self.log.read(self._at, 100_000):
            self._at = record.offset
            for reading in self.decoder.decode(record):
                self._take(reading.relation, reading.sign, reading.row)

    def _take(self, relation: str, sign: int, row: Row) -> None:
        if relation == REJECTS.name:
            self.rejects.append(str(row[2]))
            return
        key = tuple(row[place] for place in self.relations[relation].key_positions)
        if sign > 0:
            self.rows[relation][key] = row
        else:
            self.deletes += 1
            del self.rows[relation][key]

    def of(self, table: str) -> list[Row]:
        return sorted(self.rows[table].values(), key=str)

    @property
    def problem(self) -> str:
        return self.wrapper.health().problem

    def close(self) -> None:
        self.wrapper.close()
        self.writer.close()
        self.log.close()


def stored(url: str, table: str, *columns: str) -> list[Row]:
    """What a database holds."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found = connection.exec_driver_sql(f"SELECT {', '.join(columns)} FROM {table}").all()
    engine.dispose()
    return sorted((tuple(row) for row in found), key=str)


def entries(log: Log) -> list[Any]:
    return [json.loads(record.payload) for record in log.read(0, 100_000)]
