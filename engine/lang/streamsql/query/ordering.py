"""ORDER BY, LIMIT, OFFSET and FETCH FIRST become Top.

SELECT a FROM r ORDER BY b LIMIT 3    →    π a (top 3 by b (π a, b (r)))

What SELECT does not show is a column until the order is made. A bare name means a column of SELECT first,
then of FROM. An order without a LIMIT stays for whoever reads the rows; in a query within another it goes.
"""

from typing import TYPE_CHECKING

from sqlglot import exp

from engine.lang.streamsql.query.columns import projection
from engine.lang.streamsql.query.gathered import Gathered
from engine.lang.streamsql.query.hosts import Host
from engine.lang.streamsql.query.scope import Scope, Source
from engine.lang.streamsql.scalars.logic import constant_of
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError
from engine.plan.expressions import Expr, Field
from engine.plan.logical import Distinct, Plan, Project, SortKey, Top
from engine.plan.rows import fields_of

if TYPE_CHECKING:
    from engine.lang.streamsql.query.select import SelectBinder


def ordered_selection(host: Host, node: exp.Select, names: list[str], bound: list[Expr]) -> Plan:
    """Return the columns of a SELECT, each row once where it says DISTINCT, in its order."""
    keys = _keys(node, host, names, bound)
    hidden = list(dict.fromkeys(key for key in keys if key not in bound))
    is_distinct = bool(node.args.get("distinct"))
    if hidden and is_distinct:
        message = "ORDER BY after SELECT DISTINCT must name what SELECT shows"
        raise QueryError(message, span_of(node.args["order"]))
    shown = [*bound, *hidden]
    plan: Plan = projection(host.plan, [*names, *(f"order_{i}" for i, _ in enumerate(hidden))], shown)
    plan = Distinct(plan) if is_distinct else plan
    top = _top(plan, node, [shown.index(key) for key in keys])
    return Project(top, fields_of(top)[: len(bound)], top.columns[: len(bound)]) if hidden else top


def ordered_query(binder: "SelectBinder", plan: Plan, node: exp.Expr) -> Plan:
    """Return a set operation, or a query in brackets, in the order that stands behind it."""
    if not any(node.args.get(part) for part in ("order", "limit", "offset")):
        return plan
    source = Source("", plan.columns)
    host = Host(binder, Gathered((plan,)), Scope((source,), source.named(), binder.outside))
    names, fields = [column.name for column in plan.columns], list(fields_of(plan))
    keys = _keys(node, host, names, list(fields))
    hidden = list(dict.fromkeys(key for key in keys if key not in fields))
    if not hidden:
        return _top(plan, node, [fields.index(key) for key in keys if isinstance(key, Field)])
    shown = [*fields, *hidden]
    wide = projection(host.rows.plan, [*names, *(f"order_{i}" for i, _ in enumerate(hidden))], shown)
    top = _top(wide, node, [shown.index(key) for key in keys])
    return Project(top, fields_of(plan), plan.columns)


def _keys(node: exp.Expr, host: Host, names: list[str], bound: list[Expr]) -> list[Expr]:
    """Return what each part of ORDER BY orders by, over the rows of the host."""
    order = node.args.get("order")
    return [_key(part.this, host, names, bound) for part in order.expressions] if order else []


def _key(node: exp.Expr, host: Host, names: list[str], bound: list[Expr]) -> Expr:
    if isinstance(node, exp.Literal) and not node.is_string:
        position = int(node.name) if node.name.isdigit() else 0
        if not 1 <= position <= len(bound):
            message = f"ORDER BY {node.name} names no column; SELECT has {len(bound)}"
            raise QueryError(message, span_of(node))
        return bound[position - 1]
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in names:
        return bound[names.index(node.name.lower())]
    return host.scalar(node, "order by")


def _top(plan: Plan, node: exp.Expr, places: list[int]) -> Plan:
    """Return the first rows by columns that the plan has."""
    count, skip = _count(node.args.get("limit")), _count(node.args.get("offset"))
    order = node.args.get("order")
    if not order and count is None and not skip:
        return plan
    fields = fields_of(plan)
    keys = [
        SortKey(fields[place], bool(part.args.get("desc")), bool(part.args.get("nulls_first")))
        for place, part in zip(places, order.expressions if order else [], strict=True)
    ]
    return Top(plan, tuple(keys), count, skip or 0)


def _count(node: exp.Expr | None) -> int | None:
    """Return how many rows LIMIT, OFFSET or FETCH FIRST says; None where it sets no bound."""
    if node is None:
        return None
    if isinstance(node, exp.Fetch):
        return _fetched(node)
    written = node.expression
    if isinstance(written, exp.Null) or (isinstance(written, exp.Var) and written.name.upper() == "ALL"):
        return None
    return constant_of(written, "limit")


def _fetched(node: exp.Fetch) -> int:
    options, count = node.args.get("limit_options"), node.args.get("count")
    if options and (options.args.get("percent") or options.args.get("with_ties")):
        message = "FETCH FIRST takes a number of rows and ONLY"
        raise QueryError(message, span_of(node))
    return 1 if count is None else constant_of(count, "fetch first")
