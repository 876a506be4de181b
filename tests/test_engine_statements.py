"""A text of statements over a session: what each leads to, and what stops it."""

import pytest

from engine.contracts import Explanation
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.outcomes import Changed, Listing, NotThere, Plan
from engine.plan.explaining import as_text
from engine.statements import Statements, prepared
from engine.views.why.effort import Effort
from tests.memory_log import MemoryLog, rows_of

SEATS = Relation(
    "seats",
    RelationKind.TABLE,
    (
        Column("desk", Type.TEXT, nullable=False),
        Column("room", Type.TEXT),
        Column("taken", Type.BIGINT),
        Column("lux", Type.DOUBLE),
        Column("at", Type.TIMESTAMP),
    ),
    key=("desk",),
)
STEPS = Effort(1.0, 100_000, lambda: 0.0)
MOMENT = 1_767_225_600_000_000  # 2026-01-01


@pytest.fixture
def log():
    made = MemoryLog()
    made.write(
        0, "seats", ("d1", "a", 1, 0.5, MOMENT), ("d2", "a", 0, 2.0, MOMENT), ("d3", "b", 0, 3.0, None)
    )
    return made


@pytest.fixture
def session(log):
    made = log.session(Catalog([SEATS]))
    log.tick(made)
    return made


def executed(session, text, **given):
    statements = Statements(session, lambda: STEPS)
    return [statements.execute(statement, given) for statement in prepared(text, given)]


def error_of(session, text, **given):
    with pytest.raises(QueryError) as caught:
        executed(session, text, **given)
    return caught.value.message


def test_a_script_is_carried_out_in_order(session):
    made, rows, dropped = executed(
        session,
        "-- a view; and its rows\nCREATE VIEW free AS SELECT desk, room FROM seats WHERE taken = 0;\n"
        "SELECT desk FROM free WHERE room = 'b'; /* ; */ DROP VIEW free;",
    )
    assert made == Changed("created", "view", ("free",))
    assert isinstance(rows, Listing)
    assert rows.rows == (("d3",),)
    assert dropped == Changed("dropped", "view", ("free",))
    assert session.views() == ()


def test_a_query_leaves_nothing_behind(session):
    before = len(session._upkeep._dataflow._nodes)
    executed(session, "SELECT room, count(*) AS n FROM seats GROUP BY room")
    assert len(session._upkeep._dataflow._nodes) == before
    assert session.views() == ()


def test_nothing_is_carried_out_of_a_text_that_cannot_be_read(session):
    assert "SELCT" in error_of(session, "CREATE VIEW v AS SELECT desk FROM seats; SELCT desk FROM v")
    assert session.views() == ()


def test_views_are_dropped_together_or_not_at_all(session):
    executed(session, "CREATE VIEW a AS SELECT desk FROM seats; CREATE VIEW b AS SELECT desk FROM a")
    assert error_of(session, "DROP VIEW a") == "a is read by b; drop what reads it first"
    assert "unknown view c" in error_of(session, "DROP VIEW b, c")
    assert len(session.views()) == 2
    assert executed(session, "DROP VIEW IF EXISTS a, c, b") == [Changed("dropped", "view", ("a", "b"))]
    assert session.views() == ()


def test_a_replaced_view_takes_those_that_read_it_along(session, log):
    executed(session, "CREATE VIEW a AS SELECT desk, taken FROM seats; CREATE VIEW b AS SELECT desk FROM a")
    assert executed(session, "CREATE OR REPLACE VIEW a AS SELECT desk, room FROM seats WHERE taken = 0") == [
        Changed("replaced", "view", ("a",))
    ]
    assert set(rows_of(session, "b")) == {("d2",), ("d3",)}
    assert "b reads a and could not go on: unknown column desk" in error_of(
        session, "CREATE OR REPLACE VIEW a AS SELECT room FROM seats"
    )
    assert set(rows_of(session, "a")) == {("d2", "a"), ("d3", "b")}
    log.write(1, "seats", ("d4", "c", 0, None, None))
    deltas = log.tick(session)
    assert {delta.view for delta in deltas if delta.after == delta.tick} == {"a", "b"}, "a gap each"
    assert set(rows_of(session, "b")) == {("d2",), ("d3",), ("d4",)}


def test_a_view_may_not_replace_itself_by_what_reads_it(session):
    executed(session, "CREATE VIEW a AS SELECT desk FROM seats")
    assert "a would read itself" in error_of(session, "CREATE OR REPLACE VIEW a AS SELECT desk FROM a")


def test_a_view_that_is_there_stays_where_that_is_said(session):
    text = "CREATE VIEW IF NOT EXISTS a AS SELECT desk FROM seats"
    assert executed(session, f"{text}; {text}") == [
        Changed("created", "view", ("a",)),
        Changed("kept", "view", ("a",)),
    ]


