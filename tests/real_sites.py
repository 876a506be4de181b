"""A placed plan run by what the sites really run, each over what it alone can see.

    a gateway    its devices' readings, told apart by the relation's key: the gateway's own runner
    a pair       what all gateways see: how they meet is theirs, and tested there; the answer is not
    a database   its tables, in an SQLite: the SQL that its wrapper writes

What is sent goes over the wire as JSON and back.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.model.reading import Reading
from engine.model.relation import SENSOR_SITE, Relation
from engine.model.values import Row, Type
from engine.plan.constant import Constant
from engine.plan.leaves import Leaf, Shipped
from engine.plan.physical import SHIPPABLE, Physical, leaves
from engine.plan.wire import from_wire, to_wire
from ingest.gateways.local import Local
from ingest.sources import DatabaseSource
from ingest.wrappers.database.connecting import open_facts
from ingest.wrappers.database.fragments import answer
from ingest.wrappers.database.schema import look_at_all
from tests.oracle import run
from tests.oracle_bags import Bag
from tests.placed import GATEWAYS, gateway_of, has_join

DECLARED = {Type.TEXT: "VARCHAR(20)", Type.BIGINT: "BIGINT", Type.DOUBLE: "DOUBLE", Type.BOOLEAN: "BOOLEAN"}


class Sites:
    """What the sites hold at one moment."""

    def __init__(self, database: "Facts", readings: Sequence[Reading], now: int) -> None:
        self.database, self.readings, self.now = database, readings, now
        database.fill(readings)

    def run_placed(self, plan: Physical) -> Bag:
        """The rows of a plan, its fragments computed where they are sent."""
        return run(self.answered(plan), self.readings, self.now)

    def answered(self, part: Any) -> Any:
        """The plan with what the sites answer in the place of each fragment."""
        if isinstance(part, Shipped):
            return Constant(tuple(self.rows(part).elements()), part.columns)
        if isinstance(part, tuple):
            return tuple(map(self.answered, part))
        if not isinstance(part, Physical) or isinstance(part, Leaf):
            return part
        return replace(part, **{each.name: self.answered(getattr(part, each.name)) for each in fields(part)})

    def rows(self, shipped: Shipped) -> Bag:
        plan: Physical = from_wire(json.loads(json.dumps(to_wire(shipped.plan))), SHIPPABLE)
        if shipped.site != SENSOR_SITE:
            return self.database.answer(plan)
        if has_join(plan):
            return self.sensed(plan, self.readings)
        (leaf,) = leaves(plan)
        found: Bag = Counter()
        for gateway in range(GATEWAYS):
            found += self.sensed(plan, [each for each in self.readings if gateway_of(leaf, each) == gateway])
        return found

    def sensed(self, plan: Physical, readings: Sequence[Reading]) -> Bag:
        """What one gateway makes of readings."""
        found = Local(plan).start(lambda name: [each for each in readings if each.relation == name], self.now)
        return Counter(found)


class Facts:
    """Tables in an SQLite."""

    def __init__(self, connection: sa.Connection, tables: Sequence[Relation], source: DatabaseSource) -> None:
        self.connection, self.tables = connection, tables
        for table in tables:
            columns = ", ".join(f'"{c.name}" {DECLARED[c.type]}' for c in table.columns)
            key = ", ".join(f'"{name}"' for name in table.key)
            connection.exec_driver_sql(f'CREATE TABLE "{table.name}" ({columns}, PRIMARY KEY ({key}))')
        connection.commit()
        self.known = {each.relation.name: each for each in look_at_all(connection.engine, source)}

    def fill(self, readings: Sequence[Reading]) -> None:
        """Hold the rows that stand, and no others."""
        for table in self.tables:
            self.connection.exec_driver_sql(f'DELETE FROM "{table.name}"')
            names = [column.name for column in table.columns]
            insert = sa.table(table.name, *map(sa.column, names)).insert()
            rows = standing(table, readings)
            if rows:
                self.connection.execute(insert, [dict(zip(names, row, strict=True)) for row in rows])

    def answer(self, plan: Physical) -> Bag:
        return answer(plan, self.connection, self.known)


def standing(table: Relation, readings: Sequence[Reading]) -> list[Row]:
    """The last row of each key."""
    found: dict[Row, Row] = {}
    for reading in readings:
        if reading.relation == table.name:
            found[tuple(reading.row[i] for i in table.key_positions)] = reading.row
    return list(found.values())


@contextmanager
def facts(folder: Path, tables: Sequence[Relation]) -> Iterator[Facts]:
    """A database with these tables, empty."""
    url = f"sqlite:///{folder}/facts.db"
    (folder / "facts.db").touch()
    source = DatabaseSource("facts", url, (), on_demand=tuple(table.name for table in tables))
    engine = open_facts(url)
    with engine.connect() as connection:
        yield Facts(connection, tables, source)
    engine.dispose()
