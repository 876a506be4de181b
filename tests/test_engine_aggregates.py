"""Every aggregate, under insertion and deletion, is what its definition says of the rows that are left."""

import math
import random
from collections import Counter

import duckdb
import pytest

from engine.lang.streamsql import parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type, Value
from engine.operators.accumulators import accumulator, argument
from engine.operators.accumulators.spread import root
from engine.operators.aggregate import GroupAggregate
from engine.operators.delta import Delta, merge
from engine.plan.aggregates import AGGREGATES
from engine.plan.expressions import Field
from engine.plan.logical import AggregateCall, SortKey
from engine.provenance.counting import COUNTING
from tests.memory_log import Change
from tests.oracle_bags import aggregated
from tests.watched_plan import WatchedPlan

KINDS = (Type.TEXT, Type.DOUBLE, Type.BIGINT, Type.BOOLEAN, Type.TEXT, Type.BIGINT.listed)
GROUP, *ARGUMENTS = (Field(i, kind) for i, kind in enumerate(KINDS))
VALUES: dict[Type, list[Value]] = {
    Type.DOUBLE: [None, 0.0, 1.5, -1.5, 1e308, -1e308, 5e-324, 0.1, 1e16],
    Type.BIGINT: [None, 0, 1, 2, -3, 2**63 - 1, -(2**63)],
    Type.BOOLEAN: [None, True, False],
    Type.TEXT: [None, "", "a", "b", "ä", ","],
    Type.BIGINT.listed: [None, (), (1,), (1, None), (None,), (2, 1)],
}


def calls() -> list[AggregateCall]:
    found = [AggregateCall("count", None)]
    for aggregate in [each for name, each in AGGREGATES.items() if name != "single"]:
        for field in ARGUMENTS:
            if aggregate.result(field.type) is not None:
                found += [AggregateCall(aggregate.name, field, distinct, ", ") for distinct in (False, True)]
                if aggregate.is_ordered:
                    orders = [
                        (SortKey(ARGUMENTS[0], descending=True),),
                        (SortKey(ARGUMENTS[2]), SortKey(field)),
                    ]
                    found += [AggregateCall(aggregate.name, field, False, "; ", order) for order in orders]
                    found.append(
                        AggregateCall(aggregate.name, field, True, "", (SortKey(field, True, True),))
                    )
    return list(dict.fromkeys(found))


def drawn(draw: random.Random) -> Row:
    return (draw.choice(("g", "h", None)), *(draw.choice(VALUES[field.type]) for field in ARGUMENTS))


@pytest.mark.parametrize("seed", range(6))
def test_an_aggregate_is_that_of_the_rows_that_are_left(seed):
    draw = random.Random(seed)
    wanted = calls()
    operator = GroupAggregate(COUNTING, lambda row: row[:1], [(accumulator(c), argument(c)) for c in wanted])
    held: Counter[Row] = Counter()
    found: Delta[int] = {}
    for _ in range(60):
        change: Delta[int] = {drawn(draw): draw.randint(1, 2) for _ in range(draw.randint(0, 2))}
        for row in draw.sample(list(held), min(len(held), draw.randint(0, 2))):
            change.setdefault(row, -draw.randint(1, held[row]))
        merge(held, change, COUNTING)
        merge(found, operator.step(change), COUNTING)
        expected = aggregated(Counter(held), (GROUP,), wanted)
        assert Counter(map(repr, found)) == Counter(map(repr, expected))
    merge(found, operator.step({row: -count for row, count in held.items()}), COUNTING)
    assert found == {}
    assert operator.entries() == 0


def test_what_is_kept_is_counted():
    wanted = [AggregateCall(name, ARGUMENTS[1], name == "sum") for name in ("sum", "avg", "min")]
    operator = GroupAggregate(COUNTING, lambda row: row[:1], [(accumulator(c), argument(c)) for c in wanted])
    rows: list[Row] = [("g", None, n) for n in range(10)]
    operator.step(dict.fromkeys(rows, 3))
    assert operator.entries() == 1 + 10 + 10
    operator.step(dict.fromkeys(rows[:8], -3))
    assert operator.entries() == 1 + 2 + 2
    operator.step(dict.fromkeys(rows[8:], -3))
    assert operator.entries() == 0


