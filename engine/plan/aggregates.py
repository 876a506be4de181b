"""Every aggregate function, declared once: its types and its value over a bag of arguments.

    sum, avg:  exact over the reals, rounded once at the end

so that neither the order of arrival nor a deletion can be seen in the answer. The incremental
form is in ``engine.operators.accumulators``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.model.values import Type


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``result`` maps the argument's type to the result's, or to None where it does not fit."""

    name: str
    result: Callable[[Type], Type | None]
    expects: str


def if_numeric(result: Type | None = None) -> Callable[[Type], Type | None]:
    return lambda argument: (result or argument) if argument.is_numeric else None


AGGREGATES = {
    aggregate.name: aggregate
    for aggregate in (
        Aggregate("count", lambda _: Type.BIGINT, "a value or *"),
        Aggregate("sum", if_numeric(), "a number"),
        Aggregate("avg", if_numeric(Type.DOUBLE), "a number"),
        Aggregate("min", lambda argument: argument, "a value"),
        Aggregate("max", lambda argument: argument, "a value"),
    )
}
