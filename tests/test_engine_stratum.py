"""The general form of recursion, driven alone by signed rows."""

import random

import pytest

from engine.model.errors import PlanError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.recursion.rules import Stratum
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import Best, Definition, Fixpoint, Join, Plan, Project, Recur, Scan
from engine.plan.program import to_program

BIGINT = Type.BIGINT


def columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, BIGINT) for name in names)


LINK = Scan(Relation("link", RelationKind.TABLE, columns("src", "dst", "cost")), None)
EDGE = Scan(Relation("edge", RelationKind.TABLE, columns("src", "dst")), None)
PAIR, COSTED = columns("src", "dst"), columns("src", "dst", "cost")


def at(position: int) -> Field:
    return Field(position, BIGINT)


def equal(left: Expr, right: Expr) -> Expr:
    return Call("=", (left, right), Type.BOOLEAN)


def plus(left: Expr, right: Expr) -> Expr:
    return Call("+", (left, right), BIGINT)


def closure(*bodies: Plan) -> Fixpoint:
    return Fixpoint((Definition("reach", PAIR, (EDGE, *bodies)),))


RIGHT = closure(Project(Join((EDGE, Recur(0, PAIR)), (equal(at(1), at(2)),)), (at(0), at(3)), PAIR))
DOUBLING = closure(
    Project(Join((Recur(0, PAIR), Recur(0, PAIR)), (equal(at(1), at(2)),)), (at(0), at(3)), PAIR)
)
CHEAPEST = Fixpoint(
    (
        Definition(
            "cheapest",
            COSTED,
            (
                LINK,
                Project(
                    Join((LINK, Recur(0, COSTED)), (equal(at(1), at(3)),)),
                    (at(0), at(4), plus(at(2), at(5))),
                    COSTED,
                ),
            ),
            (0, 1),
            (Best("min", 2),),
        ),
    )
)
COUNTING_UP = Fixpoint(
    (
        Definition(
            "number",
            columns("n"),
            (
                Project(EDGE, (at(0),), columns("n")),
                Project(Recur(0, columns("n")), (plus(at(0), Literal(1, BIGINT)),), columns("n")),
            ),
        ),
    )
)


def stratum(plan: Fixpoint, budget: Budget | None = None) -> Stratum:
    return Stratum(to_program(plan)[0], budget or Budget())


def reachable(edges: set[Row]) -> set[Row]:
    found = set(edges)
    while grown := {(a, d) for a, b in found for c, d in edges if b == c} - found:
        found |= grown
    return found


def cheapest(links: set[Row]) -> set[Row]:
    best: dict[Row, int] = {}
    candidates = {((a, b), c) for a, b, c in links}
    while better := {(pair, cost) for pair, cost in candidates if cost < best.get(pair, 10**9)}:
        for pair, cost in better:
            best[pair] = min(cost, best.get(pair, 10**9))
        candidates = {((a, d), w + c) for a, b, w in links for (z, d), c in best.items() if b == z}
    return {(*pair, cost) for pair, cost in best.items()}


@pytest.mark.parametrize(
    ("plan", "recomputed", "width"),
    [(RIGHT, reachable, 2), (DOUBLING, reachable, 2), (CHEAPEST, cheapest, 3)],
    ids=["right-linear", "doubling", "cheapest"],
)
@pytest.mark.parametrize("seed", range(12))
def test_any_steps_leave_what_recomputation_gives_and_witnesses_that_regenerate_it(
    plan, recomputed, width, seed
):
    chosen = random.Random(seed)
    operator, base, view = stratum(plan), set(), set()
    nodes = chosen.choice([3, 5, 8])
    for _ in range(50):
        change = {}
        for _ in range(chosen.choice([1, 1, 2, 4])):
            row = (chosen.randrange(nodes), chosen.randrange(nodes), chosen.randrange(1, 4))[:width]
            change[row] = -1 if row in base else 1
        base = (base - {r for r, s in change.items() if s < 0}) | {r for r, s in change.items() if s > 0}
        for row, sign in operator.step(change).items():
            assert (sign < 0) == (row in view)
            view ^= {row}
        assert view == recomputed(base)
        for row in view:
            rows = {found for _, found in operator.witness(row)}
            assert rows <= base
            assert row in recomputed(rows)


