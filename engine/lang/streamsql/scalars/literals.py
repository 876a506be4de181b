"""Constants: numbers as people write them, and texts that are to be moments or regular expressions.

12 is a bigint, 1.5 and 1e3 are doubles; a whole number that is too long for a bigint is a double.
"""

import re

from sqlglot import exp

from engine.lang.streamsql.spans import shown, span_of, where
from engine.model.errors import QueryError
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Literal
from engine.plan.functions import FUNCTIONS
from engine.plan.meanings import BIGINT_BOUND, bounded
from engine.plan.regular import read

NUMBER = re.compile("[0-9]{1,19}")
LARGEST = "numbers go up to 1.7976931348623157e308"
MOMENT = "a timestamp is written as 2026-01-31 09:30:15"
EXPRESSIONS = "it may have . [a-z] [^x] \\d \\w \\s ( ) | * + ? {2,5} ^ and $"

UNTYPED_NULL = Literal(None, Type.TEXT)
"""The bare word NULL, which takes the type of what it meets."""


def number(text: str, node: exp.Expr, clause: str) -> Literal:
    """Return a number."""
    is_whole = NUMBER.fullmatch(text.removeprefix("-"))
    if is_whole and -BIGINT_BOUND <= int(text) < BIGINT_BOUND:
        return Literal(int(text), Type.BIGINT)
    try:
        found = bounded(float(text))
    except ValueError:
        message = f"{text} is no number{where(node, clause)}; 12, 1.5 and 1.5e3 are"
        raise QueryError(message, span_of(node)) from None
    if found is None:
        message = f"{text} is too large{where(node, clause)}; {LARGEST}"
        raise QueryError(message, span_of(node))
    return Literal(found, Type.DOUBLE)


def converted(expr: Expr, target: Type) -> Expr | None:
    """Return the expression as another type, or None where there is no conversion."""
    if expr.type is target:
        return expr
    if expr == UNTYPED_NULL:
        return Literal(None, target)
    function = FUNCTIONS.get(f"{target}_of_{expr.type}")
    if function is None:
        return None
    if isinstance(expr, Literal):
        return Literal(function.meaning(expr.value), target)
    return Call(function.name, (expr,), target)


def check_moment(given: Expr, found: Expr, node: exp.Expr, clause: str) -> None:
    """Refuse a constant that is no moment; of any other text that is none the value is NULL."""
    if not isinstance(given, Literal) or given.value is None:
        return
    if found == Literal(None, Type.TIMESTAMP):
        message = f"{given.value!r} is no timestamp{where(node, clause)}; {MOMENT}"
        raise QueryError(message, span_of(node))


def check_expression(node: exp.Expr, clause: str) -> None:
    """Refuse a constant that is to be a regular expression and is none."""
    if isinstance(node, exp.Literal) and node.is_string:
        try:
            read(node.name)
        except ValueError:
            message = f"{shown(node)} is no regular expression{where(node, clause)}; {EXPRESSIONS}"
            raise QueryError(message, span_of(node)) from None
