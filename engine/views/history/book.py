"""A view's rows by key, and the turns that a tick's changes make.

    Δ(view) at t   →   for every key that it touches:  (t, series, all rows of that key from then on)

What the rows are told apart by, the *key*, is a part of them: rows of one key are one series. A key that has
no row is a series whose newest turn has none.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.views.history.marks import Retention

Bag = tuple[Row, ...]
"""The rows of one key, each without it, as often as it is there."""

Changes = Iterable[tuple[Row, int]]


class Turn(NamedTuple):
    """From ``at`` on the series has these rows, and no other."""

    at: int
    series: int
    bag: Bag


class Shape(NamedTuple):
    """A view's columns, and which of them are its key."""

    columns: tuple[Column, ...]
    key: tuple[int, ...]

    @property
    def rest(self) -> tuple[int, ...]:
        """The positions of what changes, beside the key."""
        return tuple(i for i in range(len(self.columns)) if i not in self.key)

    def whole(self, key: Row, rest: Row) -> Row:
        """Return the row of a key."""
        row: list[Value] = [None] * len(self.columns)
        for position, value in zip((*self.key, *self.rest), (*key, *rest), strict=True):
            row[position] = value
        return tuple(row)


def shape_of(view: str, columns: Sequence[Column], retention: Retention) -> Shape:
    """Return by what the rows of a view are told apart: the key that is said, else the columns of text."""
    names = [column.name for column in columns]
    unknown = next((name for name in retention.key if name not in names), None)
    if unknown is not None:
        there = f"there are {', '.join(names)}{nearest(unknown, names)}"
        message = f"unknown column {unknown} in the key of the history of {view}; {there}"
        raise QueryError(message)
    said = [names.index(name) for name in dict.fromkeys(retention.key)]
    texts = [i for i, column in enumerate(columns) if column.type == Type.TEXT]
    return Shape(tuple(columns), tuple(said or texts or range(len(columns))))


def value_of(bag: Bag, at: int) -> Value:
    """Return a key's value of one column of the rest; where it has several rows, it has none."""
    if len(bag) != 1:
        return None
    value = bag[0][at]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Book:
    """The rows of a view by series; ``series`` numbers the keys, for good."""

    def __init__(self, shape: Shape, series: Mapping[Row, int], standing: Mapping[int, Bag]) -> None:
        self.shape = shape
        self.series = dict(series)
        self.standing = {number: bag for number, bag in standing.items() if bag}
        self.fresh: list[tuple[int, Row]] = []
        self._parted = _parting(shape)
        self._next = max(self.series.values(), default=0) + 1

    def take(self, at: int, changes: Changes) -> list[Turn]:
        """Return the turns of what one tick changed."""
        touched: dict[int, dict[Row, int]] = {}
        for row, count in changes:
            key, rest = self._parted(row)
            number = self.series.get(key) or self._number(key)
            rows = touched.get(number)
            if rows is None:
                rows = touched[number] = counted(self.standing.get(number, ()))
            rows[rest] = rows.get(rest, 0) + count
        return [turn for number, rows in touched.items() for turn in self._changed(at, number, rows)]

    def hold(self, at: int, rows: Changes) -> list[Turn]:
        """Return the turns after which the view has these rows, whatever it had."""
        wanted: dict[int, dict[Row, int]] = {number: {} for number in self.standing}
        for row, count in rows:
            key, rest = self._parted(row)
            held = wanted.setdefault(self.series.get(key) or self._number(key), {})
            held[rest] = held.get(rest, 0) + count
        return [turn for number, held in wanted.items() for turn in self._changed(at, number, held)]

    def _changed(self, at: int, number: int, rows: Mapping[Row, int]) -> Iterator[Turn]:
        bag = tuple(row for row, count in rows.items() for _ in range(count))
        held = self.standing.get(number, ())
        if bag == held or (len(bag) > 1 and counted(bag) == counted(held)):
            return
        if bag:
            self.standing[number] = bag
        else:
            del self.standing[number]
        yield Turn(at, number, bag)

    def _number(self, key: Row) -> int:
        self.series[key] = number = self._next
        self._next += 1
        self.fresh.append((number, key))
        return number


def counted(bag: Bag) -> dict[Row, int]:
    """Return how often each row is there."""
    if len(bag) == 1:
        return {bag[0]: 1}
    rows: dict[Row, int] = {}
    for row in bag:
        rows[row] = rows.get(row, 0) + 1
    return rows


def _parting(shape: Shape) -> Callable[[Row], tuple[Row, Row]]:
    """Return what takes a row apart; there is one NaN, so that a row that has one is found again."""
    key, rest = shape.key, shape.rest
    doubles = [i for i, column in enumerate(shape.columns) if column.type == Type.DOUBLE]

    def parted(row: Row) -> tuple[Row, Row]:
        for i in doubles:
            if row[i] != row[i]:
                row = (*row[:i], math.nan, *row[i + 1 :])
        return tuple([row[i] for i in key]), tuple([row[i] for i in rest])

    return parted
