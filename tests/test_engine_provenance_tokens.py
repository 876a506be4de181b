"""Base rows become incarnations: a token for each time that a row is there."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.base_tokens import BaseTokens
from engine.provenance.absorption import Absorption
from engine.provenance.tokens import Incarnations
from engine.provenance.why import Why

A, B = ("a", 1), ("a", 2)


def base(key: tuple[int, ...] | None = None, lifetime: int | None = None) -> BaseTokens[Any]:
    return BaseTokens(Why(), Incarnations(), "link", key, lifetime)


def said(sign: int, row: Row, at: int = 0) -> Reading:
    return Reading("link", sign, row, 0, 0, at)


def only_token(rows: dict[Row, Any], row: Row) -> int:
    ((token,),) = rows[row]
    return token


def test_a_row_that_is_inserted_again_gets_another_token() -> None:
    link = base((0, 1))
    first = only_token(link.advance([said(1, A)], 0).rows, A)
    assert link.advance([said(-1, A)], 0).dead == {first}
    assert only_token(link.advance([said(1, A)], 0).rows, A) != first


def test_another_row_under_the_key_replaces_and_the_same_row_does_nothing() -> None:
    link = base((0,))
    first = only_token(link.advance([said(1, A)], 0).rows, A)
    assert link.advance([said(1, A)], 0) == ({}, set())
    change = link.advance([said(1, B)], 0)
    assert set(change.rows) == {B}
    assert change.dead == {first}


def test_each_insert_into_a_bag_is_its_own_and_a_delete_kills_the_oldest() -> None:
    link = base()
    first = only_token(link.advance([said(1, A)], 0).rows, A)
    second = only_token(link.advance([said(1, A)], 0).rows, A)
    assert link.contents() == {A: frozenset([frozenset([first]), frozenset([second])])}
    assert link.advance([said(-1, A)], 0).dead == {first}
    assert link.advance([said(-1, A)], 0).dead == {second}


@pytest.mark.parametrize("key", [None, (0,), (0, 1)])
def test_a_delete_of_the_absent_is_counted_and_ignored(key: tuple[int, ...] | None) -> None:
    link = base(key)
    link.advance([said(1, B)], 0)
    assert link.advance([said(-1, A)], 0) == ({}, set())
    assert link.ignored_deletes == 1
    assert list(link.contents()) == [B]


@pytest.mark.parametrize("key", [None, (0,), (0, 1)])
def test_an_old_timer_of_a_row_that_was_inserted_again_does_nothing(key: tuple[int, ...] | None) -> None:
    link = base(key, lifetime=10)
    link.advance([said(1, A, 0), said(-1, A, 3), said(1, A, 5)], 5)
    assert link.advance([], 14) == ({}, set())
    assert len(link.advance([], 15).dead) == 1
    assert not link.contents()


def test_the_same_row_under_a_key_renews_the_expiry_and_keeps_the_token() -> None:
    link = base((0,), lifetime=10)
    token = only_token(link.advance([said(1, A, 0)], 0).rows, A)
    link.advance([said(1, A, 6)], 6)
    assert link.advance([], 15).dead == set()
    assert link.advance([], 16).dead == {token}


def test_each_row_of_a_bag_expires_by_itself() -> None:
    link = base(lifetime=10)
    first = only_token(link.advance([said(1, A, 0)], 0).rows, A)
    second = only_token(link.advance([said(1, A, 6)], 6).rows, A)
    assert link.advance([], 10).dead == {first}
    assert link.advance([], 16).dead == {second}


def test_what_comes_and_goes_between_two_changes_is_never_said() -> None:
    link = base()
    assert link.advance([said(1, A), said(-1, A)], 0) == ({}, set())


@pytest.mark.parametrize("key", [None, (0,), (0, 1)])
@pytest.mark.parametrize("seed", range(20))
def test_the_rows_are_the_same_however_the_readings_were_cut(key: tuple[int, ...] | None, seed: int) -> None:
    random = Random(seed)
    readings = [
        said(random.choice((1, 1, -1)), (random.choice("ab"), random.randrange(2)), at) for at in range(30)
    ]
    whole, cut = base(key, lifetime=7), base(key, lifetime=7)
    whole.advance(readings, 30)
    for reading in readings:
        cut.advance([reading], reading.at)
    cut.advance([], 30)
    assert counted(whole) == counted(cut)
    assert whole.ignored_deletes == cut.ignored_deletes


def counted(link: BaseTokens[Any]) -> dict[Row, int]:
    return {row: len(annotation) for row, annotation in link.contents().items()}


@pytest.mark.parametrize("key", [None, (0, 1)])
@pytest.mark.parametrize("seed", range(20))
def test_a_bag_counts_and_a_relation_keyed_by_the_whole_row_is_a_set(
    key: tuple[int, ...] | None, seed: int
) -> None:
    random, link, naive = Random(seed), base(key), Counter[Row]()
    for _ in range(60):
        row, sign = (random.choice("ab"), random.randrange(2)), random.choice((1, -1))
        naive[row] = max(0, naive[row] + sign) if key is None else int(sign > 0)
        link.step({row: sign})
        assert counted(link) == {row: count for row, count in naive.items() if count}


@pytest.mark.parametrize("key", [None, (0,)])
def test_a_restored_relation_goes_on_as_if_nothing_had_been(key: tuple[int, ...] | None) -> None:
    link, again = base(key, lifetime=10), base(key, lifetime=10)
    link.advance([said(1, A, 0), said(1, A, 2), said(1, ("b", 1), 4)], 4)
    again.restore(link.state())
    assert counted(again) == counted(link)
    for now in (10, 12, 14):
        link.advance([], now)
        again.advance([], now)
        assert counted(again) == counted(link)


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
    random, algebra, tokens = Random(3), Absorption(), Incarnations()
    link = BaseTokens(algebra, tokens, "link", (0, 1))
    most = 0
    for _ in range(300):
        change = {(random.randrange(5), random.randrange(5)): random.choice((1, -1)) for _ in range(6)}
        born, dead = link.step(change)
        most = max(most, tokens.live + len(dead))
        assert algebra.variables == tokens.live + len(dead)
        del born
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
