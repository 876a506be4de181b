"""Over tables StreamSQL means what SQL means: SQLite runs the same text and gives the same rows.

The engine's plans share the binder with the oracle; this does not. Left out is where the two are
meant to differ: whole division, overflow, casts of text, letters beyond ASCII.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lang.streamsql import CreateView, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.plan.logical import Plan
from tests.memory_log import MemoryLog
from tests.oracle import evaluate
from tests.random_queries import BASE, PLAIN_CALLS, Queries, Scalars, views
from tests.strategies import BIGINT, BOOLEAN, CATALOG, DOUBLE, TEXT, TIMESTAMP, few, many

TABLES = [CATALOG["rooms"], CATALOG["notes"]]
VALUES: dict[Type, list[Value]] = {
    BIGINT: [0, 1, 2, 3, None, -1],
    DOUBLE: [0.0, 0.5, 2.0, 1.0, None, -1.5],
    BOOLEAN: [True, False, None],
    TEXT: ["a", "b", "ab", "", "a%", None],
}


class CommonScalars(Scalars):
    """Expressions that mean the same in both."""

    literals: ClassVar = {
        BIGINT: ["0", "1", "2", "-1", "NULL"],
        DOUBLE: ["0.5", "2.0", "-1.5", "NULL"],
        BOOLEAN: ["TRUE", "FALSE", "NULL"],
        TEXT: ["'a'", "'b'", "''", "'it''s'", "NULL"],
        TIMESTAMP: ["NULL"],
    }
    patterns = ("'%'", "'a%'", "'_'", "'%b'", "'__'")

    def arithmetic(self):
        return {
            BIGINT: [
                ("({} + {})", BIGINT, BIGINT), ("({} - {})", BIGINT, BIGINT), ("({} * {})", BIGINT, BIGINT),
                ("({} % {})", BIGINT, BIGINT), ("(- {})", BIGINT), ("abs({})", BIGINT), ("length({})", TEXT),
                ("({} + {} * 2)", BIGINT, BIGINT), ("({} - {} - 1)", BIGINT, BIGINT),
            ],
            DOUBLE: [
                ("({} + {})", DOUBLE, DOUBLE), ("({} - {})", DOUBLE, BIGINT), ("({} * {})", BIGINT, DOUBLE),
                ("({} / {})", DOUBLE, DOUBLE), ("(- {})", DOUBLE), ("abs({})", DOUBLE),
                ("CAST({} AS DOUBLE)", BIGINT),
            ],
            TEXT: [("({} || {})", TEXT, TEXT), ("upper({})", TEXT), ("lower({})", TEXT),
                   ("CAST({} AS TEXT)", BIGINT)],
        }  # fmt: skip

    def logical(self, kind, depth):
        """Without brackets, so that AND, OR and NOT bind as they do."""
        first, second = self.compared(kind, depth), self.negated(kind, 0)[1:-1]
        words = [self.pick(["AND", "OR"]) for _ in range(2)]
        return f"({first} {words[0]} {second} {words[1]} {self.condition(0)})"


class CommonQueries(Queries):
    """Queries that mean the same in both; SQLite would read a constant group as a column's number."""

    scalars = CommonScalars
    is_ordered = False
    calls = PLAIN_CALLS

    def group(self, scalars, kind):
        named = [each.text for each in scalars.known if each.type is kind]
        known, literal = scalars.known[0].text, scalars.literals[kind][0]
        return self.draw(st.sampled_from(named or [f"CASE WHEN {known} IS NULL THEN {literal} END"]))


def contents(seed: int) -> MemoryLog:
    random, log = Random(seed), MemoryLog()
    for _ in range(14):
        table = random.choice(TABLES)
        log.write(0, table.name, tuple(random.choice(VALUES[column.type]) for column in table.columns))
    return log


