"""Each operator alone under restricting algebras: rows with tokens, and tokens that die."""

import pytest

from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.fixpoint import Fixpoint
from engine.operators.held import Held
from engine.operators.project import ProjectRows
from engine.operators.select import SelectRows
from engine.operators.union import Union
from engine.provenance.absorption import Absorption
from engine.provenance.counting import COUNTING
from engine.provenance.why import Why
from tests.restricting_parts import Parts, R, S

pytestmark = pytest.mark.bdd


@pytest.fixture(params=[Why, Absorption], ids=["why", "absorption"])
def parts(request):
    return Parts(request.param())


# What is held


def test_a_deletion_looks_only_at_the_rows_under_its_tokens(parts):
    held = Held(Counting := parts.algebra)
    for number in range(50):
        held.add((number,), parts.t(number))
    looked = []
    original, held._algebra = held._algebra, Spy(Counting, looked)
    assert held.retract({7}) == [(7,)]
    assert len(looked) == 1
    assert len(held) == 49
    assert original is Counting


class Spy:
    def __init__(self, algebra, looked):
        self._algebra, self._looked = algebra, looked

    def retract(self, annotation, dead):
        self._looked.append(annotation)
        return self._algebra.retract(annotation, dead)

    def __getattr__(self, name):
        return getattr(self._algebra, name)


def test_nothing_is_indexed_under_the_tokens_of_rows_that_are_gone(parts):
    held = Held(parts.algebra)
    held.add(R, parts.t(1, 2))
    held.retract({1})
    assert (held._dependents._of, held._dependents._tokens) == ({}, {})


def test_nothing_grows_under_a_token_that_never_dies(parts):
    held, join, always = Held(parts.algebra), parts.join(), parts.t(1)
    for number in range(10, 60):
        row = (number, 0)
        for annotation in (parts.algebra.times(always, parts.t(number)), parts.t(number)):
            held.add(row, annotation)
            join.step({row: annotation}, {})
        held.retract({number})
        join.retract({number})
    assert held.dependents({1}) == set()
    assert all(dependents.of({1}) == set() for _, _, dependents in join._sides)


def test_a_row_with_a_null_in_its_key_is_not_held_by_a_join(parts):
    join = parts.join()
    assert join.step({("a", None): parts.t(1)}, {(None, "x"): parts.t(2)}) == {}
    assert list(join.held()) == []
    assert join.retract({1, 2}) == {}


def test_an_arrival_is_cleaned_of_dead_tokens(parts):
    parts.tombstones.bury({1})
    both = parts.either(parts.t(1), parts.t(2))
    assert parts.tombstones.clean({R: both, S: parts.t(1, 3)}) == {R: parts.t(2)}
    parts.tombstones.forget({1})
    assert parts.tombstones.clean({R: both}) == {R: both}


# Stateless operators carry annotations through


def test_selection_and_projection_and_union_carry_annotations(parts):
    rows = {R: parts.t(1), S: parts.t(2)}
    assert SelectRows(lambda row: row[1] == 1).step(rows) == {R: parts.t(1)}
    constant = ProjectRows(parts.algebra, lambda row: ("x",))
    assert constant.step(rows) == {("x",): parts.either(parts.t(1), parts.t(2))}
    assert Union(parts.algebra).step(rows, {R: parts.t(3)}) == {
        R: parts.either(parts.t(1), parts.t(3)),
        S: parts.t(2),
    }


def test_a_union_of_bags_keeps_duplicates_and_takes_deletes():
    union = Union(COUNTING)
    assert union.step({R: 1}, {R: 1, S: -1}) == {R: 2, S: -1}
    assert union.step({R: 1}, {R: -1}) == {}
    assert union.step({}, {}) == {}


# Fixpoint


def test_what_a_fixpoint_knows_does_not_go_round_again(parts):
    fixpoint = parts.fixpoint()
    assert fixpoint.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert fixpoint.step({R: parts.t(1)}) == {}
    assert fixpoint.step({R: parts.t(1, 2)}) == {}
    assert fixpoint.step({R: parts.t(3)}) == {R: parts.t(3)}
    assert fixpoint.step({}) == {}


