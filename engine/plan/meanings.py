"""What scalar functions mean, as Python: NULL is None, conditions have three values.

A value is never NaN or infinite and an integer has 64 bits; a result outside is NULL (``bounded``).
Zero has no sign.
"""

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Any

from engine.model.values import Value

Meaning = Callable[..., Any]

BIGINT_BOUND = 2**63
MICROSECONDS_PER_HOUR = 3_600_000_000

# A double has at most 309 digits before the point and, as people read it, 324 after.
MOST_DIGITS = 400
DECIMALS = Context(prec=2 * MOST_DIGITS, rounding=ROUND_HALF_UP)


def bounded(value: Any) -> Value:
    """Return the value, or NULL where it has no place in a row; zero has no sign."""
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool) and not -BIGINT_BOUND <= value < BIGINT_BOUND:
        return None
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
        try:
            return bool(function(left, right))
        except TypeError:
            return bool(function(in_order(left), in_order(right)))

    return compare(meaning)


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


def coalesce(*args: Value) -> Value:
    return next((arg for arg in args if arg is not None), None)


def case(*args: Value) -> Value:
    """``case(condition, value, condition, value, …, otherwise)``."""
    for condition, value in zip(args[:-1:2], args[1::2], strict=True):
        if condition is True:
            return value
    return args[-1]


@lru_cache(maxsize=1024)
def like_pattern(pattern: str) -> re.Pattern[str]:
    """Translate a LIKE pattern; a backslash takes the next character as it is.

    What stands between two % is taken where it is first found and never given back (``?>``), so
    that no text takes longer than its length times the pattern's.
    """
    pieces = [""]
    characters = iter(pattern)
    for character in characters:
        match character:
            case "\\":
                pieces[-1] += re.escape(next(characters, "\\"))
            case "%":
                pieces.append("")
            case "_":
                pieces[-1] += "."
            case _:
                pieces[-1] += re.escape(character)
    first, *others = pieces
    between = "".join(f"(?>.*?{piece})" for piece in others[:-1] if piece)
    last = f".*{others[-1]}" if others else ""
    return re.compile(first + between + last, re.DOTALL)


def like(text: str, pattern: str) -> bool:
    return like_pattern(pattern).fullmatch(text) is not None


def rounded(value: float, digits: int = 0) -> float:
    """Half away from zero on the decimal that a person reads, as SQL does."""
    unit = Decimal(1).scaleb(max(-MOST_DIGITS, min(-digits, MOST_DIGITS)))
    return float(Decimal(repr(value)).quantize(unit, context=DECIMALS))


def remainder(left: int, right: int) -> int:
    """The sign is the dividend's, as in SQL."""
    rest = abs(left) % abs(right)
    return rest if left >= 0 else -rest


def parsed_bigint(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) else None


def parsed_double(text: str) -> float | None:
    return (
        float(text)
        if re.fullmatch(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*", text)
        else None
    )


def parsed_boolean(text: str) -> bool | None:
    return {"true": True, "false": False, "t": True, "f": False}.get(text.strip().lower())


def to_text(value: Value) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else repr(value)
        if isinstance(value, float)
        else str(value)
    )
