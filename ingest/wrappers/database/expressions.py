"""Expressions and totals in the SQL of one database.

function   its rendering, by the catalogue (``plan.functions``): the dialect's own, else every database's
constant   a bound parameter, always
total      what the database's is exactly ours: counts, extremes, sums of whole numbers
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from engine.model.errors import SourceError
from engine.model.values import Type
from engine.plan.expressions import Expr, Field, Literal
from engine.plan.functions import FUNCTIONS
from engine.plan.logical import AggregateCall
from ingest.wrappers.database.columns import Lane, Sql, by_code_point
from ingest.wrappers.database.connecting import OURS

SQL_TYPES: dict[Type, sa.types.TypeEngine[Any]] = {
    Type.BIGINT: sa.BigInteger(),
    Type.TIMESTAMP: sa.BigInteger(),
    Type.DOUBLE: sa.Double(),
    Type.BOOLEAN: sa.Boolean(),
    Type.TEXT: sa.Text(),
}


class UnsaidError(SourceError):
    """A database cannot say it as we mean it; its rows it can give."""


class Rendered(FunctionElement[Any]):
    """A call as its rendering says it; the arguments keep their parameters."""

    name = "rendered"
    inherit_cache = False

    def __init__(self, template: str, *args: Sql) -> None:
        super().__init__(*args)
        self.template = template


@compiles(Rendered)
def _written(element: Rendered, compiler: Any, **options: Any) -> str:
    args = [compiler.process(arg, **options) for arg in element.clauses]
    return element.template.format(*args, all=", ".join(args))


def expression(expr: Expr, lanes: Sequence[Lane], dialect: str) -> Sql:
    """Return an expression over these lanes, or raise why the database cannot say it."""
    if isinstance(expr, Field):
        return ours(lanes[expr.position]).what
    if isinstance(expr, Literal):
        return _bound(expr, dialect)
    function = FUNCTIONS[expr.function]
    general = function.rendering("database", expr.type)
    template = function.rendering(dialect, expr.type) or general
    if template is None or general is None:
        message = f"{expr.function} has no rendering for a database; only what it is computed of can be asked"
        raise UnsaidError(message)
    return Rendered(template, *(expression(arg, lanes, dialect) for arg in expr.args))


def equal(left: Sql, right: Sql) -> Sql:
    """Return that two keys are one; a NULL is none."""
    return Rendered(FUNCTIONS["="].renderings["database"], left, right)


def ours(lane: Lane) -> Lane:
    """Return a lane that may be computed with."""
    if lane.raw is None:
        return lane
    message = f"column {lane.raw.name} has a type of the database's own; only its rows can be asked for"
    raise UnsaidError(message)


def total(call: AggregateCall, argument: Sql | None, dialect: str) -> Sql:
    """Return an aggregate over a column, or over the rows."""
    if argument is None:
        return sa.func.count()
    kind = None if call.argument is None else call.argument.type
    match call.function:
        case "count":
            return sa.func.count(_each(argument, call))
        case "min" | "max" if kind is not Type.BOOLEAN:
            return sa.Function(call.function, argument)
        case "bool_and" | "bool_or":
            theirs = {"bool_and": "min", "bool_or": "max"} if dialect == "sqlite" else {}
            return sa.Function(theirs.get(call.function, call.function), argument)
        case "sum" if kind is Type.BIGINT:
            return _sum(argument, call, dialect)
    message = f"a database's {call.function} of {kind} is not ours; only its rows can be asked for"
    raise UnsaidError(message)


def _each(argument: Sql, call: AggregateCall) -> Any:
    return sa.distinct(argument) if call.distinct else argument


def _sum(argument: Sql, call: AggregateCall, dialect: str) -> Sql:
    if dialect == "sqlite":
        return sa.Function(f"{OURS}sum", _each(argument, call))
    found: Sql = sa.Function("sum", _each(sa.cast(argument, sa.Numeric), call))
    fits = found.between(sa.cast(-(1 << 63), sa.Numeric), sa.cast((1 << 63) - 1, sa.Numeric))
    return sa.case((fits, sa.cast(found, sa.BigInteger)))


def _bound(literal: Literal, dialect: str) -> Sql:
    kind = SQL_TYPES[literal.type]
    if isinstance(literal.value, str) and not _can_hold(literal.value, dialect):
        message = f"a text of {dialect} cannot be {literal.value[:60]!r}"
        raise UnsaidError(message)
    value: Sql = sa.bindparam(None, literal.value, kind)
    if dialect == "sqlite":
        return value
    typed: Sql = sa.cast(value, kind)
    return by_code_point(typed) if literal.type is Type.TEXT else typed


def _can_hold(text: str, dialect: str) -> bool:
    """Tell whether a text can be sent: halves of characters cannot, nor NUL to PostgreSQL."""
    is_whole = not any("\ud800" <= sign <= "\udfff" for sign in text)
    return is_whole and not (dialect == "postgresql" and "\x00" in text)
