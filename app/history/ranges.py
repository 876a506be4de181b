"""A stretch of the past in few points.

    asked → series by key → grid → what was held before it ⊕ hours, minutes or turns within it → points

What is held goes on through a point in which nothing was said; a gap counts as no time, so a point that lies
in one has no mean. Beyond what is recorded there are no points.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.history.events import EventReader, Events
from app.history.reading import Known, keys_of, known_at, reading, segments_of
from app.history.recorded import measures
from app.told import moment
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Row, Value
from engine.views.history import HOUR, Bag, Gap, Grid, Piece, at_all_times, grid_of, rolled
from engine.views.history.book import value_of
from engine.views.history.levels import MINUTE, TURNS

MOST_TURNS = 100_000
MOST_POINTS = 200_000


class Asked(NamedTuple):
    """``[start, end)`` of a view; ``where`` says which keys, ``columns`` which values; none is all."""

    view: str
    start: int
    end: int
    points: int = 500
    columns: tuple[str, ...] = ()
    where: Mapping[str, str] = {}


class Line(NamedTuple):
    """One series: its key, and for each column its points."""

    key: Row
    columns: tuple[tuple[Piece, ...], ...]


class Stretch(NamedTuple):
    """The answer; ``is_measure`` says of each column whether it has sums and means."""

    view: str
    grid: Grid
    until: int
    key: tuple[Column, ...]
    columns: tuple[Column, ...]
    is_measure: tuple[bool, ...]
    gaps: tuple[Gap, ...]
    lines: tuple[Line, ...]


def stretch(database: sa.Engine, asked: Asked) -> Stretch:
    """Return what is asked for; a wrong question says what is wrong with it."""
    if not asked.start < asked.end or asked.points < 2:
        found = f"from {moment(asked.start)} to {moment(asked.end)} in {asked.points} points"
        message = f"{found} is no stretch of time; it begins before it ends, and has two points or more"
        raise QueryError(message)
    with reading(database) as connection:
        known = known_at(connection, asked.view)
        places = places_of(known, asked.columns)
        keys = {
            number: key for number, key in keys_of(connection, known.id) if is_asked(known, key, asked.where)
        }
        _check_size(asked, len(keys), len(places))
        reader = EventReader(connection, known, list(keys), places)
        is_of_hours = known.hours_since < known.since // HOUR * HOUR and asked.start < known.since
        finest = HOUR if is_of_hours else TURNS
        grid = grid_of(asked.start, asked.end, asked.points, len(keys), finest)
        segments = segments_of(connection, known.id, grid.start, grid.end)
        if grid.level == TURNS and reader.turns(segments) > MOST_TURNS:
            grid = grid_of(asked.start, asked.end, asked.points, len(keys), finest=MINUTE)
            segments = segments_of(connection, known.id, grid.start, grid.end)
        held, events = reader.held(grid.start), reader.events(grid, segments)
    return _folded(known, places, grid, [(keys[n], held.get(n, ()), events.get(n)) for n in sorted(keys)])


def _folded(
    known: Known, places: Sequence[int], grid: Grid, series: Iterable[tuple[Row, Bag, list[Events] | None]]
) -> Stretch:
    shape, until = known.shape, max(grid.start, min(grid.end, known.until + 1))  # the last moment is known
    columns = tuple(shape.columns[shape.rest[place]] for place in places)
    is_measure = tuple(measures(columns))
    gaps = tuple(gap for gap in known.gaps if gap.start < grid.end and gap.end > grid.start)
    lines = []
    for key, bag, events in series:
        if not bag and events is None:
            continue
        points = []
        for nth, place in enumerate(places):
            value, within = value_of(bag, place), (grid.start, until)
            pieces = rolled(events[nth] if events else (), value, within, grid.width, is_measure[nth], gaps)
            points.append(tuple(at_all_times(pieces, value, within, grid.width, is_measure[nth], gaps)))
        lines.append(Line(key, tuple(points)))
    key_columns = tuple(shape.columns[i] for i in shape.key)
    return Stretch(known.name, grid, until, key_columns, columns, is_measure, gaps, tuple(lines))


def places_of(known: Known, names: Sequence[str]) -> list[int]:
    """Return where the columns stand among those beside the key."""
    shape = known.shape
    there = [shape.columns[i].name for i in shape.rest]
    unknown = next((name for name in names if name not in there), None)
    if unknown is not None:
        expected = f"there are {', '.join(there)}{nearest(unknown, there)}"
        message = f"unknown column {unknown} in the past of {known.name}; {expected}"
        raise QueryError(message)
    return [there.index(name) for name in names] if names else list(range(len(there)))


def is_asked(known: Known, key: Row, where: Mapping[str, str]) -> bool:
    """Tell whether a key has the values that are asked for."""
    names = [known.shape.columns[i].name for i in known.shape.key]
    unknown = next((name for name in where if name not in names), None)
    if unknown is not None:
        expected = f"that is {', '.join(names)}{nearest(unknown, names)}"
        message = f"{unknown} is not in the key of the past of {known.name}; {expected}"
        raise QueryError(message)
    return all(text_of(key[names.index(name)]) == text for name, text in where.items())


def text_of(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "NULL" if value is None else str(value)


def _check_size(asked: Asked, series: int, columns: int) -> None:
    if series * columns * asked.points > MOST_POINTS:
        found = f"{series:,} series of {columns} columns in {asked.points:,} points each"
        most = f"{MOST_POINTS:,} points; name a key or a column, or ask for fewer points"
        message = f"{found} is more than is told at once, {most}"
        raise QueryError(message)
