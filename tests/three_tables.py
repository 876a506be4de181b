"""Three small tables, their random changes, and DuckDB as the judge of queries over them.

engine, tick by tick  =  tests/oracle.py over the bound plan  =  DuckDB over the tables' rows
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from engine.lang.streamsql import CreateView, Query, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from tests.duckdb_peer import connected
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.oracle import evaluate

BIGINT, TEXT, DOUBLE, BOOLEAN = Type.BIGINT, Type.TEXT, Type.DOUBLE, Type.BOOLEAN
SHAPES = {
    "r": {"k": TEXT, "n": BIGINT, "x": DOUBLE},
    "s": {"k": TEXT, "m": BIGINT, "b": BOOLEAN},
    "t": {"n": BIGINT, "m": BIGINT},
}
VALUES = {
    BIGINT: (0, 1, 2, 3, None),
    TEXT: ("a", "b", "c", None),
    DOUBLE: (0.5, 1.0, 2.0, None),
    BOOLEAN: (True, False, None),
}
TABLES = tuple(
    Relation(name, RelationKind.TABLE, tuple(Column(c, t) for c, t in shape.items()), (), None, "table")
    for name, shape in SHAPES.items()
)
CATALOG = Catalog(TABLES)


def bound(sql: str):
    """The logical plan of a query."""
    statement = parse(sql)
    assert isinstance(statement, Query | CreateView)
    return SelectBinder(CATALOG, {}).bind(statement.select)


def plainly(rows: Counter[Row]) -> Counter[str]:
    """Rows as they compare: a whole number is one, whatever holds it; a list is a tuple."""
    return Counter({repr(tuple(map(plain, row))): count for row, count in rows.items()})


def plain(value):
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return float(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else value


class Judge:
    """A database of the tables in DuckDB."""

    def __init__(self) -> None:
        self.connection = connected()
        for name, shape in SHAPES.items():
            columns = ", ".join(f"{column} {kind}" for column, kind in shape.items())
            self.connection.execute(f"CREATE TABLE {name} ({columns})")

    def hold(self, standing: dict[str, Counter[Row]]) -> None:
        for name, rows in standing.items():
            self.connection.execute(f"DELETE FROM {name}")
            if listed := list(rows.elements()):
                places = ", ".join("?" for _ in listed[0])
                self.connection.executemany(f"INSERT INTO {name} VALUES ({places})", listed)

    def answer(self, sql: str) -> Counter[Row]:
        return Counter(self.hashable(row) for row in self.connection.execute(sql).fetchall())

    def hashable(self, value):
        return tuple(map(self.hashable, value)) if isinstance(value, list | tuple) else value


class Tick(NamedTuple):
    """What one tick reads, and what stands after it."""

    changes: list[Change]
    standing: dict[str, Counter[Row]]


def ticks(rng: random.Random, count: int, tables: Sequence[str] = tuple(SHAPES)) -> Iterator[Tick]:
    """Inserts and deletes of small rows, in the end mostly deletes."""
    standing: dict[str, Counter[Row]] = {name: Counter() for name in SHAPES}
    for number in range(count):
        changes = []
        deletes = 0.15 if number < count * 0.6 else 0.7
        for _ in range(rng.choice((1, 2, 4, 8))):
            name = rng.choice(tables)
            held = standing[name]
            if held and rng.random() < deletes:
                row, sign = rng.choice(sorted(held, key=repr)), -1
            else:
                row, sign = tuple(rng.choice(VALUES[kind]) for kind in SHAPES[name].values()), 1
            held[row] += sign
            standing[name] = +held
            changes.append(Change(name, sign, row))
        yield Tick(changes, standing)


def agree(queries: Sequence[str], rng: random.Random, judge: Judge, count: int = 8) -> None:
    """See that the engine, the oracle and DuckDB agree on queries after each tick."""
    log = MemoryLog()
    session = log.session(CATALOG)
    plans = {sql: bound(sql) for sql in queries}
    names = {sql: session.query(sql) for sql in queries}
    for tick in ticks(rng, count):
        log.append(Entry(1, tick.changes))
        log.tick(session)
        judge.hold(tick.standing)
        for sql in queries:
            view = session._views[names[sql]]
            assert view.suspended is None, (sql, view.suspended)
            found = rows_of(session, names[sql])
            expected = evaluate(plans[sql], log.readings, log.stamps[-1])
            assert found == expected, ("oracle", sql, found - expected, expected - found)
            judged = plainly(judge.answer(sql))
            mine = plainly(found)
            assert mine == judged, (sql, "more", mine - judged, "missed", judged - mine, tick.standing)
