"""Each inner operator alone, driven by signed rows: insert and delete, duplicates, nothing, revision."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.values import Row, Type, Value
from engine.operators.accumulators import accumulator
from engine.operators.accumulators.accumulator import Accumulator
from engine.operators.aggregate import GroupAggregate
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.delta import Delta, add, merge
from engine.operators.distinct import Distinct
from engine.operators.join import Join
from engine.operators.operator import Operator
from engine.operators.project import ProjectRows
from engine.operators.select import SelectRows
from engine.plan.expressions import Field
from engine.plan.logical import AggregateCall
from engine.provenance.counting import COUNTING
from tests.strategies import few

PLENTY = Budget(1_000)


def first(row: Row) -> Value:
    return row[0]


def second(row: Row) -> Value:
    return row[1]


def key(row: Row) -> Row:
    return row[:1]


def made(name: str, of_doubles: bool = False) -> Callable[[], Accumulator]:
    kind = Type.DOUBLE if of_doubles else Type.BIGINT
    return accumulator(AggregateCall(name, Field(1, kind)))


def aggregate(*names: str, grouped: bool = True, of_doubles: bool = False) -> GroupAggregate[int]:
    calls = [(made(name, of_doubles), second) for name in names]
    return GroupAggregate(COUNTING, key if grouped else None, calls)


def join() -> Join[int]:
    return Join(COUNTING, key, key, PLENTY)


ROWS: list[Row] = [("a", 1), ("a", 2), ("b", 1), ("b", None), (None, 3)]
UNARY = {
    "select": lambda: SelectRows(lambda row: row[0] == "a"),
    "project": lambda: ProjectRows(COUNTING, lambda row: (first(row),)),
    "distinct": lambda: Distinct(COUNTING),
    "aggregate": lambda: aggregate("count", "sum", "min", "max", "avg"),
    "global aggregate": lambda: aggregate("count", "sum", "min", "max", "avg", grouped=False),
}


def total(operator: Operator[int], steps: Sequence[Delta[int]]) -> Delta[int]:
    """The sum of all that an operator put out."""
    whole = dict(operator.start())
    for change in steps:
        merge(whole, operator.step(change), COUNTING)
    return whole


# What holds of every operator over one input


@pytest.mark.parametrize("make", UNARY.values(), ids=UNARY)
def test_nothing_in_is_nothing_out(make):
    operator = make()
    operator.start()
    assert operator.step({}) == {}


@pytest.mark.parametrize("make", UNARY.values(), ids=UNARY)
def test_a_delete_undoes_its_insert(make):
    rows = {row: 2 for row in ROWS}
    assert total(make(), [rows, {row: -2 for row in ROWS}]) == make().start()


@pytest.mark.parametrize("make", UNARY.values(), ids=UNARY)
def test_no_output_row_has_annotation_zero(make):
    operator = make()
    operator.start()
    for change in ({("a", 1): 1}, {("a", 1): 1, ("a", 2): 1}, {("a", 2): -1}, {("a", 1): -2}):
        assert 0 not in operator.step(change).values()


CHANGES = st.lists(st.tuples(st.sampled_from(ROWS), st.integers(1, 3)), max_size=8)


def scattered(inserts: list[tuple[Row, int]], random) -> list[Delta[int]]:
    """The inserts as single rows, with rows that come and go between them, in any order that has no debts."""
    steps: list[Delta[int]] = [{row: 1} for row, count in inserts for _ in range(count)]
    random.shuffle(steps)
    mixed: list[Delta[int]] = []
    for step in steps:
        stray = {random.choice(ROWS): 1}
        mixed += [stray, step, {row: -1 for row in stray}]
    return mixed


@pytest.mark.parametrize("make", UNARY.values(), ids=UNARY)
def test_one_step_equals_any_number_of_steps(make):
    @few(60)
    @given(CHANGES, st.randoms())
    def check(inserts, random):
        whole: Delta[int] = {}
        merge(whole, inserts, COUNTING)
        assert total(make(), [whole]) == total(make(), scattered(inserts, random))

    check()


# Selection, projection, duplicates


def test_selection_keeps_what_is_true_and_neither_false_nor_null():
    operator = SelectRows(lambda row: row[0])
    assert operator.step({(True,): 2, (False,): 1, (None,): 1}) == {(True,): 2}


def test_projection_adds_up_rows_that_become_equal():
    operator = ProjectRows(COUNTING, lambda row: (first(row),))
    assert operator.step({("a", 1): 1, ("a", 2): 2, ("b", 1): 1}) == {("a",): 3, ("b",): 1}
    assert operator.step({("a", 1): -1, ("a", 3): 1}) == {}


def test_distinct_lets_the_first_and_the_last_through():
    operator = Distinct(COUNTING)
    assert operator.step({("a",): 2}) == {("a",): 1}
    assert operator.step({("a",): 1}) == {}
    assert operator.step({("a",): -2}) == {}
    assert operator.step({("a",): -1}) == {("a",): -1}
    assert operator.step({("a",): 1}) == {("a",): 1}


# Joins


def test_a_join_multiplies_counts_and_a_delete_takes_back_every_pair():
    operator = join()
    assert operator.step({("k", 1): 2}, {}) == {}
    assert operator.step({}, {("k", 9): 3}) == {("k", 1, "k", 9): 6}
    assert operator.step({("k", 1): -1}, {}) == {("k", 1, "k", 9): -3}
    assert operator.step({("k", 1): -1}, {}) == {("k", 1, "k", 9): -3}
    assert operator.step({}, {("k", 9): -3}) == {}
    assert operator._left == operator._right == {}


def test_what_arrives_on_both_sides_at_once_meets_once():
    operator = join()
    assert operator.step({("k", 1): 1}, {("k", 2): 1}) == {("k", 1, "k", 2): 1}
    assert operator.step({("k", 1): -1}, {("k", 2): -1}) == {("k", 1, "k", 2): -1}


def test_a_relation_joined_with_itself_takes_one_change_on_both_sides():
    operator = join()
    change = {("k", 1): 1, ("k", 2): 1}
    assert operator.step(change, change) == {("k", a, "k", b): 1 for a in (1, 2) for b in (1, 2)}
    back = {("k", 1): -1}
    assert operator.step(back, back) == {("k", 1, "k", 1): -1, ("k", 1, "k", 2): -1, ("k", 2, "k", 1): -1}


def test_null_meets_nothing_not_even_null():
    operator = join()
    assert operator.step({(None, 1): 1}, {(None, 2): 1, ("k", 2): 1}) == {}
    assert operator._left == {}


def test_a_join_stops_at_its_budget():
    operator = Join(COUNTING, lambda _: (), lambda _: (), Budget(10))
    operator.step({(i,): 1 for i in range(4)}, {})
    with pytest.raises(BudgetExceeded, match="a join went over 10 rows"):
        operator.step({}, {(i,): 1 for i in range(4)})


@few(80)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(ROWS), st.sampled_from([1, 1, -1])), max_size=12))
def test_a_join_is_its_definition_at_every_step(changes):
    operator, sides, held = join(), (Counter(), Counter()), {}
    for is_right, row, count in changes:
        sides[is_right][row] += count
        change = {row: count}
        merge(held, operator.step(*(({}, change) if is_right else (change, {}))), COUNTING)
        wanted = Counter()
        for a, n in sides[0].items():
            for b, m in sides[1].items():
                if a[0] == b[0] is not None and n * m:
                    wanted[a + b] = n * m
        assert held == wanted


# Aggregates


def test_a_group_is_revised_and_gone_with_its_last_row():
    operator = aggregate("count", "sum")
    assert operator.step({("g", 1): 1, ("g", 2): 2}) == {("g", 3, 5): 1}
    assert operator.step({("g", 2): -1}) == {("g", 3, 5): -1, ("g", 2, 3): 1}
    assert operator.step({("g", 2): -1, ("g", 1): -1}) == {("g", 2, 3): -1}
    assert operator._groups == {}


def test_a_change_that_leaves_a_group_as_it_was_says_nothing():
    operator = aggregate("sum")
    operator.step({("g", 1): 1, ("g", 3): 1})
    assert operator.step({("g", 1): -1, ("g", 3): -1, ("g", 2): 2}) == {}


def test_null_is_a_group_and_is_not_counted():
    operator = aggregate("count", "sum", "min", "avg")
    assert operator.step({(None, None): 2}) == {(None, 0, None, None, None): 1}
    assert operator.step({(None, 4): 1}) == {(None, 0, None, None, None): -1, (None, 1, 4, 4, 4.0): 1}


def test_without_groups_there_is_always_one_row():
    operator = aggregate("count", "sum", grouped=False)
    assert operator.start() == {(0, None): 1}
    assert operator.step({("g", 1): 1}) == {(0, None): -1, (1, 1): 1}
    assert operator.step({("g", 1): -1}) == {(1, 1): -1, (0, None): 1}


def test_the_minimum_is_revised_when_it_is_deleted():
    operator = aggregate("min", "max")
    operator.step({("g", 5): 1, ("g", 1): 2, ("g", 9): 1})
    assert operator.step({("g", 1): -1}) == {}
    assert operator.step({("g", 1): -1}) == {("g", 1, 9): -1, ("g", 5, 9): 1}
    assert operator.step({("g", 9): -1, ("g", 0): 1}) == {("g", 5, 9): -1, ("g", 0, 5): 1}


@few(60)
@given(st.lists(st.integers(-3, 3), max_size=60), st.sampled_from(["min", "max"]))
def test_an_extreme_is_its_definition_after_any_inserts_and_deletes(values, name):
    found, held = made(name)(), Counter()
    for value in values:
        sign = -1 if held[value] and len(held) % 2 else 1
        held[value] += sign
        found.add(value, sign)
        held = +held
        assert found.value() == ((min if name == "min" else max)(held) if held else None)


def test_an_extreme_forgets_what_was_deleted():
    found = made("min")()
    for value in range(10_000):
        found.add(value, 1)
        found.add(value, -1)
    assert len(found._heap) <= 32


DOUBLES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1e308, -1e308, 1e-308, 5e-324, -5e-324, 0.1, 1.0, 2.0**53, 1.7976931348623157e308]),
)


def exact(total_: Fraction) -> Value:
    try:
        return float(total_) + 0.0
    except OverflowError:
        return None


@few(150)
@given(st.lists(DOUBLES, min_size=1, max_size=12), st.lists(DOUBLES, max_size=12), st.randoms())
def test_a_sum_is_exact_whatever_the_order_and_whatever_was_deleted(kept, deleted, random):
    steps = [(value, 1) for value in kept + deleted] + [(value, -1) for value in deleted]
    random.shuffle(steps)
    sum_, mean = made("sum", True)(), made("avg", True)()
    for value, sign in steps:
        sum_.add(value, sign)
        mean.add(value, sign)
    whole = sum(map(Fraction, kept), Fraction())
    assert repr(sum_.value()) == repr(exact(whole))
    assert repr(mean.value()) == repr(exact(whole / len(kept)))


def test_a_sum_out_of_its_type_is_null_and_comes_back():
    for of_doubles, much in ((False, 2**63 - 1), (True, 1.7976931348623157e308)):
        sum_, mean = made("sum", of_doubles)(), made("avg", of_doubles)()
        for found in (sum_, mean):
            found.add(much, 2)
        assert sum_.value() is None
        assert mean.value() == float(much)
        sum_.add(much, -1)
        assert sum_.value() == much


# The ring


@given(*[st.integers()] * 3)
@few(100)
def test_counting_is_a_commutative_ring(a, b, c):
    plus, times, zero, one = COUNTING.plus, COUNTING.times, COUNTING.zero, COUNTING.one
    assert plus(plus(a, b), c) == plus(a, plus(b, c))
    assert plus(a, b) == plus(b, a)
    assert plus(a, zero) == a
    assert times(times(a, b), c) == times(a, times(b, c))
    assert times(a, b) == times(b, a)
    assert times(a, one) == a
    assert times(a, zero) == zero
    assert times(a, plus(b, c)) == plus(times(a, b), times(a, c))
    assert plus(a, COUNTING.negate(a)) == zero
    assert COUNTING.is_zero(a) == (a == zero)
    assert COUNTING.multiplicity(a) == a


def test_a_delta_holds_no_zero():
    change: Delta[int] = {}
    add(change, ("a",), 2, COUNTING)
    add(change, ("a",), -2, COUNTING)
    add(change, ("b",), 0, COUNTING)
    merge(change, [(("c",), 1), (("c",), -1)], COUNTING)
    assert change == {}
