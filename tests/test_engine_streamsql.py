"""Any text is a statement or a QueryError whose span lies in it; the parser we extend is the one we know."""

import inspect
import itertools
import random
import re
import sys
import time
from importlib.metadata import version

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.parser import Parser
from sqlglot.parsers.postgres import PostgresParser

from engine.lang.streamsql import CreateView, Query, parse, parse_script
from engine.lang.streamsql.grammar.dialect import StreamSQLParser
from engine.lang.streamsql.query.select import SelectBinder
from engine.lang.streamsql.spans import line_at
from engine.model.errors import QueryError
from engine.plan.explaining import as_text
from engine.plan.windows import Range, Rows, Unbounded
from tests.environment.waiting import PATIENCE
from tests.memory_log import MemoryLog
from tests.random_queries import views
from tests.strategies import CATALOG, few, many

# The parser


def test_the_parser_is_pinned_exactly(repository):
    """Its private methods move between releases; a new one is taken by hand, with these tests read."""
    pinned = f"sqlglot=={version('sqlglot')}"
    assert pinned in (repository / "constraints.txt").read_text().split()
    assert f'"{pinned}"' in (repository / "pyproject.toml").read_text()


OURS = StreamSQLParser.__mro__[: StreamSQLParser.__mro__.index(PostgresParser)]


def test_the_private_methods_we_override_are_these():
    own = {name for each in OURS for name in vars(each) if hasattr(Parser, name)}
    own = {name for name in own if not name.startswith("__")}
    assert own == {
        "_parse_table_parts", "_parse_table_sample", "_parse_join", "_parse_statement", "_parse_cte",
        "_parse_interval", "_parse_function_call",
        "PLACEHOLDER_PARSERS", "FUNCTIONS", "FUNCTION_PARSERS",
    }  # fmt: skip
    for each in OURS:
        doc = sys.modules[each.__module__].__doc__
        assert all(f"``Parser.{name}``" in doc for name in own & set(vars(each)) if name.startswith("_"))
    called = {name for each in OURS for name in re.findall(r"self\.(_\w+)\b", inspect.getsource(each))}
    assert {name for name in called if hasattr(Parser, name)} - own == {
        "_advance", "_curr", "_match", "_match_set", "_match_text_seq", "_match_texts", "_parse_csv",
        "_next", "_parse_disjunction", "_parse_id_var", "_parse_types", "_parse_wrapped_id_vars", "_prev",
    }  # fmt: skip


def test_the_parser_is_not_compiled():
    """A compiled one overflows the stack where this one raises RecursionError."""
    assert sqlglot.parser.__file__.endswith(".py")


# Windows


@pytest.mark.parametrize(
    ("text", "window", "shown"),
    [
        ("[RANGE 30 SECONDS]", Range(30_000_000), "RANGE 30 SECONDS"),
        ("[range 1 second]", Range(1_000_000), "RANGE 1 SECONDS"),
        ("[RANGE 0.5 SECONDS]", Range(500_000), "RANGE 500 MILLISECONDS"),
        ("[RANGE 90 MINUTES]", Range(5_400_000_000), "RANGE 90 MINUTES"),
        ("[RANGE 2 DAYS]", Range(172_800_000_000), "RANGE 2 DAYS"),
        ("[RANGE 1234567 SECONDS]", Range(1_234_567_000_000), "RANGE 1234567 SECONDS"),
        ("[RANGE 1234568 SECONDS]", Range(1_234_568_000_000), "RANGE 1234568 SECONDS"),
        ("[NOW]", Range(1), "NOW"),
        ("[ROWS 5]", Rows(5), "ROWS 5"),
        ("[PARTITION BY x, k ROWS 2]", Rows(2, (0, 2), ("k", "x")), "PARTITION BY k, x ROWS 2"),
        ("[PARTITION BY k, k ROWS 2]", Rows(2, (0,), ("k",)), "PARTITION BY k ROWS 2"),
        ("[UNBOUNDED]", Unbounded(), "UNBOUNDED"),
        ("[RANGE 14 DAYS]", Range(1_209_600_000_000), "RANGE 2 WEEKS"),
        ("[RANGE 7 microseconds]", Range(7), "RANGE 7 MICROSECONDS"),
        ("[RANGE 9007199254740993 MICROSECOND]", Range(2**53 + 1), "RANGE 9007199254740993 MICROSECONDS"),
        ("[SIZE 300 TIME]", Range(300_000_000), "RANGE 5 MINUTES"),
        ("[size 5 minutes]", Range(300_000_000), "RANGE 5 MINUTES"),
        ("[SIZE 5 MINUTES TIME]", Range(300_000_000), "RANGE 5 MINUTES"),
        ("[SIZE 4 TUPLES]", Rows(4), "ROWS 4"),
        ("[SIZE 1 TUPLE PARTITION BY x, k]", Rows(1, (0, 2), ("k", "x")), "PARTITION BY k, x ROWS 1"),
        ("[PARTITION BY k SIZE 1 TUPLE]", Rows(1, (0,), ("k",)), "PARTITION BY k ROWS 1"),
        ("[ROWS 1 PARTITION BY k]", Rows(1, (0,), ("k",)), "PARTITION BY k ROWS 1"),
        (
            "[RANGE 90 SECONDS SLIDE 1 MINUTE]",
            Range(90_000_000, 60_000_000),
            "RANGE 90 SECONDS SLIDE 1 MINUTES",
        ),
        ("[SIZE 9 TIME SLIDE 5 SECONDS]", Range(9_000_000, 5_000_000), "RANGE 9 SECONDS SLIDE 5 SECONDS"),
        ("", Rows(1, (0,), ("k",)), "PARTITION BY k ROWS 1"),
    ],
)
def test_a_window_is_read_and_shown_to_the_microsecond(text, window, shown):
    statement = parse(f"SELECT k FROM seats {text} s")
    scan = SelectBinder(CATALOG, {}).bind(statement.select).child.inputs[0]
    assert (scan.window, str(scan.window)) == (window, shown)


