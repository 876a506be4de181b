"""WITH: names for queries, before the query that uses them.

WITH a AS (q₁), b(x, y) AS (q₂) q    =    q over the views and a, b; q₂ may read a
"""

from typing import TYPE_CHECKING

from sqlglot import exp

from engine.lang.streamsql.rows import renamed
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError
from engine.plan.logical import Plan

if TYPE_CHECKING:
    from engine.lang.streamsql.select import SelectBinder


def bind_with(binder: "SelectBinder", node: exp.Expr) -> Plan:
    """Return the plan of a query that begins with WITH."""
    with_ = node.args["with_"]
    if with_.args.get("recursive"):
        message = "WITH RECURSIVE is not part of StreamSQL"
        raise QueryError(message, span_of(with_))
    for cte in with_.expressions:
        plan = renamed(binder.bind(cte.this), cte.args["alias"])
        binder = binder.with_views({cte.alias.lower(): plan})
    return binder.body(node)
