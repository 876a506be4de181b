"""The hours of a view's past, held by day: a day that is over is read once, for good.

    day → key → an array of 24 hours × columns × (area, span, peak, changes)

``area`` is ∫ value dt and ``span`` the time in which there was a value, both in hours; ``peak`` is the
greatest value that was there, also one that was only held. Days that follow each other are put together.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa

from app.history.ranges import Asked, Stretch, stretch
from app.history.reading import known_at, reading
from app.space.shelf import Figures, HeldDay, OfDay, Place, Shelf
from engine.model.clock import SECOND
from engine.model.durations import UNITS
from engine.model.values import Row
from engine.views.history import HOUR, Piece

AREA, SPAN, PEAK, CHANGES = range(4)
DAY = UNITS["DAY"]
HOURS_A_DAY = DAY // HOUR
MOST_HELD = 2_000  # days of views
FRESH = 60 * SECOND


class Hours(NamedTuple):
    """Whole hours from ``start``; nothing is known after ``until``; of each key hours × columns × figures."""

    start: int
    until: int
    columns: tuple[str, ...]
    of: Mapping[Row, Figures]

    def column(self, key: Row, name: str) -> Figures:
        """Return the figures of one column, hour by hour."""
        found: Figures = self.of[key][:, self.columns.index(name)]
        return found


class HeldHours:
    """Reads hours of any view, for the threads of requests; a day that goes on is read anew each minute."""

    def __init__(self, database: sa.Engine, shelf: Shelf) -> None:
        self._database, self._shelf = database, shelf
        self._lock = Lock()
        self._held: OrderedDict[Place, HeldDay] = OrderedDict()

    def of(self, view: str, columns: Sequence[str], start: int, end: int) -> Hours:
        """Return the hours that lie in ``[start, end)``, in part or whole."""
        names = tuple(columns)
        with reading(self._database) as connection:
            known = known_at(connection, view)
        since = max(start, min(known.hours_since, end - HOUR))
        first, last = since // HOUR, -(-end // HOUR)
        days = [
            self._day(Place(known.id, view, names, day), min(end, known.until))
            for day in range(since // DAY, -(-end // DAY))
        ]
        cut = slice(first - since // DAY * HOURS_A_DAY, last - since // DAY * HOURS_A_DAY)
        until = min(max(day.until for day in days), end)
        return Hours(first * HOUR, until, names, _together([day.of for day in days], cut, len(names)))

    def _day(self, place: Place, known_until: int) -> HeldDay:
        end = (place.day + 1) * DAY
        held = self._get(place) or self._shelf.read(place)
        if held is None or (held.until < end and known_until - held.until > FRESH):
            found = self._read(place)
            held = HeldDay(found.until, _figures(found, place.day))
            if held.until >= end:
                self._shelf.write(place, held.of)
        self._put(place, held)
        return held

    def _read(self, place: Place) -> Stretch:
        """Read a day and the hour before it, which says what was held when the day began."""
        start, end = place.day * DAY, (place.day + 1) * DAY
        return stretch(self._database, Asked(place.view, start - HOUR, end, HOURS_A_DAY + 2, place.columns))

    def _get(self, place: Place) -> HeldDay | None:
        with self._lock:
            if place in self._held:
                self._held.move_to_end(place)
            return self._held.get(place)

    def _put(self, place: Place, day: HeldDay) -> None:
        with self._lock:
            self._held[place] = day
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)


def _figures(found: Stretch, day: int) -> OfDay:
    return {line.key: _of_line(line.columns, day) for line in found.lines}


def _of_line(columns: Sequence[Sequence[Piece]], day: int) -> Figures:
    figures = np.zeros((HOURS_A_DAY, len(columns), 4))
    for nth, pieces in enumerate(columns):
        held = None
        for piece in pieces:
            hour = (piece.start - day * DAY) // HOUR
            if 0 <= hour < HOURS_A_DAY:
                figures[hour, nth] = _of_piece(piece, held)
            held = piece.stat.held
    return figures


def _of_piece(piece: Piece, held: object) -> tuple[float, float, float, float]:
    stat = piece.stat
    there = [float(each) for each in (held, stat.greatest) if isinstance(each, bool | int | float)]
    return stat.area / HOUR, stat.span / HOUR, max(there, default=0.0), float(stat.changes)


def _together(days: Sequence[OfDay], cut: slice, columns: int) -> Mapping[Row, Figures]:
    """Put the days of each key beside each other; one that has none on a day had no value."""
    nothing = np.zeros((HOURS_A_DAY, columns, 4))
    keys = dict.fromkeys(key for day in days for key in day)
    return {key: np.concatenate([day.get(key, nothing) for day in days])[cut] for key in keys}
