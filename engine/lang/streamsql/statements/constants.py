"""Values that a text says, outside any query: EXPLAIN WHY view(1, 'a'), INSERT … VALUES (1, 'a')."""

from sqlglot import exp

from engine.lang.streamsql.scalars.scalar import ScalarBinder
from engine.lang.streamsql.spans import shown, span_of, where
from engine.lang.streamsql.statements.parameters import Parameters, with_values
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type, Value
from engine.plan.expressions import Expr, compiled
from engine.plan.typed import typed

CLAUSE = "explain why"
WIDENED = {Type.DOUBLE: float, Type.TIMESTAMP: int}


def value_for(column: Column, node: exp.Expr, given: Parameters, clause: str = CLAUSE) -> Value:
    """Return the value that a text says for a column."""
    bound = ScalarBinder(_no_name, clause).bind(with_values(node, given))
    value = compiled(bound)(())
    if value is None or bound.type is column.type:
        return value
    if bound.type is Type.TEXT:
        fitted = typed(str(value), column.type)
    elif bound.type is Type.BIGINT and column.type in WIDENED and isinstance(value, int):
        fitted = WIDENED[column.type](value)
    else:
        fitted = None
    if fitted is None:
        message = f"{column.name} is a {column.type}, found {shown(node)}{where(node, clause)}"
        raise QueryError(message, span_of(node))
    return fitted


def _no_name(node: exp.Expr) -> Expr | None:
    if isinstance(node, exp.Column):
        message = f"expected a value{where(node, CLAUSE)}, found {shown(node)}; a text stands in quotes"
        raise QueryError(message, span_of(node))
    return None
