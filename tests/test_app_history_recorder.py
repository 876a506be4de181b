"""Recording behind a real engine: in order, once, and right again after whatever interrupts it."""

import random
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.history.ranges import Asked
from engine.model.errors import QueryError
from engine.views.history import Gap
from engine.views.history.pieces import FOREVER
from tests.environment.waiting import until
from tests.history_parts import BRIGHT, SECOND, START, House, Said, bright


def log_of(seed: int, entries: int) -> list[Said]:
    chosen = random.Random(seed)
    return [(chosen.choice("abcd"), float(chosen.choice([0, 40, 60, 80, 100]))) for _ in range(entries)]


def check(house: House, ends: list[int]) -> None:
    for end in ends:
        assert house.state(START + end * SECOND) == bright(house.log, end)


def test_every_tick_can_be_seen_again(tmp_path: Path) -> None:
    house, chosen = House(tmp_path, log_of(1, 60)), random.Random(1)
    house.create(BRIGHT)
    ends = []
    while house.offset < 60:
        house.tick(chosen.randint(1, 4))
        ends.append(house.offset)
    house.settle()
    check(house, ends)
    house.stop()


@pytest.mark.parametrize("seed", range(3))
def test_after_a_crash_nothing_is_lost_and_nothing_is_there_twice(seed: int, tmp_path: Path) -> None:
    chosen, log = random.Random(seed), log_of(seed, 120)
    house = House(tmp_path, log)
    house.create(BRIGHT)
    ends: list[int] = []
    for _ in range(4):
        for _ in range(chosen.randint(1, 5)):
            house.tick(chosen.randint(1, 4))
            ends.append(house.offset)
        house.settle()
        image = house.image()
        for _ in range(chosen.randint(0, 6)):  # ticks after the snapshot: they are run again, cut otherwise
            house.tick(chosen.randint(1, 4))
            ends.append(house.offset)
            if chosen.random() < 0.5:
                house.settle()
        house.crash()
        house = House(tmp_path, log, image)
        ends = [end for end in ends if end <= house.recorder._head.offset]
        while house.offset < house.recorder._head.offset:  # passed over: their cuts cannot be seen
            house.tick(chosen.randint(1, 4))
        ends.append(house.offset)
    while house.offset < 100:
        house.tick(chosen.randint(1, 4))
        ends.append(house.offset)
    house.settle()
    check(house, ends)
    found = house.stretch(Asked("bright", START, START + 100 * SECOND, 3))
    assert not found.gaps
    house.stop()


def test_a_snapshot_that_is_newer_than_the_past_leaves_a_gap_that_is_told(tmp_path: Path) -> None:
    house = House(tmp_path, log_of(2, 40))
    house.create(BRIGHT)
    house.tick(5)
    house.settle()
    house.recorder.settle = lambda *_: True  # type: ignore[method-assign]
    house.recorder._stopping.set()
    house.recorder._thread.join(120)
    house.tick(10)
    image = house.image()
    house.store.close()
    house.engine.stop()
    house = House(tmp_path, house.log, image)
    house.tick(5)
    house.settle()
    check(house, [5, 20])
    (gap,) = house.stretch(Asked("bright", START, START + 20 * SECOND, 5)).gaps
    assert (gap.start, gap.end) == (START + 5 * SECOND, START + 20 * SECOND)
    house.stop()


def test_the_past_of_a_log_that_was_removed_goes_on_with_the_next_after_a_gap(tmp_path: Path) -> None:
    house = House(tmp_path, log_of(8, 90))
    house.create(BRIGHT)
    house.tick(90)
    house.settle()
    house.stop()
    house = House(tmp_path, [("a", 60.0), ("b", 70.0)])
    house.create(BRIGHT)
    house.tick(1, pause=200 * SECOND)
    house.tick(1, pause=200 * SECOND)
    house.settle()
    assert house.state(START + 202 * SECOND) == [("a", 60.0), ("b", 70.0)]
    (gap,) = house.stretch(Asked("bright", START, START + 202 * SECOND, 5)).gaps
    assert (gap.start, gap.end) == (START + 90 * SECOND, START + 201 * SECOND)
    house.stop()


def test_time_in_which_nothing_ran_is_a_gap(tmp_path: Path) -> None:
    house = House(tmp_path, [("a", 60.0), ("a", 70.0)])
    house.create(BRIGHT)
    house.tick(1)
    house.tick(1, pause=3_600 * SECOND)
    house.settle()
    (gap,) = house.stretch(Asked("bright", START, START + 7_200 * SECOND, 5)).gaps
    assert (gap.start, gap.end) == (START + SECOND, START + 3_602 * SECOND)
    house.stop()


