"""Which rows of a group are best: by one column or several at once, ties kept.

best(g)  =  ∪ᵢ { t ∈ g : t[cᵢ] = bestᵢ(g) }        NULL is never best
"""

from collections.abc import Collection, Iterable
from typing import Any

from engine.model.values import Row
from engine.plan.logical import Best

CHOOSE = {"min": min, "max": max}


def best_of(best: Iterable[Best], rows: Collection[Row]) -> set[Row]:
    """Return the rows that are best in at least one of the named columns."""
    found: set[Row] = set()
    for each in best:
        place = each.position
        values: list[Any] = [row[place] for row in rows if row[place] is not None]
        if values:
            value = CHOOSE[each.function](values)
            found.update([row for row in rows if row[place] == value])
    return found
