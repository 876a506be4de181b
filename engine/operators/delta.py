"""A delta: rows with their annotations, none of them zero.

Δ  :  Row → A           what is merged into a relation is added to it
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from engine.model.values import Row
from engine.provenance.algebra import Algebra

A = TypeVar("A")
Delta = dict[Row, A]


def add(into: Delta[A], row: Row, annotation: A, algebra: Algebra[A]) -> None:
    """Add one annotated row."""
    held = into.get(row)
    total = annotation if held is None else algebra.plus(held, annotation)
    if algebra.is_zero(total):
        into.pop(row, None)
    else:
        into[row] = total


def merge(into: Delta[A], rows: Mapping[Row, A] | Iterable[tuple[Row, A]], algebra: Algebra[A]) -> None:
    """Add many annotated rows."""
    pairs = rows.items() if isinstance(rows, Mapping) else rows
    for row, annotation in pairs:
        add(into, row, annotation, algebra)


def tally(into: Delta[int], change: Mapping[Row, int]) -> None:
    """Merge counts: what ``merge`` does for them, for deltas of many rows; a row that goes is sought once."""
    held, taken = into.get, into.pop
    for row, count in change.items():
        total = (taken(row, 0) if count < 0 else held(row, 0)) + count
        if total:
            into[row] = total
        elif count > 0:
            del into[row]
