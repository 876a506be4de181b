"""Expressions that may take long, or make long texts, ask the meter at every row.

A step looks at the clock between rows, or between parts of its input: enough where a row takes a
microsecond. A condition of thousands of parts, or a function that makes a megabyte of text, takes longer
than all that is allowed before the step looks again.

    weight   how many calls a row takes; a call over texts that may be long weighs as much as a look
    texts    what a step makes of them together is no more than the bytes that a query may keep
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from engine.model.values import Row
from engine.operators.budget import LOOK, Budget
from engine.plan.expressions import Call, Compiled, Expr, compiled, row_of

T = TypeVar("T")
LIGHT = 16
LENGTHENING = frozenset({"repeat", "lpad", "rpad", "replace", "||", "concat", "concat_ws"})
SEARCHING = frozenset({"~", "matches", "like", "ilike", "translate", "split_part"})


def careful(computed: Callable[[Row], T], expressions: Iterable[Expr], budget: Budget) -> Callable[[Row], T]:
    """Return the function, which asks the meter first if it may take long."""
    weight = sum(map(weight_of, expressions))
    if weight <= LIGHT:
        return computed
    check = budget.meter.check

    def asking(row: Row) -> T:
        check(weight)
        return computed(row)

    return asking


def careful_rows(expressions: Sequence[Expr], budget: Budget) -> Callable[[Row], Row]:
    """Return what computes a row of expressions; of long texts no more than may be kept."""
    made = careful(row_of(expressions), expressions, budget)
    if not any(map(lengthens, expressions)):
        return made

    def counting(row: Row) -> Row:
        new = made(row)
        budget.check_texts(sum([len(value) for value in new if isinstance(value, str)]))
        return new

    return counting


def careful_test(predicate: Expr, budget: Budget) -> Compiled:
    """Return a condition as a function of a row."""
    return careful(compiled(predicate), (predicate,), budget)


def weight_of(expression: Expr) -> int:
    """Count the calls, those over long texts as a look at the clock each."""
    if not isinstance(expression, Call):
        return 0
    own = LOOK if expression.function in LENGTHENING | SEARCHING else 1
    return own + sum(map(weight_of, expression.args))


def lengthens(expression: Expr) -> bool:
    """Tell whether a text may become longer."""
    return isinstance(expression, Call) and (
        expression.function in LENGTHENING or any(map(lengthens, expression.args))
    )
