"""GROUP BY and the aggregates of SELECT and HAVING.

columns of the Aggregate  =  the groups, then the aggregate calls, each once
"""

from sqlglot import exp

from engine.lang.streamsql.aggregates import AggregateBinder, is_aggregate
from engine.lang.streamsql.scalar import ScalarBinder
from engine.lang.streamsql.scope import Scope
from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.aggregates import call_text
from engine.plan.expressions import Expr, Field, to_text
from engine.plan.logical import Aggregate, AggregateCall, Plan


def contains_aggregate(node: exp.Expr) -> bool:
    return any(isinstance(part, exp.AggFunc) for part in node.walk())


class Grouping:
    """The groups and aggregate calls of one query; aggregate calls are collected as they are met."""

    def __init__(self, node: exp.Select, scope: Scope, items: list[tuple[str, exp.Expr | Field]]) -> None:
        self._scope = scope
        group = node.args.get("group")
        nodes = group.expressions if group else []
        self._groups: list[Expr] = [self._group(g, items) for g in nodes]
        self._calls: list[AggregateCall] = []
        self._call_types: list[Type] = []

    def plan(self, child: Plan) -> Aggregate:
        """Return the aggregate over its input; to be asked for after everything was resolved."""
        columns = [Column(getattr(g, "name", "") or f"group_{i}", g.type) for i, g in enumerate(self._groups)]
        columns += [Column(call.function, t) for call, t in zip(self._calls, self._call_types, strict=True)]
        return Aggregate(child, tuple(self._groups), tuple(self._calls), tuple(columns))

    def resolve(self, node: exp.Expr, clause: str) -> Expr | None:
        """Return a field of the aggregate's output for an aggregate, a group or a column; else decline."""
        if is_aggregate(node):
            return self._aggregate(node, clause)
        bound = self._try_group(node, clause)
        if bound is not None and bound in self._groups:
            return self._field(self._groups.index(bound))
        if isinstance(node, exp.Column):
            return self.output(self._scope.field(node, clause), clause, node)
        return None

    def output(self, field: Field, clause: str, node: exp.Expr | None = None) -> Field:
        """Return where a grouped column lies in the aggregate's output."""
        if field not in self._groups:
            message = f"{field.name}{where(node, clause)} must be in GROUP BY or inside an aggregate"
            raise QueryError(message, span_of(node))
        return self._field(self._groups.index(field))

    def _field(self, index: int) -> Field:
        group = self._groups[index]
        return Field(index, group.type, to_text(group))

    def _binder(self, clause: str) -> ScalarBinder:
        return ScalarBinder(
            lambda n: self._scope.field(n, clause) if isinstance(n, exp.Column) else None, clause
        )

    def _try_group(self, node: exp.Expr, clause: str) -> Expr | None:
        if isinstance(node, exp.Column | exp.Literal) or contains_aggregate(node):
            return None
        return self._binder(clause).bind(node)

    def _group(self, node: exp.Expr, items: list[tuple[str, exp.Expr | Field]]) -> Expr:
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
            position = int(node.name)
            if not 1 <= position <= len(items):
                message = f"GROUP BY {position} names no column; SELECT has {len(items)}"
                raise QueryError(message, span_of(node))
            chosen = items[position - 1][1]
            return chosen if isinstance(chosen, Field) else self._binder("group by").bind(chosen)
        if isinstance(node, exp.Column) and not node.table and not self._is_column(node.name.lower()):
            for name, item in items:
                if name == node.name.lower() and isinstance(item, exp.Expr):
                    return self._binder("group by").bind(item)
        return self._binder("group by").bind(node)

    def _is_column(self, name: str) -> bool:
        return any(column.name == name for source in self._scope.sources for column in source.columns)

    def _aggregate(self, node: exp.Expr, clause: str) -> Field:
        if any(contains_aggregate(part) for part in inner_of(node)):
            message = f"an aggregate inside an aggregate{where(node, clause)}; put the inner one into a view"
            raise QueryError(message, span_of(node))
        call, result = AggregateBinder(self._binder(clause), clause).bind(node)
        if call not in self._calls:
            self._calls.append(call)
            self._call_types.append(result)
        return Field(len(self._groups) + self._calls.index(call), result, call_text(call))


def inner_of(node: exp.Expr) -> list[exp.Expr]:
    """Return what an aggregate is over."""
    call = node.this if isinstance(node, exp.Filter) else node
    return list(call.iter_expressions())
