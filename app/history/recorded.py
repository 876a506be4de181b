"""One view while it is recorded: its rows, what is still to be written, and the segment that is open.

    turns → pending ─flush→ tail ─seal→ chunks of their series, minutes, hours; the next keyframe

What a seal packs is a function of the turns since the keyframe, whenever they were flushed.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from typing import NamedTuple

from app.history.breath import breathless
from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.views.history import HOUR, MINUTE, Bag, Book, Event, Gap, Piece, Retention, Shape, Turn, rolled
from engine.views.history.book import value_of
from engine.views.history.packing import pack_keyframe, pack_pieces, pack_series
from engine.views.history.pieces import FOREVER

FEWER = 2  # turns a minute, on average, from which on minutes are kept beside them


class Mark(NamedTuple):
    """What of a view is to be recorded."""

    name: str
    shape: Shape
    retention: Retention


class Held(NamedTuple):
    """What the tables have of a view: its series, and the segment that is open."""

    id: int
    series: dict[Row, int]
    segment: int
    start: int
    keyframe: dict[int, Bag]
    tail: list[Turn]
    flushes: int
    gaps: list[Gap]


class Chunk(NamedTuple):
    """The turns of one series in a segment, packed; ``minutes`` where they are worth keeping."""

    series: int
    turns: int
    minutes: bytes | None
    body: bytes


class Sealed(NamedTuple):
    """A segment that is over: ``hours`` are pieces by hour and series, one for each column."""

    segment: int
    end: int
    chunks: list[Chunk]
    hours: dict[tuple[int, int], list[Piece]]
    keyframe: bytes


def measures(columns: Sequence[Column]) -> list[bool]:
    """Tell of each column whether its values have a sum and a mean over time."""
    return [column.type.is_numeric or column.type == Type.BOOLEAN for column in columns]


class Recorded:
    """The recording of one view; whatever is written stays here until it is."""

    def __init__(self, mark: Mark, held: Held) -> None:
        self.mark, self.id = mark, held.id
        self.segment, self.start, self.flushes = held.segment, held.start, held.flushes
        self._keyframe, self.tail, self.gaps = held.keyframe, held.tail, held.gaps
        self.pending: list[Turn] = []
        self.told: list[Gap] = []
        self.book = Book(mark.shape, held.series, after(held.keyframe, held.tail))

    @property
    def measures(self) -> list[bool]:
        columns, rest = self.mark.shape.columns, self.mark.shape.rest
        return measures([columns[i] for i in rest])

    def take(self, at: int, changes: Iterable[tuple[Row, int]]) -> None:
        """Take what a tick changed."""
        self.pending += self.book.take(at, changes)

    def hold(self, at: int, rows: Iterable[tuple[Row, int]]) -> None:
        """Take what the view has, whatever was recorded of it; a gap is over."""
        if self.is_lost:
            self.tell(Gap(self.gaps.pop().start, at))
        self.pending += self.book.hold(at, rows)

    def tell(self, gap: Gap) -> None:
        """Say when nothing was recorded; an open one ends once the view is held again."""
        if self.is_lost:
            return
        self.gaps.append(gap)
        self.told.append(gap)

    @property
    def is_lost(self) -> bool:
        """Tell whether the view goes on without being recorded."""
        return bool(self.gaps) and self.gaps[-1].end == FOREVER

    @property
    def fresh(self) -> Sequence[tuple[int, Row]]:
        return self.book.fresh

    @property
    def has_many_keys(self) -> bool:
        """Tell whether most keys that are numbered have no rows."""
        return len(self.book.series) > 1_000 + 2 * len(self.book.standing)

    @property
    def is_dirty(self) -> bool:
        return bool(self.pending or self.told)

    def flushed(self) -> None:
        """Go on after what was pending is written."""
        self.tail += self.pending
        self.flushes += bool(self.pending)
        self.pending, self.told, self.book.fresh = [], [], []

    def spent(self, told: Set[int]) -> list[tuple[Row, int]]:
        """Return the keys that are neither among those told of, nor held, nor on their way."""
        lately = {turn.series for turn in (*self.tail, *self.pending)}
        needed = lately | told | self.book.standing.keys() | self._keyframe.keys()
        return [(key, number) for key, number in self.book.series.items() if number not in needed]

    def seal(self, end: int, breathe: Callable[[], None] = breathless) -> Sealed:
        """Pack the open segment as of ``end``; everything must be flushed."""
        by_series: dict[int, list[tuple[int, Bag]]] = {}
        for at, series, bag in self.tail:
            by_series.setdefault(series, []).append((at, bag))
        hours: dict[tuple[int, int], list[Piece]] = {}
        chunks = []
        for series, turns in sorted(by_series.items()):
            chunks.append(self._chunk(series, turns, end, hours))
            breathe()
        return Sealed(self.segment, end, chunks, hours, pack_keyframe(self.book.standing))

    def sealed(self, end: int) -> None:
        """Go on with the next segment."""
        self.segment, self.start, self.flushes = self.segment + 1, end, 0
        self._keyframe, self.tail = dict(self.book.standing), []

    def _chunk(
        self,
        series: int,
        turns: list[tuple[int, Bag]],
        end: int,
        hours: dict[tuple[int, int], list[Piece]],
    ) -> Chunk:
        minutes = len({at // MINUTE for at, _ in turns})
        is_dense = len(turns) >= FEWER * minutes
        columns = [self._pieces(series, i, turns, end, is_dense) for i in range(len(self.measures))]
        for column in columns:
            for piece in column.hours:
                hours.setdefault((piece.start // HOUR, series), []).append(piece)
        packed = pack_pieces([column.minutes for column in columns]) if is_dense and columns else None
        return Chunk(series, len(turns), packed, pack_series(turns))

    def _pieces(
        self, series: int, column: int, turns: list[tuple[int, Bag]], end: int, is_dense: bool
    ) -> "_Rolled":
        held = value_of(self._keyframe.get(series, ()), column)
        within, is_measure = (self.start, end), self.measures[column]
        events: Iterable[Event | Piece] = events_of(turns, column)
        minutes = list(rolled(events, held, within, MINUTE, is_measure, self.gaps)) if is_dense else []
        hours = rolled(minutes if is_dense else events, held, within, HOUR, is_measure, self.gaps)
        return _Rolled(minutes, list(hours))


class _Rolled(NamedTuple):
    minutes: list[Piece]
    hours: list[Piece]


def events_of(turns: Iterable[tuple[int, Bag]], column: int) -> list[Event]:
    return [Event(at, value_of(bag, column)) for at, bag in turns]


def after(standing: dict[int, Bag], turns: Iterable[Turn]) -> dict[int, Bag]:
    """Return the rows by series after some turns; a series without rows is left out."""
    found = {**standing, **{turn.series: turn.bag for turn in turns}}
    return {series: bag for series, bag in found.items() if bag}
