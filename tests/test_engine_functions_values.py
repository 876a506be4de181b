"""Scalar functions as people write them: DuckDB says the same, and what it says otherwise is listed.

Where PostgreSQL and DuckDB differ, ours is PostgreSQL's and the value stands in the table by hand.
"""

import re
from datetime import UTC, datetime
from itertools import product

import duckdb
import pytest

from engine.lang.streamsql import parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type, Value
from engine.plan.expressions import compiled

TEXTS = [None, "", "a", "ab ab", "  x ", "Ünï cödé", "abcabc", "%", "a,b,,c"]
NUMBERS = [None, 0, 1, -1, 2, 3, 7, -12]
REALS = [None, 0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1234.5678, 1e-9]
HOUR = 3_600_000_000
MOMENTS = [None, 0, -1, 1_711_846_800_000_000, 1_709_164_799_999_999, 86_400_000_000 * 365 * 30 + 5 * HOUR]
COLUMNS = (
    Column("a", Type.TEXT), Column("b", Type.TEXT), Column("n", Type.BIGINT), Column("m", Type.BIGINT),
    Column("x", Type.DOUBLE), Column("t", Type.TIMESTAMP),
)  # fmt: skip
TABLE = Relation("v", RelationKind.TABLE, COLUMNS, (), None, "table")
POOLS = {"a": TEXTS, "b": TEXTS, "n": NUMBERS, "m": NUMBERS, "x": REALS, "t": MOMENTS}

