"""A left join in which a row that meets nothing has values of its own.

a ⟕ b, and of b:  value  →  CASE WHEN nothing was met THEN default ELSE value
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.lang.streamsql.scalars.logic import TRUE, condition
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import Plan, Project
from engine.plan.outer_join import OuterJoin
from engine.plan.rows import fields_of, pairs_of, shifted


class Met(NamedTuple):
    """A left join, and what stands in it for some columns of its right."""

    plan: OuterJoin
    values: tuple[Expr, ...]


def or_else(
    left: Plan, right: Plan, keys: tuple[Sequence[Expr], Sequence[Expr]], defaults: Sequence[Expr]
) -> Met:
    """Join by keys, each over its own side; the defaults are of the last columns of the right."""
    width, there = len(left.columns), len(right.columns)
    values = fields_of(right, width)[there - len(defaults) :]
    is_marked = any(default != Literal(None, default.type) for default in defaults)
    if is_marked:
        mark = Column("is_met", Type.BOOLEAN, nullable=False)
        right = Project(right, (*fields_of(right), TRUE), (*right.columns, mark))
    mine, its = keys
    joined = OuterJoin(left, right, pairs_of(mine, [shifted(key, width) for key in its]))
    if not is_marked:
        return Met(joined, values)
    is_unmet = condition("is_null", Field(width + there, Type.BOOLEAN, "is_met"))
    pairs = zip(defaults, values, strict=True)
    return Met(joined, tuple(Call("case", (is_unmet, d, v), v.type) for d, v in pairs))
