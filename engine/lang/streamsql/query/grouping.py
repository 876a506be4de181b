"""GROUP BY and the aggregates of SELECT, HAVING and ORDER BY.

columns of the Aggregate  =  the groups, then the aggregate calls, each once

The calls are collected before anything else is bound, so that queries among the expressions find the
columns where they stay.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from engine.lang.streamsql.nested.correlation import reads_outer
from engine.lang.streamsql.nested.questions import QUERIES, holds_query
from engine.lang.streamsql.query.columns import Item
from engine.lang.streamsql.query.scope import Scope
from engine.lang.streamsql.scalars.aggregates import AggregateBinder, is_aggregate
from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.aggregates import call_text
from engine.plan.expressions import Expr, Field, positions, to_text
from engine.plan.logical import Aggregate, AggregateCall, Plan

if TYPE_CHECKING:
    from engine.lang.streamsql.query.hosts import Host


def own_parts(node: exp.Expr) -> list[exp.Expr]:
    """Return a node and all below it but for what is in queries."""
    parts = node.walk(prune=lambda part: isinstance(part, (*QUERIES, exp.Subquery)))
    return [part for part in parts if not isinstance(part, (*QUERIES, exp.Subquery))]


def contains_aggregate(node: exp.Expr) -> bool:
    return any(isinstance(part, exp.AggFunc) for part in own_parts(node))


class Grouping:
    """The groups and aggregate calls of one query, over the rows of ``base``."""

    def __init__(self, base: "Host", scope: Scope, groups: Sequence[exp.Expr], items: Sequence[Item]) -> None:
        self._base = base
        self._scope = scope
        self._asked: dict[exp.Expr, Expr] = {}
        self._groups: list[Expr] = [self._group(node, items) for node in groups]
        self._calls: list[AggregateCall] = []
        self._types: list[Type] = []
        self._bound: dict[exp.Expr, Field] = {}

    def collect(self, nodes: Sequence[exp.Expr], clause: str) -> None:
        """Bind the aggregates that stand in expressions."""
        for node in nodes:
            for part in own_parts(node):
                is_filtered = isinstance(part.parent, exp.Filter) and part.arg_key == "this"
                if is_aggregate(part) and not is_filtered:
                    self._aggregate(part, clause)

    def plan(self, child: Plan) -> Aggregate:
        """Return the aggregate over its input."""
        columns = [Column(getattr(g, "name", "") or f"group_{i}", g.type) for i, g in enumerate(self._groups)]
        columns += [Column(call.function, t) for call, t in zip(self._calls, self._types, strict=True)]
        return Aggregate(child, tuple(self._groups), tuple(self._calls), tuple(columns))

    def resolve(self, node: exp.Expr, clause: str) -> Expr | None:
        """Return a field of the aggregate's output for an aggregate, a group or a column; else decline."""
        if is_aggregate(node):
            return self._aggregate(node, clause)
        if self._asked and node in self._asked:
            return self._field(self._groups.index(self._asked[node]))
        bound = self._try_group(node, clause)
        if bound is not None and bound in self._groups:
            return self._field(self._groups.index(bound))
        if isinstance(node, exp.Column):
            return self.output(self._scope.field(node, clause), clause, node)
        return None

    def find(self, node: exp.Column, clause: str) -> Expr | None:
        """Return what a column stands for in a query among the expressions."""
        found = self._scope.find(node, clause)
        return None if found is None else self.output(found, clause, node)

    def output(self, found: Expr, clause: str, node: exp.Expr | None = None) -> Expr:
        """Return where a grouped column lies in the aggregate's output; a column from outside is as it is."""
        if found in self._groups:
            return self._field(self._groups.index(found))
        if reads_outer(found) and not positions(found):
            return found
        remedy = "; a condition on single rows goes into WHERE" if clause == "having" else ""
        message = f"{to_text(found)}{where(node, clause)} must be in GROUP BY or inside an aggregate{remedy}"
        raise QueryError(message, span_of(node))

    def _field(self, index: int) -> Field:
        group = self._groups[index]
        name = group.name if isinstance(group, Field) else ""
        return Field(index, group.type, name or ("" if reads_outer(group) else to_text(group)))

    def _try_group(self, node: exp.Expr, clause: str) -> Expr | None:
        if isinstance(node, exp.Column | exp.Literal) or contains_aggregate(node):
            return None
        return None if holds_query(node) else self._base.scalar(node, clause)

    def _group(self, node: exp.Expr, items: Sequence[Item]) -> Expr:
        meant = self._meant(node, items)
        if not isinstance(meant, exp.Expr):
            return meant
        bound = self._base.scalar(meant, "group by")
        if holds_query(meant):
            self._asked[meant] = bound
        return bound

    def _meant(self, node: exp.Expr, items: Sequence[Item]) -> exp.Expr | Expr:
        """Return what a group names by its position or its name in SELECT; else itself."""
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
            position = int(node.name)
            if not 1 <= position <= len(items):
                message = f"GROUP BY {position} names no column; SELECT has {len(items)}"
                raise QueryError(message, span_of(node))
            return items[position - 1][1]
        if isinstance(node, exp.Column) and not node.table and not self._scope.has(node.name.lower()):
            named = (item for name, item in items if name == node.name.lower())
            return next((item for item in named if isinstance(item, exp.Expr)), node)
        return node

    def _aggregate(self, node: exp.Expr, clause: str) -> Field:
        if node in self._bound:
            return self._bound[node]
        if any(contains_aggregate(part) for part in inner_of(node)):
            message = f"an aggregate inside an aggregate{where(node, clause)}; put the inner one into a view"
            raise QueryError(message, span_of(node))
        call, result = AggregateBinder(self._base.binder(clause), clause).bind(node)
        if call.argument is not None and reads_outer(call.argument) and not positions(call.argument):
            message = (
                f"{call.function} is over the query around this one{where(node, clause)}; compute it there"
            )
            raise QueryError(message, span_of(node))
        if call not in self._calls:
            self._calls.append(call)
            self._types.append(result)
        name = call_text(call) if call.argument is None or not reads_outer(call.argument) else call.function
        place = len(self._groups) + self._calls.index(call)
        self._bound[node] = Field(place, result, name)
        return self._bound[node]


def inner_of(node: exp.Expr) -> list[exp.Expr]:
    """Return what an aggregate is over."""
    call = node.this if isinstance(node, exp.Filter) else node
    return list(call.iter_expressions())
