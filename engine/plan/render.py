"""Expressions as Spark SQL over the lanes of a relation.

    pressed = TRUE AND rssi > -70.0   →   ((longs[0] = 1) AND (doubles[0] > -70.0D))

An expression can be rendered only where every function in it has a rendering for the site.
"""

from collections.abc import Sequence

from engine.model.errors import InternalError
from engine.model.lanes import Place, places
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.functions import FUNCTIONS

SPARK_TYPES = {
    Type.BIGINT: "BIGINT",
    Type.TIMESTAMP: "BIGINT",
    Type.BOOLEAN: "BOOLEAN",
    Type.DOUBLE: "DOUBLE",
    Type.TEXT: "STRING",
}


def can_render(expr: Expr, site: str) -> bool:
    """Tell whether a site may run an expression."""
    if isinstance(expr, Call):
        is_known = FUNCTIONS[expr.function].rendering(site, expr.type) is not None
        return is_known and all(can_render(arg, site) for arg in expr.args)
    return expr.type in SPARK_TYPES


def to_spark(expr: Expr, columns: Sequence[Column]) -> str:
    """Write an expression over a relation's row as Spark SQL over its lanes."""
    return _spark(expr, places(columns))


def _spark(expr: Expr, where: Sequence[Place]) -> str:
    if isinstance(expr, Field):
        lane = f"{where[expr.position].lane}[{where[expr.position].number}]"
        return f"({lane} = 1)" if expr.type is Type.BOOLEAN else lane
    if isinstance(expr, Literal):
        return _spark_literal(expr)
    args = [_spark(arg, where) for arg in expr.args]
    template = FUNCTIONS[expr.function].rendering("spark", expr.type)
    if template is None:
        message = f"{expr.function} has no rendering for the stream site"
        raise InternalError(message)
    return template.format(*args, all=", ".join(args))


def _spark_literal(literal: Literal) -> str:
    name = SPARK_TYPES[literal.type]
    match literal.value:
        case None:
            return f"CAST(NULL AS {name})"
        case bool():
            return "TRUE" if literal.value else "FALSE"
        case str():
            return quoted(literal.value)
    return f"CAST('{literal.value!r}' AS {name})"


def quoted(text: str) -> str:
    """Write a text as Spark SQL, which would replace a plain ``${name}`` by what it knows of that name."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024")
    return f"'{escaped}'"
