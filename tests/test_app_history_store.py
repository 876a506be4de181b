"""The tables of the past: a view at any time, and stretches of it, against the ticks that made them."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.history.ranges import Asked, stretch
from app.history.reading import state
from app.history.schema import CHUNK, HOURS, SEGMENT
from app.history.store import Head, Store
from app.history.trimming import trim
from engine.model.errors import QueryError
from engine.model.values import Row
from engine.views.history import HOUR, MINUTE, Gap, Piece, Stat
from engine.views.history.levels import TURNS
from engine.views.history.pieces import FOREVER
from tests.random_past import MARK, SECOND, Past, past_in

STEP = 7 * SECOND


def text(rows: Any) -> list[str]:
    return sorted(map(repr, rows))


def check_states(past: Past) -> None:
    for at in [past.random.randint(past.began, past.at) for _ in range(40)] + [
        t.at for t in past.ticks[-20:]
    ]:
        found = state(past.store.database, "v", at)
        assert text(found.rows) == text(past.rows_at(at))
        assert (found.gap is not None) == any(gap.start < at < gap.end for gap in past.gaps)


@pytest.mark.parametrize("seed", range(6))
def test_a_view_at_any_time_is_what_the_ticks_until_then_left(seed: int, tmp_path: Path) -> None:
    past = past_in(tmp_path, seed).run(150, STEP)
    check_states(past)
    past.close()


def test_on_postgresql_it_is_the_same(postgres: str) -> None:
    past = Past(postgres, 5).run(60, STEP)
    check_states(past)
    check_points(past, 40)
    past.close()


def value_in(rows: tuple[Row, ...], room: str, column: int) -> Any:
    found = [row[column] for row in rows if row[0] == room]
    return found[0] if len(found) == 1 and found[0] != float("inf") else None


def bag_in(rows: tuple[Row, ...], room: str) -> list[str]:
    return text(row for row in rows if row[0] == room)


def told(past: Past, room: str, column: int, start: int, end: int) -> Stat:
    """Say what is to be said of a room's column by going through all ticks."""
    found: list[Any] = []
    held, changes, span, area, cursor, before = None, 0, 0, 0.0, start, []
    is_measure = column < 3
    for at, rows in [*past.ticks, (end, None)]:
        if at > start and held is not None:
            a, b = max(cursor, start), min(at, end)
            passed = max(0, b - a) - sum(max(0, min(b, g.end) - max(a, g.start)) for g in past.gaps)
            span, area = span + max(passed, 0), area + (held * max(passed, 0) if is_measure else 0)
        cursor = at
        if rows is None or at >= end:
            break
        value, is_said = value_in(rows, room, column), bag_in(rows, room) != before
        before = bag_in(rows, room)
        if at >= start and is_said:
            changes += value != held
            found += [] if value is None else [value]
        held = value
    numbers = found if is_measure else []
    ends = (found[0], found[-1]) if found else (None, None)
    return Stat(len(found), changes, sum(numbers), min(numbers, default=None), max(numbers, default=None),
                *ends, held, area, span)  # fmt: skip


def agree(one: Stat, other: Stat) -> bool:
    """Tell whether both are the same, up to the order in which numbers were added."""
    return all(
        a == (pytest.approx(b) if isinstance(b, float) else b) for a, b in zip(one, other, strict=True)
    )


def check_points(past: Past, points: int, share: float = 1.0) -> int:
    end = past.began + int((past.at - past.began) * share)
    found = stretch(past.store.database, Asked("v", past.began, end, points))
    assert found.grid.points <= points
    for line in found.lines:
        for nth, column in enumerate(line.columns):
            for point in past.random.sample(column, min(len(column), 12)):
                truth = told(past, str(line.key[0]), nth + 1, point.start, point.end)
                assert agree(point.stat, truth), (line.key, nth, point, truth)
    return found.grid.level


@pytest.mark.parametrize(
    ("step", "points", "level"), [(SECOND, 500, TURNS), (20 * SECOND, 60, MINUTE), (3 * MINUTE, 60, HOUR)]
)
@pytest.mark.parametrize("seed", range(2))
def test_points_are_what_going_through_all_ticks_gives(
    seed: int, step: int, points: int, level: int, tmp_path: Path
) -> None:
    past = past_in(tmp_path, seed).run(150, step)
    assert check_points(past, points) == level
    check_points(past, points, 0.6)
    past.close()


def test_minutes_are_kept_where_they_are_fewer_than_entries(tmp_path: Path) -> None:
    past = Past(f"sqlite:///{tmp_path / 'past.db'}", 1)
    for second in range(600):
        past.view.take(
            past.at + second * SECOND,
            [(("a", float(second), True, "x"), 1)]
            + ([(("a", float(second - 1), True, "x"), -1)] if second else []),
        )
    past.at += 600 * SECOND
    past.flush()
    past.store.seal(past.view, past.at)
    with past.store.database.connect() as connection:
        (chunk,) = connection.execute(sa.select(CHUNK)).all()
    assert chunk.turns == 600
    assert chunk.minutes is not None
    (line,) = stretch(past.store.database, Asked("v", past.began, past.at, 12, ("celsius",))).lines
    points = line.columns[0]
    assert sum(point.stat.samples for point in points) == 600
    assert sum(point.stat.area for point in points) == pytest.approx(sum(range(600)) * SECOND)
    past.close()


