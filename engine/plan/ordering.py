"""The order of rows: what ORDER BY says, then the whole row, so that of any two rows one comes first.

    place(row)  =  (key₁, key₂, …, row)        each (is it NULL's turn, value), turned round where DESC

Values of one type are ordered totally (``meanings.in_order``): numbers by size, FALSE before TRUE,
texts by code point, lists by their first difference, a NULL after everything unless said.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engine.model.values import Row, Type, Value
from engine.plan.expressions import (
    Call,
    Compiled,
    Expr,
    Field,
    Literal,
    compiled,
    row_of,
    substitute,
    to_text,
)
from engine.plan.logical import Plan, Project, SortKey, Top
from engine.plan.meanings import in_order

Place = Callable[[Row], Any]
NEGATED = frozenset({Type.BIGINT, Type.DOUBLE, Type.TIMESTAMP, Type.BOOLEAN})


class Reversed:
    """A value in the opposite order."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: "Reversed") -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reversed) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)


def place_of(order: Sequence[SortKey], tie: Compiled | None = None) -> Place:
    """Return what tells a row's place; what the keys leave open ``tie`` decides, else the whole row."""
    keys = [_key(each) for each in order]
    if tie is not None:
        return lambda row: (*[key(row) for key in keys], in_order(tie(row)))
    return lambda row: (*[key(row) for key in keys], in_order(row))


def _key(key: SortKey) -> Place:
    value_of, nulls_first = compiled(key.expression), key.nulls_first
    turned = _turned(key)

    def place(row: Row) -> Any:
        value = value_of(row)
        return (not nulls_first, None) if value is None else (nulls_first, turned(value))

    return place


def _turned(key: SortKey) -> Callable[[Any], Any]:
    kind = key.expression.type
    if not key.descending:
        return in_order if kind not in NEGATED else _itself
    return _negated if kind in NEGATED else lambda value: Reversed(in_order(value))


def _itself(value: Value) -> Value:
    return value


def _negated(value: Any) -> Any:
    return -value


def order_of(plan: Plan) -> tuple[SortKey, ...] | None:
    """Return the order in which a plan's rows are to be shown; None where it has none, or cannot tell."""
    match plan:
        case Top(order=order):
            return order
        case Project(Top(Project(_, inner), order), expressions):
            moved = tuple(replace(key, expression=substitute(key.expression, inner)) for key in order)
            return _shown(moved, tuple(substitute(each, inner) for each in expressions))
        case Project(Top(order=order), expressions):
            return _shown(order, expressions)
    return None


def hidden_order(plan: Plan) -> tuple[Top, Callable[[Row], Row]] | None:
    """Return where the order of a plan's rows is still to be seen, and what is shown of a row there."""
    match plan:
        case Project(Top() as top, expressions) if top.order and order_of(plan) is None:
            return top, row_of(expressions)
    return None


def _shown(order: tuple[SortKey, ...], expressions: tuple[Expr, ...]) -> tuple[SortKey, ...] | None:
    moved = [(key, _over(key.expression, expressions)) for key in order]
    known = tuple(replace(key, expression=each) for key, each in moved if each is not None)
    return known if len(known) == len(order) else None


def _over(expr: Expr, shown: tuple[Expr, ...]) -> Expr | None:
    """Return an expression as one over the columns that show others; None where they do not tell."""
    if expr in shown:
        return Field(shown.index(expr), expr.type)
    if isinstance(expr, Literal):
        return expr
    args = [_over(arg, shown) for arg in expr.args] if isinstance(expr, Call) else [None]
    known = tuple(arg for arg in args if arg is not None)
    return (
        Call(expr.function, known, expr.type) if isinstance(expr, Call) and len(known) == len(args) else None
    )


def order_text(order: Sequence[SortKey]) -> str:
    """Write an order for people; where a NULL comes is said where it is not last, or first of DESC."""
    return ", ".join(map(_key_text, order)) or "the whole row"


def _key_text(key: SortKey) -> str:
    nulls = "" if key.nulls_first == key.descending else f" nulls {'first' if key.nulls_first else 'last'}"
    return f"{to_text(key.expression)}{' desc' if key.descending else ''}{nulls}"
