"""XY-stratified strata: the shortest-path programs of the deductive framework, and what breaks a stage."""

import time
from dataclasses import replace
from random import Random

import networkx
import pytest

from engine.model.catalog import Catalog
from engine.model.errors import InternalError, QueryError
from engine.model.relation import Column, RelationKind
from engine.model.values import Row, Type
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.recursion.staged import Stages
from engine.plan.explaining import as_text
from engine.plan.expressions import Call, Expr, Field
from engine.plan.logical import AntiJoin, Best, Definition, Fixpoint, Plan, Project, Recur, Scan
from engine.plan.program import to_program
from engine.queries.clauses import Atom, Term, atom, clause, term, whole
from engine.views.lineage import Fact
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.oracle import evaluate
from tests.oracle_bags import once
from tests.strategies import relation
from tests.watched_plan import WatchedPlan

BIGINT, TEXT = Type.BIGINT, Type.TEXT
G = relation("g", RelationKind.TABLE, None, (), x=BIGINT, y=BIGINT)
ROOT = relation("root", RelationKind.TABLE, None, (), x=BIGINT)
LINKS, ROOTS = Scan(G, None), Scan(ROOT, None)
RELATIONS = (G, ROOT)
FAR = tuple(Column(name, BIGINT) for name in ("y", "d"))
HOP = tuple(Column(name, BIGINT) for name in ("x", "y", "d"))
NEXT = term("+", "d", whole(1))


def stage(columns: tuple[Column, ...]) -> Field:
    return Field(len(columns) - 1, BIGINT, "d")


def unless(plan: Plan, right: Plan, *left: Expr) -> Plan:
    assert isinstance(plan, Project)
    keys = tuple(Field(i, column.type) for i, column in enumerate(right.columns))
    return Project(AntiJoin(plan.child, right, left, keys), plan.expressions, plan.columns)


def beyond(one: Atom, other: Atom) -> Plan:
    """H'(y, d+1) :- H(_, y, e), d+1 > e, H(_, x, d), G(x, y)."""
    later: list[Term] = [term(">", NEXT, "e")]
    return clause({"y": "y", "d": NEXT}, one, other, atom(LINKS, "x", "y"), where=later)


def tree(from_: Atom, beyonds: Recur) -> tuple[Plan, ...]:
    """H(A, A, 0).   H(A, x, 1) :- G(A, x).   H(x, y, d+1) :- G(x, y), H(_, x, d), NOT H'(y, d+1)."""
    start = clause({"x": "a", "y": "a", "d": whole(0)}, atom(ROOTS, "a"))
    first = clause({"x": "a", "y": "x", "d": whole(1)}, atom(ROOTS, "a"), atom(LINKS, "a", "x"))
    step = clause({"x": "x", "y": "y", "d": NEXT}, atom(LINKS, "x", "y"), from_)
    d = 1 + len(from_.variables)
    above = Call("+", (Field(d, BIGINT), whole(1)), BIGINT)
    return start, first, unless(step, beyonds, Field(1, BIGINT), above)


def logic_h() -> Fixpoint:
    far, hop = Recur(0, FAR), Recur(1, HOP)
    bodies = (beyond(atom(hop, "_", "y", "e"), atom(hop, "_", "x", "d")),)
    return Fixpoint(
        (
            Definition("H'", FAR, bodies, stage=stage(FAR), turn=0),
            Definition("H", HOP, tree(atom(hop, "_", "x", "d"), far), stage=stage(HOP), turn=1),
        ),
        1,
    )


def logic_j() -> Fixpoint:
    far, hop, joined = Recur(0, FAR), Recur(1, HOP), Recur(2, FAR)
    bodies = (beyond(atom(joined, "y", "e"), atom(joined, "x", "d")),)
    short = clause({"y": "y", "d": "d"}, atom(hop, "_", "y", "d"))
    return Fixpoint(
        (
            Definition("H'", FAR, bodies, stage=stage(FAR), turn=0),
            Definition("H", HOP, tree(atom(joined, "x", "d"), far), stage=stage(HOP), turn=1),
            Definition("J", FAR, (short,), stage=stage(FAR), turn=2),
        ),
        1,
    )


