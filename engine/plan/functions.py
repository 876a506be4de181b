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
from dataclasses import dataclass, field

from engine.model.values import Type
from engine.plan import meanings as m
from engine.plan.meanings import Meaning, compare, precedes, strict
from engine.plan.signatures import (
    Signature,
    all_same,
    case_signature,
    exactly,
    numbers,
    one_of_any,
    same_types,
)


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


def everywhere(template: str) -> dict[str, str]:
    """Return one rendering for the stream site and the database site."""
    return {"spark": template, "database": template}


def comparison(symbol: str, function: Meaning) -> Function:
    """Return a comparison; how a database orders texts is its own, by a collation that we do not know."""
    template = f"({{0}} {symbol} {{1}})"
    renderings = everywhere(template) if symbol in ("=", "<>") else {"spark": template}
    signature, expects = same_types(Type.BOOLEAN), "two values of one type"
    meaning = compare(function) if symbol in ("=", "<>") else precedes(function)
    return Function(symbol, signature, meaning, expects, template, renderings)


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
        m.logical_and,
        "two conditions",
        "({0} AND {1})",
        everywhere("({0} AND {1})"),
    ),
    Function(
        "or",
        exactly(BOOLEAN, BOOLEAN, result=BOOLEAN),
        m.logical_or,
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
    Function(
        "boxed",
        lambda types: types[0].listed if len(types) == 1 else None,
        m.boxed,
        "one value",
        "boxed({0})",
    ),
    Function("like", exactly(TEXT, TEXT, result=BOOLEAN), strict(m.like), "two texts", "{0} LIKE {1}"),
    Function(
        "coalesce",
        all_same,
        m.coalesce,
        "values of one type",
        "coalesce({all})",
        everywhere("coalesce({all})"),
    ),
    Function("least", all_same, m.of_known(min), "values of one type", "least({all})"),
    Function("greatest", all_same, m.of_known(max), "values of one type", "greatest({all})"),
    Function("case", case_signature, m.case, "values of one type", "CASE({all})"),
    arithmetic("+", operator.add),
    arithmetic("-", operator.sub),
    arithmetic("*", operator.mul),
    arithmetic("/", operator.truediv, result=DOUBLE),
    Function("%", exactly(BIGINT, BIGINT, result=BIGINT), strict(m.remainder), "two integers", "({0} % {1})"),
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
        m.rounded,
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
        lambda at: at // m.MICROSECONDS_PER_HOUR % 24,
        "a timestamp (the hour is UTC's)",
    ),
    conversion("double_of_bigint", DOUBLE, BIGINT, float),
    conversion("bigint_of_double", BIGINT, DOUBLE, round),
    conversion("text_of_bigint", TEXT, BIGINT, m.to_text),
    conversion("text_of_double", TEXT, DOUBLE, m.to_text),
    conversion("text_of_boolean", TEXT, BOOLEAN, m.to_text),
    conversion("bigint_of_text", BIGINT, TEXT, m.parsed_bigint),
    conversion("double_of_text", DOUBLE, TEXT, m.parsed_double),
    conversion("boolean_of_text", BOOLEAN, TEXT, m.parsed_boolean),
    conversion("bigint_of_boolean", BIGINT, BOOLEAN, int),
    conversion("timestamp_of_bigint", TIMESTAMP, BIGINT, int),
    conversion("bigint_of_timestamp", BIGINT, TIMESTAMP, int),
)

FUNCTIONS = {function.name: function for function in DECLARED}