@pytest.mark.parametrize(
    ("condition", "value", "desks"),
    [
        ("room = :x", "a", {"d1", "d2"}),
        ("taken = :x", 0, {"d2", "d3"}),
        ("taken = :x", "0", {"d2", "d3"}),
        ("lux > :x", "1", {"d2", "d3"}),
        ("lux = :x", 2, {"d2"}),
        ("taken < :x", "0.5", {"d2", "d3"}),
        ("at >= :x", "2026-01-01", {"d1", "d2"}),
        ("at >= :x", "2026-01-01T00:00:00.000001Z", set()),
        ("taken BETWEEN :x AND :x", "1", {"d1"}),
        ("taken IN (:x, 7)", "1", {"d1"}),
        ("room || :x = 'b1'", "1", {"d3"}),
        ("taken + :x = 2", "1", {"d1"}),
        ("taken = -:x", "-1", {"d1"}),
        (":x", "true", {"d1", "d2", "d3"}),
        (":x AND taken = 1", True, {"d1"}),
        ("room = coalesce(:x, 'b')", None, {"d3"}),
        ("CASE WHEN taken = :x THEN 'in' ELSE 'out' END = 'in'", "1", {"d1"}),
    ],
)
def test_a_parameter_takes_the_type_of_what_it_meets(session, condition, value, desks):
    (found,) = executed(session, f"SELECT desk FROM seats WHERE {condition}", x=value)
    assert {desk for (desk,) in found.rows} == desks


def test_parameters_stand_in_every_scalar_position(session):
    (found,) = executed(
        session,
        "SELECT :label AS label, taken + :more AS n FROM seats "
        "GROUP BY taken + :more HAVING count(*) > :least",
        label="x", more=1, least="1",
    )  # fmt: skip
    assert found.rows == (("x", 1),)
    assert [column.type for column in found.columns] == [Type.TEXT, Type.BIGINT]


def test_equal_values_make_equal_plans_whatever_their_spelling(session):
    text = "SELECT desk FROM seats WHERE taken = :n"
    session.query(text, {"n": 1})
    count = len(session._upkeep._dataflow._nodes)
    session.query(text, {"n": "1"})
    session.query("SELECT desk FROM seats WHERE taken = 1")
    assert len(session._upkeep._dataflow._nodes) == count


@pytest.mark.parametrize(
    ("text", "given", "said"),
    [
        ("SELECT desk FROM seats WHERE room = :a AND taken = :b", {"a": "x"}, "no value is given for :b"),
        (
            "SELECT desk FROM seats WHERE room = :kiosk", {"kosk": "x"},
            "no value is given for :kiosk; did you mean kosk?",
        ),
        (
            "SELECT desk FROM seats WHERE room = :a", {"a": "x", "b": 1, "c": 2},
            ":b, :c is given, and the text does not have it; it asks for :a",
        ),
        ("SELECT desk FROM seats", {"a": 1}, ":a is given, and the text does not have it; it asks for none"),
        (
            "SELECT desk FROM seats WHERE taken = :n", {"n": "lobby"},
            "the parameter :n is 'lobby', which is no bigint in where, line 1",
        ),
        (
            "SELECT desk FROM seats WHERE :n", {"n": "maybe"},
            "the parameter :n is 'maybe', which is no boolean in where, line 1",
        ),
        (
            "SELECT desk FROM seats WHERE lux = :n", {"n": [1]},
            "the parameter :n is [1] in where, line 1; expected a number, a text, true, false or null",
        ),
        (
            "SELECT desk FROM seats WHERE room = :n", {"n": 5},
            "= takes two values of one type, found text, bigint",
        ),
        ("CREATE VIEW v AS SELECT desk FROM seats WHERE room = :n", {}, "a view has no parameters, found :n"),
    ],
)  # fmt: skip
def test_a_parameter_that_does_not_fit_is_named(session, text, given, said):
    assert said in error_of(session, text, **given)


def test_one_of_several_statements_may_ask_for_a_value(session):
    first, second = executed(
        session, "SELECT desk FROM seats WHERE room = :r; SELECT count(*) AS n FROM seats", r="b"
    )
    assert (first.rows, second.rows) == ((("d3",),), ((3,),))


def test_a_text_is_read_once_and_no_binding_changes_what_was_read():
    text = "SELECT desk FROM seats WHERE room = :r AND taken IN (0, 1) ORDER BY desk LIMIT :n"
    (statement,) = prepared(text, {"r": "a", "n": 2})
    before = repr(statement.select)
    for room in ("a", "b"):
        MemoryLog().session(Catalog([SEATS])).start(statement, {"r": room, "n": 2})
    assert repr(statement.select) == before
    assert prepared(text, {"r": "b", "n": "1"}) == [statement]


