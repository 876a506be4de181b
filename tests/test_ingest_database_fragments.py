"""What a database answers to a fragment is what our own operators say, to the last bit, or a refusal."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from random import Random

import pytest
import sqlalchemy as sa

from engine.model.reading import Reading
from engine.model.relation import DATABASE_SITE, Column
from engine.model.values import Type
from engine.plan.expressions import Field
from engine.plan.goal import FASTEST
from engine.plan.leaves import Table
from engine.plan.logical import AggregateCall
from engine.plan.physical import SHIPPABLE, GroupBy, fragments_in, leaves
from engine.plan.wire import from_wire, to_wire
from federated.optimizer import FederatedOptimizer
from tests.fact_tables import Facts, empty_sqlite
from tests.oracle import run
from tests.oracle_bags import TooMuch
from tests.random_federated import history, query
from tests.random_fragments import COLUMNS, Fragments, random_rows
from tests.three_sites import bound

ROUNDS, PLANS = 2, 40


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


def assert_placed_as_ours(facts: Facts, seed: int) -> int:
    """Every fragment of every placement of a random query over three sites; return how many there were."""
    random = Random(seed)
    asked, log = query(random), history(random)
    now = log.stamps[-1]
    every = FederatedOptimizer().considered(bound(asked.sql), FASTEST).every()
    shipped = {
        leaf for each in every for leaf in fragments_in(each.plan) if leaf.site.startswith(DATABASE_SITE)
    }
    tables = {leaf for each in shipped for leaf in leaves(each.plan)}
    for leaf in tables:
        columns = leaf.relation.columns
        facts.create(leaf.relation.name, columns, list(run(leaf, log.readings, now).elements()))
    for each in shipped:
        names = sorted({leaf.relation.name for leaf in leaves(each.plan)})
        assert facts.ask(each.plan, *names) == run(each.plan, log.readings, now), (seed, asked.sql)
    return len(shipped)


def test_what_random_queries_over_three_sites_ask_of_a_database_is_answered_as_our_operators_would(facts):
    assert sum(assert_placed_as_ours(facts, seed) for seed in range(15)) > 10


@pytest.mark.slow
def test_what_five_hundred_queries_ask_of_a_database_is_answered_as_our_operators_would(facts):
    assert sum(assert_placed_as_ours(facts, seed) for seed in range(1_000, 1_500)) > 300


def in_utf16(folder) -> str:
    url = empty_sqlite(folder)
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        database.execute("PRAGMA encoding = 'UTF-16le'")
        database.execute("CREATE TABLE made (n INTEGER)")
    return url


@pytest.mark.parametrize("encoding", ["UTF-16", pytest.param("EUC_JP", marks=pytest.mark.integration)])
def test_texts_of_a_database_in_another_encoding_are_ordered_here(encoding, request, tmp_path):
    """In the order of bytes that such a database has, the second of these comes before the first."""
    low, high = ("\uff5e", "\U0001f600") if encoding == "UTF-16" else ("\u0391", "\u2018")
    if encoding == "UTF-16":
        url = in_utf16(tmp_path)
    else:
        server = request.getfixturevalue("postgres_server")
        url = server.url("japanese")
        engine = sa.create_engine(server.url(), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(
                "CREATE DATABASE japanese TEMPLATE template0 ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C'"
            )
        engine.dispose()
    facts = Facts(url)
    column = Column("s", Type.TEXT)
    leaf = facts.create("t", (column,), [(low,), (high,)])
    least = GroupBy(leaf, (), (AggregateCall("min", Field(0, Type.TEXT)),), (column,))
    assert facts.ask(least, "t") == Counter([(high,)])
    assert facts.answer(least, "t") == Counter([(low,)])
    facts.close()
