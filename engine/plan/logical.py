"""The logical plan: what a query means, before anyone decides how.

    Plan  =  Scan  |  Join(inputs, predicates)  |  Select  |  Project  |  Aggregate  |  Distinct

A join is n-ary and its predicates speak of the concatenation of its inputs: no order is implied.
Plans are frozen values; equal plans are equal work, whoever asked.
"""

from dataclasses import dataclass
from functools import cached_property

from engine.model.relation import Column, Relation, RelationKind
from engine.plan.expressions import Expr
from engine.plan.windows import Window


@dataclass(frozen=True)
class Scan:
    """A base relation; a stream through its window."""

    relation: Relation
    window: Window | None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.relation.columns

    @property
    def is_stream(self) -> bool:
        return self.relation.kind is RelationKind.STREAM


@dataclass(frozen=True)
class Join:
    """All combinations of the inputs' rows that satisfy every predicate."""

    inputs: "tuple[Plan, ...]"
    predicates: tuple[Expr, ...]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for plan in self.inputs for column in plan.columns)


@dataclass(frozen=True)
class Select:
    """The rows that satisfy a predicate."""

    child: "Plan"
    predicate: Expr

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


@dataclass(frozen=True)
class Project:
    """One expression a column; duplicates stay."""

    child: "Plan"
    expressions: tuple[Expr, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate over an expression; over every row where there is none."""

    function: str
    argument: Expr | None


@dataclass(frozen=True)
class Aggregate:
    """One row a group: the group's values, then the aggregates'."""

    child: "Plan"
    groups: tuple[Expr, ...]
    calls: tuple[AggregateCall, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Distinct:
    """Each row once."""

    child: "Plan"

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


Plan = Scan | Join | Select | Project | Aggregate | Distinct


def inputs_of(plan: Plan) -> tuple[Plan, ...]:
    """Return what feeds a node."""
    match plan:
        case Scan():
            return ()
        case Join(inputs):
            return inputs
        case _:
            return (plan.child,)


def size(plan: Plan) -> int:
    """Count the nodes, as often as they are there; what several parents share is looked at once."""
    known: dict[int, int] = {}

    def count(node: Plan) -> int:
        if id(node) not in known:
            known[id(node)] = 1 + sum(map(count, inputs_of(node)))
        return known[id(node)]

    return count(plan)
