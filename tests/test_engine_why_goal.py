"""The provenance of a row of any rules is provenance by definition, and a budget that is hit is said."""

import time
from collections.abc import Collection
from itertools import islice
from random import Random
from typing import Any

import pytest

from engine.plan.program import Program
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.goal import why
from engine.views.why.match import Fact
from engine.views.why.present import Present
from engine.views.why.ways import Ways
from tests.environment.waiting import PATIENCE
from tests.oracle_recursion import least_rows
from tests.possible_worlds import minimal_cuts, minimal_derivations, probability, worlds
from tests.rules import program

PROGRAMS: dict[str, Program] = {
    "closure": program("r(x, y) :- e(x, y)", "r(x, y) :- e(x, z), r(z, y)"),
    "non-linear": program("r(x, y) :- e(x, y)", "r(x, y) :- r(x, z), r(z, y)"),
    "same generation": program("s(x, y) :- f(x, y)", "s(x, y) :- u(x, a), s(a, b), u(y, b)"),
    "mutual": program(
        "odd(x, y) :- e(x, y)", "even(x, y) :- odd(x, z), e(z, y)", "odd(x, y) :- even(x, z), e(z, y)"
    ),
    "points to": program(
        "p(x, y) :- new(x, y)",
        "p(x, y) :- move(x, z), p(z, y)",
        "p(x, y) :- load(x, z), p(z, w), h(w, y)",
        "h(x, y) :- store(a, b), p(a, x), p(b, y)",
    ),
    "conditions": program("r(x, y) :- e(x, y), x < 2", "r(x, y) :- e(x, z), r(z, y), x < y"),
    "three of one": program("t(x) :- e(x, y), e(y, z), e(z, x)", "t(x) :- e(x, y), t(y), e(y, 1)"),
}


def plenty() -> Effort:
    return Effort(30, 10**7, time.monotonic)


def derived(rules: Program, world: Collection[Fact]) -> set[Fact]:
    """The facts of the definitions in a world."""
    inputs: list[list[Any]] = [
        [row for at, row in world if at == place] for place in range(len(rules.inputs))
    ]
    rows = least_rows(rules, inputs)
    first = len(rules.inputs)
    if len(rules.definitions) == 1:
        return {(first, row) for row in rows}
    return {(first + row[0], row[1:]) for row in rows}


def present(rules: Program, base: Collection[Fact]) -> Present:
    facts = [*base, *derived(rules, base)]
    count = len(rules.inputs) + len(rules.definitions)
    return Present([[row for at, row in facts if at == place] for place in range(count)])


def random_base(rules: Program, random: Random, most: int) -> list[Fact]:
    rows = [
        (place, tuple(random.randrange(4) for _ in columns))
        for place, columns in enumerate(rules.inputs)
        for _ in range(most)
    ]
    return list(dict.fromkeys(random.sample(rows, min(most, len(rows)))))


@pytest.mark.bdd
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivations_and_cuts_of_every_row_are_those_of_all_possible_worlds(name: str, seed: int) -> None:
    rules = PROGRAMS[name]
    base = random_base(rules, Random(seed), 8)
    find = present(rules, base).find
    following = {world: derived(rules, world) for world in worlds(base)}
    for goal in sorted(following[frozenset(base)])[:8]:
        found = why(rules, goal, find, plenty())
        assert found is not None
        assert not found.is_truncated

        def holds(world: frozenset[Fact], goal: Fact = goal) -> bool:
            return goal in following[world]

        listed = list(found.derivations())
        assert len(listed) == len(set(listed)) == found.count
        assert set(listed) == minimal_derivations(base, holds)
        cuts = list(found.cuts(plenty()))
        assert len(cuts) == len(set(cuts))
        assert set(cuts) == minimal_cuts(base, holds)
        assert len(found.smallest_cut(plenty()) or ()) == min(map(len, cuts))
        exact = probability(base, holds, lambda fact: 0.25 + 0.5 * (fact[1][0] % 2))
        chance = found.probability(lambda fact: 0.25 + 0.5 * (fact[1][0] % 2), plenty())
        assert chance == pytest.approx((exact, exact))