def test_what_waits_is_bounded_and_what_is_dropped_is_told_and_made_good(tmp_path: Path) -> None:
    house = House(tmp_path, log_of(3, 5_000), max_rows=3)
    house.create(BRIGHT)
    for _ in range(15):
        house.tick(3)
    until(lambda: "changes since the start were not recorded" in house.recorder.health(), 10, "a loss")

    def goes_on() -> bool:
        house.tick(1)
        return not house.recorder._waits and not house.recorder._inbox._lost

    until(goes_on, 10, "a new start")
    house.settle()
    until(
        lambda: house.state(START + house.offset * SECOND) == bright(house.log, house.offset), 10, "the rows"
    )
    gaps = house.stretch(Asked("bright", START, START + house.offset * SECOND, 5)).gaps
    assert gaps
    house.stop()


def test_a_disk_that_is_full_is_told_and_nothing_is_lost_once_it_has_room(tmp_path: Path) -> None:
    chosen, pages = random.Random(4), [1]
    house = House(tmp_path, [(chosen.randbytes(1_500).hex(), 60.0) for _ in range(200)])

    def bound(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages[0]}")  # no less than there are: it is full now

    house.create(BRIGHT)
    house.tick(3)
    house.settle()
    sa.event.listen(house.store.database, "connect", bound)
    house.store.database.dispose()
    while house.recorder.health() == "ok":
        house.tick(3)
        house.recorder.settle(house.offset, 0.5)
    assert house.recorder.health() == "the past cannot be written: database or disk is full"
    house.tick(3)
    pages[0] = 1 << 30
    house.store.database.dispose()
    house.settle()
    until(lambda: house.recorder.health() == "ok", 10, "health")
    check(house, [3, house.offset - 3, house.offset])
    house.stop()


def test_while_a_view_is_suspended_there_is_a_gap_and_then_its_rows_are_right_again(tmp_path: Path) -> None:
    said = [("a", 60.0), ("b", 70.0), ("c", 80.0), ("b", -1.0), ("a", 90.0)]
    house = House(tmp_path, [*said, *[("a", 95.0)] * 1_000])
    house.create(f"{BRIGHT} LIMITED TO ROWS 2")
    house.tick(2)
    house.tick(1)
    house.settle()
    assert house.engine.views()[0].suspended
    assert house.look(START + 3 * SECOND).gap is None
    assert house.look(START + 4 * SECOND).gap == Gap(START + 3 * SECOND, FOREVER)
    house.tick(1, pause=100 * SECOND)
    assert not house.engine.views()[0].suspended

    def goes_on() -> bool:
        house.tick(1, pause=100 * SECOND)
        return not house.recorder._waits

    until(goes_on, 10, "the view to be followed again")
    house.settle()
    now = house.engine.stamp().at
    assert house.state(now) == [("a", 95.0), ("c", 80.0)]
    (gap,) = house.stretch(Asked("bright", START, now, 5)).gaps
    assert gap.start == START + 3 * SECOND
    assert START + 104 * SECOND <= gap.end <= now
    house.stop()


def test_a_view_of_another_text_goes_on_and_one_of_another_shape_begins_anew(tmp_path: Path) -> None:
    house = House(tmp_path, log_of(5, 40))
    house.create(BRIGHT)
    house.tick(10)
    house.engine.drop_view("bright")
    house.create(BRIGHT.replace("> 50", "> 70"))
    house.tick(10)
    house.settle()
    assert house.state(START + 10 * SECOND) == bright(house.log, 10)
    assert house.state(START + 20 * SECOND) == [
        row for row in bright(house.log, 20) if float(str(row[1])) > 70
    ]
    house.engine.drop_view("bright")
    house.create(BRIGHT.replace("room, lux FROM", "room, lux, lux * 2 AS twice FROM"))
    house.tick(10)
    house.settle()
    assert house.state(START + 30 * SECOND) == [(a, b, float(str(b)) * 2) for a, b in bright(house.log, 30)]
    assert house.state(START + 10 * SECOND) == bright(house.log, 10)
    house.stop()


def test_a_dropped_view_keeps_its_past_and_is_a_gap_from_then_on(tmp_path: Path) -> None:
    house = House(tmp_path, log_of(6, 40))
    house.create(BRIGHT)
    house.tick(10)
    house.settle()
    house.engine.drop_view("bright")
    house.recorder.sync()
    house.tick(10)
    until(lambda: house.stretch(Asked("bright", START, START + 20 * SECOND, 5)).gaps, 10, "a gap")
    assert house.state(START + 10 * SECOND) == bright(house.log, 10)
    house.stop()


def test_a_view_whose_key_names_no_column_is_not_recorded_and_the_others_are(tmp_path: Path) -> None:
    house = House(tmp_path, log_of(7, 40))
    house.create("CREATE VIEW odd WITH (history = '1 day', key = 'rom') AS SELECT room, lux FROM lights")
    house.create(BRIGHT)
    house.tick(10)
    house.settle()
    check(house, [10])
    with pytest.raises(QueryError, match="no past of odd is kept; it is of bright"):
        house.state(START, "odd")
    house.stop()