def test_a_row_leaves_the_view_with_its_last_derivation(parts):
    fixpoint = parts.fixpoint()
    fixpoint.step({R: parts.either(parts.t(1), parts.t(2))})
    assert fixpoint.close() == {R: 1}
    fixpoint.retract({1})
    assert fixpoint.close() == {}
    fixpoint.retract({2})
    assert fixpoint.close() == {R: -1}
    fixpoint.retract({2, 9})
    assert fixpoint.close() == {}


def test_what_comes_and_goes_within_an_epoch_is_not_told(parts):
    fixpoint = parts.fixpoint()
    fixpoint.step({R: parts.t(1)})
    fixpoint.retract({1})
    assert fixpoint.close() == {}
    fixpoint.step({S: parts.t(2)})
    fixpoint.close()
    fixpoint.retract({2})
    fixpoint.step({S: parts.t(3)})
    assert fixpoint.close() == {}


def test_a_row_in_flight_does_not_bring_back_what_died(parts):
    fixpoint = parts.fixpoint()
    fixpoint.retract({1})
    assert fixpoint.step({R: parts.t(1, 2)}) == {}
    assert fixpoint.close() == {}


def test_a_cycle_that_loses_its_support_is_gone_at_once(parts):
    """r from base 1; s from r by 2; r from s by 3: r's second derivation is absorbed by its first."""
    fixpoint, join = parts.fixpoint(), parts.join()
    fixpoint.step({R: parts.t(1)})
    fixpoint.step({S: parts.t(1, 2)})
    assert fixpoint.step({R: parts.t(1, 2, 3)}) == {}
    for operator in (fixpoint, join):
        operator.retract({1})
    assert fixpoint.rows() == {}


def test_a_suppressed_row_leaves_the_view_and_may_come_back(parts):
    fixpoint = parts.fixpoint()
    fixpoint.step({R: parts.t(1)})
    fixpoint.close()
    fixpoint.suppress([R, S])
    assert fixpoint.close() == {R: -1}
    assert fixpoint.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert fixpoint.close() == {R: 1}


def test_a_fixpoint_over_its_budget_says_so(parts):
    fixpoint = Fixpoint(parts.algebra, parts.tombstones, Budget(1))
    with pytest.raises(BudgetExceeded, match="a recursive relation went over 1 rows"):
        fixpoint.step({R: parts.t(1), S: parts.t(2)})


# Join


def test_a_join_multiplies_annotations_and_keeps_all_rows_of_a_key(parts):
    join = parts.join()
    join.step({("a", 1): parts.t(1), ("b", 1): parts.t(2)}, {})
    output = join.step({}, {(1, "x"): parts.t(3)})
    assert output == {("a", 1, 1, "x"): parts.t(1, 3), ("b", 1, 1, "x"): parts.t(2, 3)}


def test_what_a_join_has_absorbed_it_does_not_put_out(parts):
    join = parts.join()
    join.step({("a", 1): parts.t(1)}, {(1, "x"): parts.t(3)})
    assert join.step({("a", 1): parts.t(1, 2)}, {}) == {}
    assert join.step({("a", 1): parts.t(4)}, {}) == {("a", 1, 1, "x"): parts.t(4, 3)}


@pytest.mark.parametrize("dead", [1, 3])
def test_either_side_of_a_join_expires(parts, dead):
    join = parts.join()
    join.step({("a", 1): parts.t(1), ("b", 1): parts.t(2)}, {(1, "x"): parts.t(3)})
    assert join.retract({dead}) == {}
    left = join.step({}, {(1, "y"): parts.t(5)})
    right = join.step({("c", 1): parts.t(6)}, {})
    assert left.keys() == {("b", 1, 1, "y")} | ({("a", 1, 1, "y")} if dead == 3 else set())
    assert right.keys() == {("c", 1, 1, "y")} | ({("c", 1, 1, "x")} if dead == 1 else set())


def test_a_join_restricts_a_row_that_has_another_derivation(parts):
    join = parts.join()
    join.step({("a", 1): parts.either(parts.t(1), parts.t(2))}, {})
    join.retract({1})
    assert join.step({}, {(1, "x"): parts.t(3)}) == {("a", 1, 1, "x"): parts.t(2, 3)}
    join.retract({1, 77})
    join.retract({2, 3})
    assert list(join.held()) == []
