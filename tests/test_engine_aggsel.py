"""Aggregate selection alone, under restricting algebras."""

import pytest

from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from tests.restricting_parts import Parts

pytestmark = pytest.mark.bdd


@pytest.fixture(params=[Why, Absorption], ids=["why", "absorption"])
def parts(request):
    return Parts(request.param())


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
