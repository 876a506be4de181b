"""What a text may say besides a query, as the parser returns it."""

import pytest

from engine.lang.streamsql import (
    CreateRelation,
    CreateView,
    DropRelation,
    DropView,
    Explain,
    ExplainWhy,
    Output,
    Query,
    Show,
    parse,
    parse_script,
)
from engine.lang.streamsql.grammar.nodes import ProgramNode
from engine.model.errors import QueryError, Span
from engine.model.relation import Column
from engine.model.values import Type
from engine.operators.budget import Limits
from engine.plan.goal import FASTEST, Goal


def test_a_query_may_say_where_its_rows_go_and_what_it_may_use():
    query = parse(
        "SELECT a FROM r ORDER BY a LIMIT 3 "
        "OUTPUT TO DISPLAY 'lobby', ALARM LIMITED TO ROWS 10, STATE 64 MB, TIME 50 ms OUTPUT TO MQTT 'a/b'"
    )
    assert isinstance(query, Query)
    assert query.outputs == (Output("display", "lobby"), Output("alarm"), Output("mqtt", "a/b"))
    assert query.limits == Limits(rows=10, bytes=64_000_000, seconds=0.05)


def test_a_view_keeps_its_text_with_all_that_follows_the_query():
    text = "CREATE OR REPLACE VIEW IF NOT EXISTS \"My view\" AS SELECT a FROM r OUTPUT TO ALARM 'fire'"
    view = parse(text)
    assert isinstance(view, CreateView)
    assert (view.name, view.text) == ("my view", text)
    assert view.is_replacing
    assert view.is_optional
    assert view.outputs == (Output("alarm", "fire"),)


def test_output_and_limited_stay_names_where_nothing_makes_them_words_of_ours():
    assert isinstance(
        parse("SELECT output, limited FROM r output JOIN s limited ON output.a = limited.a"), Query
    )


def test_a_relation_has_columns_a_key_and_options():
    assert parse(
        "CREATE STREAM Straße (k text NOT NULL, x double, at timestamp, PRIMARY KEY (k, at)) "
        "WITH (wrapper = 'mqtt', topic = 'a/{k}/b', qos = 1)"
    ) == CreateRelation(
        "stream",
        "straße",
        (Column("k", Type.TEXT, nullable=False), Column("x", Type.DOUBLE), Column("at", Type.TIMESTAMP)),
        ("k", "at"),
        {"wrapper": "mqtt", "topic": "a/{k}/b", "qos": "1"},
        span=Span(1, 14, 20),
    )


def test_dropping_showing_and_explaining_are_statements():
    found = parse_script(
        "DROP VIEW IF EXISTS a, B; DROP STREAM s; DROP TABLE IF EXISTS t; SHOW views; SHOW COLUMNS FROM T;"
        "DESCRIBE t -- the same; and no more\n; EXPLAIN ANALYZE v; EXPLAIN WHY NOT v('a', -1)"
    )
    assert found[:4] == [
        DropView(("a", "b"), is_optional=True),
        DropRelation("stream", ("s",)),
        DropRelation("table", ("t",), is_optional=True),
        Show("views"),
    ]
    assert isinstance(found[4], Show)
    assert (found[4].what, found[4].of) == ("columns", "t")
    assert isinstance(found[6], Explain)
    assert (found[6].of, found[6].analyzes) == ("v", True)
    assert isinstance(found[7], ExplainWhy)
    assert (found[7].view, found[7].is_negated, len(found[7].values or ())) == ("v", True, 2)


def test_a_row_may_be_named_by_its_columns():
    why = parse("EXPLAIN WHY v WHERE a = 1 AND b IS NULL")
    assert isinstance(why, ExplainWhy)
    assert [name for name, _ in why.where] == ["a", "b"]


