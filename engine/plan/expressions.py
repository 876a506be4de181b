"""Scalar expressions: values that a plan holds, and their meaning in Python.

    Expr  =  Field(position)  |  Literal(value)  |  Call(function, args)

A field is a place in the row of whatever feeds the expression, not a name: the same expression
over the same input is the same value, whatever alias the query used. What a function means, and
how each site writes it, is declared once in ``functions``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import itemgetter
from typing import Any, TypeGuard

from engine.model.values import Row, Type, Value
from engine.plan.functions import FUNCTIONS


@dataclass(frozen=True, slots=True)
class Field:
    """The value at a position of the input row."""

    position: int
    type: Type
    name: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and self.position == other.position and self.type is other.type

    def __hash__(self) -> int:
        return hash((self.position, self.type))


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. Equal only to a constant of the same type: 1 is not 1.0 is not TRUE."""

    value: Value
    type: Type


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the catalogue, applied."""

    function: str
    args: "tuple[Expr, ...]"
    type: Type


Expr = Field | Literal | Call
Compiled = Callable[[Row], Value]

TRUE = Literal(True, Type.BOOLEAN)


def fields(expr: Expr) -> Iterator[Field]:
    """Yield the fields that an expression reads."""
    if isinstance(expr, Field):
        yield expr
    elif isinstance(expr, Call):
        for arg in expr.args:
            yield from fields(arg)


def positions(expr: Expr) -> frozenset[int]:
    """Return the positions that an expression reads."""
    return frozenset(field.position for field in fields(expr))


def move(expr: Expr, target: Callable[[int], int]) -> Expr:
    """Return the expression over an input whose fields lie elsewhere."""
    if isinstance(expr, Field):
        return Field(target(expr.position), expr.type, expr.name)
    if isinstance(expr, Call):
        return Call(expr.function, tuple(move(arg, target) for arg in expr.args), expr.type)
    return expr


def substitute(expr: Expr, expressions: tuple[Expr, ...]) -> Expr:
    """Put expressions in for the fields that an expression reads."""
    if isinstance(expr, Field):
        return expressions[expr.position]
    if isinstance(expr, Call):
        return Call(expr.function, tuple(substitute(arg, expressions) for arg in expr.args), expr.type)
    return expr


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """Split at AND."""
    if isinstance(expr, Call) and expr.function == "and":
        return tuple(part for arg in expr.args for part in conjuncts(arg))
    return (expr,)


def conjunction(parts: tuple[Expr, ...]) -> Expr:
    """Put together by AND, as a low tree; of nothing it is TRUE."""
    if len(parts) < 2:
        return parts[0] if parts else TRUE
    middle = len(parts) // 2
    return Call("and", (conjunction(parts[:middle]), conjunction(parts[middle:])), Type.BOOLEAN)


def compiled(expr: Expr) -> Compiled:
    """Return the expression as a function of a row."""
    if isinstance(expr, Field):
        return itemgetter(expr.position)
    if isinstance(expr, Literal):
        value = expr.value
        return lambda _: value
    meaning = FUNCTIONS[expr.function].meaning
    if len(expr.args) == 2:
        return _compiled_two(meaning, *expr.args)
    args = [compiled(arg) for arg in expr.args]
    if len(args) == 1:
        (only,) = args
        return lambda row: meaning(only(row))
    return lambda row: meaning(*[arg(row) for arg in args])


def _compiled_two(meaning: Callable[..., Any], left: Expr, right: Expr) -> Compiled:
    """Return a function of two arguments; a field or a literal among them costs no call of its own."""
    match left, right:
        case Field(position), Literal(value):
            return lambda row: meaning(row[position], value)
        case Field(position), Field(other):
            return lambda row: meaning(row[position], row[other])
        case _, Literal(value):
            first = compiled(left)
            return lambda row: meaning(first(row), value)
    first, second = compiled(left), compiled(right)
    return lambda row: meaning(first(row), second(row))


def is_field(expr: Expr) -> TypeGuard[Field]:
    return isinstance(expr, Field)


def row_of(expressions: Sequence[Expr]) -> Callable[[Row], Row]:
    """Return what computes a row of several expressions; columns at the front are picked at once."""
    front = [each.position for each in takewhile(is_field, expressions) if is_field(each)]
    parts = [compiled(expression) for expression in expressions]
    if len(parts) == 1:
        (only,) = parts
        return lambda row: (only(row),)
    if len(front) < 2:
        return lambda row: tuple([part(row) for part in parts])
    picked, rest = itemgetter(*front), parts[len(front) :]
    return (lambda row: (*picked(row), *[part(row) for part in rest])) if rest else picked


def to_text(expr: Expr) -> str:
    """Write an expression for people."""
    if isinstance(expr, Field):
        return expr.name or f"#{expr.position}"
    if isinstance(expr, Literal):
        return _literal_text(expr.value)
    return FUNCTIONS[expr.function].shown(*[to_text(arg) for arg in expr.args])


def _literal_text(value: Value) -> str:
    match value:
        case None | bool():
            return "NULL" if value is None else str(value).upper()
        case str():
            seen = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in value)
            return "'" + seen.replace("'", "''") + "'"
    return repr(value)
