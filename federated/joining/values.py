"""How many values a column of an input has, guessed by what its relation and its window say.

    key (k₁ … kₙ) of a table, or what a window is partitioned by:      groups^(1/n) of each
    another window on the same column says that there are D values:    D · (1 − e^(−rows/D))
    nothing is known:                                                  √rows

So all columns of a key together have as many as there are rows, or groups of rows.

References:
    Cardenas. Analysis and Performance of Inverted Data Base Structures. CACM 1975 (values that a draw shows).
"""

from collections.abc import Iterable
from math import exp

from engine.plan.leaves import Leaf, Windowed
from engine.plan.physical import Filter, Physical
from engine.plan.windows import Rows


def distinct(plan: Physical, position: int, rows: float, inputs: Iterable[tuple[Physical, float]]) -> float:
    """Return the values that a column has in so many rows of an input; ``inputs`` are all, with theirs."""
    known = told(plan, position, rows)
    if known is not None:
        return known
    leaf = leaf_of(plan)
    same = [told(other, position, of) for other, of in inputs if leaf and is_alike(leaf, leaf_of(other))]
    most = max((each for each in same if each is not None), default=None)
    return max(rows, 1.0) ** 0.5 if most is None else max(most * (1 - exp(-rows / most)), 1.0)


def told(plan: Physical, position: int, rows: float) -> float | None:
    """Return what an input itself says of a column."""
    leaf = leaf_of(plan)
    key, groups = (leaf.relation.key_positions if leaf else ()), rows
    if isinstance(leaf, Windowed):
        key = leaf.window.partition if isinstance(leaf.window, Rows) else ()
        groups = rows / leaf.window.count if isinstance(leaf.window, Rows) else rows
    return float(max(groups, 1.0) ** (1 / len(key))) if position in key else None


def leaf_of(plan: Physical) -> Leaf | None:
    """Return the leaf of which an input selects rows."""
    while isinstance(plan, Filter):
        plan = plan.child
    return plan if isinstance(plan, Leaf) else None


def is_alike(leaf: Leaf, other: Leaf | None) -> bool:
    return other is not None and other.relation == leaf.relation
