"""Every aggregate function, declared once: its types and its value over a bag of arguments.

    sum, avg, stddev, var:  exact over the reals, rounded once at the end

so that neither the order of arrival nor a deletion can be seen in the answer. NULLs are left out, but
by array_agg; of nothing else than NULLs the answer is NULL, of count 0. ``single`` is the value of the only
row and fails where there are more. The incremental form is in ``engine.operators.accumulators``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, to_text
from engine.plan.logical import AggregateCall
from engine.plan.ordering import order_text


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``result`` maps the argument's type to the result's, or to None where it does not fit."""

    name: str
    result: Callable[[Type], Type | None]
    expects: str
    is_ordered: bool = False


def if_numeric(result: Type | None = None) -> Callable[[Type], Type | None]:
    return lambda argument: (result or argument) if argument.is_numeric else None


def if_of(kind: Type) -> Callable[[Type], Type | None]:
    return lambda argument: kind if argument is kind else None


AGGREGATES = {
    aggregate.name: aggregate
    for aggregate in (
        Aggregate("count", lambda _: Type.BIGINT, "a value or *"),
        Aggregate("sum", if_numeric(), "a number"),
        Aggregate("avg", if_numeric(Type.DOUBLE), "a number"),
        Aggregate("min", lambda argument: argument, "a value"),
        Aggregate("max", lambda argument: argument, "a value"),
        Aggregate("stddev_samp", if_numeric(Type.DOUBLE), "a number"),
        Aggregate("stddev_pop", if_numeric(Type.DOUBLE), "a number"),
        Aggregate("var_samp", if_numeric(Type.DOUBLE), "a number"),
        Aggregate("var_pop", if_numeric(Type.DOUBLE), "a number"),
        Aggregate("bool_and", if_of(Type.BOOLEAN), "a condition"),
        Aggregate("bool_or", if_of(Type.BOOLEAN), "a condition"),
        Aggregate("string_agg", if_of(Type.TEXT), "a text", is_ordered=True),
        Aggregate("single", lambda argument: argument, "a value"),
        Aggregate("array_agg", lambda argument: argument.listed, "a value", is_ordered=True),
    )
}


def call_text(call: AggregateCall) -> str:
    """Write an aggregate call for people."""
    argument = "*" if call.argument is None else to_text(call.argument)
    if isinstance(call.argument, Call) and call.argument.function == "together":
        argument = argument[1:-1]
    separator = f", {call.separator!r}" if call.function == "string_agg" else ""
    order = f" order by {order_text(call.order)}" if call.order else ""
    return f"{call.function}({'distinct ' if call.distinct else ''}{argument}{separator}{order})"


def changed(call: AggregateCall, change: Callable[[Expr], Expr]) -> AggregateCall:
    """Return the call with each of its expressions changed."""
    argument = None if call.argument is None else change(call.argument)
    order = tuple(replace(key, expression=change(key.expression)) for key in call.order)
    return replace(call, argument=argument, order=order)


def read_by(call: AggregateCall) -> tuple[Expr, ...]:
    """Return the expressions that a call reads."""
    argument = () if call.argument is None else (call.argument,)
    return (*argument, *(key.expression for key in call.order))
