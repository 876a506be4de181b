"""An outer join is what nested loops say it is, whatever comes and goes on both sides at once."""

import random
from collections import Counter

import pytest

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.of_plan import operator_of
from engine.plan.expressions import Call, Expr, Field
from engine.plan.leaves import StreamFragment, Table
from engine.plan.logical import Join, Plan, Project, Scan, Select
from engine.plan.meeting import expanded
from engine.plan.outer_join import HashOuterJoin, OuterJoin
from federated.optimizer import FederatedOptimizer
from federated.rules import rewrite
from tests.memory_log import Change
from tests.oracle import evaluate, run
from tests.oracle_bags import outer
from tests.watched_plan import WatchedPlan

NUMBERS = (Column("k", Type.BIGINT), Column("n", Type.BIGINT))


def bag_of(name: str) -> Relation:
    return Relation(name, RelationKind.TABLE, NUMBERS)


A, B, C = map(bag_of, "abc")
LEFT, RIGHT = Scan(A, None), Scan(B, None)


def field(position: int) -> Field:
    return Field(position, Type.BIGINT)


def asked(symbol: str, *args: Expr) -> Expr:
    return Call(symbol, args, Type.BOOLEAN)


EQUAL = asked("=", field(0), field(2))
CONDITIONS: dict[str, tuple[Expr, ...]] = {
    "one key": (EQUAL,),
    "two keys": (EQUAL, asked("=", field(1), field(3))),
    "a key and a condition": (EQUAL, asked("<", field(1), field(3))),
    "a key and a condition on the left": (EQUAL, asked("<", field(1), field(0))),
    "a key and a condition on the right": (EQUAL, asked("is_null", field(3))),
    "a condition": (asked("<=", field(1), field(2)),),
    "nothing": (),
}


def leaf(relation: Relation) -> Table:
    return Table(relation, StreamFragment(relation.name, relation.columns))


def any_row(chosen: random.Random) -> Row:
    return tuple(chosen.choice([None, 0, 1, 2]) for _ in range(2))


def any_change(chosen: random.Random, standing: Counter[Row]) -> Counter[Row]:
    """Rows that come, several at once, and rows that go, copies and all."""
    change: Counter[Row] = Counter()
    for _ in range(chosen.randrange(4)):
        change[any_row(chosen)] += chosen.choice([1, 1, 2])
    for row in chosen.sample(sorted(standing, key=repr), min(len(standing), chosen.randrange(4))):
        change[row] -= chosen.randint(1, standing[row])
    return Counter({row: count for row, count in change.items() if count})


@pytest.mark.parametrize("keeps_right", [False, True], ids=["left", "full"])
@pytest.mark.parametrize("asks", CONDITIONS)
@pytest.mark.parametrize("seed", range(6))
def test_each_step_puts_out_the_net_change_of_what_nested_loops_say(seed, asks, keeps_right):
    chosen = random.Random(f"{seed} {asks} {keeps_right}")
    placed = FederatedOptimizer().optimize(OuterJoin(LEFT, RIGHT, CONDITIONS[asks], keeps_right))
    if not isinstance(placed, HashOuterJoin) or placed.right != leaf(B):
        placed = HashOuterJoin(leaf(A), leaf(B), (), (), CONDITIONS[asks][-1], keeps_right)
    predicates = CONDITIONS[asks] if placed.left_keys else CONDITIONS[asks][-1:]
    operator = operator_of(placed, Budget())
    sides: list[Counter[Row]] = [Counter(), Counter()]
    before: Counter[Row] = Counter()
    for _ in range(25):
        changes = [any_change(chosen, side) for side in sides]
        for side, change in zip(sides, changes, strict=True):
            side.update(change)
        sides = [+side for side in sides]
        after = outer(*sides, (2, 2), predicates, keeps_right)
        wanted = {row: after[row] - before[row] for row in {*after, *before} if after[row] != before[row]}
        assert operator.step(*map(dict, changes)) == wanted
        before = after
    operator.step(*({row: -count for row, count in side.items()} for side in sides))
    assert operator.entries() == 0


