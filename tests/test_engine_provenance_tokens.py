"""Base rows become incarnations: a token for each time that a row is there."""

import math
from collections import Counter
from random import Random

import pytest

from engine.model.values import Row
from engine.operators.base_tokens import BaseTokens, Change, Kind
from engine.provenance.absorption import Absorption
from engine.provenance.algebra import Token
from engine.provenance.tokens import Incarnations

A, B = ("a", 1), ("a", 2)
BAG, SET, KEYED = None, (0, 1), (0,)
NOTHING = Change({}, set())


class Told:
    """A base relation, and the rows that its changes add up to."""

    def __init__(self, key: tuple[int, ...] | None = BAG, lifetime: float = math.inf) -> None:
        self.incarnations = Incarnations()
        self.base = BaseTokens(Kind(key, lifetime), self.incarnations, "link")
        self.rows: dict[Token, Row] = {}

    def tell(self, sign: int, row: Row, now: float = 0) -> None:
        self.base.expire(now)
        if sign > 0:
            self.base.insert(row, now)
        else:
            self.base.delete(row)

    def change(self, now: float = 0) -> Change:
        self.base.expire(now)
        change = self.base.take_change()
        self.rows |= change.born
        for token in change.dead:
            del self.rows[token]
        return change

    def born(self, row: Row, now: float = 0) -> Token:
        """Insert a row that is new, and return its token."""
        self.tell(1, row, now)
        ((token, born),) = self.change(now).born.items()
        assert born == row
        return token

    @property
    def counts(self) -> Counter[Row]:
        return Counter(self.rows.values())


def test_a_row_that_is_inserted_again_gets_another_token() -> None:
    link = Told(SET)
    first = link.born(A)
    link.tell(-1, A)
    assert link.change().dead == {first}
    assert link.born(A) != first


def test_another_row_under_the_key_replaces_and_the_same_row_does_nothing() -> None:
    link = Told(KEYED)
    first = link.born(A)
    link.tell(1, A)
    assert link.change() == NOTHING
    link.tell(1, B)
    change = link.change()
    assert list(change.born.values()) == [B]
    assert change.dead == {first}
    assert (link.base.tokens_of(A), link.base.tokens_of(B)) == ([], list(change.born))


def test_each_insert_into_a_bag_is_its_own_and_a_delete_kills_the_oldest() -> None:
    link = Told(BAG)
    first, second = link.born(A), link.born(A)
    assert link.base.tokens_of(A) == [first, second]
    for token in (first, second):
        link.tell(-1, A)
        assert link.change().dead == {token}


@pytest.mark.parametrize("key", [BAG, KEYED, SET])
def test_a_delete_of_the_absent_is_counted_and_ignored(key: tuple[int, ...] | None) -> None:
    link = Told(key)
    link.born(B)
    link.tell(-1, A)
    assert link.change() == NOTHING
    assert link.base.ignored_deletes == 1


@pytest.mark.parametrize("key", [BAG, KEYED, SET])
def test_an_old_timer_of_a_row_that_was_inserted_again_does_nothing(key: tuple[int, ...] | None) -> None:
    link = Told(key, lifetime=10)
    for sign, at in ((1, 0), (-1, 3), (1, 5)):
        link.tell(sign, A, at)
    link.change(5)
    assert link.change(14) == NOTHING
    assert len(link.change(15).dead) == 1
    assert not link.rows


def test_the_same_row_under_a_key_renews_the_expiry_and_keeps_the_token() -> None:
    link = Told(KEYED, lifetime=10)
    token = link.born(A, 0)
    link.tell(1, A, 6)
    assert link.change(15) == NOTHING
    assert link.change(16).dead == {token}


def test_each_row_of_a_bag_expires_by_itself() -> None:
    link = Told(BAG, lifetime=10)
    first, second = link.born(A, 0), link.born(A, 6)
    assert link.change(10).dead == {first}
    assert link.change(16).dead == {second}


def test_what_comes_and_goes_between_two_changes_is_never_said() -> None:
    link = Told(BAG)
    link.tell(1, A)
    link.tell(-1, A)
    assert link.change() == NOTHING
    assert (link.incarnations.live, link.incarnations.dead) == (0, set())


@pytest.mark.parametrize("key", [BAG, KEYED, SET])
@pytest.mark.parametrize("seed", range(20))
def test_the_rows_are_the_same_however_it_was_cut_into_changes(
    key: tuple[int, ...] | None, seed: int
) -> None:
    random, whole, cut = Random(seed), Told(key, lifetime=7), Told(key, lifetime=7)
    for at in range(30):
        sign, row = random.choice((1, 1, -1)), (random.choice("ab"), random.randrange(2))
        whole.tell(sign, row, at)
        cut.tell(sign, row, at)
        cut.change(at)
    whole.change(30)
    cut.change(30)
    assert whole.counts == cut.counts
    assert whole.base.ignored_deletes == cut.base.ignored_deletes


@pytest.mark.parametrize("key", [BAG, SET])
@pytest.mark.parametrize("seed", range(20))
def test_a_bag_counts_and_a_relation_keyed_by_the_whole_row_is_a_set(
    key: tuple[int, ...] | None, seed: int
) -> None:
    random, link, naive = Random(seed), Told(key), Counter[Row]()
    for _ in range(60):
        row, sign = (random.choice("ab"), random.randrange(2)), random.choice((1, -1))
        naive[row] = max(0, naive[row] + sign) if key is BAG else int(sign > 0)
        link.tell(sign, row)
        link.change()
        assert link.counts == naive


def test_a_token_tells_its_base_row_until_it_is_drained() -> None:
    tokens = Incarnations()
    token = tokens.fresh("link", A)
    assert tokens.drain([token]) == []
    tokens.kill(token)
    assert tokens.origin(token) == ("link", A)
    assert tokens.drain([token, 77]) == [token]
    assert tokens.dead == set()


@pytest.mark.bdd
def test_variables_are_never_more_than_live_tokens_plus_one_epochs() -> None:
    random, algebra, link = Random(3), Absorption(), Told(SET)
    tokens, most = link.incarnations, 0
    for _ in range(300):
        for _ in range(6):
            link.tell(random.choice((1, -1)), (random.randrange(5), random.randrange(5)))
        born, dead = link.change()
        for token in born:
            algebra.token(token)
        most = max(most, tokens.live + len(dead))
        assert algebra.variables == tokens.live + len(dead)
        algebra.recycle(tokens.drain(dead))
        assert algebra.variables == tokens.live
    assert algebra.declared <= most <= 25 + 6


@pytest.mark.bdd
def test_a_recycled_variable_stands_for_its_latest_token() -> None:
    algebra = Absorption()
    algebra.token(1)
    algebra.recycle([1])
    both = algebra.times(algebra.token(2), algebra.token(3))
    assert algebra.declared == 2
    assert set(algebra.support(both)) == {2, 3}
    assert algebra.retract(both, {1}) == both
