"""The outer join, as a query means it and as it runs: pairs, and what meets nothing padded with NULLs.

    L ⟕ R  =  (L ⋈ R) ∪ (L ▷ R) × {NULLs}              L ⟗ R  =  (L ⟕ R) ∪ {NULLs} × (R ▷ L)

One node, so that L stands in the plan once. A right join is the left join of the sides changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from engine.model.relation import Column
from engine.plan.expressions import Call, Expr, move, positions
from engine.plan.sharing import node

if TYPE_CHECKING:
    from engine.plan.logical import Plan
    from engine.plan.physical import Physical


@node
@dataclass(frozen=True)
class OuterJoin:
    """All pairs that satisfy every predicate, and the rows that are in none; with ``keeps_right`` its too."""

    left: "Plan"
    right: "Plan"
    predicates: tuple[Expr, ...]
    keeps_right: bool = False

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return columns_of(self.left.columns, self.right.columns, self.keeps_right)


@node
@dataclass(frozen=True)
class HashOuterJoin:
    """The same by keys, each over its own side; ``condition`` is asked of what has equal keys."""

    left: "Physical"
    right: "Physical"
    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]
    condition: Expr | None
    keeps_right: bool

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return columns_of(self.left.columns, self.right.columns, self.keeps_right)


def columns_of(left: Iterable[Column], right: Iterable[Column], keeps_right: bool) -> tuple[Column, ...]:
    """Return the columns of both; those of a side that may be missing may be NULL."""
    mine = (replace(column, nullable=column.nullable or keeps_right) for column in left)
    return (*mine, *(replace(column, nullable=True) for column in right))


def sides_of(predicate: Expr, width: int) -> tuple[Expr, Expr] | None:
    """Return the sides of an equality of something on the left and something on the right."""
    if isinstance(predicate, Call) and predicate.function == "=":
        for mine, its in (predicate.args, predicate.args[::-1]):
            here, there = positions(mine), positions(its)
            if here and there and max(here) < width <= min(there):
                return mine, move(its, lambda position: position - width)
    return None


def parted(
    predicates: Iterable[Expr], width: int
) -> tuple[tuple[Expr, ...], tuple[Expr, ...], tuple[Expr, ...]]:
    """Return the keys of both sides, each over its own, and what else is asked."""
    pairs, rest = [], []
    for predicate in predicates:
        sides = sides_of(predicate, width)
        if sides is None:
            rest.append(predicate)
        else:
            pairs.append(sides)
    return tuple(mine for mine, _ in pairs), tuple(its for _, its in pairs), tuple(rest)
