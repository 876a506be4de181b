"""What a scalar expression's value is, by definition.

    value(expression, row)

Comparison, logic and arithmetic are evaluated here; the meaning of the other scalar functions is taken
from the catalogue.
"""

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from engine.model.values import Row, Type, Value
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.functions import FUNCTIONS


def double(number: float) -> Value:
    """A double that has a place in a row: finite, and zero without a sign."""
    if math.isnan(number) or math.isinf(number):
        return None
    return 0.0 if number == 0.0 else number


def integer(number: int) -> Value:
    return number if -(2**63) <= number <= 2**63 - 1 else None


def value(expr: Expr, row: Row) -> Value:
    """An expression's value over a row."""
    match expr:
        case Field(position):
            return row[position]
        case Literal(constant):
            return constant
        case Call(function, args, kind):
            lazily = LAZY.get(function)
            if lazily is not None:
                return lazily([partial(value, arg, row) for arg in args])
            given = [value(arg, row) for arg in args]
            if function in STRICT:
                return None if None in given else STRICT[function](kind, *given)
            return FUNCTIONS[function].meaning(*given)  # type: ignore[no-any-return]


Thunks = Sequence[Callable[[], Value]]


def all_true(parts: Thunks) -> Value:
    found = [part() for part in parts]
    return False if False in found else None if None in found else True


def any_true(parts: Thunks) -> Value:
    found = [part() for part in parts]
    return True if True in found else None if None in found else False


def first_known(parts: Thunks) -> Value:
    return next((v for part in parts if (v := part()) is not None), None)


def first_match(parts: Thunks) -> Value:
    *pairs, otherwise = parts
    for condition, result in zip(pairs[::2], pairs[1::2], strict=True):
        if condition() is True:
            return result()
    return otherwise()


def of_known(choose: Callable[[list[Any]], Value]) -> Callable[[Thunks], Value]:
    """What is chosen of those that are not NULL."""

    def chosen(parts: Thunks) -> Value:
        known = [v for part in parts if (v := part()) is not None]
        return choose(known) if known else None

    return chosen


LAZY: dict[str, Callable[[Thunks], Value]] = {
    "and": all_true,
    "or": any_true,
    "coalesce": first_known,
    "case": first_match,
    "least": of_known(min),
    "greatest": of_known(max),
    "is_null": lambda parts: parts[0]() is None,
}


def comparison(compare: Callable[[Any, Any], bool]) -> Callable[..., Value]:
    return lambda _, left, right: compare(left, right)


def arithmetic(compute: Callable[[Any, Any], Any]) -> Callable[..., Value]:
    """In whole numbers exactly; in doubles by the machine."""

    def computed(kind: Type, left: Any, right: Any) -> Value:
        try:
            found = compute(left, right)
        except OverflowError:
            return None
        return double(found) if kind is Type.DOUBLE else integer(found)

    return computed


def quotient(_: Type, left: float, right: float) -> Value:
    return None if right == 0 else double(left / right)


def rest(_: Type, left: int, right: int) -> Value:
    """What is left of ``left`` after taking ``right`` from it as often as it goes, towards zero."""
    return None if right == 0 else left - right * int(Fraction(left, right))


def matches(text: str, pattern: str) -> bool:
    """LIKE, by trying every length for every %."""
    if not pattern:
        return not text
    first, others = pattern[0], pattern[1:]
    if first == "%":
        return any(matches(text[i:], others) for i in range(len(text) + 1))
    if first == "\\" and others:
        first, others = others[0], others[1:]
        return text[:1] == first and matches(text[1:], others)
    return bool(text) and first in ("_", text[0]) and matches(text[1:], others)


STRICT: dict[str, Callable[..., Value]] = {
    "=": comparison(operator.eq),
    "<>": comparison(operator.ne),
    "<": comparison(operator.lt),
    "<=": comparison(operator.le),
    ">": comparison(operator.gt),
    ">=": comparison(operator.ge),
    "+": arithmetic(operator.add),
    "-": arithmetic(operator.sub),
    "*": arithmetic(operator.mul),
    "/": quotient,
    "%": rest,
    "not": lambda _, condition: not condition,
    "negate": lambda kind, number: integer(-number) if kind is Type.BIGINT else double(-number),
    "abs": lambda kind, number: integer(abs(number)) if kind is Type.BIGINT else double(abs(number)),
    "like": lambda _, text, pattern: matches(text, pattern),
    "||": lambda _, left, right: left + right,
}
