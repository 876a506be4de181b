"""From the rows that the linear operators read to ways: ``Closure`` and ``BestPaths``.

    edges   x z [w]         seeds   x ȳ [c]         each part so many columns wide

A z with a NULL in it meets nothing. For the provenance of a row of best cost only edges and seeds
count that a derivation of that cost may use; with fewer base rows nothing better can come up, so
the row stands as long as one of its ways does:

    min, +           w + H(z, ȳ) = H(x, ȳ), c = H(x, ȳ)     each step on the way is a best one
    min, greatest    w, c <= the row's cost                 none is worse than the whole
    max, least       w, c >= the row's cost

For greatest and least a way may go through rows that are not best themselves, so that present rows
would not tell; a weight that is NULL leaves these two as they are, and makes a sum nothing.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from engine.model.values import Row
from engine.plan.functions import FUNCTIONS
from engine.views.why.graph import Vertex
from engine.views.why.ways import Ways

T = TypeVar("T", bound=Hashable)
RowsOf = Callable[[int, Row], tuple[T, ...]]
Decides = Callable[[int, Row], bool]

EDGES, SEEDS = 0, 1


def itself(number: int, row: Row) -> tuple[tuple[int, Row], ...]:
    """Take rows of the inputs for base rows."""
    return ((number, row),)


def closure_ways(width: int, edges: Iterable[Row], seeds: Iterable[Row], rows_of: RowsOf[T]) -> Ways[T]:
    """Return the ways of ``Closure``; ``rows_of`` tells the base rows of which one makes an input's row."""
    return Ways(
        paired(EDGES, width, [row for row in edges if None not in row[width : 2 * width]], rows_of),
        paired(SEEDS, width, seeds, rows_of),
    )


def best_ways(
    width: int, edges: Iterable[Row], seeds: Iterable[Row], decides: Decides, rows_of: RowsOf[T]
) -> Ways[T]:
    """Return the ways of ``BestPaths`` that decide a row; the last column of an input's row is its cost."""
    used = [row for row in edges if None not in row[width : 2 * width] and decides(EDGES, row)]
    return Ways(
        paired(EDGES, width, used, rows_of, -1),
        paired(SEEDS, width, [row for row in seeds if decides(SEEDS, row)], rows_of, -1),
    )


def paired(
    number: int, width: int, rows: Iterable[Row], rows_of: RowsOf[T], end: int | None = None
) -> dict[tuple[Vertex, Hashable], tuple[T, ...]]:
    """Split rows into what they connect, with the base rows that make each connection."""
    found: dict[tuple[Vertex, Hashable], tuple[T, ...]] = {}
    for row in rows:
        ends = row[:width], row[width:end]
        found[ends] = found.get(ends, ()) + rows_of(number, row)
    return found


def decides_sum(width: int, y: Row, costs: Mapping[Row, Any]) -> Decides:
    """Tell what a least sum to ȳ is made of, by the least sums that are there from every x."""
    plus = FUNCTIONS["+"].meaning

    def decides(number: int, row: Row) -> bool:
        x, end, cost = row[:width], row[width:-1], row[-1]
        if x not in costs or (number == SEEDS and end != y):
            return False
        return bool((cost if number == SEEDS else plus(cost, costs.get(end))) == costs[x])

    return decides


def decides_bound(width: int, y: Row, best: str, bound: Any) -> Decides:
    """Tell what a least greatest, or greatest least, cost to ȳ allows."""

    def decides(number: int, row: Row) -> bool:
        if number == SEEDS and (row[-1] is None or row[width:-1] != y):
            return False
        return row[-1] is None or bool(row[-1] <= bound if best == "min" else row[-1] >= bound)

    return decides