def test_every_shown_window_is_read_back():
    for micros in (2, 999, 1_000, 1_000_001, 3_600_000_000, 86_400_000_000, 123_456_789_000_001):
        by_two = Rows(micros, (1, 2), ("n", "x"))
        for window in (Range(micros), Range(micros, micros), Range(1, micros), by_two):
            statement = parse(f"SELECT k FROM seats [{window}]")
            assert SelectBinder(CATALOG, {}).bind(statement.select).child.inputs[0].window == window


# Names


def test_columns_have_the_names_their_reader_expects():
    items = "k, n AS m, count(*), sum(x), upper(k), 1, CAST(n AS TEXT), n + 1, x AS n_2, n AS n_2, n"
    statement = parse(f"SELECT {items} FROM seats GROUP BY k, n, x")
    columns = SelectBinder(CATALOG, {}).bind(statement.select).columns
    names = [column.name for column in columns]
    assert names == ["k", "m", "count", "sum", "upper", "column", "n", "column_2", "n_2", "n_2_2", "n_3"]


def test_names_know_no_case_and_a_view_over_a_view_has_its_columns():
    session = MemoryLog().session(CATALOG)
    session.create_view("create view Low as Select K, N as Number from SEATS s where S.b")
    session.create_view('CREATE VIEW high AS SELECT l.NUMBER FROM "low" L GROUP BY number')
    assert [column.name for view in session.views() for column in view.columns] == ["k", "number", "number"]


# Spans


SCRIPT = """CREATE VIEW a AS SELECT k FROM seats; -- ä 😀
CREATE VIEW b AS
  SELECT n
  FROM seats
  WHERE nn = 1;
"""


def test_a_span_counts_in_the_whole_script():
    _, second = parse_script(SCRIPT)
    with pytest.raises(QueryError) as caught:
        SelectBinder(CATALOG, {}).bind(second.select)
    span = caught.value.span
    assert (span.line, SCRIPT[span.start : span.end]) == (5, "nn")
    assert "line 5" in caught.value.message


def test_a_syntax_error_s_span_counts_in_the_whole_script():
    script = SCRIPT.replace("WHERE", "WERE")
    with pytest.raises(QueryError) as caught:
        parse_script(script)
    span = caught.value.span
    assert (span.line, script[span.start : span.end]) == (5, "nn")
    assert caught.value.message.endswith("line 5; did you mean WHERE?")


# Any text


def is_answered(text: str) -> None:
    """A statement that is bound, or a QueryError in one line, whose span lies in the text."""
    error = refused(text)
    if error is None:
        return
    assert error.message
    assert not set(error.message) & {"\n", "\x1b"}
    if error.span is not None:
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert error.span.line == line_at(text, error.span.start)


