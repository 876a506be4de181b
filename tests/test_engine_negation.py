"""Negation of what is closed, inside a recursive stratum: pushed into what is asked, or run by rules."""

import time

import pytest

from engine.model.catalog import Catalog
from engine.model.errors import PlanError, QueryError
from engine.model.relation import RelationKind
from engine.model.values import Type
from engine.network.wiring import wired
from engine.operators.budget import Budget
from engine.operators.recursion.rules import Stratum
from engine.plan.explaining import as_text
from engine.plan.expressions import Expr, Field
from engine.plan.logical import AntiJoin, Definition, Fixpoint, Plan, Project, Recur, Scan
from engine.plan.physical import Closure, HashAntiJoin, Recursive, children
from engine.plan.program import to_program
from engine.queries.clauses import Atom, atom, clause
from engine.views.lineage import Fact
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from tests.memory_log import Change, Entry, MemoryLog
from tests.strategies import relation
from tests.watched_plan import WatchedPlan

TEXT = Type.TEXT
EDGE = relation("edge", RelationKind.TABLE, None, (), src=TEXT, dst=TEXT)
BLOCKED = relation("blocked", RelationKind.TABLE, None, (), at=TEXT)
BARRED = relation("barred", RelationKind.TABLE, None, (), src=TEXT, dst=TEXT)
RELATIONS = (EDGE, BLOCKED, BARRED)
EDGES, SHUT, BAN = (Scan(each, None) for each in RELATIONS)
PAIR = EDGE.columns
ITSELF = Recur(0, PAIR)


def unless(plan: Plan, right: Plan, **keys: str) -> Plan:
    """A clause whose body's columns, by their places, must not be among the right's."""
    assert isinstance(plan, Project)
    left: tuple[Expr, ...] = tuple(Field(int(place), TEXT) for place in keys.values())
    names = [column.name for column in right.columns]
    right_keys = tuple(Field(names.index(name), TEXT) for name in keys)
    return Project(AntiJoin(plan.child, right, left, right_keys), plan.expressions, plan.columns)


def reach(*body: Atom, right: Plan, **keys: str) -> Fixpoint:
    step = unless(clause({"src": "x", "dst": "y"}, *body), right, **keys)
    return Fixpoint((Definition("reach", PAIR, (EDGES, step)),))


LEFT = (atom(ITSELF, "x", "z"), atom(EDGES, "z", "y"))
UNBLOCKED = reach(*LEFT, right=SHUT, at="3")
UNBLOCKED_BY_EQUATION = reach(*LEFT, right=SHUT, at="1")
UNBARRED = reach(*LEFT, right=BAN, src="0", dst="3")


def changes(name: str, *rows: str, sign: int = 1) -> list[Change]:
    return [Change(name, sign, tuple(row)) for row in rows]


@pytest.mark.parametrize("plan", [UNBLOCKED, UNBLOCKED_BY_EQUATION], ids=["its own", "by an equation"])
def test_what_one_closed_relation_is_asked_is_asked_below_the_recursion(plan):
    placed = FederatedOptimizer().optimize(plan)
    assert isinstance(placed, Closure)
    assert any(isinstance(each, HashAntiJoin) for each in all_of(placed))
    assert "antijoin" in as_text(FederatedOptimizer().explain(placed))


def all_of(plan):
    return [plan, *(below for child in children(plan) for below in all_of(child))]


def test_what_the_recursion_itself_is_asked_runs_by_rules():
    placed = FederatedOptimizer().optimize(UNBARRED)
    assert isinstance(placed, Recursive)
    assert "recursion reach by 2 rules with 1 negated" in as_text(FederatedOptimizer().explain(placed))


def test_a_bar_that_comes_takes_what_went_through_it_and_gives_it_back_when_it_goes():
    watched = WatchedPlan(UNBARRED, RELATIONS)
    whole = watched.tick(*changes("edge", "ab", "bc", "cd"))
    assert ("a", "d") in whole
    cut = watched.tick(*changes("barred", "ac"))
    assert ("a", "c") not in cut
    assert ("a", "d") not in cut
    watched.tick(*changes("barred", "ac"))
    assert watched.tick(*changes("barred", "ac", sign=-1)) == cut
    assert watched.tick(*changes("barred", "ac", sign=-1)) == whole


def test_what_is_barred_and_freed_in_one_tick_is_no_change():
    watched = WatchedPlan(UNBARRED, RELATIONS)
    before = watched.tick(*changes("edge", "ab", "bc"))
    assert watched.tick(*changes("barred", "ac"), *changes("barred", "ac", sign=-1)) == before


def test_a_cycle_behind_a_bar_does_not_hold_itself_up():
    watched = WatchedPlan(UNBARRED, RELATIONS)
    watched.tick(*changes("edge", "ab", "bc", "cd", "dc"))
    assert {row for row in watched.tick(*changes("barred", "ac")) if row[0] == "a"} == {("a", "b")}


def test_a_key_with_a_null_in_it_is_nowhere():
    watched = WatchedPlan(UNBARRED, RELATIONS)
    watched.tick(Change("edge", 1, ("a", "b")), Change("edge", 1, ("b", None)))
    assert ("a", None) in watched.tick(Change("barred", 1, ("a", None)))


def test_what_nothing_stands_on_is_forgotten():
    operator = Stratum(to_program(UNBARRED)[0], Budget())
    nodes = range(60)
    edges = {(a, b): 1 for a in nodes for b in nodes if b in (a + 1, a + 2)}
    operator.step(edges, {})
    for _ in range(4):
        operator.step(dict.fromkeys(edges, -1), {})
        operator.step(edges, {})
    operator.step(dict.fromkeys(edges, -1), {})
    assert operator.entries() < 6000


def effort() -> Effort:
    return Effort(10, 10**6, time.monotonic)


def session_of(plan: Plan, *rows: Change):
    log = MemoryLog([Entry(1, list(rows))])
    session = log.session(Catalog(RELATIONS))
    session.install("view", plan)
    log.tick(session)
    return session


def test_why_a_row_is_there_names_what_must_not_be_there():
    session = session_of(UNBARRED, *changes("edge", "ab", "bc"), *changes("barred", "xx"))
    found = session.why("view", ("a", "c"), effort())
    assert {base.row for base in found.witness} == {("a", "b"), ("b", "c")}
    (absent,) = found.absent
    assert (absent.relation, absent.key) == ("barred", ("a", "c"))
    assert found.provenance.count == 1


def test_why_a_row_is_not_there_names_what_bars_it():
    session = session_of(UNBARRED, *changes("edge", "ab", "bc"), *changes("barred", "ac"))
    node = session._views["view"].node
    gaps = session._upkeep.explainer()[0].missing(Fact(node, ("a", "c")), effort()).gaps
    (gap,) = [gap for gap in gaps if gap.reason is Reason.BLOCKED]
    assert (gap.of, gap.wanted, gap.found) == ("barred", {"src": "a", "dst": "c"}, (("a", "c"),))
    assert [base.row for base in gap.by] == [("a", "c")]


def test_negation_of_what_is_being_defined_is_refused_by_name():
    odd = Fixpoint(
        (
            Definition(
                "odd",
                PAIR,
                (unless(clause({"src": "x", "dst": "y"}, atom(EDGES, "x", "y")), ITSELF, src="1"),),
            ),
        )
    )
    with pytest.raises(QueryError, match="antijoin through recursion in odd"):
        to_program(odd)


def test_a_network_says_that_it_does_not_negate():
    with pytest.raises(PlanError, match="a network joins, found a negated literal in a rule of reach"):
        wired(to_program(UNBARRED)[0])
