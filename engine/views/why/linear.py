"""From the rows that the linear operators read to ways: ``Closure`` and ``BestPaths``.

    edges   x z [w]         seeds   x ȳ [c]         each part so many columns wide

A z with a NULL in it meets nothing. For the provenance of a bottleneck only edges and seeds count that
a derivation of its cost may use; with fewer base rows nothing better can come up, so the row stands
as long as one of its ways does:

    min, greatest    w, c <= the row's cost                 none is worse than the whole
    max, least       w, c >= the row's cost

Such a way may go through rows that are not best themselves, so that present rows would not tell; a
weight that is NULL leaves the cost as it is. A least sum's ways are best at each step, and are found
in the present rows (``goal``).
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from engine.model.values import Row
from engine.views.why.graph import Vertex
from engine.views.why.ways import Ways

T = TypeVar("T", bound=Hashable)
RowsOf = Callable[[int, Row], tuple[T, ...]]
Decides = Callable[[int, Row], bool]

EDGES, SEEDS = 0, 1


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


def decides_bound(width: int, y: Row, best: str, bound: Any) -> Decides:
    """Tell what a least greatest, or greatest least, cost to ȳ allows."""

    def decides(number: int, row: Row) -> bool:
        if number == SEEDS and (row[-1] is None or row[width:-1] != y):
            return False
        return row[-1] is None or bool(row[-1] <= bound if best == "min" else row[-1] >= bound)

    return decides
