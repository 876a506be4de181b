"""Where the parts of a row stand in pass-through linear recursion.

    edges   x z …        seeds   x ȳ …        put out   (x ȳ …) reordered

A part of one column is its bare value, any other a tuple; so the common case hashes no tuples.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from operator import itemgetter
from typing import Any

from engine.model.values import Row, Value

Part = Any


def part(start: int, count: int) -> Callable[[Row], Part]:
    """Return what takes ``count`` columns out of a row."""
    return itemgetter(start) if count == 1 else itemgetter(slice(start, start + count))


def columns(taken: Part, count: int) -> Row:
    """Return a part as the columns it came from."""
    return (taken,) if count == 1 else taken


def spread(parts: Sequence[Part], count: int) -> list[Sequence[Value]]:
    """Return many parts as columns."""
    return [parts] if count == 1 else list(zip(*parts, strict=True))


def has_null(taken: Part, count: int) -> bool:
    return taken is None if count == 1 else None in taken


class Layout:
    """The parts of edges, seeds and of rows put out."""

    def __init__(self, width: int, passing: int, order: tuple[int, ...]) -> None:
        self.width = width
        self.passing = passing
        self.order = order
        self.x = part(0, width)
        self.z = part(width, width)
        self.y = part(width, passing)
        self._back = tuple(order.index(i) for i in range(width + passing))
        self._is_pair = width == passing == 1 and len(order) == 2

    def rows(self, xs: Sequence[Part], ys: Sequence[Part]) -> Iterable[Row]:
        """Return the rows put out of every x with every ȳ."""
        if self._is_pair:
            return product(xs, ys) if self.order == (0, 1) else product(ys, xs)
        tails, order = [columns(y, self.passing) for y in ys], self.order
        wide = [head + tail for head in [columns(x, self.width) for x in xs] for tail in tails]
        if order == tuple(range(len(order))):
            return wide
        return [tuple([row[i] for i in order]) for row in wide]

    def table(self, xs: Sequence[Part], ys: Sequence[Part], *more: Sequence[Value]) -> Iterable[Row]:
        """Return the rows put out of as many x as ȳ and further columns."""
        if not xs:
            return ()
        beside = [*spread(xs, self.width), *spread(ys, self.passing), *more]
        return zip(*[beside[i] for i in self.order], strict=True)

    def edge(self, x: Part, z: Part) -> Row:
        return columns(x, self.width) + columns(z, self.width)

    def seed(self, x: Part, y: Part) -> Row:
        return columns(x, self.width) + columns(y, self.passing)

    def inputs_of(self, row: Row) -> Row:
        """Return x and ȳ of a row put out, as a row of seeds has them."""
        return tuple([row[i] for i in self._back])
