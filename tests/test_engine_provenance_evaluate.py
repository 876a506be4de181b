"""Algebras that nobody maintains are evaluated from those that are."""

from random import Random
from typing import Any

import pytest

from engine.model.errors import QueryError
from engine.provenance.absorption import Absorption
from engine.provenance.counting import COUNTING
from engine.provenance.evaluate import evaluate
from engine.provenance.tropical import TROPICAL, Evaluated
from engine.provenance.why import Why
from tests.random_provenance import CLEARANCE, FUZZY, TOKENS, TRUST, sum_of_products


class Valued:
    """An algebra whose tokens have their values, so that a random sum of products is one."""

    def __init__(self, algebra: Evaluated[Any], values: dict[int, Any]) -> None:
        self.zero, self.one, self.plus, self.times = algebra.zero, algebra.one, algebra.plus, algebra.times
        self.token = values.__getitem__


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(("algebra", "choices"), [(FUZZY, [0, 0.25, 0.5, 1]), (CLEARANCE, range(5))])
def test_a_lattice_evaluated_is_the_lattice_computed(algebra: Any, choices: Any, seed: int) -> None:
    values = {token: Random(seed + token).choice(choices) for token in TOKENS}
    computed = sum_of_products(Valued(algebra, values), Random(seed))
    assert evaluate(sum_of_products(Why(), Random(seed)), algebra, values.__getitem__) == computed


@pytest.mark.bdd
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("algebra", [TROPICAL, FUZZY, TRUST, CLEARANCE])
def test_a_bdd_and_its_minimal_sets_have_the_same_value(algebra: Any, seed: int) -> None:
    random, absorption = Random(seed), Absorption()
    choices = [0, 1, 2, 4] if algebra in (TROPICAL, CLEARANCE) else [0, 0.25, 0.5, 1]
    values = {token: random.choice(choices) for token in TOKENS}
    diagram = absorption.to_plain(sum_of_products(absorption, Random(seed)))
    sets = sum_of_products(Why(), Random(seed))
    value = values.__getitem__
    assert evaluate(diagram, algebra, value) == evaluate(sets, algebra, value)


def test_the_cheapest_derivation_gives_its_cost_and_its_death_the_next_ones() -> None:
    why = Why()
    either = why.plus(why.times(why.token(1), why.token(2)), why.token(3))
    cost = {1: 2.0, 2: 3.0, 3: 9.0}.__getitem__
    assert evaluate(either, TROPICAL, cost) == 5.0
    assert evaluate(why.retract(either, {1}), TROPICAL, cost) == 9.0
    assert evaluate(why.retract(either, {1, 3}), TROPICAL, cost) == TROPICAL.zero


def test_a_base_row_that_is_used_twice_is_paid_for_once() -> None:
    twice = Why().times(Why().token(1), Why().token(1))
    assert evaluate(twice, TROPICAL, lambda _: 2.0) == 2.0


def test_what_needs_to_see_absorbed_derivations_is_refused() -> None:
    with pytest.raises(QueryError, match="counting cannot be evaluated from absorption provenance"):
        evaluate(Why().token(1), COUNTING, lambda _: 2)
    with pytest.raises(QueryError, match="expected a value that 1 absorbs"):
        evaluate(Why().token(1), TROPICAL, lambda _: -1.0)
