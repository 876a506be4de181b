"""Constant rows: a leaf that no source feeds."""

from collections import Counter

from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.constant import Constant
from engine.plan.explaining import as_text
from engine.plan.logical import AntiJoin, Distinct, Fixpoint, Plan, Scan, Union
from engine.queries.clauses import atom, clause, least
from engine.session import Session
from engine.views.why.effort import Effort
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate

PAIR = (Column("a", Type.BIGINT), Column("b", Type.BIGINT))
LINK = Relation("link", RelationKind.TABLE, PAIR)
GIVEN = Constant(((1, 2), (2, 3)), PAIR)


def watched(plan: Plan) -> tuple[MemoryLog, Session]:
    log = MemoryLog()
    session = log.session(Catalog([LINK]))
    session.install("v", plan)
    return log, session


def ticks(plan: Plan) -> list[Counter]:
    """The rows at first, after a link came, and after it went."""
    log, session = watched(plan)
    found = [rows_of(session, "v")]
    for sign in (1, -1):
        log.write(1, "link", (3, 4), sign=sign)
        log.tick(session)
        found.append(rows_of(session, "v"))
        assert found[-1] == evaluate(plan, log.readings, session.stamp.at)
    return found


def reach() -> Fixpoint:
    base = Distinct(Union((GIVEN, Scan(LINK, None))))
    return least(
        "reach", base, lambda r: [clause({"a": "x", "b": "y"}, atom(base, "x", "z"), atom(r, "z", "y"))]
    )


def test_constant_rows_are_there_before_any_reading_and_stay():
    assert ticks(GIVEN) == [Counter({(1, 2): 1, (2, 3): 1})] * 3


def test_recursion_goes_on_over_constants():
    before, during, after = ticks(reach())
    assert before == after == Counter([(1, 2), (2, 3), (1, 3)])
    assert during == before + Counter([(3, 4), (2, 4), (1, 4)])


def test_one_row_without_columns_is_there_while_nothing_is():
    nothing = AntiJoin(Constant(((),), ()), Scan(LINK, None), (), ())
    assert ticks(nothing) == [Counter([()]), Counter(), Counter([()])]


def test_a_row_that_stands_on_constants_alone_needs_no_base_row():
    log, session = watched(reach())
    log.write(1, "link", (3, 4))
    log.tick(session)
    effort = Effort(1.0, 10_000, lambda: 0.0)
    assert session.why("v", (1, 3), effort).witness == ()
    assert [base.row for base in session.why("v", (1, 4), effort).witness] == [(3, 4)]


def test_why_not_says_that_the_constants_have_no_such_row():
    _, session = watched(GIVEN)
    (gap,) = session.why_not("v", (9, 9), Effort(1.0, 10_000, lambda: 0.0)).gaps
    assert (gap.of, gap.wanted) == ("the constants", {"a": 9, "b": 9})


def test_the_plan_says_how_many_rows_are_constant():
    _, session = watched(GIVEN)
    assert "2 constant rows" in as_text(session.explain("v"))


def test_a_recursion_may_read_nothing_but_constants():
    recursion = least(
        "up", Constant(((0,),), PAIR[:1]), lambda r: [clause({"a": "x"}, atom(r, "y"), atom(GIVEN, "y", "x"))]
    )
    assert isinstance(recursion.definitions[0].bodies[0], Constant)
    assert ticks(recursion)[0] == Counter([(0,)])