@pytest.mark.parametrize("tag", ["$$", "$prog$"])
def test_a_datalog_program_knows_where_in_the_text_it_begins(tag):
    program = " reach(x, y) :- link(x, y); edge(x, y).\n// a $ and a ; are its own\n"
    text = f"-- two\nCREATE VIEW reach AS DATALOG {tag}{program}{tag} OUTPUT TO ALARM"
    view = parse(text)
    assert isinstance(view, CreateView)
    assert isinstance(view.select, ProgramNode)
    assert view.select.this.lstrip() == program.lstrip()
    assert text.index(program) == view.select.this.index(program)
    assert view.select.this.splitlines()[0].strip() == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("VEIW v", "expected a statement, which begins with SELECT"),
        ("CREATE VEIW v AS SELECT a FROM r", "found 'VEIW', line 1; did you mean VIEW?"),
        (
            "CREATE VIEW v\nSELECT a FROM r",
            "expected AS and a query after CREATE VIEW v, found 'SELECT', line 2",
        ),
        ("CREATE OR REPLACE TABLE t (a text)", "OR REPLACE goes with VIEW; DROP TABLE first"),
        ("CREATE STREAM s (a text, b)", "expected the type of b, found ')'"),
        ("CREATE STREAM s (a txt)", "unknown type txt of a; there are bigint"),
        ("CREATE TABLE t (a text, PRIMARY KEY (c))", "unknown column c in primary key; there are a"),
        ("CREATE TABLE t (a text, a text)", "a stands twice among the columns"),
        ("SHOW TABELS", "found 'TABELS', line 1; did you mean TABLES?"),
        ("EXPLAIN WHY v WHERE a > 1", "a row is named by column = value AND …, found a > 1"),
        (
            "SELECT a FROM r OUTPUT TO EMAIL 'x'",
            "expected DISPLAY, ALARM or MQTT after OUTPUT TO, found 'EMAIL'",
        ),
        ("SELECT a FROM r OUTPUT TO MQTT", "expected the name of a MQTT in quotes, found the end"),
        ("SELECT a FROM r LIMITED TO STATE 3 kg", "STATE 3 kg is no limit"),
        ("SELECT a FROM r LIMITED TO ROWS 0", "ROWS 0 is no limit"),
        ("DATALOG x", "expected $$ program $$ after DATALOG, found 'x'"),
    ],
)
def test_what_is_none_is_refused_with_what_was_expected(text, said):
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert said in caught.value.message


def test_a_byte_order_mark_is_passed_over_and_keeps_the_places():
    assert isinstance(parse("\ufeffSELECT desk FROM desks"), Query)
    with pytest.raises(QueryError) as refused:
        parse("\ufeffSELCT desk")
    assert refused.value.span == Span(1, 1, 6)


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("", FASTEST),
        ("OPTIMIZE FOR bytes", Goal((("bytes", 1.0),))),
        ("OPTIMIZE FOR energy 0.3, Latency 0.7", Goal((("energy", 0.3), ("latency", 0.7)))),
        (
            "OPTIMIZE FOR energy WITH BYTES AT MOST 2000 A SECOND, LIFETIME AT LEAST 2 DAYS",
            Goal((("energy", 1.0),), 2 * 86_400_000_000, 2_000.0),
        ),
        ("OUTPUT TO ALARM OPTIMIZE FOR latency LIMITED TO ROWS 10", Goal((("latency", 1.0),))),
    ],
)
def test_a_query_and_a_view_say_what_they_are_to_be_good_at(said, goal):
    for text in (f"SELECT a FROM r {said}", f"CREATE VIEW v AS SELECT a FROM r {said}"):
        assert parse(text).goal == goal
    assert parse(f"EXPLAIN SELECT a FROM r {said}").goal == goal


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("bytes 1e400", "bytes 1e400 is no weight in optimize for, line 1; expected a number from 1e-09 to"),
        ("bytes 1e308, latency", "bytes 1e308 is no weight"),
        ("latency 1e-400", "latency 1e-400 is no weight"),
        ("energy 0", "energy 0 is no weight"),
        ("bytes WITH BYTES AT MOST 1e400 A SECOND", "1e400 bytes a second is no bound in optimize for"),
        ("bytes WITH BYTES AT MOST 0 A SECOND", "0 bytes a second is no bound"),
        ("bytes WITH LIFETIME AT LEAST 1e400 DAYS", "1e400 DAYS is no lifetime"),
        ("bytes WITH LIFETIME AT LEAST 0 DAYS", "0 DAYS is no lifetime"),
    ],
)
def test_a_number_that_nothing_can_be_measured_by_is_refused(said, found):
    with pytest.raises(QueryError) as refused:
        parse(f"EXPLAIN SELECT a FROM r OPTIMIZE FOR {said}")
    assert refused.value.message.startswith(found)
