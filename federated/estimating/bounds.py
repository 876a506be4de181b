"""Between what the rows of a node lie, whatever is guessed of them, and how good the guess is.

    σ(R)      none … R               γ g (R)    one where R has any … R         γ (R)    one, exactly
    A ⋈ B     none … A · B           to B's key: none … A                       A + B    the sums

What only passes rows on is known as well as they are; a guess of how many pass is a guess.
"""

from math import inf
from typing import NamedTuple, Protocol

from engine.plan.constant import Constant
from engine.plan.explaining import Estimate, Source
from engine.plan.expressions import Expr
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    Filter,
    FirstRows,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Merge,
    Physical,
    Unique,
)


class Bounds(NamedTuple):
    """Of the rows of a node."""

    least: float = 0.0
    most: float = inf
    source: Source = Source.DEFAULT


class IsKey(Protocol):
    """Tells whether expressions are a key of a plan."""

    def __call__(self, keys: tuple[Expr, ...], plan: Physical) -> bool: ...


def bounds(plan: Physical, below: list[Estimate], is_key: IsKey) -> Bounds:
    """Return the bounds of a node over the bounds of its inputs."""
    match plan:
        case Constant(rows):
            return Bounds(len(rows), len(rows), Source.EXACT)
        case Map():
            return Bounds(below[0].least, below[0].most, below[0].source)
        case Merge():
            source = max((each.source for each in below), key=list(Source).index)
            return Bounds(sum(each.least for each in below), sum(each.most for each in below), source)
        case GroupBy(groups=()):
            return Bounds(1.0, 1.0, Source.EXACT)
        case GroupBy() | Unique():
            return Bounds(min(1.0, below[0].least), below[0].most)
        case Filter() | HashAntiJoin():
            return Bounds(0.0, below[0].most)
        case FirstRows(count=count) if count is not None:
            return Bounds(0.0, min(float(count), below[0].most))
        case HashJoin(left, right, left_keys, right_keys):
            pairs = (below[0].most * below[1].most) if below[0].most and below[1].most else 0.0
            to_right = below[0].most if left_keys and is_key(right_keys, right) else inf
            to_left = below[1].most if left_keys and is_key(left_keys, left) else inf
            return Bounds(0.0, min(pairs, to_right, to_left))
        case HashOuterJoin():
            return Bounds(below[0].least)
    return Bounds()
