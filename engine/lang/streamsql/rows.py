"""Rows as wholes: their columns as expressions, and when two rows are the same.

boxed(x) = boxed(y)    iff    x and y are equal, or both NULL
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal, move
from engine.plan.logical import Plan, Project, Top


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


def unordered(plan: Plan) -> Plan:
    """Return the plan without an order that only a reader would see."""
    match plan:
        case Top(child, _, None, 0):
            return child
        case Project(Top(child, _, None, 0), expressions, columns):
            return Project(child, expressions, columns)
    return plan


def renamed(plan: Plan, alias: exp.Expr | None) -> Plan:
    """Return the plan with its first columns under the names that stand after an alias."""
    names = [name.name.lower() for name in alias.args.get("columns") or ()] if alias else []
    if not names:
        return plan
    if len(names) > len(plan.columns):
        message = f"{len(names)} names for the {len(plan.columns)} columns of {alias.name if alias else ''}"
        raise QueryError(message, span_of(alias))
    names += [column.name for column in plan.columns[len(names) :]]
    columns = tuple(replace(column, name=name) for column, name in zip(plan.columns, names, strict=True))
    return Project(plan, fields_of(plan), columns)
