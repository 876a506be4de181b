"""What was said within a grid, read at its level.

    hours      one row an hour and series, however the segments lie
    minutes    of each chunk its minutes; where it has none its turns, which are as few
    turns      of each chunk all

and of the segment that is open the tail's turns, at every level.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from app.history.reading import Known, Segment, bags_at, segments_of, tails
from app.history.schema import CHUNK, HOURS
from app.history.store import parts_of
from engine.views.history import HOUR, MINUTE, Bag, Event, Grid, Piece
from engine.views.history.book import value_of
from engine.views.history.packing import PiecesReader, SeriesReader, read_tail

FEW = 200  # series that are looked for one by one; of more, all are read

Events = list[Event | Piece]


class EventReader:
    """Reads one stretch of the chosen series and columns; ``places`` are those of the columns in a bag."""

    def __init__(
        self, connection: sa.Connection, known: Known, series: Sequence[int], places: Sequence[int]
    ) -> None:
        self._connection, self._known = connection, known
        self._series, self._places = frozenset(series), tuple(places)
        self._is_few = len(series) <= FEW

    def held(self, before: int) -> dict[int, Bag]:
        """Return what the series had just before a moment."""
        found = segments_of(self._connection, self._known.id, before - 1, before - 1)
        return bags_at(self._connection, self._known.id, found[-1], before - 1) if found else {}

    def turns(self, segments: Sequence[Segment]) -> int:
        """Count the turns in sealed segments."""
        count = sa.func.coalesce(sa.func.sum(CHUNK.c.turns), 0)
        return sum(
            int(self._connection.scalar(sa.select(count).where(it)) or 0) for it in self._chunks(segments)
        )

    def events(self, grid: Grid, segments: Sequence[Segment]) -> dict[int, list[Events]]:
        """Return what was said within the grid: of each series, column by column."""
        found: dict[int, list[Events]] = defaultdict(lambda: [[] for _ in self._places])
        if grid.level == HOUR:
            self._add_hours(grid, found)
        else:
            self._add_chunks(grid, segments, found)
        if segments and segments[-1].end is None:
            self._add_tail(grid, found)
        return found

    def _add_hours(self, grid: Grid, found: dict[int, list[Events]]) -> None:
        first, last = grid.start // HOUR, -(-grid.end // HOUR) - 1
        within = sa.and_(HOURS.c.view == self._known.id, HOURS.c.hour.between(first, last), self._few(HOURS))
        query = sa.select(HOURS.c.series, HOURS.c.body).where(within).order_by(HOURS.c.hour)
        for series, body in self._connection.execute(query):
            if series in self._series:
                self._add(found[series], PiecesReader(body), grid)

    def _add_chunks(self, grid: Grid, segments: Sequence[Segment], found: dict[int, list[Events]]) -> None:
        minutes = CHUNK.c.minutes if grid.level == MINUTE else sa.null()
        body = sa.case((minutes.is_(None), CHUNK.c.body))
        for condition in self._chunks(segments):
            query = sa.select(CHUNK.c.series, minutes, body).where(condition).order_by(CHUNK.c.segment)
            for series, pieces, turns in self._connection.execute(query):
                if series in self._series:
                    reader = SeriesReader(turns) if pieces is None else PiecesReader(pieces)
                    self._add(found[series], reader, grid)

    def _add_tail(self, grid: Grid, found: dict[int, list[Events]]) -> None:
        for body in tails(self._connection, self._known.id):
            for at, series, bag in read_tail(body):
                if series in self._series and grid.start <= at < grid.end:
                    for place, events in zip(self._places, found[series], strict=True):
                        events.append(Event(at, value_of(bag, place)))

    def _add(self, events: list[Events], reader: SeriesReader | PiecesReader, grid: Grid) -> None:
        for place, of_column in zip(self._places, events, strict=True):
            of_column += (event for event in reader.events(place) if grid.start <= event.start < grid.end)

    def _chunks(self, segments: Sequence[Segment]) -> Iterator[sa.ColumnElement[bool]]:
        """Yield conditions on chunks, for a part of the segments each."""
        for part in parts_of([segment.number for segment in segments if segment.end is not None]):
            yield sa.and_(CHUNK.c.view == self._known.id, CHUNK.c.segment.in_(part), self._few(CHUNK))

    def _few(self, table: sa.Table) -> sa.ColumnElement[bool]:
        return table.c.series.in_(self._series) if self._is_few else sa.true()
