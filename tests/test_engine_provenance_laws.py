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

TOKENS = range(1, 7)


class Case(NamedTuple):
    make: Callable[[], Any]
    element: Callable[[Any, Random], Any]


def sum_of_products(algebra: Any, random: Random) -> Any:
    total = algebra.zero
    for _ in range(random.randrange(4)):
        product = algebra.one
        for token in random.choices(TOKENS, k=random.randrange(4)):
            product = algebra.times(product, algebra.token(token))
        total = algebra.plus(total, product)
    return total


def whole_number(algebra: Any, random: Random) -> int:
    return random.randrange(-3, 4)


BDD = pytest.mark.bdd
COUNTING_CASE = pytest.param(Case(lambda: COUNTING, whole_number), id="counting")
ABSORPTION_CASE = pytest.param(Case(Absorption, sum_of_products), id="absorption", marks=BDD)

semirings = pytest.mark.parametrize("case", [COUNTING_CASE, ABSORPTION_CASE])
idempotents = pytest.mark.parametrize("case", [ABSORPTION_CASE])
restricting = pytest.mark.parametrize("case", [ABSORPTION_CASE])
seeds = pytest.mark.parametrize("seed", range(40))


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
@idempotents
def test_what_is_derived_twice_is_derived_once_and_the_longer_is_absorbed(case: Case, seed: int) -> None:
    algebra, a, b, _ = three(case, seed)
    assert algebra.plus(a, a) == a
    assert algebra.plus(a, algebra.times(a, b)) == a
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
@restricting
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
@restricting
def test_support_is_the_tokens_whose_death_matters(case: Case, seed: int) -> None:
    algebra, a, _, _ = three(case, seed)
    mattering = {token for token in TOKENS if algebra.retract(a, {token}) != a}
    assert set(algebra.support(a)) == mattering


@seeds
@restricting
def test_implication_is_the_order_of_plus(case: Case, seed: int) -> None:
    algebra, a, b, _ = three(case, seed)
    assert algebra.implies(a, b) == (algebra.plus(a, b) == b)


@seeds
@restricting
def test_the_plain_form_is_read_back_by_another_site(case: Case, seed: int) -> None:
    here, a, b, _ = three(case, seed)
    there = case.make()
    there.token(5)
    shipped = there.from_plain(here.to_plain(a))
    assert here.from_plain(there.to_plain(shipped)) == a
    both = there.plus(shipped, there.from_plain(here.to_plain(b)))
    assert here.from_plain(there.to_plain(both)) == here.plus(a, b)
