"""Every algebra obeys the laws that operators rely on, on random elements.

An element of a restricting algebra is the value of a random sum of products of tokens, so that the
same seed is the same provenance in each.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest

from engine.provenance.absorption import Absorption
from engine.provenance.counting import COUNTING
from engine.provenance.tropical import TROPICAL
from engine.provenance.why import Why
from engine.provenance.witness import Witness
from tests.random_provenance import CLEARANCE, FUZZY, TOKENS, TRUST, sum_of_products


class Case(NamedTuple):
    make: Callable[[], Any]
    element: Callable[[Any, Random], Any]


def whole_number(algebra: Any, random: Random) -> int:
    return random.randrange(-3, 4)


def whole_cost(algebra: Any, random: Random) -> float:
    return random.choice([0.0, 1.0, 2.0, 7.0, algebra.zero])


def quarter(algebra: Any, random: Random) -> float:
    return random.randrange(5) / 4


WITNESS = pytest.param(Case(Witness, sum_of_products), id="witness")
BOOLEAN = [
    pytest.param(Case(Absorption, sum_of_products), id="absorption", marks=pytest.mark.bdd),
    pytest.param(Case(Why, sum_of_products), id="why"),
]
LATTICES = [
    *BOOLEAN,
    pytest.param(Case(lambda: FUZZY, quarter), id="fuzzy"),
    pytest.param(Case(lambda: CLEARANCE, lambda _, random: random.randrange(5)), id="clearance"),
]
ABSORPTIVE = [
    *LATTICES,
    pytest.param(Case(lambda: TROPICAL, whole_cost), id="tropical"),
    pytest.param(Case(lambda: TRUST, quarter), id="trust"),
]
SEMIRINGS = [*ABSORPTIVE, pytest.param(Case(lambda: COUNTING, whole_number), id="counting")]

semirings = pytest.mark.parametrize("case", SEMIRINGS)
absorptive = pytest.mark.parametrize("case", ABSORPTIVE)
lattices = pytest.mark.parametrize("case", LATTICES)
restricting = pytest.mark.parametrize("case", BOOLEAN)
maintained = pytest.mark.parametrize("case", [*BOOLEAN, WITNESS])
seeds = pytest.mark.parametrize("seed", range(20))


def three(case: Case, seed: int) -> tuple[Any, Any, Any, Any]:
    algebra, random = case.make(), Random(seed)
    return algebra, *(case.element(algebra, random) for _ in range(3))


@seeds
@semirings
def test_plus_and_times_are_commutative_and_associative_and_times_distributes(case: Case, seed: int) -> None:
    algebra, a, b, c = three(case, seed)
    plus, times = algebra.plus, algebra.times
    assert plus(a, b) == plus(b, a)
    assert times(a, b) == times(b, a)
    assert plus(plus(a, b), c) == plus(a, plus(b, c))
    assert times(times(a, b), c) == times(a, times(b, c))
    assert times(a, plus(b, c)) == plus(times(a, b), times(a, c))


@seeds
@semirings
def test_zero_and_one_are_neutral_and_zero_annihilates(case: Case, seed: int) -> None:
    algebra, a, _, _ = three(case, seed)
    assert algebra.plus(a, algebra.zero) == a
    assert algebra.times(a, algebra.one) == a
    assert algebra.is_zero(algebra.times(a, algebra.zero))
    assert algebra.is_zero(a) == (a == algebra.zero)
    assert algebra.size(a) >= 0


@seeds
@absorptive
def test_what_is_derived_twice_is_derived_once_and_the_longer_is_absorbed(case: Case, seed: int) -> None:
    algebra, a, b, _ = three(case, seed)
    assert algebra.plus(a, a) == a
    assert algebra.plus(a, algebra.times(a, b)) == a


@seeds
@lattices
def test_a_base_row_that_is_used_twice_is_used_once(case: Case, seed: int) -> None:
    algebra, a, b, _ = three(case, seed)
    assert algebra.times(a, a) == a
    assert algebra.times(a, algebra.plus(a, b)) == a


@seeds
@restricting
def test_to_retract_is_a_homomorphism(case: Case, seed: int) -> None:
    algebra, a, b, _ = three(case, seed)
    dead = set(Random(seed).sample(range(1, 9), seed % 8))
    for combine in (algebra.plus, algebra.times):
        apart = combine(algebra.retract(a, dead), algebra.retract(b, dead))
        assert algebra.retract(combine(a, b), dead) == apart
    for token in TOKENS:
        alive = algebra.zero if token in dead else algebra.token(token)
        assert algebra.retract(algebra.token(token), dead) == alive


@seeds
@maintained
def test_to_retract_nothing_changes_nothing_and_what_is_dead_has_no_support(case: Case, seed: int) -> None:
    algebra, a, _, _ = three(case, seed)
    dead = set(Random(seed).sample(TOKENS, seed % 6))
    assert algebra.retract(a, set()) == a
    assert algebra.retract(a, {77}) == a
    rest = algebra.retract(a, dead)
    assert not dead & set(algebra.support(rest))
    assert algebra.retract(rest, dead) == rest
    one_by_one = a
    for token in dead:
        one_by_one = algebra.retract(one_by_one, {token})
    assert one_by_one == rest


@seeds
@maintained
def test_support_is_the_tokens_whose_death_matters(case: Case, seed: int) -> None:
    algebra, a, _, _ = three(case, seed)
    mattering = {token for token in TOKENS if algebra.retract(a, {token}) != a}
    assert set(algebra.support(a)) == mattering


@seeds
@maintained
def test_the_plain_form_is_read_back_by_another_site(case: Case, seed: int) -> None:
    here, a, b, _ = three(case, seed)
    there = case.make()
    there.token(5)
    shipped = there.from_plain(here.to_plain(a))
    assert here.from_plain(there.to_plain(shipped)) == a
    both = there.plus(shipped, there.from_plain(here.to_plain(b)))
    assert here.from_plain(there.to_plain(both)) == here.plus(a, b)


@seeds
def test_a_witness_is_a_semiring_but_for_its_plus_which_keeps_what_it_holds(seed: int) -> None:
    algebra, a, b, c = three(Case(Witness, sum_of_products), seed)
    plus, times = algebra.plus, algebra.times
    assert plus(a, plus(b, c)) == plus(plus(a, b), c)
    assert times(a, times(b, c)) == times(times(a, b), c)
    assert times(a, b) == times(b, a)
    assert times(a, plus(b, c)) == plus(times(a, b), times(a, c))
    assert plus(a, b) == (b if a is None else a)
    assert plus(a, algebra.zero) == plus(algebra.zero, a) == times(a, algebra.one) == a
    assert algebra.is_zero(plus(a, b)) == algebra.is_zero(plus(b, a))


@seeds
def test_a_witness_is_one_of_the_derivations_that_why_knows(seed: int) -> None:
    witness, why = Witness(), Why()
    one, every = sum_of_products(witness, Random(seed)), sum_of_products(why, Random(seed))
    dead = set(Random(seed).sample(TOKENS, seed % 4))
    one, every = witness.retract(one, dead), why.retract(every, dead)
    assert one is None or why.plus(every, why.from_plain([tuple(one)])) == every
