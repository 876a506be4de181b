"""Aggregate push-down: totals begun where the rows are, and made whole here.

    γ g, count(x), min(y) (R)   =   γ g, sum(c), min(m) (Σᵢ γ g, count(x) as c, min(y) as m (Rᵢ))

where R is the sum of what the gateways have. Only totals that are exactly the same made of parts are begun
there (``federated.sites.parts``). Without a group every gateway has a row; the sum over none is NULL where
a count is 0.
"""

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.leaves import Shipped
from engine.plan.logical import Aggregate, AggregateCall
from engine.plan.physical import GroupBy, Map, Physical
from federated.placing.fragments import home, sent
from federated.sites import SENSOR
from federated.sites.parts import AGAIN


def can_begin(plan: Aggregate) -> bool:
    """Tell whether gateways can begin the totals of their own rows."""
    asked = (*plan.groups, *(call.argument for call in plan.calls if call.argument is not None))
    return (
        home(plan.child) == SENSOR.name
        and bool(plan.columns)
        and all(map(SENSOR.can_total, plan.calls))
        and all(map(SENSOR.can_run, asked))
    )


def begun(plan: Aggregate) -> Physical:
    """Return the totals made of what the gateways begin."""
    parts = GroupBy(sent(plan.child), plan.groups, plan.calls, plan.columns)
    width, columns = len(plan.groups), plan.columns
    fields = tuple(Field(i, column.type, column.name) for i, column in enumerate(columns))
    calls = tuple(_again(call, fields[width + i]) for i, call in enumerate(plan.calls))
    whole = GroupBy(Shipped(SENSOR.name, parts), fields[:width], calls, columns)
    if plan.groups or not any(call.function == "count" for call in plan.calls):
        return whole
    return Map(whole, tuple(_or_none(*each) for each in zip(plan.calls, fields, strict=True)), columns)


def _again(call: AggregateCall, part: Field) -> AggregateCall:
    return AggregateCall(AGAIN[call.function], part)


def _or_none(call: AggregateCall, total: Field) -> Expr:
    """Count 0 where no gateway said anything."""
    if call.function != "count":
        return total
    return Call("coalesce", (total, Literal(0, Type.BIGINT)), Type.BIGINT)
