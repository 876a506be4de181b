"""Aggregate calls of the parse tree become bound ones.

    sum(DISTINCT x)    string_agg(x, ', ' ORDER BY y DESC)    count(x) FILTER (WHERE p)

FILTER is a CASE around the argument, where NULLs are left out: count(CASE WHEN p THEN x END).
"""

from typing import NamedTuple

from sqlglot import exp

from engine.lang.streamsql.grammar.nodes import FOLD_NODES
from engine.lang.streamsql.scalars.calls import types_of
from engine.lang.streamsql.scalars.literals import UNTYPED_NULL, converted
from engine.lang.streamsql.scalars.scalar import ScalarBinder
from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError
from engine.model.values import Type
from engine.plan.aggregates import AGGREGATES
from engine.plan.expressions import Call, Expr, Literal
from engine.plan.folds import FOLDS, together
from engine.plan.logical import AggregateCall, SortKey

AGGREGATE_NODES: dict[type[exp.Expr], str] = {
    exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max",
    exp.Stddev: "stddev_samp", exp.StddevSamp: "stddev_samp", exp.StddevPop: "stddev_pop",
    exp.Variance: "var_samp", exp.VariancePop: "var_pop", exp.AnyValue: "min",
    exp.LogicalAnd: "bool_and", exp.LogicalOr: "bool_or",
    exp.GroupConcat: "string_agg", exp.ArrayAgg: "array_agg",
    **{node: node.sql_name().lower() for node in FOLD_NODES},
}  # fmt: skip


class Parts(NamedTuple):
    """What stands between an aggregate's brackets, and its FILTER."""

    name: str
    given: list[exp.Expr]
    distinct: bool
    order: list[exp.Expr]
    condition: exp.Expr | None


class AggregateBinder:
    """Binds the calls of one clause; ``binder`` binds what they are over."""

    def __init__(self, binder: ScalarBinder, clause: str) -> None:
        self._binder = binder
        self._clause = clause

    def bind(self, node: exp.Expr) -> tuple[AggregateCall, Type]:
        """Return the call and its type."""
        parts = self._parts(node)
        if parts.name in FOLDS:
            return self._fold(parts, node)
        aggregate = AGGREGATES[parts.name]
        if len(parts.given) != 1:
            raise self._refused(
                node, f"{parts.name} takes {aggregate.expects}, found {len(parts.given)} of them"
            )
        (only,) = parts.given
        is_star = isinstance(only, exp.Star)
        argument = None if is_star else self._binder.bind(only)
        if argument == UNTYPED_NULL and aggregate.result(Type.TEXT) is None:
            argument = Literal(None, Type.BOOLEAN if parts.name.startswith("bool") else Type.DOUBLE)
        is_count = argument is None and parts.name == "count" and not parts.distinct
        result = Type.BIGINT if is_count else aggregate.result(argument.type) if argument else None
        if result is None:
            found = argument.type if argument else "*"
            raise self._refused(node, f"{parts.name} takes {aggregate.expects}, found {found}")
        filtered = self._filtered(argument, parts, node)
        order = tuple(map(self._sort_key, parts.order))
        self._check_order(parts, argument, order, node)
        return AggregateCall(parts.name, filtered, parts.distinct, self._separator(node), order), result

    def _fold(self, parts: Parts, node: exp.Expr) -> tuple[AggregateCall, Type]:
        """Bind an aggregate over several values."""
        fold = FOLDS[parts.name]
        if any(isinstance(each, exp.Distinct | exp.Order) for each in parts.given):
            raise self._refused(node, f"{fold.name} knows neither DISTINCT nor ORDER BY", "leave it out")
        args = [self._binder.bind(each) for each in parts.given]
        given = types_of(args)
        fit = fold.signature.fit(given)
        if fit is None:
            found = ", ".join(kind or "NULL" for kind in given) or "nothing"
            raise self._refused(node, f"{fold.name} takes {fold.expects}, found {found}")
        fitted = [converted(arg, kind) or arg for arg, kind in zip(args, fit.types, strict=True)]
        return AggregateCall(fold.name, self._filtered(together(tuple(fitted)), parts, node)), fit.result

    def _parts(self, node: exp.Expr) -> Parts:
        condition = node.expression.this if isinstance(node, exp.Filter) else None
        call = node.this if isinstance(node, exp.Filter) else node
        name = AGGREGATE_NODES.get(type(call))
        if name is None:
            known = ", ".join(dict.fromkeys(AGGREGATE_NODES.values()))
            called = str(getattr(call, "sql_name", lambda: call.key)())
            raise self._refused(node, f"unknown aggregate {called.lower()}", f"there are {known}")
        inner, order = call.this, []
        if isinstance(inner, exp.Order):
            inner, order = inner.this, inner.expressions
        distinct = isinstance(inner, exp.Distinct)
        first = inner.expressions if distinct else [inner] if inner is not None else []
        return Parts(name, [*first, *call.expressions], distinct, order, condition)

    def _filtered(self, argument: Expr | None, parts: Parts, node: exp.Expr) -> Expr | None:
        if parts.condition is None:
            return argument
        if parts.name == "array_agg":
            raise self._refused(node, "array_agg takes no FILTER, for it keeps NULLs", "select before")
        condition = self._binder.condition(parts.condition)
        kept = Literal(True, Type.BOOLEAN) if argument is None else argument
        return Call("case", (condition, kept, Literal(None, kept.type)), kept.type)

    def _sort_key(self, node: exp.Expr) -> SortKey:
        return SortKey(
            self._binder.bind(node.this), bool(node.args.get("desc")), bool(node.args.get("nulls_first"))
        )

    def _separator(self, node: exp.Expr) -> str:
        call = node.this if isinstance(node, exp.Filter) else node
        if not isinstance(call, exp.GroupConcat):
            return ""
        separator = call.args.get("separator")
        if not isinstance(separator, exp.Literal) or not separator.is_string:
            raise self._refused(node, "string_agg takes a text and, as a constant, what stands between two")
        return separator.name

    def _check_order(
        self, parts: Parts, argument: Expr | None, order: tuple[SortKey, ...], node: exp.Expr
    ) -> None:
        if order and not AGGREGATES[parts.name].is_ordered:
            raise self._refused(node, f"{parts.name} does not depend on an ORDER BY", "leave it out")
        if parts.distinct and any(key.expression != argument for key in order):
            raise self._refused(
                node, f"{parts.name}(DISTINCT …) can be ordered by its value alone", "leave DISTINCT out"
            )

    def _refused(self, node: exp.Expr, message: str, remedy: str = "") -> QueryError:
        end = f"; {remedy}" if remedy else ""
        return QueryError(f"{message}{where(node, self._clause)}{end}", span_of(node))


def called(node: exp.Expr) -> str:
    """Return the name that a column has by what computes it."""
    call = node.this if isinstance(node, exp.Filter) else node
    return call.name.lower() if isinstance(call, exp.Anonymous) else AGGREGATE_NODES.get(type(call), call.key)


def is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc | exp.Filter)
