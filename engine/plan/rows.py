"""Rows as wholes: their columns as expressions, and when two rows are the same.

boxed(x) = boxed(y)    iff    x and y are equal, or both NULL
"""

from collections.abc import Iterable, Sequence

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal, move
from engine.plan.logical import Plan, Project


def fields_of(plan: Plan, start: int = 0) -> tuple[Field, ...]:
    """Return a plan's columns as they lie in a row in which they begin at a place."""
    return tuple(Field(start + i, column.type, column.name) for i, column in enumerate(plan.columns))


def boxed(expressions: Iterable[Expr]) -> tuple[Expr, ...]:
    """Return expressions that are never NULL and equal where these are the same."""
    return tuple(Call("boxed", (expression,), expression.type.listed) for expression in expressions)


def pairs_of(left: Sequence[Expr], right: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the equalities of expressions, one by one."""
    return tuple(Call("=", pair, Type.BOOLEAN) for pair in zip(left, right, strict=True))


def shifted(expression: Expr, by: int) -> Expr:
    """Return an expression over rows in which what it reads lies further to the right."""
    return move(expression, lambda position: position + by)


def nulls_of(plan: Plan) -> tuple[Expr, ...]:
    """Return what stands in a plan's columns where it has no row."""
    return tuple(Literal(None, column.type) for column in plan.columns)


def rotated(plan: Plan, width: int) -> Plan:
    """Return the plan with its first columns behind the others."""
    fields, columns = fields_of(plan), plan.columns
    return Project(plan, fields[width:] + fields[:width], columns[width:] + columns[:width])