def any_plan(chosen: random.Random) -> Plan:
    """Outer joins over each other, and selections on them."""
    third = Scan(C, None)
    predicates = chosen.choice(list(CONDITIONS.values()))
    plan: Plan = OuterJoin(LEFT, RIGHT, predicates, chosen.random() < 0.4)
    if chosen.random() < 0.6:
        second = (asked(chosen.choice(["=", "<"]), field(chosen.randrange(4)), field(4)),)
        plan = OuterJoin(plan, third, second, chosen.random() < 0.4)
    for _ in range(chosen.randrange(3)):
        here, there = (field(chosen.randrange(len(plan.columns))) for _ in range(2))
        plan = Select(plan, chosen.choice([
            asked("=", here, there),
            asked("is_null", here),
            asked("not", asked("is_null", here)),
            asked("or", asked("is_null", here), asked("<", here, there)),
            asked("<", here, Call("coalesce", (there, here), Type.BIGINT)),
        ]))  # fmt: skip
    return plan


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_rewritten_views_are_as_recomputed_in_any_ticks(seed):
    chosen = random.Random(seed)
    plan = any_plan(chosen)
    watched = WatchedPlan(plan, (A, B, C), forms=("planned",))
    standing: list[tuple[str, Row]] = []
    for _ in range(6):
        changes = []
        for _ in range(chosen.randrange(7)):
            if standing and chosen.random() < 0.45:
                name, row = standing.pop(chosen.randrange(len(standing)))
                changes.append(Change(name, -1, row))
            else:
                name, row = chosen.choice("abc"), any_row(chosen)
                standing.append((name, row))
                changes.append(Change(name, 1, row))
        watched.tick(*changes)
        readings, at = watched.log.readings, watched.at
        assert run(watched.watches[0].physical, readings, at) == watched.rows
        assert evaluate(rewrite(plan), readings, at) == watched.rows
    assert evaluate(unfolded(plan), watched.log.readings, watched.at) == watched.rows


def unfolded(plan: Plan) -> Plan:
    """The plan with each outer join as the union that it is."""
    match plan:
        case Select(child, predicate):
            return Select(unfolded(child), predicate)
        case OuterJoin(left, right, predicates, keeps_right):
            return expanded(OuterJoin(unfolded(left), right, predicates, keeps_right))
    return plan


def test_a_key_with_a_null_in_it_meets_nothing_and_is_padded():
    operator = operator_of(HashOuterJoin(leaf(A), leaf(B), (field(0),), (field(0),), None, True), Budget())
    assert operator.step({(None, 1): 2}, {(None, 1): 1}) == {
        (None, 1, None, None): 2,
        (None, None, None, 1): 1,
    }
    assert operator.entries() == 0


def test_a_step_that_pairs_too_much_is_stopped():
    operator = operator_of(HashOuterJoin(leaf(A), leaf(B), (), (), None, False), Budget(rows=50))
    with pytest.raises(BudgetExceeded, match="an outer join went over 50 rows"):
        operator.step({(0, i): 1 for i in range(10)}, {(0, i): 1 for i in range(10)})


# Rules


def test_a_selection_of_left_columns_goes_below_a_left_join_and_stays_above_a_full_one():
    positive = asked("is_null", field(1))
    assert rewrite(Select(OuterJoin(LEFT, RIGHT, (EQUAL,)), positive)) == OuterJoin(
        Select(LEFT, positive), RIGHT, (EQUAL,)
    )
    full = Select(OuterJoin(LEFT, RIGHT, (EQUAL,), keeps_right=True), positive)
    assert rewrite(full) == full


def test_what_is_never_true_of_nulls_makes_an_inner_join_and_what_may_be_does_not():
    left_join = OuterJoin(LEFT, RIGHT, (EQUAL,))
    is_there = asked("not", asked("is_null", field(3)))
    assert rewrite(Select(left_join, is_there)) == Join(
        (LEFT, Select(RIGHT, asked("not", asked("is_null", field(1))))), (EQUAL,)
    )
    assert isinstance(rewrite(Select(left_join, asked("<", field(1), field(3)))), Join)
    maybe = Select(left_join, asked("is_null", field(3)))
    assert rewrite(maybe) == maybe


def test_a_full_join_of_which_one_side_must_be_there_is_a_left_join():
    full = OuterJoin(LEFT, RIGHT, (EQUAL,), keeps_right=True)
    wanted = asked("=", field(0), field(0))
    assert rewrite(Select(full, wanted)) == OuterJoin(Select(LEFT, wanted), RIGHT, (EQUAL,))
    turned = rewrite(Select(full, asked("=", field(2), field(2))))
    assert isinstance(turned, Project)
    assert isinstance(turned.child, OuterJoin)
    assert turned.child.right == LEFT


def test_what_an_on_asks_of_the_right_alone_goes_into_the_right():
    known = asked("is_null", field(3))
    below = asked("is_null", field(1))
    assert rewrite(OuterJoin(LEFT, RIGHT, (EQUAL, known))) == OuterJoin(LEFT, Select(RIGHT, below), (EQUAL,))
    full = OuterJoin(LEFT, RIGHT, (EQUAL, known), keeps_right=True)
    assert rewrite(full) == full
