"""What scalar functions mean, as Python: NULL is None, conditions have three values; and the order of values.

A value is never NaN or infinite and an integer has 64 bits; a result outside is NULL (``bounded``).
Zero has no sign.
"""

import math
from collections.abc import Callable
from typing import Any

from engine.model.values import Value

Meaning = Callable[..., Any]

BIGINT_BOUND = 2**63


def bounded(value: Any) -> Value:
    """Return the value, or NULL where it has no place in a row; zero has no sign."""
    kind = type(value)
    if kind is int:
        return value if -BIGINT_BOUND <= value < BIGINT_BOUND else None
    if kind is float:
        return value + 0.0 if math.isfinite(value) else None
    return value  # type: ignore[no-any-return]


def strict(function: Meaning) -> Meaning:
    """NULL in, NULL out; what cannot be computed is NULL."""

    def meaning(*args: Value) -> Value:
        if None in args:
            return None
        try:
            return bounded(function(*args))
        except (ArithmeticError, ValueError):
            return None

    return meaning


def strict_two(function: Meaning) -> Meaning:
    """``strict`` of two arguments, which most of what is computed has: without calls in between."""

    def meaning(left: Value, right: Value) -> Value:
        if left is None or right is None:
            return None
        try:
            value = function(left, right)
        except (ArithmeticError, ValueError):
            return None
        if type(value) is int and -BIGINT_BOUND <= value < BIGINT_BOUND:
            return value
        return bounded(value)

    return meaning


def compare(function: Meaning) -> Meaning:
    """Two-argument ``strict`` without what a comparison cannot meet."""

    def meaning(left: Value, right: Value) -> Value:
        return None if left is None or right is None else bool(function(left, right))

    return meaning


def in_order(value: Value) -> Any:
    """Return what orders values of one type totally: a NULL comes last, also inside a list."""
    if isinstance(value, tuple):
        return (False, tuple([in_order(part) for part in value]))
    return (value is None, value)


def precedes(function: Meaning) -> Meaning:
    """Compare in the order of values; Python's own fails where a NULL inside a list decides."""

    def meaning(left: Value, right: Value) -> Value:
        if left is None or right is None:
            return None
        try:
            return bool(function(left, right))
        except TypeError:
            return bool(function(in_order(left), in_order(right)))

    return meaning


def boxed(value: Value) -> Value:
    """Return a list of one value, which is known also where the value is not."""
    return (value,)


def of_known(choose: Meaning) -> Meaning:
    """Choose among the arguments that are not NULL; NULL where all are, as in PostgreSQL."""

    def meaning(*args: Value) -> Value:
        known = [value for value in args if value is not None]
        return choose(known, key=in_order) if known else None

    return meaning


def logical_and(left: Value, right: Value) -> Value:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def logical_or(left: Value, right: Value) -> Value:
    if left is True or right is True:
        return True
    return None if left is None or right is None else False


def unless_equal(value: Value, other: Value) -> Value:
    return None if value == other else value


def coalesce(*args: Value) -> Value:
    return next((arg for arg in args if arg is not None), None)


def case(*args: Value) -> Value:
    """``case(condition, value, condition, value, …, otherwise)``."""
    for condition, value in zip(args[:-1:2], args[1::2], strict=True):
        if condition is True:
            return value
    return args[-1]
