"""The nearest of many targets from everywhere, and where to go next, as a query means it and as it runs.

    far(p, min e)      :-  target(p, _, e).
    far(p, min w + d)  :-  way(p, q, w), far(q, d).
    here(p, min t)     :-  target(p, t, e), far(p, e).
    next(p, min q)     :-  way(p, q, w), far(q, d), far(p, w + d), not here(p, _).
    leads(p, t)        :-  here(p, t).
    leads(p, t)        :-  next(p, q), leads(q, t).

One node, so that a target that is taken costs the work of the points whose way changes, and no joins around
the recursion. A way is longer than nothing; a row that has a NULL, or a way of another length, is none.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from engine.model.relation import Column
from engine.plan.sharing import node

if TYPE_CHECKING:
    from engine.plan.logical import Plan
    from engine.plan.physical import Physical


@node
@dataclass(frozen=True)
class Nearest:
    """(point, next, target, length) over ways (a, b, length) and targets (point, target, length)."""

    ways: "Plan"
    targets: "Plan"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return columns_of(self.targets.columns)


@node
@dataclass(frozen=True)
class NearestPaths:
    """The same over inputs that have each row once."""

    ways: "Physical"
    targets: "Physical"
    width: ClassVar[int] = 1
    order: ClassVar[tuple[int, ...]] = (0, 1, 2, 3)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return columns_of(self.targets.columns)


def columns_of(targets: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns of the answer; where a way leads on, ``next`` is a point."""
    point, target, length = targets
    named = ((point, "point"), (point, "next"), (target, "target"), (length, "length"))
    return tuple(replace(column, name=name, nullable=False) for column, name in named)