SAME = [
    "upper(a)", "lower(a)", "length(a)", "reverse(a)", "concat(a, b)", "concat(a, '-', n)",
    "concat_ws(',', a, b, n)", "concat_ws(a, b, 'z')", "a || b", "substring(a, 2, 2)",
    "substring(a FROM 3)", "CASE WHEN n >= 0 THEN substr(a, 1, n) END", "position(b IN a)", "strpos(a, b)",
    "left(a, n)", "right(a, n)", "trim(a)", "ltrim(a)", "rtrim(a)", "trim(a, 'a ')", "ltrim(a, 'a')",
    "trim(TRAILING 'c' FROM a)", "replace(a, 'a', b)", "repeat(a, n)", "lpad(a, 4, '*-')",
    "rpad(a, 4, '*-')", "starts_with(a, b)", "ends_with(a, b)", "a LIKE b", "a ILIKE 'AB%'",
    "a NOT ILIKE '%B'", "translate(a, 'abc', 'xy')", "split_part(a, ',', 2)",
    "split_part('a,b,,c', ',', 4)", "char_length(b)", "abs(n)", "abs(x)", "sign(x)", "sign(n)", "round(x)",
    "round(x, 1)", "trunc(x)", "CASE WHEN m <> 0 THEN mod(n, m) + n % m END",
    "CASE WHEN n >= 0 THEN power(x, n) END", "exp(n)", "CASE WHEN x > 0 THEN ln(x) END", "sin(x)", "cos(x)",
    "CASE WHEN x >= 0 THEN sqrt(x) END", "cbrt(x)", "tan(x)", "atan(x)", "atan2(x, n)", "degrees(x)",
    "radians(x)", "pi()", "CASE WHEN x BETWEEN -1 AND 1 THEN asin(x) + acos(x) END", "floor(x)", "ceil(x)",
    "CASE WHEN x > 0 THEN log(x) END", "n ^ 2", "least(n, m)", "greatest(n, m, 1)", "nullif(n, m)",
    "coalesce(a, b, 'z')", "n IS DISTINCT FROM m", "a IS NOT DISTINCT FROM b", "n / 2",
    "(n > m) OR (n < m)", "extract(hour FROM t)", "extract(minute FROM t)", "extract(day FROM t)",
    "extract(month FROM t)", "extract(year FROM t)", "extract(dow FROM t)", "extract(isodow FROM t)",
    "extract(doy FROM t)", "extract(week FROM t)", "extract(quarter FROM t)", "extract(epoch FROM t)",
    "date_part('hour', t)", "date_trunc('hour', t)", "date_trunc('day', t)", "date_trunc('week', t)",
    "date_trunc('month', t)", "date_trunc('quarter', t)", "date_trunc('year', t)",
    "date_trunc('second', t)", "t + INTERVAL '5 minutes'", "t - INTERVAL '1' DAY",
    "t > TIMESTAMP '2000-01-01 00:00'", "CAST(t AS TEXT)", "CAST(n AS TEXT)", "CAST(n AS BOOLEAN)",
    "ARRAY[n, m]", "array_append(ARRAY[n], m)", "array_prepend(n, ARRAY[m])", "ARRAY[n] || ARRAY[m]",
    "array_length(ARRAY[n, m], 1)", "(ARRAY[n, m])[1]", "(ARRAY[n, m, 5])[2]", "(ARRAY[1, 2, 3, 4])[2:3]",
    "n = ANY(ARRAY[m, 1])", "n <> ALL(ARRAY[m, 1])", "array_reverse(ARRAY[n, m])", "n IN (m, 1, NULL)",
    "ARRAY[n, 1] = ARRAY[m, 1]",
]  # fmt: skip
GEOJSON = '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}'
BY_HAND: list[tuple[str, Value]] = [
    ("substring('abcdef', -2, 5)", "ab"), ("substring('abc', 2, -1)", None),
    ("substring('abc' FOR 2)", "ab"), ("split_part('a,b', ',', -1)", "b"),
    ("split_part('a,b', ',', 0)", None), ("split_part('a', '', 1)", "a"), ("lpad('abc', 2)", "ab"),
    ("lpad('a', 3)", "  a"), ("rpad('a', 3, '')", "a"), ("lpad('a', -1)", ""), ("left('abc', -1)", "ab"),
    ("right('abc', -1)", "bc"), ("repeat('a', 2000000)", None), ("replace('abc', '', 'x')", "abc"),
    ("strpos('abc', '')", 1), ("initcap('hELLO wORLD-x 2nd')", "Hello World-X 2nd"), ("ascii('')", 0),
    ("ascii('€')", 8364), ("chr(0)", None), ("chr(55296)", None), ("concat(NULL, 'a')", "a"),
    ("concat_ws(NULL, 'a')", None), ("concat_ws(',', NULL, NULL)", ""), ("'a' || 1.5", "a1.5"),
    ("btrim('xxaxx', 'x')", "a"), ("trim(BOTH 'x' FROM 'xax')", "a"), ("translate('aab', 'ab', 'x')", "xx"),
    ("floor(-0.5)", -1), ("ceil(-0.5)", 0), ("ceiling(2)", 2), ("trunc(-1.79, 1)", -1.7),
    ("trunc(-0.4)", 0.0), ("div(-7, 2)", -3), ("div(7, 0)", None), ("mod(-7, 2)", -1), ("log(2, 8)", 3.0),
    ("log(1, 8)", None), ("log(1000)", 3.0), ("sqrt(-1)", None), ("ln(0)", None), ("exp(1000)", None),
    ("asin(2)", None), ("sign(-2.5)", -1.0), ("sign(0)", 0), ("2 ^ 10", 1024.0), ("nullif(1, NULL)", 1),
    ("nullif(NULL, 1)", None), ("nullif(1, 1.0)", None), ("greatest(NULL, 1, 2)", 2),
    ("div(9223372036854775807, -1)", -9223372036854775807),
    ("extract(second FROM TIMESTAMP '2026-01-01 00:00:30.5')", 30.5),
    ("TIMESTAMP '1970-01-01 00:00:01.5+01:00'", -3_598_500_000), ("TIMESTAMP '1970-01-02'", 86_400_000_000),
    ("CAST(' 1970-01-01T00:00:00Z ' AS TIMESTAMP)", 0), ("CAST('soon' || '' AS TIMESTAMP)", None),
    ("to_timestamp(1.5)", 1_500_000), ("to_timestamp(2)", 2_000_000),
    ("INTERVAL '1 day 2 hours'", 26 * HOUR), ("INTERVAL '-1.5 h'", -HOUR * 3 // 2),
    ("INTERVAL '5' MINUTE", HOUR // 12), ("2 * INTERVAL '1 hour'", 2 * HOUR),
    ("TIMESTAMP '2026-01-02' - TIMESTAMP '2026-01-01'", 24 * HOUR),
    ("date_trunc('hour', to_timestamp(-1))", -HOUR),
    ("CAST(to_timestamp(0) AS TEXT)", "1970-01-01 00:00:00"),
    ("CAST(to_timestamp(0.25) AS TEXT)", "1970-01-01 00:00:00.25"), ("cardinality(ARRAY[1, NULL])", 2),
    ("array_length(CAST(ARRAY[] AS text[]), 1)", None), ("array_append(NULL, 1)", (1,)),
    ("ARRAY[1] || NULL", (1,)), ("1 || ARRAY[2]", (1, 2)), ("ARRAY[1] || 2", (1, 2)),
    ("ARRAY[1, 2.5]", (1.0, 2.5)), ("array_append(ARRAY[1.5], 2)", (1.5, 2.0)),
    ("ARRAY[ARRAY[1]] || ARRAY[2]", ((1,), (2,))), ("(ARRAY[1, 2])[0]", None),
    ("(ARRAY[1, 2, 3])[2:]", (2, 3)), ("(ARRAY[1, 2, 3])[:2]", (1, 2)),
    ("NULL = ANY(CAST(ARRAY[] AS text[]))", False), ("1 = ANY(ARRAY[NULL, 2])", None),
    ("1 <> ALL(ARRAY[NULL, 2])", None), ("1 < SOME(ARRAY[0, 2])", True), ("3 >= ALL(ARRAY[1, 2.5])", True),
    ("1 = ANY(CAST(NULL AS bigint[]))", None), ("array_contains(ARRAY['a'], 'a')", True),
    ("array_position(ARRAY['a', NULL], NULL)", 2), ("array_to_string(ARRAY[1, NULL, 3], '-')", "1-3"),
    ("array_to_string(ARRAY[1, NULL], '-', '?')", "1-?"), ("array_sort(ARRAY[2, NULL, 1])", (1, 2, None)),
    ("ARRAY[1, NULL] < ARRAY[1, 2]", False), ("ARRAY[1, 2] @> ARRAY[2]", True),
    ("ARRAY[1, NULL] @> ARRAY[NULL, 1]", False), ("ARRAY[1] && ARRAY[1, 2]", True),
    ("string_to_array('', ',')", ()), ("string_to_array('a,,b', ',')", ("a", "", "b")), ("chr(8364)", "€"),
    ("string_to_array('ab', NULL)", ("a", "b")), ("point(1, 2)", (1.0, 2.0)),
    ("x(point(1, 2)) + y(point(1, 2))", 3.0), ("distance(point(0, 0), point(3, 4))", 5.0),
    ("distance(0, 0, 3, 4)", 5.0), ("within(point(0, 0), point(3, 4), 5)", True), ("point(1, NULL)", None),
    ("area(region('POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))'))", 15.0),
    ("contains(region('POLYGON((0 0,0 4,4 4,4 0,0 0))'), point(4, 2))", True),
    ("contains(region('POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))'), point(1.5, 1.5))", False),
    (f"contains(region('{GEOJSON}'), point(0, 1))", True),
    ("area(region('MULTIPOLYGON(((0 0,1 0,0 1,0 0)),((5 5,6 5,5 6,5 5)))'))", 1.0),
    ("region('' || 'POLYGON((0 0,1 1,1 0,0 1,0 0))')", None), ("region('' || 'POINT(1 1)')", None),
    ("region('' || '{')", None), ("region('' || 'POLYGON EMPTY')", None),
    ("contains(NULL, point(1, 1))", None), ("point(1, 2) = point(1, 2.0)", True),
    ("CAST(NULL AS bigint[])", None), ("CAST(2 AS BOOLEAN)", True),
    ("'ab ab' ~ 'b a'", True), ("'ab' ~ '^b'", False), ("'ab' ~ '^a|x$'", True), ("'' ~ '^$'", True),
    ("'ab' ~ ''", True), ("'a' ~ NULL", None), ("'ab' !~ 'b$'", False), ("'a1b22' ~ '\\d{2,}$'", True),
    ("'ab' ~ ('(' || 'a')", None),
]  # fmt: skip
REFUSED = [
    ("now()", "now is not part of StreamSQL in select, line 1; a view is a function of what was logged"),
    ("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP is not part of StreamSQL in select, line 1; a view is a"),
    ("random()", "random is not part of StreamSQL"),
    ("a ~* 'x'", "the operator ~* is not part of StreamSQL in select, line 1; lower(x) ~ 'pattern'"),
    ("a ~ '(x'", "'(x' is no regular expression in select, line 1; it may have ."),
    ("regexp_replace(a, 'x', 'y')", "regexp_replace is not part of StreamSQL"),
    ("a SIMILAR TO 'x'", "SIMILAR TO is not part of StreamSQL"),
    ("a LIKE 'x' ESCAPE '!'", "ESCAPE is not part of StreamSQL"),
    ("a = 1", "= takes two values of one type, found text, bigint"),
    ("substring(a)", "substring takes a text, a place and, if wanted, a length, found text"),
    ("lpad(a, 'x')", "lpad takes a text, a length and, if wanted, what to fill it with, found text, text"),
    ("ARRAY[1, 'a']", "array takes values of one type, found bigint, text"),
    ("ARRAY[]", "ARRAY[] has no type in select; write CAST(ARRAY[] AS text[])"),
    ("ARRAY[1] || 'a'", "array_append takes a list and a value of its type, found bigint[], text"),
    ("TIMESTAMP 'soon'", "'soon' is no timestamp in select, line 1; a timestamp is written as"),
    ("CAST('2026-02-29' AS TIMESTAMP)", "'2026-02-29' is no timestamp in select"),
    ("region('POINT(1 1)')", "'POINT(1 1)' is no region in select, line 1"),
    ("INTERVAL '1 month'", "INTERVAL '1 MONTH' is no length of time in select"),
    ("extract(century FROM t)", "unknown part CENTURY of a timestamp in select, line 1; there are hour"),
    ("date_trunc('moon', t)", "unknown unit moon in select, line 1; there are microsecond"),
    ("t + 1.5", "+ takes two numbers, or a timestamp and an interval, found timestamp, double"),
    ("distance(1, 2)", "distance takes two points, or x, y, x and y, found bigint, bigint"),
    ("contains(a, point(1, 2))", "contains takes a region and a point, found text, point"),
    ("strops(a, b)", "unknown function strops in select, line 1; did you mean strpos?"),
    ("CAST(ARRAY[1] AS TEXT)", "a bigint[] cannot become a text"),
    ("CAST(a AS varchar(3))", "a type's length or precision is not part of StreamSQL"),
    ("ARRAY(SELECT a FROM v)", "ARRAY is not part of StreamSQL in select, line 1; ARRAY[1, 2] and"),
]  # fmt: skip


def bound(expression: str):
    (only,) = SelectBinder(Catalog([TABLE]), {}).bind(parse(f"SELECT {expression} FROM v").select).expressions
    return only


def rows_for(expression: str) -> list[Row]:
    """The values of the columns that an expression reads, each with each."""
    words = set(re.findall(r"\w+", expression))
    read = [name for name in POOLS if name in words]
    combined = product(*(POOLS[name] for name in read))
    return [tuple(dict(zip(read, values, strict=True)).get(name) for name in POOLS) for values in combined]


def comparable(value):
    """A value of DuckDB's as ours."""
    if isinstance(value, datetime):
        return round((value.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1e6)
    return tuple(map(comparable, value)) if isinstance(value, list) else value


@pytest.fixture(scope="module")
def duck():
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize("expression", SAME)
def test_duckdb_says_the_same(duck, expression):
    rows, ours = rows_for(expression), compiled(bound(expression))
    duck.execute("CREATE OR REPLACE TABLE v(a TEXT, b TEXT, n BIGINT, m BIGINT, x DOUBLE, t TIMESTAMP)")
    duck.executemany("INSERT INTO v SELECT ?, ?, ?, ?, ?, make_timestamp(?)", rows)
    theirs = [comparable(value) for (value,) in duck.execute(f"SELECT {expression} FROM v").fetchall()]
    for row, said in zip(rows, theirs, strict=True):
        found = ours(row)
        assert found == (pytest.approx(said, rel=1e-12, abs=1e-15) if isinstance(said, float) else said), row


@pytest.mark.parametrize(("expression", "value"), BY_HAND)
def test_an_expression_is_worth_what_postgresql_says(expression, value):
    found = compiled(bound(expression))((None,) * len(COLUMNS))
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("expression", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(expression, message):
    with pytest.raises(QueryError) as refused:
        bound(expression)
    assert refused.value.message.startswith(message), refused.value.message