def complete(size: int) -> list[Fact]:
    return [(0, (a, b)) for a in range(size) for b in range(size) if a != b]


@pytest.mark.parametrize("name", ["closure", "non-linear"])
def test_what_is_over_its_budget_is_said_and_what_was_found_suffices(name: str) -> None:
    rules, base = PROGRAMS[name], [*complete(9), (0, (8, 9)), (0, (9, 10))]
    find = present(rules, base).find
    started = time.monotonic()
    found = why(rules, (1, (0, 10)), find, Effort(0.4, 10**9, time.monotonic))
    assert time.monotonic() - started < 5 * PATIENCE
    assert found is not None
    assert found.is_truncated
    for derivation in islice(found.derivations(), 20):
        assert (1, (0, 10)) in derived(rules, derivation)
        for row in derivation:
            assert (1, (0, 10)) not in derived(rules, derivation - {row})
    for cut in islice(found.cuts(plenty()), 20):
        assert (1, (0, 10)) not in derived(rules, frozenset(base) - cut)


def test_a_necessary_row_is_a_cut_though_the_rest_is_out_of_reach() -> None:
    rules, base = PROGRAMS["closure"], [*complete(9), (0, (8, 9))]
    found = why(rules, (1, (0, 9)), present(rules, base).find, Effort(30, 100_000, time.monotonic))
    assert found is not None
    assert found.is_truncated
    assert frozenset([(0, (8, 9))]) in set(found.cuts(plenty()))


def test_without_effort_the_operators_witness_is_the_answer_or_there_is_none() -> None:
    rules, base = PROGRAMS["closure"], [(0, (1, 2)), (0, (2, 3))]
    find = present(rules, base).find
    found = why(rules, (1, (1, 3)), find, Effort(5, 0, time.monotonic), base)
    assert found is not None
    assert found.is_truncated
    assert found.witness == frozenset(base)
    with pytest.raises(Exhausted):
        why(rules, (1, (1, 3)), find, Effort(5, 0, time.monotonic))


def test_a_row_that_is_not_there_has_no_provenance() -> None:
    rules = PROGRAMS["closure"]
    assert why(rules, (1, (1, 3)), present(rules, [(0, (1, 2))]).find, plenty()) is None


def test_a_base_row_is_its_own_provenance() -> None:
    rules, row = PROGRAMS["closure"], (0, (1, 2))
    found = why(rules, row, present(rules, [row]).find, plenty())
    assert found is not None
    assert list(found.derivations()) == [frozenset([row])]


def test_a_long_chain_is_a_part_for_each_link_and_no_deep_recursion() -> None:
    edges = [(i, i + 1) for i in range(1100)]
    find = Present([edges, [(i, 1100) for i in range(1100)]]).find
    found = why(PROGRAMS["closure"], (1, (0, 1100)), find, plenty())
    assert found is not None
    assert found.witness == {(0, edge) for edge in edges}
    assert len(found.factors) == len(list(found.cuts(plenty()))) == 1100


@pytest.mark.parametrize("seed", range(10))
def test_the_general_form_and_the_factored_form_agree(seed: int) -> None:
    random, rules = Random(seed), PROGRAMS["closure"]
    links = {tuple(sorted(random.sample(range(8), 2))) for _ in range(10)}
    edges = [*links, *((b, a) for a, b in links)]
    base = [(0, edge) for edge in edges]
    find = present(rules, base).find
    rows = {edge: ((0, edge),) for edge in edges}
    ways = Ways(rows, rows)
    for source in range(8):
        for target in range(8):
            general = why(rules, (1, (source, target)), find, plenty())
            factored = ways.why(source, target, plenty())
            assert (general is None) == (factored is None)
            if general is not None and factored is not None:
                assert set(general.derivations()) == set(factored.derivations())