def test_show_lists_what_there_is(session):
    executed(session, "CREATE VIEW v AS SELECT desk, lux FROM seats")
    views, tables, streams, functions, columns, same = executed(
        session, "SHOW VIEWS; SHOW TABLES; SHOW STREAMS; SHOW FUNCTIONS; SHOW COLUMNS FROM seats; DESCRIBE V"
    )
    assert views.rows == (("v", "desk text, lux double", 3, "running"),)
    assert [row[0] for row in tables.rows] == ["seats", "sites"]
    assert tables.rows[0][2] == "desk"
    assert [row[0] for row in streams.rows] == ["rejects"]
    assert {"upper", "sum", "coalesce"} <= {name for name, _ in functions.rows}
    assert columns.rows[:2] == (("desk", "text", "never NULL"), ("room", "text", "may be NULL"))
    assert [row[:2] for row in same.rows] == [("desk", "text"), ("lux", "double")]
    there = "there are rejects, seats, sites, v; did you mean seats?"
    assert error_of(session, "DESCRIBE seat") == f"unknown relation seat in describe, line 1; {there}"


def test_explain_says_the_plan_of_a_query_and_what_a_view_keeps(session):
    executed(session, "CREATE VIEW v AS SELECT DISTINCT room FROM seats")
    of_query, of_view, analyzed = executed(
        session,
        "EXPLAIN SELECT desk FROM v, seats; EXPLAIN v; EXPLAIN ANALYZE SELECT DISTINCT room FROM seats",
    )
    assert isinstance(of_query, Plan)
    assert "keeps" not in as_text(of_query.plan)
    assert "distinct" in as_text(of_view.plan)
    assert "keeps" in as_text(of_view.plan)
    assert "keeps" in as_text(analyzed.plan)
    assert [view.name for view in session.views()] == ["v"]


def test_why_and_why_not_are_statements(session):
    executed(session, "CREATE VIEW v AS SELECT desk, lux FROM seats WHERE taken = 0")
    by_values, by_column, missing = executed(
        session, "EXPLAIN WHY v('d3', 3); EXPLAIN WHY v WHERE desk = :d; EXPLAIN WHY NOT v('d1', 0.5)", d="d2"
    )
    assert isinstance(by_values, Explanation)
    assert [row.relation for row in by_values.witness] == ["seats"]
    assert isinstance(by_column, Explanation)
    assert by_column.row == ("d2", 2.0)
    assert isinstance(missing, NotThere)
    assert missing.row == ("d1", 0.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("EXPLAIN WHY v(d3)", "v has 2 columns (desk, lux), found 1 values"),
        (
            "EXPLAIN WHY v(d3, 1)",
            "expected a value in explain why, line 1, found d3; a text stands in quotes",
        ),
        ("EXPLAIN WHY v('d3', 'x')", "lux is a double, found 'x' in explain why, line 1"),
        ("EXPLAIN WHY v WHERE dsk = 'd3'", "v has no column dsk; it has desk, lux; did you mean desk?"),
        ("EXPLAIN WHY v WHERE lux = 9", "to be told why not, say every column: desk, lux"),
        ("EXPLAIN WHY NOT v('d3', 3)", "the row ('d3', 3.0) of v is there; ask why"),
        ("EXPLAIN WHY w('d3', 3)", "unknown view w; there are v"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(session, text, said):
    executed(session, "CREATE VIEW v AS SELECT desk, lux FROM seats WHERE taken = 0")
    assert said in error_of(session, text)


def test_rows_come_in_an_order_whose_key_is_not_shown(session, log):
    log.write(1, "seats", ("d4", "c", 3, 2.5, MOMENT))
    log.tick(session)
    (rows,) = executed(session, "SELECT room FROM seats ORDER BY lux DESC LIMIT 3")
    assert rows.rows == (("b",), ("c",), ("a",))
    (rows,) = executed(session, "SELECT room FROM seats ORDER BY lux DESC")
    assert rows.rows == (("b",), ("c",), ("a",), ("a",))
    (rows,) = executed(session, "SELECT taken % 2 AS odd FROM seats WHERE desk <> 'd3' ORDER BY desk")
    assert rows.rows == ((1,), (0,), (1,))
    (rows,) = executed(session, "SELECT room FROM seats GROUP BY room ORDER BY max(lux) DESC, room OFFSET 1")
    assert rows.rows == (("c",), ("a",))


def test_a_view_has_no_parameters_also_where_one_is_given(session):
    text = "CREATE VIEW v AS SELECT desk FROM seats WHERE room = :k"
    assert error_of(session, text, k="a").startswith("a view has no parameters, found :k")
    assert error_of(session, text).startswith("a view has no parameters, found :k")


@pytest.mark.parametrize(
    "text", ['SELECT 2 AS ""', 'SELECT ""."desk" FROM seats', 'CREATE VIEW "" AS SELECT 1']
)
def test_a_name_is_not_empty(session, text):
    assert "name" in error_of(session, text)


def test_a_plan_shows_a_value_on_one_line(session):
    (plan,) = executed(session, "EXPLAIN SELECT desk FROM seats WHERE room = :room", room="a\nb")
    assert r"'a\nb'" in as_text(plan.plan)
