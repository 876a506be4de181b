"""Conditions that the binder writes itself."""

from sqlglot import exp

from engine.lang.streamsql.scalars.scalar import ScalarBinder
from engine.lang.streamsql.spans import shown, span_of, where
from engine.model.errors import QueryError
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Literal, compiled

TRUE, FALSE, UNKNOWN = (Literal(value, Type.BOOLEAN) for value in (True, False, None))
NONE = Literal(0, Type.BIGINT)


def condition(function: str, *args: Expr) -> Expr:
    return Call(function, args, Type.BOOLEAN)


def truth_of_in(hit: Expr, is_empty: Expr, has_null: Expr, needle: Expr) -> Expr:
    """Return whether a value is in a set by SQL's three values.

    TRUE where it was found; FALSE in no rows; else unknown where the value is NULL, or one in the set.
    """
    unknown = condition("or", condition("is_null", needle), has_null)
    arguments = (hit, TRUE, is_empty, FALSE, unknown, UNKNOWN, FALSE)
    return Call("case", arguments, Type.BOOLEAN)


def constant_of(node: exp.Expr, clause: str) -> int:
    """Return the whole number that a text says, which no row can change."""
    value = None if node.find(exp.Column) else ScalarBinder(lambda _: None, clause).bind(node)
    number = compiled(value)(()) if value is not None and value.type is Type.BIGINT else None
    if not isinstance(number, int) or number < 0:
        message = f"{clause.upper()} takes a whole number from 0{where(node, clause)}, found {shown(node)}"
        raise QueryError(message, span_of(node))
    return number
