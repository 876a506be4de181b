"""A stretch of one column of a series, and what can be said of the values in it.

    piece ⊕ piece  =  piece           associative; between them the value that was held goes on
    minute = ⊕ turns   hour = ⊕ minutes   a chart's point = ⊕ of whatever lies in it

Two means are kept, since two are asked for: of what was said (``total / samples``), and over time
(``area / span``, ∫ value dt by the time in which there was one), which of true and false is a share.
A key without a row has no value; a *gap*, in which nobody recorded, counts as no time at all.

Reference: monoid homomorphisms for aggregation over panes, as in Li, Maier, Tufte, Papadimos, Tucker.
No Pane, No Gain. SIGMOD Record 34(1), 2005.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, cast

FOREVER = 1 << 62


class Gap(NamedTuple):
    """When nothing was recorded: from, and up to but without."""

    start: int
    end: int


class Stat(NamedTuple):
    """What is said of a stretch; ``held`` is the value at its end, where there is one.

    Of a column without a measure ``total``, ``area`` are 0 and there is no least or greatest.
    """

    samples: int = 0
    changes: int = 0
    total: float = 0.0
    least: Any = None
    greatest: Any = None
    first: Any = None
    last: Any = None
    held: Any = None
    area: float = 0.0
    span: int = 0


class Piece(NamedTuple):
    """A stretch, from ``start`` up to ``end``."""

    start: int
    end: int
    stat: Stat


class Event(NamedTuple):
    """A value that was said at a moment."""

    start: int
    value: Any


@dataclass(slots=True)
class Fold:
    """A stretch while it grows: time passes, values are said, pieces follow."""

    cursor: int
    held: Any
    is_measure: bool
    gaps: Sequence[Gap]
    samples: int = 0
    changes: int = 0
    total: float = 0.0
    least: Any = None
    greatest: Any = None
    first: Any = None
    last: Any = None
    area: float = 0.0
    span: int = 0

    def wait(self, until: int) -> None:
        """Let time pass."""
        if self.held is not None and until > self.cursor:
            passed = until - self.cursor
            if self.gaps:
                passed -= missed(self.cursor, until, self.gaps)
            self.span += passed
            if self.is_measure:
                self.area += self.held * passed
        self.cursor = until

    def say(self, events: Iterable[tuple[int, Any]]) -> None:
        """Have values said, each at its moment; in one loop, since a segment has tens of thousands."""
        is_measure, gaps, held, cursor = self.is_measure, self.gaps, self.held, self.cursor
        samples, total, least, greatest = self.samples, self.total, self.least, self.greatest
        for at, value in events:
            if held is not None and at > cursor:
                passed = at - cursor - (missed(cursor, at, gaps) if gaps else 0)
                self.span += passed
                if is_measure:
                    self.area += held * passed
            cursor = at
            if value != held:
                self.changes += 1
                held = value
            if value is None:
                continue
            if not samples:
                self.first = value
            samples += 1
            self.last = value
            if is_measure:
                total += value
                if least is None or value < least:
                    least = value
                if greatest is None or value > greatest:
                    greatest = value
        self.held, self.cursor = held, cursor
        self.samples, self.total, self.least, self.greatest = samples, total, least, greatest

    def follow(self, piece: Piece) -> None:
        """Take a piece in whole."""
        self.wait(piece.start)
        stat = piece.stat
        if stat.samples:
            if not self.samples:
                self.first = stat.first
            self.last = stat.last
            if self.is_measure:
                self.total += stat.total
                self.least = stat.least if self.least is None else min(self.least, stat.least)
                self.greatest = stat.greatest if self.greatest is None else max(self.greatest, stat.greatest)
        self.samples += stat.samples
        self.changes += stat.changes
        self.area += stat.area
        self.span += stat.span
        self.held, self.cursor = stat.held, piece.end

    def until(self, end: int) -> Stat:
        """Return what is to be said up to ``end``."""
        self.wait(end)
        return Stat(self.samples, self.changes, self.total, self.least, self.greatest, self.first, self.last,
                    self.held, self.area, self.span)  # fmt: skip


def missed(start: int, end: int, gaps: Sequence[Gap]) -> int:
    """Return how much of a stretch lies in gaps, which do not overlap."""
    return sum(max(0, min(end, gap.end) - max(start, gap.start)) for gap in gaps)


def rolled(
    events: Iterable[Event | Piece],
    held: Any,
    within: tuple[int, int],
    width: int,
    is_measure: bool,
    gaps: Sequence[Gap] = (),
) -> Iterator[Piece]:
    """Yield a piece for every multiple of ``width`` in which something was said.

    ``held`` is the value at the start of ``within``; a piece that is given lies in one multiple.
    """
    start, end = within
    for bucket, group in groupby(events, key=lambda event: event.start // width):
        begins, ends = max(bucket * width, start), min((bucket + 1) * width, end)
        fold = Fold(begins, held, is_measure, gaps)
        for kind, alike in groupby(group, key=type):
            if kind is Event:
                fold.say(cast("Iterable[Event]", alike))
            else:
                for piece in cast("Iterable[Piece]", alike):
                    fold.follow(piece)
        yield Piece(begins, ends, fold.until(ends))
        held = fold.held


def at_all_times(
    pieces: Iterable[Piece],
    held: Any,
    within: tuple[int, int],
    width: int,
    is_measure: bool,
    gaps: Sequence[Gap] = (),
) -> Iterator[Piece]:
    """Put a piece between those of ``rolled`` for every multiple in which nothing was said."""
    start, end = within

    def silent(until: int) -> Iterator[Piece]:
        nonlocal start
        while start < until:
            ends = min((start // width + 1) * width, until)
            yield Piece(start, ends, Fold(start, held, is_measure, gaps).until(ends))
            start = ends

    for piece in pieces:
        yield from silent(piece.start)
        yield piece
        start, held = piece.end, piece.stat.held
    yield from silent(end)


def join(before: Piece, after: Piece, is_measure: bool, gaps: Sequence[Gap] = ()) -> Piece:
    """Return both as one, with the time between them."""
    fold = Fold(before.start, None, is_measure, gaps)
    fold.follow(before)
    fold.follow(after)
    return Piece(before.start, after.end, fold.until(after.end))
