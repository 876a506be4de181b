"""What each function means, and that the sites which may run it agree, on NULL, extremes and Unicode.

A function may run at a site only where it has a rendering, and a rendering stands only where this
finds the site's answers equal to ours: at the stream site in Spark, at the database site in SQLite and
in PostgreSQL.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby, product
from operator import add
from typing import NamedTuple

import pytest
import sqlalchemy as sa

from engine.model.errors import InternalError, SourceError
from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.plan.expressions import Call, Expr, Field, Literal, compiled, move, to_text
from engine.plan.functions import FUNCTIONS
from engine.plan.physical import Map
from engine.plan.render import can_render, to_spark
from engine.spark import SparkSettings, close_spark
from engine.spark.evaluate import evaluate
from ingest.wrappers.database.columns import Lane
from ingest.wrappers.database.expressions import expression as sql_of
from tests.corpus import BIGINT, BOOLEAN, CORPUS, DOUBLE, TEXT, TIMESTAMP
from tests.fact_tables import Facts, empty_sqlite

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
ARGUMENTS: dict[str, list[tuple[Type, ...]]] = {
    **{symbol: [(kind, kind) for kind in CORPUS] for symbol in COMPARISONS},
    "and": [(BOOLEAN, BOOLEAN)],
    "or": [(BOOLEAN, BOOLEAN)],
    "not": [(BOOLEAN,)],
    "is_null": [(kind,) for kind in CORPUS],
    "coalesce": [(kind, kind) for kind in CORPUS],
    "nullif": [(kind, kind) for kind in CORPUS],
    "least": [(kind, kind) for kind in CORPUS],
    "greatest": [*((kind, kind) for kind in CORPUS), (BIGINT, BIGINT, BIGINT)],
    "+": [(BIGINT, BIGINT), (TIMESTAMP, BIGINT), (DOUBLE, DOUBLE)],
    "-": [(BIGINT, BIGINT), (TIMESTAMP, BIGINT), (TIMESTAMP, TIMESTAMP), (DOUBLE, DOUBLE)],
    "*": [(BIGINT, BIGINT), (DOUBLE, DOUBLE)],
    "%": [(BIGINT, BIGINT)],
    "mod": [(BIGINT, BIGINT)],
    "div": [(BIGINT, BIGINT)],
    "negate": [(BIGINT,), (DOUBLE,)],
    "abs": [(BIGINT,), (DOUBLE,)],
    "||": [(TEXT, TEXT)],
    "like": [(TEXT, TEXT)],
    "starts_with": [(TEXT, TEXT)],
    "strpos": [(TEXT, TEXT)],
    "length": [(TEXT,)],
    "double_of_bigint": [(BIGINT,)],
    "text_of_bigint": [(BIGINT,)],
    "timestamp_of_bigint": [(BIGINT,)],
    "bigint_of_timestamp": [(TIMESTAMP,)],
    "bigint_of_boolean": [(BOOLEAN,)],
    "boolean_of_bigint": [(BIGINT,)],
}
RENDERED = {
    site: sorted(name for name, f in FUNCTIONS.items() if any(key.split()[0] == site for key in f.renderings))
    for site in ("spark", "database")
}
Asked = list[tuple[Expr, tuple[Column, ...], list[Row]]]


class Site(NamedTuple):
    """A real one: the answers to each expression over its own columns and rows."""

    rendering: str
    ask: Callable[[Asked], list[list[Value]]]
    write: Callable[[Expr, tuple[Column, ...]], object]
    holds: Callable[[tuple[Column, ...], Row], bool] = lambda _columns, _row: True


def call(name: str, args: tuple[Expr, ...]) -> Call:
    result = FUNCTIONS[name].signature(tuple(arg.type for arg in args))
    assert result is not None
    return Call(name, args, result)


def over(types: tuple[Type, ...], name: str) -> Call:
    return call(name, tuple(Field(i, kind) for i, kind in enumerate(types)))


def assert_same(expression: Expr, given: list[Row], theirs: list[Value]) -> None:
    """Equal to the last bit, but for the sign of a zero, which no row has."""
    if expression.type is BOOLEAN:
        theirs = [None if value is None else bool(value) for value in theirs]
    ours = [compiled(expression)(row) for row in given]
    both = zip(given, theirs, ours, strict=True)
    wrong = [(row, a, b) for row, a, b in both if type(a) is not type(b) or a != b]
    assert not wrong, (to_text(expression), len(wrong), wrong[:3])


def ask_spark(settings: SparkSettings, asked: Asked) -> list[list[Value]]:
    """In one job."""
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


def ask_database(facts: Facts, asked: Asked) -> list[list[Value]]:
    """In one SELECT for all that is asked over the same rows, as a fragment is asked."""
    answers: list[list[Value]] = []
    for (columns, given), group in groupby(asked, key=lambda one: one[1:]):
        expressions = [expression for expression, _, _ in group]
        numbered = (*columns, Column("n", BIGINT))
        leaf = facts.create("t", numbered, [(*row, n) for n, row in enumerate(given)])
        wanted = (Field(len(columns), BIGINT), *expressions)
        rows = facts.ask(Map(leaf, wanted, tuple(Column("c", each.type) for each in wanted)), "t")
        answers += [list(values) for values in list(zip(*sorted(rows), strict=True))[1:]]
    return answers


def in_sql(dialect: str, expression: Expr, columns: tuple[Column, ...]) -> object:
    return sql_of(expression, [Lane(sa.column(column.name), column.type) for column in columns], dialect)


@pytest.fixture(
    scope="module",
    params=[
        "sqlite",
        *(pytest.param(name, marks=pytest.mark.integration) for name in ("spark", "postgresql")),
    ],
)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if request.param == "spark":
        settings = SparkSettings(tmp_path_factory.mktemp("spark"))
        yield Site("spark", partial(ask_spark, settings), to_spark)
        close_spark()
        return
    is_real_server = request.param == "postgresql"
    folder = tmp_path_factory.mktemp("facts")
    facts = Facts(
        request.getfixturevalue("postgres_server").create_database()
        if is_real_server
        else empty_sqlite(folder)
    )
    yield Site("database", partial(ask_database, facts), partial(in_sql, facts.dialect), facts.holds)
    facts.close()


def assert_agrees(site: Site, asked: Asked) -> None:
    held = [(e, own, [row for row in given if site.holds(own, row)]) for e, own, given in asked]
    for (expression, _, given), theirs in zip(held, site.ask(held), strict=True):
        assert_same(expression, given, theirs)


def test_every_rendered_function_is_tested():
    assert set(RENDERED["spark"]) | set(RENDERED["database"]) == ARGUMENTS.keys()
    for name, forms in ARGUMENTS.items():
        for types in forms:
            assert FUNCTIONS[name].signature(types) is not None
        keys = {key.replace("sqlite", "database") for key in FUNCTIONS[name].renderings}
        assert keys <= FUNCTIONS[name].renderings.keys()
        assert not any("%" in text for text in FUNCTIONS[name].renderings.values())


def test_a_site_means_what_we_mean_over_columns(site):
    asked: Asked = []
    for name in RENDERED[site.rendering]:
        for types in ARGUMENTS[name]:
            columns = tuple(Column(f"c{i}", kind) for i, kind in enumerate(types))
            if not can_render(over(types, name), site.rendering):
                continue
            rows = list(product(*(CORPUS[kind] for kind in types)))
            asked.append((over(types, name), columns, rows))
    assert_agrees(site, sorted(asked, key=lambda one: str(one[1])))


def test_a_site_reads_every_constant_as_we_mean_it(site):
    """Each value of the corpus, as a constant, against each value in the row."""
    asked: Asked = []
    for kind in CORPUS:
        column, given = Field(0, kind), [(value,) for value in CORPUS[kind]]
        for value in CORPUS[kind]:
            constant = Literal(value, kind)
            if kind is TEXT and not site.holds((Column("c", TEXT),), (value,)):
                continue
            tests = [call(name, (column, constant)) for name in ("=", "<")]
            tests.append(call("coalesce", (column, constant)))
            asked += [(test, (Column("c", kind),), given) for test in tests]
    assert_agrees(site, asked)


def test_a_site_means_what_we_mean_when_conditions_are_nested(site):
    columns = (Column("a", BOOLEAN), Column("k", TEXT), Column("x", DOUBLE), Column("b", BOOLEAN))
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
    assert_agrees(site, [(whole, columns, given)])


def test_what_has_no_rendering_stays_with_us(site):
    """Asked nevertheless, a site refuses."""
    for name in sorted(FUNCTIONS.keys() - (set(RENDERED[site.rendering]) - set("+-*") - {"negate", "abs"})):
        fields = tuple(Field(i, DOUBLE) for i in range(3))
        expression = Call(name, fields, DOUBLE)
        assert not can_render(expression, site.rendering)
        assert not can_render(call("is_null", (expression,)), site.rendering)
        with pytest.raises((InternalError, SourceError), match="has no rendering for"):
            site.write(expression, tuple(Column(f"c{i}", DOUBLE) for i in range(3)))
    assert can_render(call("=", (Field(0, BIGINT), Literal(2, BIGINT))), site.rendering)