PROGRAMS = {"logicH": logic_h(), "logicJ": logic_j()}
programs = pytest.mark.parametrize("plan", PROGRAMS.values(), ids=PROGRAMS)


def both(*pairs: tuple[int, int], sign: int = 1) -> list[Change]:
    return [Change("g", sign, row) for x, y in pairs for row in ((x, y), (y, x))]


FIVE = both((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4))
AT_ROOT = Change("root", 1, (0,))


def shortest(edges: set[Row]) -> set[Row]:
    """Every last hop of a shortest path from 0, and 0 itself."""
    graph = networkx.DiGraph(list(edges))
    graph.add_node(0)
    far = networkx.single_source_shortest_path_length(graph, 0)
    return {(0, 0, 0)} | {(x, y, far[y]) for x, y in edges if x in far and far[y] == far[x] + 1}


@programs
def test_the_shortest_paths_of_five_nodes_are_those_of_the_specification(plan):
    watched = WatchedPlan(plan, RELATIONS)
    whole_ = {(0, 0, 0), (0, 1, 1), (0, 2, 1), (1, 3, 2), (2, 3, 2), (3, 4, 3)}
    assert set(watched.tick(AT_ROOT, *FIVE)) == whole_
    cut = {(0, 0, 0), (0, 2, 1), (2, 1, 2), (2, 3, 2), (3, 4, 3)}
    assert set(watched.tick(*both((0, 1), sign=-1))) == cut
    watched.check_witnesses()
    assert set(watched.tick(*both((0, 1)))) == whole_


@programs
def test_what_is_cut_off_is_let_go_and_nothing_counts_to_infinity(plan):
    watched = WatchedPlan(plan, RELATIONS)
    watched.tick(AT_ROOT, *both((0, 1), (1, 2), (2, 3)))
    assert set(watched.tick(*both((0, 1), sign=-1))) == {(0, 0, 0)}
    assert not watched.tick(Change("root", -1, (0,)))


@programs
@pytest.mark.parametrize("seed", range(4))
def test_any_insertions_and_deletions_leave_what_breadth_first_search_finds(plan, seed):
    random = Random(seed)
    log = MemoryLog([Entry(1, [AT_ROOT])])
    session = log.session(Catalog(RELATIONS))
    session.install("view", plan)
    edges: set[Row] = set()
    for _ in range(40):
        changes: list[Change] = []
        for _ in range(random.choice([1, 1, 2, 6])):
            pair = tuple(random.sample(range(9), 2))
            sign = -1 if pair in edges else 1
            changes += both(pair, sign=sign)
            edges ^= {pair, pair[::-1]}
        log.append(Entry(1, changes))
        log.tick(session)
        assert set(rows_of(session, "view")) == shortest(edges)


def test_a_late_report_before_the_first_takes_back_the_whole_trajectory():
    """traj(a‖b) :- close(a, b), NOT notStart(a).   traj(path‖r) :- traj(path, last), close(last, r)."""
    close = relation("close", RelationKind.TABLE, None, (), a=TEXT, b=TEXT)
    near = Scan(close, None)
    columns = (Column("path", TEXT), Column("last", TEXT), Column("length", BIGINT))
    not_start = clause({"b": "b"}, atom(near, "_", "b"))
    start = clause({"path": term("||", "a", "b"), "last": "b", "length": whole(2)}, atom(near, "a", "b"))
    first = unless(start, not_start, Field(0, TEXT))
    longer = {"path": term("||", "p", "r"), "last": "r", "length": term("+", "n", whole(1))}
    step = clause(longer, atom(Recur(0, columns), "p", "l", "n"), atom(near, "l", "r"))
    watched = WatchedPlan(
        Fixpoint((Definition("traj", columns, (first, step), stage=Field(2, BIGINT)),)), (close,)
    )

    def paths(*pairs: str, sign: int = 1) -> set[str]:
        return {row[0] for row in watched.tick(*[Change("close", sign, tuple(pair)) for pair in pairs])}

    assert paths("ab", "bc", "xy") == {"ab", "abc", "xy"}
    assert paths("0a") == {"0a", "0ab", "0abc", "xy"}
    assert paths("0a", sign=-1) == {"ab", "abc", "xy"}