def test_a_commit_whose_answer_was_lost_is_repeated_without_doubling_anything(tmp_path: Path) -> None:
    past = past_in(tmp_path, 3).run(60, STEP)
    past._tick("abcd")
    again = Store(past.url)
    once = again.open(MARK, past.at)  # a second memory of the same recording: what it writes is there already
    once.pending, once.book.fresh = list(past.view.pending), list(past.view.fresh)
    past.flush()
    again.flush([once], Head(past.offset, past.at))
    once.start, once.segment = past.view.start, past.view.segment
    past.store.seal(past.view, past.at)
    again.seal(once, past.at)
    check_states(past)
    check_points(past, 50)
    again.close()
    past.close()


def test_retention_takes_the_oldest_segments_and_leaves_every_later_state_right(tmp_path: Path) -> None:
    past = past_in(tmp_path, 4).run(400, 40 * SECOND)
    middle = (past.began + past.at) // 2
    while past.store.trim(past.view.id, middle, middle):
        pass
    with past.store.database.connect() as connection:
        first = connection.scalar(sa.select(sa.func.min(SEGMENT.c.start)))
        assert connection.scalar(sa.select(sa.func.min(HOURS.c.hour))) >= first // HOUR
        assert connection.scalar(sa.select(sa.func.min(SEGMENT.c.segment))) == connection.scalar(
            sa.select(sa.func.min(CHUNK.c.segment))
        )
    for _ in range(20):
        at = past.random.randint(middle, past.at)
        assert text(state(past.store.database, "v", at).rows) == text(past.rows_at(at))
    with pytest.raises(QueryError, match=r"the past of v is kept from .* on"):
        state(past.store.database, "v", past.began)
    past.close()


def test_hours_may_be_kept_for_longer_than_the_rest(tmp_path: Path) -> None:
    past = past_in(tmp_path, 11).run(300, 100 * SECOND)
    before = stretch(past.store.database, Asked("v", past.began, past.at, 400))
    middle = (past.began + past.at) // 2
    while past.store.trim(past.view.id, middle, past.began):
        pass
    after = stretch(past.store.database, Asked("v", past.began, past.at, 400))
    assert after.grid.level == HOUR
    samples = [
        sum(p.stat.samples for line in found.lines for p in line.columns[0]) for found in (before, after)
    ]
    assert samples[0] == samples[1]
    check_points(past, 400)
    assert stretch(past.store.database, Asked("v", middle, past.at, 400)).grid.level < HOUR
    past.close()


def test_a_recording_that_is_over_goes_when_all_of_it_is_old(tmp_path: Path) -> None:
    past = past_in(tmp_path, 9).run(60, STEP)
    past.view.tell(Gap(past.at, FOREVER))
    past.flush()
    past.store.seal(past.view, past.at)
    past.store.forget(past.view.id, past.at + 1, past.at + HOUR)
    assert past.store.marked()  # there are sealed segments yet
    while past.store.trim(past.view.id, past.at + 1, past.at + 1):
        pass
    past.store.forget(past.view.id, past.at + 1, past.at + HOUR)
    assert not past.store.marked()
    past.close()


def test_keys_of_which_nothing_is_told_any_more_are_forgotten_and_numbered_anew(tmp_path: Path) -> None:
    past = past_in(tmp_path, 10)
    for n in range(1_200):
        row = (f"guest {n}", 1.0, True, "x")
        past.view.take(past.at + n * SECOND, [(row, 1)])
        past.view.take(past.at + n * SECOND, [(row, -1)])
    past.at += 1_200 * SECOND
    past.flush()
    past.store.seal(past.view, past.at)
    past.store.seal(past.view, past.at + 2 * HOUR)
    assert trim(past.store, [past.view], past.at) is False  # kept for thirty days
    assert len(past.view.book.series) == 1_200
    assert trim(past.store, [past.view], past.at + 31 * 24 * HOUR) is True
    assert not past.view.book.series
    past.at += 40 * 24 * HOUR
    past.view.take(past.at, [(("guest 1", 2.0, True, "x"), 1)])
    past.flush()
    assert state(past.store.database, "v", past.at).rows == (("guest 1", 2.0, True, "x"),)
    past.close()


def test_a_stretch_of_one_key_reads_that_key(tmp_path: Path) -> None:
    past = past_in(tmp_path, 6).run(80, STEP)
    ask = Asked("v", past.began, past.at, 20, ("celsius",), {"room": "b"})
    (line,) = stretch(past.store.database, ask).lines
    assert line.key == ("b",)
    assert len(line.columns) == 1
    past.close()


def test_time_in_a_gap_counts_for_nothing(tmp_path: Path) -> None:
    past = past_in(tmp_path, 7)
    past.view.take(past.at, [(("a", 10.0, True, "x"), 1)])
    past.view.tell(Gap(past.began + 60 * SECOND, past.began + 120 * SECOND))
    past.at += 180 * SECOND
    past.flush()
    (line,) = stretch(past.store.database, Asked("v", past.began, past.at, 90, ("celsius",))).lines
    spans: list[Piece] = [p for p in line.columns[0] if p.stat.span == 0]
    assert sum(point.stat.span for point in line.columns[0]) == 120 * SECOND + 1  # with the last moment
    assert spans
    past.close()


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (Asked("w", 0, 1), "no past of w is kept; it is of v"),
        (Asked("v", 0, 9, 500, ("celsus",)), "unknown column celsus .* did you mean celsius"),
        (Asked("v", 0, 9, 500, (), {"task": "x"}), "task is not in the key of the past of v; that is room"),
        (Asked("v", 9, 9), "is no stretch of time"),
    ],
)
def test_a_question_that_cannot_be_answered_says_why(asked: Asked, problem: str, tmp_path: Path) -> None:
    past = past_in(tmp_path, 8).run(5, STEP)
    with pytest.raises(QueryError, match=problem):
        stretch(past.store.database, asked)
    past.close()