def refused(text: str) -> QueryError | None:
    try:
        for statement in parse_script(text):
            if isinstance(statement, Query | CreateView):
                SelectBinder(CATALOG, {}).bind(statement.select)
    except QueryError as error:
        return error
    return None


SEEDS = [
    "SELECT k, n FROM seats [RANGE 30 SECONDS] s, rooms r WHERE s.k = r.k AND s.x > -1.5e3 AND r.k IN ('a')",
    "SELECT DISTINCT upper(k), count(*) FROM seats [PARTITION BY k ROWS 1] GROUP BY 1 HAVING sum(n) > 2;",
    "CREATE VIEW v AS SELECT CASE WHEN b THEN 1 ELSE 2 END FROM notes WHERE k LIKE 'a%'; DROP VIEW v",
    "EXPLAIN SELECT a.k FROM (SELECT k FROM notes) a JOIN rooms b ON a.k = b.k WHERE NOT n BETWEEN 1 AND 2",
    "SELECT CAST(x AS TEXT) || '😀''' FROM tags [NOW] -- comment\nWHERE at IS NOT NULL /* more */",
]
PIECES = [
    "SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "JOIN", "ON", "AND", "OR", "NOT", "IN", "LIKE",
    "BETWEEN", "CASE", "WHEN", "THEN", "END", "CAST", "AS", "NULL", "TRUE", "CREATE", "VIEW", "DROP",
    "EXPLAIN", "UNION", "ORDER BY", "LIMIT", "WITH", "OVER", "DISTINCT", "EXISTS", "INTERVAL", "VALUES",
    "LATERAL", "FILTER", "k", "n", "seats", "rooms", "count", "sum", "max", "round", "(", ")", "[", "]",
    "{", "}", ",", ";", ".", "*", "+", "-", "/", "%", "^", "=", "<", ">", "<>", "||", "::", ":", "@",
    "$", "$1", "?", "#", "!", "~", "&", "|", "\\", "'", '"', "`", "''", "'a'", "$$", "/*", "*/", "--",
    "\n", "\r", "\t", "\x00", "\u2028", "\ufeff", "😀", "é", "0", "1", "1.5", ".5", "1e400", "1e",
    "0x1F", "99999999999999999999", "RANGE", "ROWS", "PARTITION BY", "NOW", "UNBOUNDED", "SECONDS",
    "[ROWS 1]", "[RANGE 1e400 SECONDS]", "[ROWS 1e30]",
]  # fmt: skip