def upward(head_stage: Term | str, turn: int = 0) -> Fixpoint:
    """up(y, stage) :- up(x, d), g(x, y)."""
    step = clause({"y": "y", "d": head_stage}, atom(Recur(0, FAR), "x", "d"), atom(LINKS, "x", "y"))
    first = clause({"y": "a", "d": whole(0)}, atom(ROOTS, "a"))
    return Fixpoint((Definition("up", FAR, (first, step), stage=stage(FAR), turn=turn),))


def run(plan: Fixpoint, *edges: Row, budget: Budget | None = None) -> None:
    program, inputs = to_program(plan)
    log = MemoryLog([Entry(1, [AT_ROOT, *(Change("g", 1, edge) for edge in edges)])])
    Stages(program, budget or Budget()).step(*[once(evaluate(each, log.readings, 0)) for each in inputs])


def test_a_rule_that_stands_on_its_own_stage_is_an_error_with_relation_row_and_stage():
    said = r"up\(1, 0\) of stage 0, turn 0 stands on up\(0, 0\) of stage 0, turn 0; a row may stand on lower"
    with pytest.raises(QueryError, match=said):
        run(upward("d"), (0, 1))


def test_a_stage_that_is_no_number_is_an_error():
    with pytest.raises(QueryError, match=r"up\(None, None\) is of stage None, expected a whole number"):
        run(upward("y"), (0, None))


def test_stages_without_an_end_are_stopped_with_the_row_still_changing():
    said = r"up does not settle: after 51 stages it holds 51 rows and still derives up\(0, 50\) of stage 50"
    with pytest.raises(BudgetExceeded, match=said):
        run(upward(NEXT), (0, 0), budget=Budget(rounds=50))
    with pytest.raises(BudgetExceeded, match="it holds 21 rows"):
        run(upward(NEXT), (0, 0), budget=Budget(rows=20))


def test_a_definition_without_a_stage_among_others_is_ours_to_mend():
    far, hop = logic_h().definitions
    program, _ = to_program(Fixpoint((replace(far, stage=None), hop)))
    with pytest.raises(InternalError, match="H' has no stage"):
        Stages(program, Budget())


def test_the_plan_says_that_it_runs_by_stages():
    optimizer = FederatedOptimizer()
    shown = as_text(optimizer.explain(optimizer.optimize(logic_h())))
    assert "recursion H', H by 4 rules with 1 negated, XY-stratified, by stages" in shown


def effort() -> Effort:
    return Effort(10, 10**6, time.monotonic)


@programs
def test_why_a_hop_is_there_names_its_links_and_the_shorter_way_that_is_not(plan):
    log = MemoryLog([Entry(1, [AT_ROOT, *FIVE])])
    session = log.session(Catalog(RELATIONS))
    session.install("view", plan)
    log.tick(session)
    found = session.why("view", (3, 4, 3), effort())
    assert {base.row for base in found.witness} <= {(0,), (0, 1), (1, 3), (0, 2), (2, 3), (3, 4)}
    assert ("H'", (4, 3)) in {(absent.relation, absent.key) for absent in found.absent}
    assert found.provenance.count == 2
    node = session._views["view"].node
    gaps = session._upkeep.explainer()[0].missing(Fact(node, (1, 2, 2)), effort()).gaps
    (gap,) = [gap for gap in gaps if gap.reason is Reason.BLOCKED]
    assert (gap.of, gap.wanted, gap.found) == ("H'", {"y": 2, "d": 2}, ((2, 2),))


def test_the_best_of_a_group_is_not_taken_by_stages():
    (up,) = upward(NEXT).definitions
    program, _ = to_program(Fixpoint((replace(up, group=(0,), best=(Best("min", 1),)),)))
    with pytest.raises(InternalError, match="up has no stage, or selects"):
        Stages(program, Budget())
