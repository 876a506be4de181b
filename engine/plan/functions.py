"""Every scalar function, declared once: its types, its meaning, and how each site writes it.

    function  =  name × (types → type) × (values → value) × (site → text)

A site may run a function only where it has a rendering here, and a rendering stands only where
the conformance test finds the site's answers equal to ours on NULL, extremes and Unicode. So
arithmetic, whose overflow differs between sites, has none.

A value is never NaN or infinite, zero has no sign, and an integer has 64 bits; a result outside
is NULL.
"""

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Any

from engine.model.values import Type, Value

Signature = Callable[[tuple[Type, ...]], Type | None]
Meaning = Callable[..., Any]

BIGINT_BOUND = 2**63
MICROSECONDS_PER_HOUR = 3_600_000_000

# A double has at most 309 digits before the point and, as people read it, 324 after.
MOST_DIGITS = 400
DECIMALS = Context(prec=2 * MOST_DIGITS, rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Function:
    """``expects`` completes the sentence «f takes …»; ``renderings`` are templates by site."""

    name: str
    signature: Signature
    meaning: Meaning
    expects: str
    template: str
    renderings: dict[str, str] = field(default_factory=dict)

    def shown(self, *args: str) -> str:
        """Write a call for people."""
        return self.template.format(*args, all=", ".join(args))


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


def same_types(result: Type | None = None) -> Signature:
    """Two arguments of one type."""
    return lambda types: (result or types[0]) if len(types) == 2 and types[0] is types[1] else None


def exactly(*expected: Type, result: Type) -> Signature:
    return lambda types: result if types == expected else None


def numbers(count: int, result: Type | None = None) -> Signature:
    """``count`` numbers of one type, which is the result's unless said."""

    def signature(types: tuple[Type, ...]) -> Type | None:
        fits = len(types) == count and all(t.is_numeric for t in types) and len(set(types)) == 1
        return (result or types[0]) if fits else None

    return signature


def one_of_any(result: Type) -> Signature:
    return lambda types: result if len(types) == 1 else None


def all_same(types: tuple[Type, ...]) -> Type | None:
    return types[0] if types and len(set(types)) == 1 else None


def case_signature(types: tuple[Type, ...]) -> Type | None:
    conditions, values = types[:-1:2], (*types[1::2], types[-1])
    return all_same(values) if all(t is Type.BOOLEAN for t in conditions) else None


def everywhere(template: str) -> dict[str, str]:
    """Return one rendering for the stream site and the database site."""
    return {"spark": template, "database": template}


def comparison(symbol: str, function: Meaning) -> Function:
    template = f"({{0}} {symbol} {{1}})"
    return Function(
        symbol,
        same_types(Type.BOOLEAN),
        compare(function),
        "two values of one type",
        template,
        everywhere(template),
    )


def arithmetic(symbol: str, function: Meaning, result: Type | None = None) -> Function:
    return Function(symbol, numbers(2, result), strict(function), "two numbers", f"({{0}} {symbol} {{1}})")


def conversion(name: str, target: Type, source: Type, function: Meaning) -> Function:
    signature = exactly(source, result=target)
    return Function(name, signature, strict(function), f"a {source}", f"CAST({{0}} AS {target})")


def named(name: str, signature: Signature, function: Meaning, expects: str) -> Function:
    return Function(name, signature, strict(function), expects, f"{name}({{all}})")


BOOLEAN, BIGINT, DOUBLE, TEXT, TIMESTAMP = Type.BOOLEAN, Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.TIMESTAMP

DECLARED = (
    comparison("=", operator.eq),
    comparison("<>", operator.ne),
    comparison("<", operator.lt),
    comparison("<=", operator.le),
    comparison(">", operator.gt),
    comparison(">=", operator.ge),
    Function(
        "and",
        exactly(BOOLEAN, BOOLEAN, result=BOOLEAN),
        logical_and,
        "two conditions",
        "({0} AND {1})",
        everywhere("({0} AND {1})"),
    ),
    Function(
        "or",
        exactly(BOOLEAN, BOOLEAN, result=BOOLEAN),
        logical_or,
        "two conditions",
        "({0} OR {1})",
        everywhere("({0} OR {1})"),
    ),
    Function(
        "not",
        exactly(BOOLEAN, result=BOOLEAN),
        strict(operator.not_),
        "a condition",
        "NOT {0}",
        everywhere("(NOT {0})"),
    ),
    Function(
        "is_null",
        one_of_any(BOOLEAN),
        lambda v: v is None,
        "one value",
        "{0} IS NULL",
        everywhere("({0} IS NULL)"),
    ),
    Function("like", exactly(TEXT, TEXT, result=BOOLEAN), strict(like), "two texts", "{0} LIKE {1}"),
    Function(
        "coalesce", all_same, coalesce, "values of one type", "coalesce({all})", everywhere("coalesce({all})")
    ),
    Function("case", case_signature, case, "values of one type", "CASE({all})"),
    arithmetic("+", operator.add),
    arithmetic("-", operator.sub),
    arithmetic("*", operator.mul),
    arithmetic("/", operator.truediv, result=DOUBLE),
    Function("%", exactly(BIGINT, BIGINT, result=BIGINT), strict(remainder), "two integers", "({0} % {1})"),
    Function("negate", numbers(1), strict(operator.neg), "a number", "-{0}"),
    Function(
        "||",
        exactly(TEXT, TEXT, result=TEXT),
        strict(operator.add),
        "two texts",
        "({0} || {1})",
        everywhere("({0} || {1})"),
    ),
    named("abs", numbers(1), abs, "a number"),
    named(
        "round",
        lambda t: DOUBLE if t in ((DOUBLE,), (DOUBLE, BIGINT)) else None,
        rounded,
        "a number and, if wanted, how many digits",
    ),
    named("floor", exactly(DOUBLE, result=BIGINT), math.floor, "a number"),
    named("power", exactly(DOUBLE, DOUBLE, result=DOUBLE), math.pow, "two numbers"),
    named("upper", exactly(TEXT, result=TEXT), str.upper, "a text"),
    named("lower", exactly(TEXT, result=TEXT), str.lower, "a text"),
    named("length", exactly(TEXT, result=BIGINT), len, "a text"),
    named(
        "hour",
        exactly(TIMESTAMP, result=BIGINT),
        lambda at: at // MICROSECONDS_PER_HOUR % 24,
        "a timestamp (the hour is UTC's)",
    ),
    conversion("double_of_bigint", DOUBLE, BIGINT, float),
    conversion("bigint_of_double", BIGINT, DOUBLE, round),
    conversion("text_of_bigint", TEXT, BIGINT, to_text),
    conversion("text_of_double", TEXT, DOUBLE, to_text),
    conversion("text_of_boolean", TEXT, BOOLEAN, to_text),
    conversion("bigint_of_text", BIGINT, TEXT, parsed_bigint),
    conversion("double_of_text", DOUBLE, TEXT, parsed_double),
    conversion("boolean_of_text", BOOLEAN, TEXT, parsed_boolean),
    conversion("bigint_of_boolean", BIGINT, BOOLEAN, int),
    conversion("timestamp_of_bigint", TIMESTAMP, BIGINT, int),
    conversion("bigint_of_timestamp", BIGINT, TIMESTAMP, int),
)

FUNCTIONS = {function.name: function for function in DECLARED}
