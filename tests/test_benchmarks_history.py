"""The past that `make bench-history` measures, a small one: what it reads is what it wrote."""

import random
from collections.abc import Iterator

import pytest

from app.history.ranges import Asked, stretch
from app.history.reading import state
from engine.model.values import Row
from engine.views.history import HOUR, MINUTE
from tests.benchmarks._past import DAY, START, MeasuredPast, Peer

SENSORS = 5


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredPast]:
    found = MeasuredPast(tmp_path_factory.mktemp("past"), 2, SENSORS)
    found.fill()
    yield found
    found.close()


def truth(past: MeasuredPast, at: int) -> set[Row]:
    """Say what each sensor said last, going through all turns again."""
    again = MeasuredPast.__new__(MeasuredPast)
    again.sensors, again.end, again._random = past.sensors, past.end, random.Random(7)
    turns = [turn for hour in range(START, past.end, HOUR) for turn in again.hour(hour)]
    last = {turn.series: turn.bag[0] for turn in turns if turn.at <= at}
    return {(f"s{number - 1:03}", *row) for number, row in last.items()}


def test_all_sensors_at_a_time_have_what_they_said_last(past: MeasuredPast) -> None:
    for at in (START + 17 * MINUTE + 5, past.end - DAY - 1, past.end - 1_234_567):
        assert set(state(past.store.database, "measured", at).rows) == truth(past, at)


def test_a_day_at_a_second_each_is_at_most_two_thousand_points_of_all_of_it(past: MeasuredPast) -> None:
    ask = Asked("measured", past.end - DAY, past.end, 2_000, (), {"sensor": "s000"})
    found = stretch(past.store.database, ask)
    (points,) = found.lines[0].columns
    assert len(points) <= 2_000
    assert found.grid.level == MINUTE
    assert sum(point.stat.samples for point in points) == 86_400


def test_what_a_server_would_record_is_as_much_on_disk_as_rows_need_at_most(past: MeasuredPast) -> None:
    before = past.size()
    peer = Peer(past, 1)
    peer.state(past.end)
    peer.close()
    assert before < 20 * past.turns
    turns, _ = past.written()
    assert turns == pytest.approx(60 * SENSORS, rel=0.1)  # one that is the same again is none