def loaded(log: MemoryLog) -> sqlite3.Connection:
    """A database whose tables hold what ours hold."""
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA case_sensitive_like = ON")
    for table in TABLES:
        held = evaluate(
            SelectBinder(CATALOG, {}).bind(parse(f"SELECT * FROM {table.name}").select), log.readings, 0
        )
        columns = ", ".join(f"{column.name} {sqlite_type(column)}" for column in table.columns)
        places = ", ".join("?" for _ in table.columns)
        database.execute(f"CREATE TABLE {table.name} ({columns})")
        database.executemany(f"INSERT INTO {table.name} VALUES ({places})", held.elements())
    return database


def sqlite_type(column: Column) -> str:
    return {BIGINT: "INTEGER", DOUBLE: "REAL", BOOLEAN: "INTEGER", TEXT: "TEXT"}[column.type]


def typed(rows: Iterable[Row], columns: tuple[Column, ...]) -> Counter:
    """Rows as ours are: SQLite has neither BOOLEAN nor a column's type for an expression."""
    python = {BIGINT: int, DOUBLE: float, BOOLEAN: bool, TEXT: str}

    def cell(value: Value, column: Column) -> Value:
        return None if value is None else python[column.type](value)

    return Counter(tuple(map(cell, row, columns)) for row in rows)


def sqlite_gives_the_same(statements: list[str], seed: int) -> None:
    log = contents(seed)
    database, plans = loaded(log), dict[str, Plan]()
    for text in statements:
        statement = parse(text)
        assert isinstance(statement, CreateView)
        plan = plans[statement.name] = SelectBinder(CATALOG, plans).bind(statement.select)
        database.execute(text)
        theirs = database.execute(f"SELECT * FROM {statement.name}").fetchall()
        assert evaluate(plan, log.readings, 0) == typed(theirs, plan.columns), text


COMMON = views(
    inputs=3, base=[source for source in BASE if source.name in ("rooms", "notes")], queries=CommonQueries
)


def test_sqlite_gives_the_same_for_some_queries():
    few(300)(given(COMMON, st.integers(0, 10**6))(sqlite_gives_the_same))()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_sqlite_gives_the_same_for_many_queries():
    many(3000)(given(COMMON, st.integers(0, 10**6))(sqlite_gives_the_same))()


VALUES_OF = [
    "n - 1 - 1", "2 - n + 1", "n + 2 * 3", "-n + 1", "- n * 2", "n % 2 * 3", "7 % -2", "-7 % 2", "x / 2 / 2",
    "k || 'b' || 'c'", "coalesce(NULL, n, 7)", "CASE WHEN NULL THEN 1 ELSE 2 END",
    "CASE WHEN n = 1 THEN 'a' WHEN n = 2 THEN 'b' END", "CASE n WHEN 1 THEN 'a' ELSE 'c' END",
    "CASE n WHEN NULL THEN 'a' ELSE 'c' END",
]  # fmt: skip
CONDITIONS = [
    "k LIKE 'a%'", "k NOT LIKE 'a%'", "NOT k LIKE 'a%'", "n IN (1, NULL)", "n NOT IN (1, NULL)",
    "n NOT IN (1, 2)", "n BETWEEN 1 AND 2", "n NOT BETWEEN 1 AND 2", "n BETWEEN 2 AND 1",
    "NOT n IS NULL", "n IS NOT NULL", "(x > 1) IS NOT TRUE", "(x > 1) IS NOT FALSE", "(x > 1) IS FALSE",
    "NOT n = 1 OR n = 2", "n = 1 OR n = 2 AND x > 1", "NOT x > 1 AND n = 1", "k || 'b' = 'ab'",
    "n = 1 = TRUE", "NULL = NULL", "NOT NULL", "n <> 1", "n != 1", "n < x", "n = x", "n IN (x, 1)",
    "1 < n AND n < 3 OR NOT x = 2.0 AND k = 'a'",
]  # fmt: skip


@pytest.mark.parametrize(
    "query",
    [f"SELECT {each} AS v FROM rooms" for each in VALUES_OF + CONDITIONS]
    + [f"SELECT n AS v FROM rooms WHERE {each}" for each in CONDITIONS],
)
def test_sqlite_gives_the_same_for(query):
    for seed in range(3):
        sqlite_gives_the_same([f"CREATE VIEW v0 AS {query}"], seed)
