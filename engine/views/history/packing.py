"""Turns, pieces and keyframes as bytes: JSON by columns, compressed.

    turns of a series     [at₀, at₁ − at₀, …], how many rows each has (1 where all have one), the columns
    pieces of a series    [starts], [ends], for every column its ten figures, each as a column
    tail                  [at, series, rows], as they came
    keyframe              [series, rows]

Columns of like values compress best. JSON can be read by anything, names nothing and runs nothing; NaN and
the infinities are written as Python reads them.
"""

import json
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.views.history.book import Bag, Shape, Turn
from engine.views.history.pieces import Event, Piece, Stat

LEVEL = 4


def packed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), LEVEL)


def unpacked(body: bytes) -> Any:
    return json.loads(zlib.decompress(body), parse_constant=CONSTANTS.__getitem__)


CONSTANTS = {
    "NaN": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
}  # one NaN, equal to itself in a row


def to_row(cells: Sequence[Any]) -> Row:
    """Return a row as it was: a list in it was a tuple."""
    return tuple([to_value(cell) if type(cell) is list else cell for cell in cells])


def to_value(cell: Any) -> Value:
    return tuple(map(to_value, cell)) if isinstance(cell, list) else cell


def key_text(key: Row) -> str:
    return json.dumps(key, separators=(",", ":"))


def read_key(text: str) -> Row:
    return to_row(json.loads(text, parse_constant=CONSTANTS.__getitem__))


def pack_series(turns: Sequence[tuple[int, Bag]]) -> bytes:
    """Pack the turns of one series."""
    times = [at for at, _ in turns]
    steps = [times[0], *(after - before for before, after in pairwise(times))]
    sizes = [len(bag) for _, bag in turns]
    rows = [row for _, bag in turns for row in bag]
    return packed(
        [steps, 1 if set(sizes) == {1} else sizes, [list(column) for column in zip(*rows, strict=True)]]
    )


class SeriesReader:
    """The turns of one series, read back as far as they are asked for."""

    def __init__(self, body: bytes) -> None:
        steps, sizes, self._columns = unpacked(body)
        self.times: list[int] = list(accumulate(steps))
        self._ends = list(accumulate([1] * len(steps) if sizes == 1 else sizes, initial=0))
        self._is_single = sizes == 1

    def bag(self, nth: int) -> Bag:
        rows = range(self._ends[nth], self._ends[nth + 1])
        return tuple(to_row([column[i] for column in self._columns]) for i in rows)

    def events(self, position: int) -> list[Event]:
        """Return the values of one column, None where a key had no row or several."""
        values = self._columns[position] if self._columns else []
        if not self._is_single:
            values = [values[a] if b - a == 1 else None for a, b in pairwise(self._ends)]
        return list(map(Event, self.times, map(_finite, values)))


def _finite(cell: Any) -> Value:
    if type(cell) is float:
        return cell if math.isfinite(cell) else None
    return to_value(cell)


def pack_pieces(columns: Sequence[Sequence[Piece]]) -> bytes:
    """Pack the pieces of a series' columns, which begin and end alike."""
    starts, ends = [piece.start for piece in columns[0]], [piece.end for piece in columns[0]]
    figures = [list(zip(*(piece.stat for piece in column), strict=True)) for column in columns]
    return packed([starts, ends, figures])


class PiecesReader:
    """The pieces of a series, read back column by column."""

    def __init__(self, body: bytes) -> None:
        self._starts, self._ends, self._columns = unpacked(body)

    def events(self, position: int) -> list[Piece]:
        stats = (Stat._make(map(to_value, figures)) for figures in zip(*self._columns[position], strict=True))
        return [Piece(*each) for each in zip(self._starts, self._ends, stats, strict=True)]

    def columns(self) -> list[list[Piece]]:
        return [self.events(position) for position in range(len(self._columns))]


def pack_tail(turns: Iterable[Turn]) -> bytes:
    return packed(list(turns))


def read_tail(body: bytes) -> Iterator[Turn]:
    for at, series, bag in unpacked(body):
        yield Turn(at, series, tuple(map(to_row, bag)))


def pack_keyframe(standing: Mapping[int, Bag]) -> bytes:
    return packed(list(standing.items()))


def read_keyframe(body: bytes) -> dict[int, Bag]:
    return {series: tuple(map(to_row, bag)) for series, bag in unpacked(body)}


def shape_text(shape: Shape) -> tuple[str, str]:
    """Return the columns of a view and the positions of its key, as texts."""
    columns = [[column.name, str(column.type)] for column in shape.columns]
    return json.dumps(columns), json.dumps(shape.key)


def read_shape(columns: str, key: str) -> Shape:
    return Shape(
        tuple(Column(name, Type(kind)) for name, kind in json.loads(columns)), tuple(json.loads(key))
    )
