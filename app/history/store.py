"""Writing the past: a flush and a seal are one transaction each.

    flush   new series, pending turns as one row of the tail, gaps, the head: all views at once
    seal    chunks and hours of a segment instead of its tail, and the keyframe of the next
    trim    the oldest segments of a view, a few at a time; all of a recording that is over and old

Whatever is done is said so that doing it again changes nothing: a commit whose answer was lost is repeated.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.history.breath import breathless
from app.history.recorded import Held, Mark, Recorded, Sealed
from app.history.schema import CHUNK, GAP, HEAD, HOURS, METADATA, RECORDED, SEGMENT, SERIES, TAIL
from engine.views.history import HOUR, Gap, Piece, Retention, join
from engine.views.history.packing import (
    PiecesReader,
    key_text,
    pack_keyframe,
    pack_pieces,
    pack_tail,
    read_key,
    read_keyframe,
    read_tail,
    shape_text,
)
from engine.views.history.pieces import FOREVER
from ingest.log.schema import IMMEDIATE, open_engine

TRIM_SEGMENTS = 20
BEFORE_ALL = -1
PART = 500  # values in one statement


class Head(NamedTuple):
    """How far the log is told: up to an offset, and up to a time."""

    offset: int
    at: int


class Store:
    """The tables, written by one thread; ``log_end`` is the last offset of the log that is recorded."""

    def __init__(self, url: str, log_end: int | None = None) -> None:
        self._log_end = log_end
        self.database = open_engine(url)
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            METADATA.create_all(connection)

    def close(self) -> None:
        self.database.dispose()

    def head(self) -> Head:
        """Return how far the log is told; of another log, one that was removed say, nothing is."""
        with self.database.connect() as connection:
            found = connection.execute(sa.select(HEAD.c.offset, HEAD.c.at)).first()
        head = Head(*found) if found else Head(0, 0)
        is_of_this_log = self._log_end is None or head.offset <= self._log_end
        return head if is_of_this_log else Head(BEFORE_ALL, head.at)

    def open(self, mark: Mark, at: int) -> Recorded:
        """Go on with the recording of a view, or begin one at ``at``."""
        columns, key = shape_text(mark.shape)
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            newest = sa.select(RECORDED).where(RECORDED.c.name == mark.name).order_by(RECORDED.c.id.desc())
            found = connection.execute(newest.limit(1)).first()
            if found is None or (found.columns, found.key) != (columns, key):
                return Recorded(mark, _begin(connection, mark, (columns, key), at))
            _keep(connection, found.id, mark.retention)
            return Recorded(mark, _held(connection, found.id))

    def keep(self, view: int, retention: Retention) -> None:
        """Keep a view for longer, or shorter, from now on."""
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            _keep(connection, view, retention)

    def flush(self, views: Sequence[Recorded], head: Head) -> None:
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            for view in views:
                _flush(connection, view)
            connection.execute(sa.delete(HEAD))
            connection.execute(sa.insert(HEAD), {"one": 1, **head._asdict()})
        for view in views:
            view.flushed()

    def seal(self, view: Recorded, end: int, breathe: Callable[[], None] = breathless) -> None:
        """Pack the open segment and begin the next."""
        sealed = view.seal(end, breathe)
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            _seal(connection, view, sealed)
        view.sealed(end)

    def forget(self, view: int, before: int, hours_before: int) -> None:
        """Remove a recording that ended before a time."""
        ended = sa.exists().where(GAP.c.view == view, GAP.c.start < before, GAP.c.end.is_(None))
        sealed = sa.exists().where(SEGMENT.c.view == view, SEGMENT.c.end.is_not(None))
        hours = sa.exists().where(HOURS.c.view == view, HOURS.c.hour >= hours_before // HOUR)
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            if connection.scalar(sa.select(sa.and_(ended, sa.not_(sealed), sa.not_(hours)))):
                for table in (SERIES, SEGMENT, TAIL, CHUNK, HOURS, GAP):
                    connection.execute(sa.delete(table).where(table.c.view == view))
                connection.execute(sa.delete(RECORDED).where(RECORDED.c.id == view))

    def prune(self, view: Recorded) -> None:
        """Forget the keys of which nothing is told any more, where most are such."""
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            of_chunks = sa.select(CHUNK.c.series).where(CHUNK.c.view == view.id)
            of_hours = sa.select(HOURS.c.series).where(HOURS.c.view == view.id)
            told = set(connection.scalars(of_chunks.union(of_hours)))
            spent = view.spent(told)
            _remove(connection, SERIES, view.id, [number for _, number in spent])
        for key, _ in spent:
            del view.book.series[key]

    def trim(self, view: int, before: int, hours_before: int) -> int:
        """Remove what ended before a time, a slice of it, and older hours; return how many segments went."""
        old = sa.select(SEGMENT.c.segment).where(SEGMENT.c.view == view, SEGMENT.c.end < before)
        with self.database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            segments = list(connection.scalars(old.order_by(SEGMENT.c.segment).limit(TRIM_SEGMENTS)))
            for table in (CHUNK, SEGMENT):
                within = sa.delete(table).where(table.c.view == view, table.c.segment.in_(segments))
                connection.execute(within)
            first = min(_first_hour(connection, view), hours_before // HOUR)
            connection.execute(sa.delete(HOURS).where(HOURS.c.view == view, HOURS.c.hour < first))
            connection.execute(sa.delete(GAP).where(GAP.c.view == view, GAP.c.end < hours_before))
        return len(segments)

    def marked(self) -> list[tuple[int, int, int]]:
        """Return every recording that there is, with how long it is kept, and its hours."""
        with self.database.connect() as connection:
            return [(row.id, row.kept, row.hours) for row in connection.execute(sa.select(RECORDED))]


def _begin(connection: sa.Connection, mark: Mark, shape: tuple[str, str], at: int) -> Held:
    columns, key = shape
    row = {"name": mark.name, "columns": columns, "key": key, **_lengths(mark.retention)}
    (view,) = connection.execute(sa.insert(RECORDED), row).inserted_primary_key or (0,)
    _open_segment(connection, view, 1, at, pack_keyframe({}))
    return Held(view, {}, 1, at, {}, [], 0, [])


def _keep(connection: sa.Connection, view: int, retention: Retention) -> None:
    connection.execute(sa.update(RECORDED).where(RECORDED.c.id == view).values(_lengths(retention)))


def _lengths(retention: Retention) -> dict[str, int]:
    return {"kept": retention.kept, "hours": max(retention.kept, retention.hours)}


def _held(connection: sa.Connection, view: int) -> Held:
    keys = sa.select(SERIES.c.key, SERIES.c.series).where(SERIES.c.view == view)
    series = {read_key(text): number for text, number in connection.execute(keys)}
    newest = sa.select(SEGMENT).where(SEGMENT.c.view == view).order_by(SEGMENT.c.segment.desc()).limit(1)
    opened = connection.execute(newest).one()
    gaps = sa.select(GAP.c.start, GAP.c.end).where(GAP.c.view == view).order_by(GAP.c.start)
    tails = list(connection.scalars(sa.select(TAIL.c.body).where(TAIL.c.view == view).order_by(TAIL.c.nth)))
    return Held(
        view,
        series,
        opened.segment,
        opened.start,
        read_keyframe(opened.keyframe),
        [turn for body in tails for turn in read_tail(body)],
        len(tails),
        [to_gap(*found) for found in connection.execute(gaps)],
    )


def to_gap(start: int, end: int | None) -> Gap:
    return Gap(start, FOREVER if end is None else end)


def _flush(connection: sa.Connection, view: Recorded) -> None:
    if view.fresh:
        rows = [{"view": view.id, "series": number, "key": key_text(key)} for number, key in view.fresh]
        _remove(connection, SERIES, view.id, [number for number, _ in view.fresh])
        connection.execute(sa.insert(SERIES), rows)
    if view.pending:
        row = {"view": view.id, "nth": view.flushes, "body": pack_tail(view.pending)}
        _remove(connection, TAIL, view.id, [view.flushes])
        connection.execute(sa.insert(TAIL), row)
    for gap in view.told:
        _remove(connection, GAP, view.id, [gap.start])
        end = None if gap.end == FOREVER else gap.end
        connection.execute(sa.insert(GAP), {"view": view.id, "start": gap.start, "end": end})


def _remove(connection: sa.Connection, table: sa.Table, view: int, keys: Sequence[int]) -> None:
    """Remove rows by the second column of their key: of a commit whose answer was lost they are there."""
    second = list(table.primary_key.columns)[1]
    for part in parts_of(keys):
        connection.execute(sa.delete(table).where(table.c.view == view, second.in_(part)))


def parts_of(values: Sequence[int]) -> Iterable[Sequence[int]]:
    return (values[at : at + PART] for at in range(0, len(values), PART))


def _open_segment(connection: sa.Connection, view: int, segment: int, start: int, keyframe: bytes) -> None:
    row = {"view": view, "segment": segment, "start": start, "end": None, "keyframe": keyframe}
    connection.execute(sa.insert(SEGMENT), row)


def _seal(connection: sa.Connection, view: Recorded, sealed: Sealed) -> None:
    this = sa.and_(SEGMENT.c.view == view.id, SEGMENT.c.segment == sealed.segment)
    if connection.scalar(sa.select(SEGMENT.c.end).where(this)) is not None:
        return  # a commit of which we were not told
    of = {"view": view.id, "segment": sealed.segment}
    if sealed.chunks:
        connection.execute(sa.insert(CHUNK), [{**of, **chunk._asdict()} for chunk in sealed.chunks])
    add_hours(connection, view, sealed.hours)
    connection.execute(sa.update(SEGMENT).where(this).values(end=sealed.end))
    connection.execute(sa.delete(TAIL).where(TAIL.c.view == view.id))
    _open_segment(connection, view.id, sealed.segment + 1, sealed.end, sealed.keyframe)


def add_hours(connection: sa.Connection, view: Recorded, hours: dict[tuple[int, int], list[Piece]]) -> None:
    """Join pieces to what the hours have already: segments do not end with the hour."""
    of_hours = {hour for hour, _ in hours}
    there = sa.select(HOURS.c.hour, HOURS.c.series, HOURS.c.body)
    there = there.where(HOURS.c.view == view.id, HOURS.c.hour.in_(of_hours))
    rows = []
    for hour, series, body in connection.execute(there):
        if (fresh := hours.get((hour, series))) is not None:
            before = [column[0] for column in PiecesReader(body).columns()]
            joined = zip(before, fresh, view.measures, strict=True)
            hours[hour, series] = [join(*each, view.gaps) for each in joined]
    for (hour, series), pieces in sorted(hours.items()):
        body = pack_pieces([[piece] for piece in pieces])
        rows.append({"view": view.id, "hour": hour, "series": series, "body": body})
    if rows:
        connection.execute(_PUT_HOUR, rows)


_PUT_HOUR = sa.text(
    "INSERT INTO history_hours (view, hour, series, body) VALUES (:view, :hour, :series, :body)"
    " ON CONFLICT (view, hour, series) DO UPDATE SET body = excluded.body"
)


def _first_hour(connection: sa.Connection, view: int) -> int:
    oldest = sa.select(sa.func.min(SEGMENT.c.start)).where(SEGMENT.c.view == view)
    return int(connection.scalar(oldest) or 0) // HOUR
