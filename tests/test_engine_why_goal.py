"""The provenance of a row of any rules is provenance by definition, and a budget that is hit is said."""

import time
from collections.abc import Collection
from random import Random
from typing import Any

import pytest

from engine.plan.program import Program
from engine.views.why.effort import Effort
from engine.views.why.goal import why
from engine.views.why.match import Fact, Present
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
