"""Arithmetic, rounding, and the functions of the school book; what has no value is NULL.

floor and ceil return whole numbers; round and trunc, which may keep digits, do not.
"""

import math
import operator
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal

from engine.model.values import Type
from engine.plan.functions.function import Function, arithmetic, knowing, named
from engine.plan.meanings import Meaning, strict, strict_two
from engine.plan.signatures import NUMBER, either, takes

BIGINT, DOUBLE, TIMESTAMP = Type.BIGINT, Type.DOUBLE, Type.TIMESTAMP

# A double has at most 309 digits before the point and, as people read it, 324 after.
MOST_DIGITS = 400
HALF_UP = Context(prec=2 * MOST_DIGITS, rounding=ROUND_HALF_UP)
TO_ZERO = Context(prec=2 * MOST_DIGITS, rounding=ROUND_DOWN)


def rounded(value: float, digits: int = 0, context: Context = HALF_UP) -> float:
    """Half away from zero on the decimal that a person reads, as SQL does."""
    unit = Decimal(1).scaleb(max(-MOST_DIGITS, min(-digits, MOST_DIGITS)))
    return float(Decimal(repr(value)).quantize(unit, context=context))


def truncated(value: float, digits: int = 0) -> float:
    return rounded(value, digits, TO_ZERO)


def remainder(left: int, right: int) -> int:
    """The sign is the dividend's, as in SQL."""
    if left >= 0 and right > 0:
        return left % right
    rest = abs(left) % abs(right)
    return rest if left >= 0 else -rest


def whole_quotient(left: int, right: int) -> int:
    """Towards zero, so that left = right · quotient + remainder."""
    if left >= 0 and right > 0:
        return left // right
    return (left - remainder(left, right)) // right


def sign(value: float) -> float:
    return (value > 0) - (value < 0)


def logarithm(base: float, value: float) -> float:
    return math.log(value) / math.log(base)


def of_double(name: str, function: Meaning) -> Function:
    return named(name, takes(DOUBLE, result=DOUBLE), function, "a number")


TWO_INTEGERS = takes(BIGINT, BIGINT, result=BIGINT)
ROUNDING = either(takes(DOUBLE, result=DOUBLE), takes(DOUBLE, BIGINT, result=DOUBLE))
WITH_DIGITS = "a number and, if wanted, how many digits"
WHOLE = either(takes(BIGINT, result=BIGINT), takes(DOUBLE, result=BIGINT))
PLUS = either(
    takes(NUMBER, NUMBER, result=NUMBER),
    takes(TIMESTAMP, BIGINT, result=TIMESTAMP),
    takes(BIGINT, TIMESTAMP, result=TIMESTAMP),
)
MINUS = either(
    takes(NUMBER, NUMBER, result=NUMBER),
    takes(TIMESTAMP, BIGINT, result=TIMESTAMP),
    takes(TIMESTAMP, TIMESTAMP, result=BIGINT),
)
SUMMED = "two numbers, or a timestamp and an interval"


def exactly(text: str) -> str:
    """Write for PostgreSQL: computed without bounds; a result of more than 64 bits is NULL."""
    exact = text.replace("{0}", "CAST({0} AS numeric)").replace("{1}", "CAST({1} AS numeric)")
    fits = f"s BETWEEN {-(2**63)} AND {2**63 - 1}"
    return f"(SELECT CASE WHEN {fits} THEN CAST(s AS bigint) END FROM (SELECT {exact} AS s) AS exact)"


MOD = "mod(CAST({0} AS bigint), nullif(CAST({1} AS bigint), 0))"

DECLARED = (
    Function("+", PLUS, strict_two(operator.add), SUMMED, "({0} + {1})").giving(
        BIGINT, TIMESTAMP, database=exactly("{0} + {1}"), sqlite="ours_plus({all})"
    ),
    Function("-", MINUS, strict_two(operator.sub), f"{SUMMED} or a timestamp", "({0} - {1})").giving(
        BIGINT, TIMESTAMP, database=exactly("{0} - {1}"), sqlite="ours_minus({all})"
    ),
    arithmetic("*", operator.mul).giving(BIGINT, database=exactly("{0} * {1}"), sqlite="ours_times({all})"),
    Function(
        "/", takes(DOUBLE, DOUBLE, result=DOUBLE), strict_two(operator.truediv), "two numbers", "({0} / {1})"
    ),
    Function("%", TWO_INTEGERS, strict_two(remainder), "two integers", "({0} % {1})").at(
        database=MOD, sqlite="ours_mod({all})"
    ),
    Function("negate", takes(NUMBER, result=NUMBER), strict(operator.neg), "a number", "-{0}").giving(
        BIGINT, database=exactly("-{0}"), sqlite="ours_negate({all})"
    ),
    knowing("mod", TWO_INTEGERS, strict_two(remainder), "two integers").at(
        database=MOD, sqlite="ours_mod({all})"
    ),
    knowing("div", TWO_INTEGERS, strict_two(whole_quotient), "two integers").at(
        database=exactly("div({0}, nullif({1}, 0))"), sqlite="ours_div({all})"
    ),
    named("abs", takes(NUMBER, result=NUMBER), abs, "a number").giving(
        BIGINT, database=exactly("abs({0})"), sqlite="ours_abs({all})"
    ),
    named("sign", takes(NUMBER, result=NUMBER), lambda v: type(v)(sign(v)), "a number"),
    named("round", ROUNDING, rounded, WITH_DIGITS),
    named("trunc", ROUNDING, truncated, WITH_DIGITS),
    named("floor", WHOLE, math.floor, "a number"),
    named("ceil", WHOLE, math.ceil, "a number"),
    named("power", takes(DOUBLE, DOUBLE, result=DOUBLE), math.pow, "two numbers"),
    of_double("sqrt", math.sqrt),
    of_double("cbrt", math.cbrt),
    of_double("exp", math.exp),
    of_double("ln", math.log),
    named(
        "log",
        either(takes(DOUBLE, result=DOUBLE), takes(DOUBLE, DOUBLE, result=DOUBLE)),
        lambda *args: math.log10(*args) if len(args) == 1 else logarithm(*args),
        "a number, to base 10, or a base and a number",
    ),
    of_double("sin", math.sin),
    of_double("cos", math.cos),
    of_double("tan", math.tan),
    of_double("asin", math.asin),
    of_double("acos", math.acos),
    of_double("atan", math.atan),
    named("atan2", takes(DOUBLE, DOUBLE, result=DOUBLE), math.atan2, "y and x"),
    of_double("degrees", math.degrees),
    of_double("radians", math.radians),
    named("pi", takes(result=DOUBLE), lambda: math.pi, "nothing"),
)
