"""What each function means, and that the sites which may run it agree, on NULL, extremes and Unicode.

A function may run at a site only where it has a rendering, and a rendering stands only where this
finds the site's answers equal to ours.
"""

import sqlite3
from collections.abc import Iterator
from functools import partial
from itertools import product
from operator import add

import psycopg
import pytest

from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.plan.expressions import Call, Expr, Field, Literal, compiled, move, to_text
from engine.plan.functions import FUNCTIONS
from engine.plan.render import can_render, to_spark
from engine.spark import SparkSettings, close_spark
from engine.spark.evaluate import evaluate
from tests.corpus import BIGINT, BOOLEAN, CORPUS, DOUBLE, TEXT, TIMESTAMP

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
ARGUMENTS: dict[str, list[tuple[Type, ...]]] = {
    **{symbol: [(kind, kind) for kind in CORPUS] for symbol in COMPARISONS},
    "and": [(BOOLEAN, BOOLEAN)],
    "or": [(BOOLEAN, BOOLEAN)],
    "not": [(BOOLEAN,)],
    "is_null": [(kind,) for kind in CORPUS],
    "coalesce": [(kind, kind) for kind in CORPUS],
    "||": [(TEXT, TEXT)],
}
RENDERED = {
    site: sorted(name for name, function in FUNCTIONS.items() if site in function.renderings)
    for site in ("spark", "database")
}


def calls(site: str) -> list[tuple[str, tuple[Type, ...]]]:
    return [(name, types) for name in RENDERED[site] for types in ARGUMENTS[name]]


def call(name: str, args: tuple[Expr, ...]) -> Call:
    result = FUNCTIONS[name].signature(tuple(arg.type for arg in args))
    assert result is not None
    return Call(name, args, result)


def rows(types: tuple[Type, ...]) -> list[Row]:
    return list(product(*(CORPUS[kind] for kind in types)))


def over(types: tuple[Type, ...], name: str) -> Call:
    return call(name, tuple(Field(i, kind) for i, kind in enumerate(types)))


def assert_same(expression: Call, given: list[Row], theirs: list[Value]) -> None:
    """Equal to the last bit, but for the sign of a zero, which no row has."""
    if expression.type is BOOLEAN:
        theirs = [None if value is None else bool(value) for value in theirs]
    ours = [compiled(expression)(row) for row in given]
    both = zip(given, theirs, ours, strict=True)
    wrong = [(row, a, b) for row, a, b in both if type(a) is not type(b) or a != b]
    assert not wrong, (to_text(expression), len(wrong), wrong[:3])


def test_every_rendered_function_is_tested():
    assert set(RENDERED["spark"]) | set(RENDERED["database"]) <= ARGUMENTS.keys()
    for name, forms in ARGUMENTS.items():
        for types in forms:
            assert FUNCTIONS[name].signature(types) is not None


# The stream site


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[SparkSettings]:
    yield SparkSettings(tmp_path_factory.mktemp("spark"))
    close_spark()


Asked = list[tuple[Expr, tuple[Column, ...], list[Row]]]


def ask_spark(settings: SparkSettings, asked: Asked) -> list[list[Value]]:
    """What Spark says of each expression over its own columns and rows, in one job."""
    columns = [Column(f"c{i}", c.type) for i, c in enumerate(c for _, own, _ in asked for c in own)]
    longest = max(len(given) for _, _, given in asked)
    parts = [[*given, *[(None,) * len(own)] * (longest - len(given))] for _, own, given in asked]
    texts, start = [], 0
    for expression, own, _ in asked:
        texts.append(to_spark(move(expression, partial(add, start)), columns))
        start += len(own)
    laid = [tuple(value for row in across for value in row) for across in zip(*parts, strict=True)]
    answers = evaluate(settings, f"struct({', '.join(texts)})", columns, laid)
    return [[answer[i] for answer in answers[: len(given)]] for i, (_, _, given) in enumerate(asked)]


def assert_spark_agrees(settings: SparkSettings, asked: Asked) -> None:
    for (expression, _, given), theirs in zip(asked, ask_spark(settings, asked), strict=True):
        assert_same(expression, given, theirs)


@pytest.mark.integration
def test_spark_means_what_we_mean_over_columns(spark):
    asked: Asked = []
    for name, types in calls("spark"):
        columns = tuple(Column("c", kind) for kind in types)
        asked.append((over(types, name), columns, rows(types)))
    assert_spark_agrees(spark, asked)