def test_a_deviation_is_the_nearest_double():
    draw = random.Random(5)
    for _ in range(2_000):
        above, below = draw.getrandbits(draw.randint(1, 300)), draw.getrandbits(draw.randint(1, 300)) + 1
        found = root(above, below)
        near = [math.nextafter(found, -math.inf), math.nextafter(found, math.inf)]
        halves = [(found.as_integer_ratio(), each.as_integer_ratio()) for each in near]
        for (n, d), (m, e) in halves:
            middle = (n * e + m * d, 2 * d * e)
            is_less = above * middle[1] ** 2 < middle[0] ** 2 * below
            assert is_less if m * d > n * e else not is_less or above == 0
    assert root(0, 5) == 0.0
    assert root(9, 4) == 1.5


TABLE = Relation(
    "t",
    RelationKind.TABLE,
    (Column("k", Type.TEXT), Column("x", Type.DOUBLE), Column("n", Type.BIGINT), Column("b", Type.BOOLEAN)),
    (),
    None,
    "table",
)
ROWS: list[Row] = [
    ("a", 1.5, 3, True), ("a", 2.5, 3, None), ("a", None, None, False), ("b", 2.5, 7, True),
    ("b", 4.0, -7, True),
    ("c", None, None, None), (None, 8.0, 1, False), ("b", 2.5, 7, True),
]  # fmt: skip
AGREED = [
    "count(*)", "count(x)", "count(DISTINCT x)", "sum(n)", "sum(DISTINCT n)", "avg(x)", "avg(DISTINCT x)",
    "min(k)", "max(n)", "max(b)", "stddev(x)", "stddev_samp(n)", "stddev_pop(x)", "variance(x)",
    "var_samp(n)",
    "var_pop(n)", "bool_and(b)", "bool_or(b)", "string_agg(k, '+')", "string_agg(k, ', ' ORDER BY n DESC, k)",
    "string_agg(DISTINCT k, '' ORDER BY k DESC)", "array_agg(n ORDER BY n)",
    "array_agg(k ORDER BY x DESC, k)",
    "array_agg(x ORDER BY x NULLS FIRST)", "count(*) FILTER (WHERE x > 2)", "sum(x) FILTER (WHERE b)",
    "string_agg(k, '-' ORDER BY k) FILTER (WHERE n > 0)", "count(DISTINCT n) FILTER (WHERE x > 2)",
]  # fmt: skip


def bound(sql: str):
    return SelectBinder(Catalog([TABLE]), {}).bind(parse(sql).select)


@pytest.mark.parametrize("by", ["", "GROUP BY k"])
def test_duckdb_says_the_same(by):
    head = "k, " if by else ""
    sql = f"SELECT {head}{', '.join(AGREED)} FROM t {by}"
    watched = WatchedPlan(bound(sql), [TABLE])
    watched.tick(*[Change("t", 1, row) for row in ROWS])
    with duckdb.connect() as connection:
        connection.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
        connection.execute("CREATE TABLE t(k TEXT, x DOUBLE, n BIGINT, b BOOLEAN)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
        answers = connection.execute(sql.replace("'+')", "'+' ORDER BY k)")).fetchall()
    theirs = Counter(tuple(tuple(v) if isinstance(v, list) else v for v in row) for row in answers)
    assert len(theirs) == len(watched.rows)
    for row in watched.rows:
        (same,) = [each for each in theirs if not by or each[0] == row[0]]
        for sql, ours, said in zip([*(["k"] if by else []), *AGREED], row, same, strict=True):
            assert ours == (pytest.approx(said) if isinstance(ours, float) else said), sql
    for row in ROWS:
        watched.tick(Change("t", -1, row))
    assert len(watched.rows) == (0 if by else 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sum(k)", "sum takes a number, found text"),
        ("bool_and(n)", "bool_and takes a condition, found bigint"),
        ("string_agg(n, ',')", "string_agg takes a text, found bigint"),
        ("string_agg(k, k)", "string_agg takes a text and, as a constant, what stands between two"),
        ("count(DISTINCT k, x)", "count takes a value or *, found 2 of them"),
        ("count(DISTINCT *)", "count takes a value or *, found *"),
        ("sum(x ORDER BY n)", "sum does not depend on an ORDER BY"),
        ("string_agg(DISTINCT k, ',' ORDER BY x)", "string_agg(DISTINCT …) can be ordered by its value"),
        ("array_agg(k) FILTER (WHERE b)", "array_agg takes no FILTER, for it keeps NULLs"),
        ("sum(count(x))", "an aggregate inside an aggregate"),
        ("median(x)", "unknown function median in select, line 1"),
    ],
)  # fmt: skip
def test_a_call_that_makes_no_sense_is_refused(call, message):
    with pytest.raises(QueryError) as refused:
        bound(f"SELECT {call} FROM t")
    assert refused.value.message.startswith(message)
