"""Aggregates of a body, joined by the variables that they share with what is around them.

    n = count : { r(x, y) }  beside  q(x)    →    q ⋈ γ x; count(r)   and, of the empty groups,
                                                  q ▷ γ x; count(r)   with n = 0

So a conjunction with a count or a sum is two. The least, the greatest and the mean of nothing are
none, and derive nothing. An aggregate that shares no variable has one group, which is always there.
"""

from dataclasses import dataclass

from engine.lang.datalog.conjunction import Conjunction, Excluded
from engine.lang.datalog.normal import Aggregated
from engine.lang.datalog.terms import equal, has_value
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.constant import Constant
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import Aggregate, AggregateCall, Plan, Project, Union

OF_NOTHING = frozenset({"count", "sum"})
FUNCTIONS = {"mean": "avg"}
COUNT = AggregateCall("count", None)


@dataclass(frozen=True)
class Member:
    """A conjunction whose rows an aggregate is over: their group and what is aggregated of them."""

    rows: Conjunction
    group: tuple[Expr, ...]
    target: Expr | None


@dataclass(frozen=True)
class Groups:
    """The rows that an aggregate is over, by the variables from around it; the last type is the target's."""

    shared: tuple[str, ...]
    types: tuple[Type, ...]
    members: tuple[Member, ...]


def aggregated(joined: Conjunction, found: Aggregated, groups: Groups) -> list[Conjunction]:
    """Return the conjunctions that a conjunction becomes with an aggregate's value."""
    plan = plan_of(found, groups)
    width = len(groups.shared)
    here = tuple(joined.bound[name] for name in groups.shared)
    there = tuple(Field(i, column.type, column.name) for i, column in enumerate(plan.columns[:width]))
    empty = joined.copy()
    fields = joined.read(plan)
    for left, right in zip(here, fields[:width], strict=True):
        joined.ask(equal(left, right))
    joined.bind(found.variable.name, result(joined, found, fields[width:], width))
    if found.function not in OF_NOTHING or not width:
        return [joined]
    empty.excluded.append(Excluded(plan, here, there))
    empty.bind(found.variable.name, zero(fields[width].type))
    return [joined, empty]


def zero(kind: Type) -> Literal:
    return Literal(0.0 if kind is Type.DOUBLE else 0, kind)


def result(joined: Conjunction, found: Aggregated, values: list[Field], width: int) -> Expr:
    """Return an aggregate's value, which is asked to be there."""
    value = values[0]
    if found.function == "count":
        return value
    if found.function == "sum" and not width:
        is_empty = equal(values[1], Literal(0, Type.BIGINT))
        whole = Call("case", (is_empty, zero(value.type), value), value.type)
        joined.ask(has_value(whole))
        return whole
    joined.ask(has_value(value))
    return value


def plan_of(found: Aggregated, groups: Groups) -> Plan:
    """Return one row a group: its values, the aggregate, and for a sum how many there are."""
    rows, group, target = rows_of(groups)
    function = FUNCTIONS.get(found.function, found.function)
    calls = (COUNT,) if target is None else (AggregateCall(function, target), COUNT)
    names = [Column(f"g{i}", each.type) for i, each in enumerate(group)]
    if target is not None:
        names.append(Column(found.function, Type.DOUBLE if function == "avg" else target.type))
    return Aggregate(rows, group, calls, (*names, Column("count", Type.BIGINT)))


def rows_of(groups: Groups) -> tuple[Plan, tuple[Expr, ...], Expr | None]:
    """Return the rows that are aggregated, and where in them the groups and the target are."""
    if len(groups.members) == 1:
        (only,) = groups.members
        return only.rows.plan(), only.group, only.target
    columns = tuple(Column(f"c{i}", each) for i, each in enumerate(groups.types))
    fields = tuple(Field(i, column.type, column.name) for i, column in enumerate(columns))
    made = tuple(
        Project(m.rows.plan(), (*m.group, *(() if m.target is None else (m.target,))), columns)
        for m in groups.members
    )
    width = len(groups.shared)
    rows = Union(made) if made else Constant((), columns)
    return rows, fields[:width], fields[width] if len(fields) > width else None