@pytest.mark.integration
def test_spark_reads_every_constant_as_we_mean_it(spark):
    """Each value of the corpus, written into the text, against each value in the row."""
    asked: Asked = []
    for kind in CORPUS:
        column, given = Field(0, kind), [(value,) for value in CORPUS[kind]]
        for value in CORPUS[kind]:
            constant = Literal(value, kind)
            tests = [call(name, (column, constant)) for name in ("=", "<")]
            tests.append(call("coalesce", (column, constant)))
            asked += [(test, (Column("c", kind),), given) for test in tests]
    assert_spark_agrees(spark, asked)


@pytest.mark.integration
def test_spark_means_what_we_mean_when_conditions_are_nested(spark):
    columns = [Column("a", BOOLEAN), Column("k", TEXT), Column("x", DOUBLE), Column("b", BOOLEAN)]
    is_a, is_high = (
        call("=", (Field(1, TEXT), Literal("a", TEXT))),
        call(">", (Field(2, DOUBLE), Literal(0.1, DOUBLE))),
    )
    either = call(
        "or",
        (call("and", (Field(0, BOOLEAN), is_a)), call("not", (call("and", (is_high, Field(3, BOOLEAN))),))),
    )
    whole = call("coalesce", (either, call("is_null", (Field(1, TEXT),))))
    given = list(product(CORPUS[BOOLEAN], ["a", "b", None], [0.0, 0.1, 1.0, None], CORPUS[BOOLEAN]))
    assert_same(whole, given, evaluate(spark, to_spark(whole, columns), columns, given))


def test_what_has_no_rendering_stays_with_us():
    total = call("+", (Field(0, BIGINT), Literal(1, BIGINT)))
    assert not can_render(call("=", (total, Literal(2, BIGINT))), "spark")
    assert can_render(call("=", (Field(0, BIGINT), Literal(2, BIGINT))), "spark")


# The database site


def in_sql(name: str) -> str:
    arity = len(ARGUMENTS[name][0])
    names = [f"c{i}" for i in range(arity)]
    return FUNCTIONS[name].renderings["database"].format(*names, all=", ".join(names))


def test_sqlite_means_what_we_mean():
    declared = {BIGINT: "INTEGER", TIMESTAMP: "INTEGER", DOUBLE: "REAL", BOOLEAN: "BOOLEAN", TEXT: "TEXT"}
    for name, types in calls("database"):
        with sqlite3.connect(":memory:") as database:
            columns = ", ".join(f"c{i} {declared[kind]}" for i, kind in enumerate(types))
            database.execute(f"CREATE TABLE t (n INTEGER PRIMARY KEY, {columns})")
            given = rows(types)
            places = ", ".join("?" * (len(types) + 1))
            database.executemany(
                f"INSERT INTO t VALUES ({places})", [(n, *row) for n, row in enumerate(given)]
            )
            theirs = [value for (value,) in database.execute(f"SELECT {in_sql(name)} FROM t ORDER BY n")]
        assert_same(over(types, name), given, theirs)


def test_no_database_is_asked_for_an_order_of_texts():
    """PostgreSQL's is by the collation of the database, the column, the server's ICU."""
    assert not {"<", "<=", ">", ">="} & set(RENDERED["database"])


@pytest.mark.integration
def test_postgres_means_what_we_mean(postgres):
    """Of texts that it can hold, which have no NUL."""
    declared = {
        BIGINT: "bigint",
        TIMESTAMP: "bigint",
        DOUBLE: "double precision",
        BOOLEAN: "boolean",
        TEXT: "text",
    }
    with psycopg.connect(postgres.replace("+psycopg", "")) as database:
        for name, types in calls("database"):
            columns = ", ".join(f"c{i} {declared[kind]}" for i, kind in enumerate(types))
            database.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t (n bigint, {columns})")
            given = [row for row in rows(types) if not any("\x00" in str(value) for value in row)]
            with database.cursor().copy("COPY t FROM STDIN") as copy:
                for n, row in enumerate(given):
                    copy.write_row((n, *row))
            theirs = [value for (value,) in database.execute(f"SELECT {in_sql(name)} FROM t ORDER BY n")]
            assert_same(over(types, name), given, theirs)
