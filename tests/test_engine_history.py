"""Pieces, turns and points of a view's past, against brute force."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lang.streamsql import CreateView, parse
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.views.history import (
    HOUR,
    MINUTE,
    Book,
    Event,
    Gap,
    Piece,
    Retention,
    Shape,
    Stat,
    Turn,
    at_all_times,
    grid_of,
    join,
    rolled,
)
from engine.views.history.book import shape_of, value_of
from engine.views.history.packing import PiecesReader, SeriesReader, pack_pieces, pack_series

VALUES = st.one_of(st.none(), st.integers(-50, 50))
SAID = st.lists(st.tuples(st.integers(0, 400), VALUES), max_size=30).map(
    lambda pairs: [Event(*pair) for pair in sorted(pairs, key=lambda pair: pair[0])]
)
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=5)


def told(events: list[Event], held: int | None, start: int, end: int, gaps: list[Gap]) -> Stat:
    """Say of a stretch what is to be said, instant by instant."""
    values, samples, changes, said = held, [], 0, list(events)
    area, span = 0.0, 0
    for instant in range(start, end):
        while said and said[0].start <= instant:
            value = said.pop(0).value
            changes += value != values
            values = value
            samples += [] if value is None else [value]
        if values is not None and not any(gap.start <= instant < gap.end for gap in gaps):
            area, span = area + values, span + 1
    first, last = (samples[0], samples[-1]) if samples else (None, None)
    least, greatest = min(samples, default=None), max(samples, default=None)
    return Stat(len(samples), changes, sum(samples), least, greatest, first, last, values, area, span)


def within(events: list[Event], start: int, end: int) -> list[Event]:
    return [event for event in events if start <= event.start < end]


def held_before(events: list[Event], held: int | None, start: int) -> int | None:
    return next((event.value for event in reversed(events) if event.start < start), held)


@given(SAID, VALUES, st.integers(1, 60), st.lists(st.integers(0, 400), min_size=2, max_size=2, unique=True))
def test_points_say_what_is_true_of_their_time(
    events: list[Event], held: int | None, width: int, edges: list[int]
) -> None:
    gaps = [Gap(*sorted(edges))]
    points = list(
        at_all_times(rolled(events, held, (0, 401), width, True, gaps), held, (0, 401), width, True, gaps)
    )
    assert [point.start for point in points] == [max(0, at) for at in range(0, 401, width)]
    for point in points:
        inside = within(events, point.start, point.end)
        before = held_before(events, held, point.start)
        assert point.stat == pytest.approx(told(inside, before, point.start, point.end, gaps))


@given(SAID, VALUES, st.integers(0, 401), st.sampled_from([2, 3, 10]))
def test_pieces_of_pieces_are_pieces_wherever_they_are_cut(
    events: list[Event], held: int | None, cut: int, times: int
) -> None:
    width = 5
    early, late = within(events, 0, cut), within(events, cut, 401)
    minutes = list(rolled(early, held, (0, cut), width, True))
    minutes += rolled(late, held_before(events, held, cut), (cut, 401), width, True)
    points = (0, 401), width * times, True
    by_minutes = at_all_times(rolled(minutes, held, *points), held, *points)
    at_once = at_all_times(rolled(events, held, *points), held, *points)
    for one, other in zip(by_minutes, at_once, strict=True):
        assert one[:2] == other[:2]
        assert one.stat == pytest.approx(other.stat)


@given(SAID, VALUES, st.integers(0, 401))
def test_joined_pieces_say_what_the_whole_does(events: list[Event], held: int | None, cut: int) -> None:
    early, late = within(events, 0, cut), within(events, cut, 401)
    before = Piece(0, cut, told(early, held, 0, cut, []))
    after = Piece(cut, 401, told(late, before.stat.held, cut, 401, []))
    whole = Piece(0, 401, told(events, held, 0, 401, []))
    assert join(before, after, True).stat == pytest.approx(whole.stat)


@given(st.lists(ROWS, max_size=12))
def test_a_book_has_the_rows_that_its_changes_leave(states: list[list[tuple[str, int]]]) -> None:
    shape = Shape((Column("k", Type.TEXT), Column("v", Type.BIGINT)), (0,))
    book, before, turns = Book(shape, {}, {}), [], []
    for at, rows in enumerate(states):
        changes = [(row, 1) for row in rows] + [(row, -1) for row in before]
        turns += book.take(at, changes) if at % 3 else book.hold(at, [(row, 1) for row in rows])
        before = rows
        newest = {turn.series: turn.bag for turn in turns}
        keys = {number: key for key, number in book.series.items()}
        there = sorted(shape.whole(keys[number], rest) for number, bag in newest.items() for rest in bag)
        assert there == sorted(rows)


def test_what_did_not_change_is_no_entry_and_nan_is_itself() -> None:
    shape = Shape((Column("k", Type.TEXT), Column("v", Type.DOUBLE)), (0,))
    book = Book(shape, {}, {})
    assert book.take(1, [(("a", float("nan")), 1)]) == [Turn(1, 1, ((math.nan,),))]
    assert book.take(2, [(("a", float("nan")), -1), (("a", float("nan")), 1)]) == []
    assert book.take(3, [(("a", float("nan")), -1)]) == [Turn(3, 1, ())]


@given(
    st.lists(
        st.tuples(st.integers(0, 10**16), st.lists(st.tuples(VALUES, st.text()), max_size=3)), min_size=1
    )
)
def test_packed_entries_come_back(found: list[tuple[int, list[tuple[int, str]]]]) -> None:
    turns = [(at, tuple(bag)) for at, bag in sorted(found, key=lambda pair: pair[0])]
    reader = SeriesReader(pack_series(turns))
    assert [(at, reader.bag(nth)) for nth, at in enumerate(reader.times)] == turns
    if any(bag for _, bag in turns):
        assert reader.events(1) == [Event(at, value_of(bag, 1)) for at, bag in turns]


def test_packed_pieces_come_back() -> None:
    pieces = [Piece(0, 5, Stat(1, 1, 2.0, 2.0, 2.0, 2.0, 2.0, (1, (2,)), 10.0, 5)), Piece(5, 9, Stat())]
    assert PiecesReader(pack_pieces([pieces, pieces])).columns() == [pieces, pieces]


@pytest.mark.parametrize(
    ("span", "points", "series", "level"),
    [
        (24 * HOUR, 2_000, 1, MINUTE),
        (30 * 24 * HOUR, 2_000, 1, HOUR),
        (HOUR, 1_000, 1, 0),
        (24 * HOUR, 500, 500, HOUR),
    ],
)
def test_a_grid_takes_the_coarsest_level_that_is_fine_enough(
    span: int, points: int, series: int, level: int
) -> None:
    start = 1_700_000_123_456_789
    grid = grid_of(start, start + span, points, series)
    assert (grid.level, grid.points <= points) == (level, True)
    assert grid.start <= start < grid.start + grid.width
    assert grid.end - grid.width < start + span <= grid.end
    assert grid.width % (level or 1) == grid.start % grid.width == 0


def test_a_view_says_how_long_its_past_is_kept() -> None:
    made = parse(
        "CREATE VIEW v WITH (history = '30 days', hours = '60 days', keyframe = '10 minutes', key = 'A, b')"
        " AS SELECT 1 AS a"
    )
    assert isinstance(made, CreateView)
    assert made.history == Retention(30 * 24 * HOUR, 10 * MINUTE, ("a", "b"), 60 * 24 * HOUR)
    plain = parse("CREATE VIEW v AS SELECT 1 AS a")
    assert isinstance(plain, CreateView)
    assert plain.history is None


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            "histori = '1 day'",
            "unknown option histori of the view v; "
            "there are history, hours, keyframe, key; did you mean history?",
        ),
        (
            "history = 'long'",
            "history = 'long' of the view v is no duration from a minute on; expected such as '30 days'",
        ),
        ("key = 'a'", "key of the view v says nothing without history = '30 days'"),
        ("history = '1 day', history = '2 days'", "an option of the view v is said twice; once is enough"),
    ],
)
def test_a_wrong_option_says_what_is_wrong(options: str, problem: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse(f"CREATE VIEW v WITH ({options}) AS SELECT 1 AS a")
    assert refused.value.message == problem


def test_the_key_is_the_texts_unless_another_is_said() -> None:
    columns = [Column("floor", Type.BIGINT), Column("room", Type.TEXT), Column("free", Type.BIGINT)]
    assert shape_of("v", columns, Retention(HOUR)).key == (1,)
    assert shape_of("v", columns, Retention(HOUR, HOUR, ("floor",))).key == (0,)
    assert shape_of("v", columns[::2], Retention(HOUR)).key == (0, 1)
    with pytest.raises(
        QueryError, match=r"unknown column rom in the key of the history of v; .* did you mean room"
    ):
        shape_of("v", columns, Retention(HOUR, HOUR, ("rom",)))
