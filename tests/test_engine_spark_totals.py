"""Totals that Spark makes are those of the rows that it delivers, in the same pass."""

import random
import threading
from collections.abc import Iterator

import pytest

from engine.model.clock import SECOND
from engine.model.reading import Batch, Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.operators.totals import in_totals
from engine.plan.expressions import Call, Field, Literal
from engine.plan.leaves import StreamFragment, TotalFragment
from engine.plan.logical import AggregateCall
from engine.spark import SparkFeed, SparkSettings, TickInput, close_spark

ORIGIN = 1_700_000_000 * SECOND
COLUMNS = (
    Column("room", Type.TEXT),
    Column("n", Type.BIGINT),
    Column("x", Type.DOUBLE),
    Column("is_up", Type.BOOLEAN),
    Column("since", Type.TIMESTAMP),
)
READINGS = Relation("readings", RelationKind.STREAM, COLUMNS)
OTHERS = Relation("others", RelationKind.STREAM, (Column("x", Type.DOUBLE), Column("y", Type.DOUBLE)))
N, X, SINCE = Field(1, Type.BIGINT), Field(2, Type.DOUBLE), Field(4, Type.TIMESTAMP)
ROWS = 13_000


def call(function: str, argument: Field | None = None) -> AggregateCall:
    return AggregateCall(function, argument)


POSITIVE = Call(">", (N, Literal(0, Type.BIGINT)), Type.BOOLEAN)
ALL = StreamFragment("readings", COLUMNS)
OTHER = StreamFragment("others", OTHERS.columns)
TOTALS = (
    TotalFragment(
        "readings",
        COLUMNS,
        None,
        (0, 3),
        (call("count"), call("sum", N), call("min", N), call("max", SINCE), call("count", X)),
        2 * SECOND,
    ),
    TotalFragment("readings", COLUMNS, POSITIVE, (1,), (call("count"), call("min", SINCE)), None),
    TotalFragment("readings", COLUMNS, None, (), (call("max", N), call("count", N), call("sum", N)), SECOND),
    TotalFragment("others", OTHERS.columns, None, (), (call("count", Field(1, Type.DOUBLE)),), None),
)


class Many:
    """A reader of so many rows, in reads of unlike sizes."""

    def __init__(self) -> None:
        rng = random.Random(5)
        edges = (None, 0, 1, -1, 2**63 - 1, -(2**63), 12345)
        self.made = [
            Reading("others", 1, (rng.choice((-0.0, 0.0, 1e300, None)), None), i, 0, at(i))
            if i % 10 == 0
            else Reading(
                "readings",
                1,
                (
                    rng.choice(("a", "b", "é\U0001f600", "", None)),
                    rng.choice(edges),
                    rng.choice((None, -0.0, 0.1, float("inf"))),
                    rng.choice((True, False, None)),
                    rng.choice((None, 5, ORIGIN)),
                ),
                i,
                0,
                at(i),
            )
            for i in range(1, ROWS + 1)
        ]

    def read(self, start: int) -> Batch:
        end = min(ROWS, start + (7 if start < 20 else 6_000))
        return Batch(self.made[start:end], end, at(end))


def at(offset: int) -> int:
    return ORIGIN + offset * SECOND // 1_000


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSettings]:
    yield SparkSettings(tmp_path_factory.mktemp("state"))
    close_spark()


def ticks_of(settings: SparkSettings, fragments: tuple[StreamFragment, ...]) -> list[TickInput]:
    ticks: list[TickInput] = []
    done = threading.Event()

    def tick(given: TickInput) -> None:
        ticks.append(given)
        if given.end == ROWS:
            done.set()

    feed = SparkFeed(settings, Many(), [READINGS, OTHERS], lambda: fragments, tick)
    feed.start(0)
    is_done = done.wait(600)
    health = feed.health()
    feed.stop()
    assert is_done, health
    return ticks


@pytest.mark.parametrize(
    "fragments",
    [(ALL, OTHER, *TOTALS), pytest.param(TOTALS, marks=pytest.mark.slow)],
    ids=["rows and totals", "totals"],
)
def test_totals_and_rows_of_one_pass_are_those_of_the_log(settings, fragments):
    made, start = Many().made, 0
    for tick in ticks_of(settings, fragments):
        piece = made[start : tick.end]
        assert set(tick.rows) == set(fragments)
        for fragment, rows in tick.rows.items():
            given = [reading for reading in piece if reading.relation == fragment.relation]
            if not isinstance(fragment, TotalFragment):
                assert list(map(repr, rows)) == list(map(repr, given))
                continue
            if fragment.predicate is not None:
                given = [reading for reading in given if (reading.row[1] or 0) > 0]
            assert sorted(map(repr, rows)) == sorted(map(repr, in_totals(fragment, given)))
        start = tick.end
    assert start == ROWS
