"""A missing row is explained by what each of its rules lacks."""

import time
from random import Random

import pytest

from engine.views.why.absent import Failure, Reason, why_not
from engine.views.why.effort import Effort
from engine.views.why.match import Fact
from engine.views.why.present import Present
from tests.rules import program
from tests.test_engine_why_goal import PROGRAMS, derived, present, random_base

REACH = program("r(x, y) :- e(x, y)", "r(x, y) :- e(x, z), r(z, y)")


def plenty() -> Effort:
    return Effort(30, 10**7, time.monotonic)


def test_a_pair_that_is_cut_off_lacks_an_edge_or_the_rest_of_a_way() -> None:
    find = Present([[(1, 2), (2, 3)], [(1, 2), (2, 3), (1, 3)]]).find
    direct, onward = why_not(REACH, 1, {0: 1, 1: 9}, find, plenty()).failures
    assert direct == Failure(0, Reason.NO_ROW, (), 0, {0: 1, 1: 9})
    assert onward == Failure(1, Reason.NO_ROW, ((0, (1, 2)),), 1, {0: 2, 1: 9})


def test_a_source_that_leads_nowhere_fails_at_once() -> None:
    find = Present([[(1, 2)], [(1, 2)]]).find
    _, onward = why_not(REACH, 1, {0: 7, 1: 2}, find, plenty()).failures
    assert onward.wanted == {0: 7}


def test_a_row_that_is_there_but_not_good_enough_is_told_from_one_that_is_missing() -> None:
    rules = program("near(x, y) :- d(x, y, c), c < 4")
    find = Present([[(1, 2, 7)], []]).find
    (failure,) = why_not(rules, 1, {0: 1, 1: 2}, find, plenty()).failures
    assert (failure.reason, failure.relation, failure.wanted) == (Reason.CONDITION, 0, {0: 1, 1: 2})


def test_another_value_is_told_where_everything_else_is_there() -> None:
    rules = program("s(x, c + w) :- a(x, c), b(x, w)")
    find = Present([[(1, 2)], [(1, 3)], [(1, 5)]]).find
    (failure,) = why_not(rules, 2, {0: 1, 1: 6}, find, plenty()).failures
    assert failure.reason is Reason.OTHER_VALUE
    assert len(failure.satisfied) == 2


def test_a_row_that_a_better_one_keeps_out_is_outranked() -> None:
    rules = program("m(x, c) :- a(x, c)", best={"m": ((0,), "min 1")})
    find = Present([[(1, 2), (1, 7)], [(1, 2)]]).find
    (failure,) = why_not(rules, 1, {0: 1, 1: 7}, find, plenty()).failures
    assert failure == Failure(0, Reason.OUTRANKED, ((0, (1, 7)),), None, {})


def test_an_effort_that_runs_out_is_said() -> None:
    find = Present([[(1, i) for i in range(5000)], []]).find
    assert why_not(REACH, 1, {0: 1, 1: 9999}, find, Effort(5, 10, time.monotonic)).is_truncated


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_said_to_be_missing_is_missing_and_what_is_there_is_there(name: str, seed: int) -> None:
    rules, random = PROGRAMS[name], Random(seed)
    base = random_base(rules, random, 8)
    there = derived(rules, base)
    facts = {*base, *there}
    find = present(rules, base).find
    first = len(rules.inputs)
    for place, definition in enumerate(rules.definitions):
        goal: Fact = (first + place, tuple(random.randrange(4) for _ in definition.columns))
        failures = why_not(rules, goal[0], dict(enumerate(goal[1])), find, plenty()).failures
        assert len(failures) == sum(rule.head == goal[0] for rule in rules.rules)
        assert any(f.reason is Reason.OUTRANKED for f in failures) == (goal in there)
        for failure in failures:
            assert facts.issuperset(failure.satisfied)
            if failure.reason is Reason.NO_ROW:
                assert failure.relation is not None
                assert not [
                    row
                    for relation, row in facts
                    if relation == failure.relation and all(row[i] == v for i, v in failure.wanted.items())
                ]
