"""Each operator alone under restricting algebras: rows with tokens, and tokens that die."""

import pytest

from engine.model.values import Row
from engine.operators.aggsel import AggSel
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.fixpoint import Fixpoint
from engine.operators.held import Held
from engine.operators.join import RetractableJoin
from engine.operators.project import ProjectRows
from engine.operators.select import SelectRows
from engine.operators.ship import EAGER, LAZY, MinShip, Policy, Ship
from engine.operators.tombstones import Tombstones
from engine.operators.union import Union
from engine.plan.logical import Best
from engine.provenance.absorption import Absorption
from engine.provenance.counting import COUNTING
from engine.provenance.why import Why

pytestmark = pytest.mark.bdd

PLENTY = Budget(1_000)
R: Row = ("r", 1)
S: Row = ("s", 2)


@pytest.fixture(params=[Why, Absorption], ids=["why", "absorption"])
def algebra(request):
    return request.param()


class Parts:
    """Operators over one algebra and one site's tombstones; ``t`` is the product of some tokens."""

    def __init__(self, algebra):
        self.algebra = algebra
        self.tombstones = Tombstones(algebra)

    def t(self, *tokens):
        product = self.algebra.one
        for token in tokens:
            product = self.algebra.times(product, self.algebra.token(token))
        return product

    def either(self, left, right):
        return self.algebra.plus(left, right)

    def fixpoint(self):
        return Fixpoint(self.algebra, self.tombstones, PLENTY)

    def ship(self, policy):
        return MinShip(self.algebra, self.tombstones, policy)

    def join(self):
        return RetractableJoin(
            self.algebra, lambda row: row[1:], lambda row: row[:1], self.tombstones, PLENTY
        )

    def select(self, *best, group=(0,)):
        return AggSel(self.algebra, self.tombstones, group, tuple(Best(f, p) for f, p in best))


@pytest.fixture
def parts(algebra):
    return Parts(algebra)


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
    constant = ProjectRows(parts.algebra, [lambda row: "x"])
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


# Ship


def test_ship_sends_what_arrives(parts):
    ship = Ship()
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert (ship.retract({1}), ship.flush(), ship.advance(5), list(ship.held())) == ({}, {}, {}, [])


def test_eager_sends_every_derivation_that_is_not_absorbed(parts):
    ship = parts.ship(EAGER)
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert ship.step({R: parts.t(1, 2)}) == {}
    assert ship.step({R: parts.t(2)}) == {R: parts.t(2)}


def test_lazy_sends_the_first_derivation_and_the_next_when_it_dies(parts):
    ship = parts.ship(LAZY)
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert ship.step({R: parts.t(2)}) == {}
    assert ship.step({R: parts.t(3)}) == {}
    assert ship.retract({1}) == {R: parts.either(parts.t(2), parts.t(3))}
    assert ship.retract({2}) == {}
    assert ship.retract({3}) == {}
    assert list(ship.held()) == []
    assert ship.step({R: parts.t(4)}) == {R: parts.t(4)}


def test_a_derivation_that_waits_and_dies_is_not_released(parts):
    ship = parts.ship(LAZY)
    ship.step({R: parts.t(1)})
    ship.step({R: parts.t(2)})
    assert ship.retract({1, 2}) == {}
    assert ship.step({R: parts.t(2)}) == {}


def test_a_number_of_waiting_derivations_goes_together(parts):
    ship = parts.ship(Policy(count=2))
    ship.step({R: parts.t(1), S: parts.t(2)})
    assert ship.step({R: parts.t(3)}) == {}
    assert ship.step({S: parts.t(4)}) == {R: parts.t(3), S: parts.t(4)}
    assert ship.step({S: parts.t(5)}) == {}


def test_a_derivation_waits_no_longer_than_its_time(parts):
    ship = parts.ship(Policy(age=10))
    ship.step({R: parts.t(1)})
    assert ship.advance(100) == {}
    ship.step({R: parts.t(2)})
    assert ship.advance(109) == {}
    assert ship.advance(110) == {R: parts.t(2)}
    assert ship.flush() == {}


# Aggregate selection

A9, A5, A5TIE, A7, B1 = ("a", 9, 1), ("a", 5, 2), ("a", 5, 3), ("a", 7, 0), ("b", 1, 1)


def test_the_better_row_goes_on_and_the_worse_is_suppressed(parts):
    selection = parts.select(("min", 1))
    assert selection.step({A9: parts.t(1)}) == ({A9: parts.t(1)}, frozenset())
    assert selection.step({A5: parts.t(2), B1: parts.t(3)}) == (
        {A5: parts.t(2), B1: parts.t(3)},
        frozenset({A9}),
    )
    assert selection.step({A7: parts.t(4)}) == ({}, frozenset())
    assert selection.step({}) == ({}, frozenset())


def test_ties_stay_and_one_dying_leaves_the_other(parts):
    selection = parts.select(("min", 1))
    assert selection.step({A5: parts.t(1), A5TIE: parts.t(2), A9: parts.t(3)}).inserts.keys() == {A5, A5TIE}
    assert selection.retract({1}) == ({}, frozenset())
    assert selection.retract({2}) == ({A9: parts.t(3)}, frozenset())
    assert selection.retract({3}) == ({}, frozenset())
    assert selection.retract({3}) == ({}, frozenset())
    assert list(selection.held()) == []
    assert selection.step({A7: parts.t(4)}).inserts == {A7: parts.t(4)}


def test_a_replacement_comes_with_all_that_it_is_known_by(parts):
    selection = parts.select(("min", 1))
    selection.step({A5: parts.t(1)})
    selection.step({A7: parts.t(2)})
    selection.step({A7: parts.t(3)})
    assert selection.retract({1}) == ({A7: parts.either(parts.t(2), parts.t(3))}, frozenset())


def test_another_derivation_of_a_selected_row_goes_on(parts):
    selection = parts.select(("min", 1))
    selection.step({A5: parts.t(1), A9: parts.t(2)})
    assert selection.step({A5: parts.t(3)}).inserts == {A5: parts.t(3)}
    assert selection.step({A5: parts.t(3)}).inserts == {}
    assert selection.step({A9: parts.t(4)}).inserts == {}


def test_a_row_stays_while_it_is_best_for_one_aggregate(parts):
    selection = parts.select(("min", 1), ("max", 2))
    selection.step({A5TIE: parts.t(1)})
    better = ("a", 4, 0)
    assert selection.step({better: parts.t(2)}) == ({better: parts.t(2)}, frozenset())
    widest = ("a", 8, 8)
    assert selection.step({widest: parts.t(3)}) == ({widest: parts.t(3)}, frozenset({A5TIE}))
    assert selection.retract({3}) == ({A5TIE: parts.t(1)}, frozenset())


def test_null_is_never_best(parts):
    selection = parts.select(("min", 1))
    nothing = ("a", None, 1)
    assert selection.step({nothing: parts.t(1)}) == ({}, frozenset())
    assert selection.step({A9: parts.t(2)}).inserts == {A9: parts.t(2)}
    assert selection.retract({2}) == ({}, frozenset())


def test_a_dead_row_in_flight_is_not_selected(parts):
    selection = parts.select(("min", 1))
    selection.retract({1})
    assert selection.step({A5: parts.t(1), A9: parts.t(2)}) == ({A9: parts.t(2)}, frozenset())
