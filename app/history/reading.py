"""The two reads of the past: a view as it was, and a stretch of it in few points.

    state   the segment's keyframe, and of every series the last turn up to the moment
    range   hours, minutes or turns of the series asked for, folded into points

Each read is one transaction: it sees a segment open or sealed, never both.
"""

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import sqlalchemy as sa

from app.history.recorded import after
from app.history.schema import CHUNK, GAP, HEAD, HOURS, RECORDED, SEGMENT, SERIES, TAIL
from app.history.store import to_gap
from app.told import moment
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Row
from engine.views.history import HOUR, Bag, Gap, Shape
from engine.views.history.packing import SeriesReader, read_key, read_keyframe, read_shape, read_tail


class Known(NamedTuple):
    """A recording: since when, and its hours, up to when, and when it was interrupted."""

    id: int
    name: str
    shape: Shape
    since: int
    hours_since: int
    until: int
    gaps: tuple[Gap, ...]


class State(NamedTuple):
    """A view as it was; ``gap`` is the one in which the moment lies, whose rows are those before it."""

    view: str
    at: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    gap: Gap | None = None


class Segment(NamedTuple):
    """A stretch of a recording; one that is open has no end, and its turns in the tail."""

    number: int
    start: int
    end: int | None


@contextmanager
def reading(database: sa.Engine) -> Iterator[sa.Connection]:
    """Yield a connection on which everything is read as of one moment."""
    with database.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


def state(database: sa.Engine, view: str, at: int) -> State:
    """Return the rows that a view had after everything up to and with ``at``."""
    with reading(database) as connection:
        known = known_at(connection, view, at)
        segment = segments_of(connection, known.id, at, at)[-1]
        keys = {number: key for number, key in keys_of(connection, known.id)}
        bags = bags_at(connection, known.id, segment, at)
    shape = known.shape
    rows = tuple(shape.whole(keys[number], rest) for number, bag in sorted(bags.items()) for rest in bag)
    gap = next((gap for gap in known.gaps if gap.start < at < gap.end), None)
    return State(view, at, shape.columns, rows, gap)


def known_at(connection: sa.Connection, view: str, at: int | None = None) -> Known:
    """Return the recording of a view that tells of a moment, or the newest."""
    found = [
        _known(connection, row)
        for row in connection.execute(
            sa.select(RECORDED).where(RECORDED.c.name == view).order_by(RECORDED.c.id)
        )
    ]
    if not found:
        names = sorted(set(connection.scalars(sa.select(RECORDED.c.name))))
        message = (
            f"no past of {view} is kept; it is of {', '.join(names) or 'no view'}{nearest(view, names)}. "
            f"CREATE OR REPLACE VIEW {view} WITH (history = '30 days') AS … begins one"
        )
        raise QueryError(message)
    told = [known for known in found if at is None or known.since <= at]
    if not told:
        message = f"the past of {view} is kept from {moment(found[0].since)} on, found {moment(at or 0)}"
        raise QueryError(message)
    return told[-1]


def _known(connection: sa.Connection, row: "sa.Row[tuple[object, ...]]") -> Known:
    view = row.id
    since = connection.scalar(sa.select(sa.func.min(SEGMENT.c.start)).where(SEGMENT.c.view == view))
    gaps = connection.execute(
        sa.select(GAP.c.start, GAP.c.end).where(GAP.c.view == view).order_by(GAP.c.start)
    )
    hour = connection.scalar(sa.select(sa.func.min(HOURS.c.hour)).where(HOURS.c.view == view))
    until = connection.scalar(sa.select(HEAD.c.at)) or 0
    shape = read_shape(row.columns, row.key)
    began = int(since or 0)
    first = began if hour is None else min(began, hour * HOUR)
    return Known(view, row.name, shape, began, first, until, tuple(to_gap(*gap) for gap in gaps))


def segments_of(connection: sa.Connection, view: int, start: int, end: int) -> list[Segment]:
    """Return the segments that tell of ``[start, end]``, and the one in which ``start`` lies, in order."""
    table, started = SEGMENT.c, sa.and_(SEGMENT.c.view == view, SEGMENT.c.start <= end)
    query = sa.select(table.segment, table.start, table.end).where(started)
    query = query.where(sa.or_(table.end.is_(None), table.end >= start)).order_by(table.segment)
    return [Segment(*row) for row in connection.execute(query)]


def keys_of(connection: sa.Connection, view: int) -> Iterator[tuple[int, Row]]:
    query = sa.select(SERIES.c.series, SERIES.c.key).where(SERIES.c.view == view)
    return ((number, read_key(text)) for number, text in connection.execute(query))


def bags_at(connection: sa.Connection, view: int, segment: Segment, at: int) -> dict[int, Bag]:
    """Return the rows by series as of a moment in a segment."""
    this = sa.and_(SEGMENT.c.view == view, SEGMENT.c.segment == segment.number)
    keyframe = read_keyframe(connection.scalar(sa.select(SEGMENT.c.keyframe).where(this)) or b"")
    if segment.end is None:
        return after(
            keyframe,
            (turn for body in tails(connection, view) for turn in read_tail(body) if turn.at <= at),
        )
    this = sa.and_(CHUNK.c.view == view, CHUNK.c.segment == segment.number)
    for series, body in connection.execute(sa.select(CHUNK.c.series, CHUNK.c.body).where(this)):
        turns = SeriesReader(body)
        nth = bisect_right(turns.times, at) - 1
        if nth >= 0:
            keyframe[series] = turns.bag(nth)
    return {series: bag for series, bag in keyframe.items() if bag}


def tails(connection: sa.Connection, view: int) -> list[bytes]:
    query = sa.select(TAIL.c.body).where(TAIL.c.view == view).order_by(TAIL.c.nth)
    return list(connection.scalars(query))