@st.composite
def mangled(draw) -> str:
    """A valid text with pieces taken out, put in, doubled or swapped."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        new = draw(st.sampled_from(["", "", text[start:end] * 2, *PIECES]))
        text = f"{text[:start]}{new}{text[end:]}"
    return text


def test_a_mangled_text_is_answered():
    few(250)(given(mangled())(is_answered))()


def test_a_random_text_is_answered():
    few(150)(given(st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join))(is_answered))()
    few(100)(given(st.text(max_size=40))(is_answered))()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_many_texts_are_answered():
    many(20_000)(given(mangled())(is_answered))()
    many(10_000)(given(st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join))(is_answered))()
    many(5_000)(given(st.text(max_size=40))(is_answered))()


DEEP = {
    "brackets": "(" * 5_000 + "n" + ")" * 5_000,
    "open brackets": "(" * 5_000,
    "nots": "NOT " * 5_000 + "b",
    "minuses": "- " * 5_000 + "n",
    "sums": " + ".join(["n"] * 5_000),
    "texts": " || ".join(["k"] * 5_000),
    "calls": "abs(" * 2_000 + "n" + ")" * 2_000,
    "cases": "CASE WHEN b THEN " * 1_000 + "1" + " END" * 1_000,
    "queries": "(SELECT n FROM " * 500 + "rooms" + ") a" * 500,
    "windows": "[" * 5_000,
    "casts": "n" + "::text" * 3_000,
    "digits": "9" * 10_000,
    "points": ".".join("n" * 3_000),
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_a_deep_text_is_answered(text):
    is_answered(f"SELECT {text} FROM seats")
    is_answered(f"SELECT n FROM seats WHERE {text} = 1")


def test_a_text_that_is_too_deep_says_so():
    with pytest.raises(
        QueryError, match="nested too deeply in select, line 1; put the inner parts into views"
    ):
        MemoryLog().session(CATALOG).query(f"SELECT {DEEP['sums']} FROM seats")


@pytest.mark.parametrize("link", ["n <> 1 AND ", "n = 1 OR ", "n IN (1, 2) AND "])
def test_a_long_chain_of_conditions_is_no_depth(link):
    session = MemoryLog().session(CATALOG)
    session.query(f"SELECT n FROM seats WHERE {link * 2_000} b")
    session.query(
        f"SELECT n FROM seats WHERE {link * 2_000} (b OR n IN ({', '.join(map(str, range(3_000)))}))"
    )


def test_a_query_that_nobody_could_plan_in_time_is_refused():
    session = MemoryLog().session(CATALOG)
    many_joined = ", ".join(f"rooms r{i}" for i in range(60))
    with pytest.raises(QueryError, match="60 relations in FROM; 50 can be joined at once"):
        session.query(f"SELECT r0.k FROM {many_joined}")
    branches = " UNION ALL ".join(f"SELECT k FROM rooms WHERE n > {i}" for i in range(850))
    with pytest.raises(
        QueryError, match="a plan of 2,551 nodes, its views put in; 2,500 can be kept at most"
    ):
        session.query(branches)


LADDERS = {
    "joins": "SELECT a.k, b.n FROM {0} a JOIN {0} b ON a.k = b.k AND a.n < b.n WHERE a.n > {1}",
    "left joins": "SELECT a.k, b.n FROM {0} a LEFT JOIN {0} b ON a.k = b.k AND a.n < {1}",
    "unions": "SELECT k, n + 1 AS n FROM {0} UNION ALL SELECT k, n FROM {0} WHERE n > {1}",
    "subqueries": "SELECT k, (SELECT max(n) FROM {0} b WHERE b.k = a.k AND b.n < a.n) AS n FROM {0} a",
}


@pytest.mark.parametrize("step", LADDERS)
def test_what_is_read_twice_by_what_is_read_twice_is_planned_as_often_as_it_is_written(step):
    names = ["rooms", *(f"c{i}" for i in range(12))]
    written = [
        f"{name} AS ({LADDERS[step].format(below, i)})"
        for i, (below, name) in enumerate(itertools.pairwise(names))
    ]
    text, began = f"WITH {', '.join(written)} SELECT k FROM c11 WHERE n > 3", time.monotonic()
    session = MemoryLog().session(CATALOG)
    session.query(text)
    assert len(as_text(session.explain(text)).splitlines()) < 600
    assert time.monotonic() - began < 5 * PATIENCE


def test_a_chain_of_left_joins_is_as_long_as_its_relations():
    chain = " ".join(f"LEFT JOIN rooms r{i} ON r{i}.n = r0.n AND r{i}.n > {i}" for i in range(1, 49))
    session, began = MemoryLog().session(CATALOG), time.monotonic()
    session.query(f"SELECT r0.k FROM rooms r0 {chain}")
    assert len(session._upkeep._dataflow._nodes) < 120
    assert time.monotonic() - began < 5 * PATIENCE


def test_views_upon_views_are_planned_quickly():
    session, below, began = MemoryLog().session(CATALOG), "rooms", time.monotonic()
    for i in range(40):
        session.create_view(f"CREATE VIEW v{i} AS SELECT k, n FROM {below} WHERE n > {i}")
        below = f"v{i}"
    assert time.monotonic() - began < 10 * PATIENCE


def test_valid_queries_are_what_they_say_after_a_round_trip():
    """A view's text, as a snapshot keeps it, makes the same plan again."""

    def same(statements):
        plans = {}
        for text in statements:
            statement = parse(text)
            again = parse(statement.text)
            plan = SelectBinder(CATALOG, plans).bind(statement.select)
            assert SelectBinder(CATALOG, plans).bind(again.select) == plan
            plans[statement.name] = plan

    few(40)(given(views())(same))()


def test_spacing_and_comments_change_nothing():
    words = "SELECT k , count ( * ) FROM seats [ ROWS 3 ] WHERE b AND x > - 1.5 GROUP_BY k"
    tokens = [word.replace("_", " ") for word in words.split()]
    wanted = SelectBinder(CATALOG, {}).bind(parse(" ".join(tokens)).select)
    for seed in range(20):
        gaps = random.Random(seed).choices(
            [" ", "\n", "\t ", " /* so */ ", " -- on\n", "\r\n"], k=len(tokens)
        )
        text = "".join(token + gap for token, gap in zip(tokens, gaps, strict=True))
        assert SelectBinder(CATALOG, {}).bind(parse(text).select) == wanted