def test_a_cycle_that_loses_its_support_falls_whole():
    operator = stratum(RIGHT)
    operator.step({(0, 1): 1, (1, 2): 1, (2, 1): 1})
    gone = operator.step({(0, 1): -1})
    assert gone == {(0, 1): -1, (0, 2): -1}


def test_what_falls_and_is_derived_again_is_not_seen():
    operator = stratum(RIGHT)
    operator.step({(0, 1): 1, (1, 3): 1, (0, 2): 1, (2, 3): 1})
    assert operator.step({(0, 1): -1, (1, 3): -1}) == {(0, 1): -1, (1, 3): -1}


def test_what_is_deleted_and_derived_otherwise_in_one_step_is_no_change():
    operator = stratum(RIGHT)
    operator.step({(0, 1): 1, (1, 3): 1})
    assert operator.step({(1, 3): -1, (1, 2): 1, (2, 3): 1}) == {(1, 2): 1, (2, 3): 1, (0, 2): 1}


def test_every_tie_for_the_best_is_there():
    both = Fixpoint((Definition("best", COSTED, (LINK,), (0,), (Best("min", 2), Best("max", 1))),))
    operator = stratum(both)
    assert operator.step({(0, 1, 5): 1, (0, 2, 5): 1, (0, 3, 7): 1, (0, 2, 9): 1}) == {
        (0, 1, 5): 1, (0, 2, 5): 1, (0, 3, 7): 1,
    }  # fmt: skip
    assert operator.step({(0, 3, 7): -1}) == {(0, 3, 7): -1, (0, 2, 9): 1}


def test_rules_that_never_settle_are_stopped_with_the_rows_still_changing():
    operator = stratum(COUNTING_UP, Budget(rows=1000, rounds=50))
    with pytest.raises(BudgetExceeded, match=r"number does not settle: after 51 rounds .* derives \(50,\)"):
        operator.step({(0, 1): 1})


def test_rules_that_grow_without_end_are_stopped_by_their_rows():
    operator = stratum(COUNTING_UP, Budget(rows=20))
    with pytest.raises(BudgetExceeded, match="it holds 21 rows"):
        operator.step({(0, 1): 1})


def test_a_null_that_is_handed_on_finds_its_other_derivation():
    weighed = Scan(Relation("weighed", RelationKind.TABLE, columns("a", "b", "w")), None)
    unlike = Scan(Relation("unlike", RelationKind.TABLE, columns("b", "v")), None)
    step = Project(
        Join(
            (weighed, unlike, Recur(0, PAIR)),
            (equal(at(1), at(3)), equal(at(1), at(5)), Call("<>", (at(2), at(4)), Type.BOOLEAN)),
        ),
        (at(0), at(6)),
        PAIR,
    )
    plan = Fixpoint((Definition("closure", PAIR, (Project(weighed, (at(0), at(1)), PAIR), step)),))
    program, inputs = to_program(plan)
    operator = Stratum(program, Budget())
    pairs = {(2, None): 1, (2, 3): 1, (3, None): 1}
    given = {weighed: {(2, None, 0): 1, (2, 3, 1): 1, (3, None, 0): 1}, unlike: {(3, 0): 1}}
    operator.step(*[given.get(each, pairs) for each in inputs])
    gone = {weighed: {(2, None, 0): -1}, unlike: {}}
    assert operator.step(*[gone.get(each, {(2, None): -1}) for each in inputs]) == {}


def test_a_rule_of_too_many_relations_is_refused():
    wide = Project(Join((Recur(0, PAIR), *[EDGE] * 18), ()), (at(0), at(3)), PAIR)
    with pytest.raises(PlanError, match="a rule of reach joins 19 relations, at most 18 are run"):
        stratum(closure(wide))
