"""A database as a site: its wrapper, its log, and what a reader of the log has by now."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.model.clock import ManualClock
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.expressions import Call, Field, Literal
from engine.plan.leaves import Shipped, StreamFragment, Table
from engine.plan.logical import AggregateCall
from engine.plan.physical import Filter, GroupBy, HashJoin, Map
from ingest.epochs import Epochs
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import DatabaseSource, Sources
from ingest.wrappers.database import DatabaseWrapper

SITE = "database:facts"
BIGINT, BOOLEAN, TEXT = Type.BIGINT, Type.BOOLEAN, Type.TEXT
COLUMNS = (
    Column("room", TEXT, nullable=False),
    Column("floor", BIGINT, nullable=False),
    Column("kind", TEXT),
)
ROOMS = Relation("rooms", RelationKind.TABLE, COLUMNS, ("room",), source="db:facts", site=SITE)
LEAF = Table(ROOMS, StreamFragment("rooms", COLUMNS))
LABS = Shipped(
    SITE,
    Map(
        Filter(LEAF, Call("=", (Field(2, TEXT), Literal("lab", TEXT)), BOOLEAN)),
        (Field(1, BIGINT),),
        (COLUMNS[1],),
    ),
)
PER_FLOOR = Shipped(
    SITE,
    GroupBy(LEAF, (Field(1, BIGINT),), (AggregateCall("count", None),), (COLUMNS[1], Column("n", BIGINT))),
)
PAIRS = Shipped(
    SITE,
    Map(
        HashJoin(LEAF, LEAF, (Field(1, BIGINT),), (Field(1, BIGINT),)),
        (Field(0, TEXT), Field(3, TEXT)),
        (COLUMNS[0], COLUMNS[0]),
    ),
)
DDL = (
    "CREATE TABLE rooms (room VARCHAR(20) PRIMARY KEY, floor INTEGER NOT NULL, kind VARCHAR(20))",
    "CREATE TABLE audits (n INTEGER PRIMARY KEY, room VARCHAR(20))",
    "INSERT INTO rooms VALUES ('r1', 1, 'lab'), ('r2', 1, 'lab'), ('r3', 2, NULL)",
)


def run(url: str, *statements: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


class Site:
    """A wrapper, its log, what is declared, and the rows that a reader of the log has by now."""

    def __init__(self, url: str, folder: Path, **settings: Any) -> None:
        self.log = Log(f"sqlite:///{folder}/log.db")
        self.source = DatabaseSource("facts", url, ("audits",), 3_600, ("rooms",), **settings)
        self.epochs = Epochs(Sources(), DatabaseWrapper(self.source, ManualClock()).describe())
        self.rows: dict[str, Counter[Any]] = {}
        self.sites: list[tuple[Any, ...]] = []
        self.rejects: list[tuple[Any, ...]] = []
        self.answered: list[str] = []
        self.units: list[list[str]] = []
        self._at = 0
        self.start()

    def start(self) -> None:
        self.writer = LogWriter(self.log)
        self.writer.start()
        self.wrapper = DatabaseWrapper(self.source, ManualClock(5))
        self.wrapper._ending.set()
        self.wrapper.open(self.writer, self.log)

    def declare(self, *entries: Any) -> None:
        self.log.append(entries)
        self.follow()

    def follow(self) -> None:
        found = {}
        for offset, payload in self.log.declared():
            body = json.loads(payload)
            found.pop(body["name"], None)
            if not body.get("drops"):
                found[body["name"]] = {**body, "version": offset}
        self.wrapper.follow(found)

    def step(self) -> None:
        self.wrapper.step()
        self.flush()

    def flush(self) -> None:
        self.writer.close()
        self.writer = LogWriter(self.log)
        self.wrapper._writer = self.writer
        self.writer.start()
        self.read()

    def read(self) -> None:
        for record in self.log.read(self._at):
            self.epochs.learn(self.log)
            readings = list(self.epochs.decode([record]))
            self.units += [[each.relation for each in readings]] if readings else []
            for each in readings:
                self._take(each.relation, each.sign, each.row)
            self._at = record.offset

    def _take(self, relation: str, sign: int, row: tuple[Any, ...]) -> None:
        if relation == "sites":
            self.sites.append(row[:2])
        elif relation == "rejects":
            self.rejects.append(row)
        elif sign == 0:
            self.answered.append(relation)
        else:
            held = self.rows.setdefault(relation, Counter())
            held[row] += sign
            assert held[row] >= 0, (relation, row)

    def of(self, shipped: Shipped) -> list[Any]:
        return sorted(self.rows.get(shipped.name, Counter()).elements())

    def close(self) -> None:
        self.wrapper.close()
        self.writer.close()
        self.log.close()
