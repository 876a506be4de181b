"""The incremental form of each aggregate, and what it takes of a row.

accumulator(call)  →  a maker of what a group remembers
argument(call)     →  row → the value that it is told; in an order, with its place
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from engine.model.values import Row, Type
from engine.operators.accumulators.accumulator import Accumulator
from engine.operators.accumulators.chosen import Chosen
from engine.operators.accumulators.counter import Consumed
from engine.operators.accumulators.extreme import Extreme
from engine.operators.accumulators.gathered import Gathered, Joined
from engine.operators.accumulators.once import Once
from engine.operators.accumulators.single import Single
from engine.operators.accumulators.spread import Spread
from engine.operators.accumulators.steady import Steady
from engine.operators.accumulators.sums import (
    Count,
    MeanOfDoubles,
    MeanOfIntegers,
    SumOfDoubles,
    SumOfIntegers,
)
from engine.plan.aggregates import AGGREGATES
from engine.plan.expressions import compiled
from engine.plan.folds import FOLDS
from engine.plan.logical import AggregateCall
from engine.plan.ordering import place_of

Maker = Callable[[], Accumulator]

WALKS: dict[str, Maker] = {
    "max_by": partial(Chosen, largest=True),
    "min_by": partial(Chosen, largest=False),
    "consumed": Consumed,
    "steady": Steady,
}


def accumulator(call: AggregateCall) -> Maker:
    """Return what makes the accumulator of an aggregate."""
    maker = WALKS.get(call.function) or _maker(call)
    return (lambda: Once(maker())) if call.distinct else maker


def _maker(call: AggregateCall) -> Maker:
    of_doubles = call.argument is not None and call.argument.type is Type.DOUBLE
    match call.function:
        case "count":
            return Count
        case "sum":
            return SumOfDoubles if of_doubles else SumOfIntegers
        case "avg":
            return MeanOfDoubles if of_doubles else MeanOfIntegers
        case "string_agg":
            return partial(Joined, call.separator)
        case "single":
            return Single
        case "array_agg":
            return Gathered
        case "min" | "max" | "bool_and" | "bool_or":
            return partial(Extreme, largest=call.function in ("max", "bool_or"))
    kind, _, of = call.function.partition("_")
    return partial(Spread, of_doubles=of_doubles, of_all=of == "pop", is_root=kind == "stddev")


def argument(call: AggregateCall) -> Callable[[Row], Any]:
    """Return what an aggregate takes of a row; count(*) counts TRUE."""
    if call.argument is None:
        return lambda _: True
    value_of = compiled(call.argument)
    if call.function in FOLDS or not AGGREGATES[call.function].is_ordered:
        return value_of
    place = place_of(call.order, value_of)
    return lambda row: (place(row), value_of(row))
