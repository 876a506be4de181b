"""Comparison, logic, and choice between values."""

import operator

from engine.model.values import Type
from engine.plan import meanings as m
from engine.plan.functions.function import Function, everywhere, knowing
from engine.plan.meanings import Meaning, compare, precedes, strict
from engine.plan.signatures import ANY, Cases, takes

BOOLEAN = Type.BOOLEAN


def comparison(symbol: str, function: Meaning) -> Function:
    """Return a comparison; texts are collated by code point wherever a database reads or is given one."""
    template = f"({{0}} {symbol} {{1}})"
    meaning = compare(function) if symbol in ("=", "<>") else precedes(function)
    signature = takes(ANY, ANY, result=BOOLEAN)
    return Function(symbol, signature, meaning, "two values of one type", template, everywhere(template))


def logic(symbol: str, meaning: Meaning) -> Function:
    template = f"({{0}} {symbol.upper()} {{1}})"
    signature = takes(BOOLEAN, BOOLEAN, result=BOOLEAN)
    return Function(symbol, signature, meaning, "two conditions", template, everywhere(template))


COMPARISONS: dict[str, Meaning] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
ONE_TYPE = takes(ANY, result=ANY, rest=ANY)
OF_ONE_TYPE = "values of one type"

DECLARED = (
    *(comparison(symbol, function) for symbol, function in COMPARISONS.items()),
    logic("and", m.logical_and),
    logic("or", m.logical_or),
    Function(
        "not",
        takes(BOOLEAN, result=BOOLEAN),
        strict(operator.not_),
        "a condition",
        "NOT {0}",
        everywhere("(NOT {0})"),
    ),
    Function(
        "is_null",
        takes(ANY, result=BOOLEAN),
        lambda v: v is None,
        "one value",
        "{0} IS NULL",
        everywhere("({0} IS NULL)"),
    ),
    Function(
        "together",
        takes(ANY, result=ANY.listed, rest=ANY),
        strict(lambda *values: values),
        "one value or more",
        "({all})",
    ),
    knowing("boxed", takes(ANY, result=ANY.listed), m.boxed, "one value"),
    Function("coalesce", ONE_TYPE, m.coalesce, OF_ONE_TYPE, "coalesce({all})", everywhere("coalesce({all})")),
    knowing("nullif", takes(ANY, ANY, result=ANY), m.unless_equal, "two values of one type").at(
        database="nullif({all})"
    ),
    knowing("least", ONE_TYPE, m.of_known(min), OF_ONE_TYPE).at(
        database="least({all})", sqlite="ours_least({all})"
    ),
    knowing("greatest", ONE_TYPE, m.of_known(max), OF_ONE_TYPE).at(
        database="greatest({all})", sqlite="ours_greatest({all})"
    ),
    Function("case", Cases(), m.case, OF_ONE_TYPE, "CASE({all})"),
)
