"""What a database answers to a fragment is what our own operators say, to the last bit, or a refusal."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from engine.model.reading import Reading
from engine.plan.leaves import Table
from engine.plan.physical import SHIPPABLE
from engine.plan.wire import from_wire, to_wire
from tests.fact_tables import Facts, empty_sqlite
from tests.oracle import run
from tests.oracle_bags import TooMuch
from tests.random_fragments import COLUMNS, Fragments, random_rows

ROUNDS, PLANS = 4, 40


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def facts(request: pytest.FixtureRequest, tmp_path) -> Iterator[Facts]:
    is_server = request.param == "postgresql"
    opened = Facts(request.getfixturevalue("postgres") if is_server else empty_sqlite(tmp_path))
    yield opened
    opened.close()


def readings_of(table: Table, rows) -> list[Reading]:
    name = table.relation.name
    return [Reading(name, 1, row, offset, 0, offset) for offset, row in enumerate(rows, 1)]


def assert_as_ours(facts: Facts, seed: int, plans: int) -> None:
    random = Random(seed)
    given = {name: random_rows(random, count) for name, count in (("s", 7), ("t", 12))}
    leaves = {name: facts.create(name, COLUMNS, rows) for name, rows in given.items()}
    readings = [each for name, rows in given.items() for each in readings_of(leaves[name], rows)]
    draw = Fragments(random, tuple(leaves.values()))
    for number in range(plans):
        plan = from_wire(to_wire(draw.plan(random.randint(0, 4))), SHIPPABLE)
        try:
            ours = run(plan, readings, len(readings))
        except TooMuch:
            continue
        theirs = facts.ask(plan, "s", "t")
        assert theirs == ours, (seed, number, plan)
        assert types_of(theirs) == types_of(ours), (seed, number, plan)


def types_of(bag: Counter) -> set:
    """1 = 1.0 = True, which rows are not."""
    return {tuple(map(type, row)) + row for row in bag}


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_random_fragment_is_answered_as_our_operators_would(facts, seed):
    assert_as_ours(facts, seed, PLANS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 1_020))
def test_many_random_fragments_are_answered_as_our_operators_would(facts, seed):
    assert_as_ours(facts, seed, 100)
