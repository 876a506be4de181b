"""WITH: names for queries, before the query that uses them.

WITH a AS (q₁), b(x, y) AS (q₂) q    =    q over the views and a, b; q₂ may read a

WITH RECURSIVE: each may read any. Names that are defined by each other are one fixpoint; the others are
put in where they are read. The least relations that satisfy the queries are meant, each row once, whether
a query reads itself once, many times, or by way of another.
"""

from typing import TYPE_CHECKING

from sqlglot import exp

from engine.lang.streamsql.grammar.recursive_syntax import ROUNDS
from engine.lang.streamsql.query.rows import renamed
from engine.lang.streamsql.recursion.components import components_of, names_read
from engine.lang.streamsql.recursion.definitions import Component
from engine.lang.streamsql.spans import on_line, span_of
from engine.model.errors import QueryError
from engine.plan.logical import Plan

if TYPE_CHECKING:
    from engine.lang.streamsql.query.select import SelectBinder

MOST_NAMES = 100


def bind_with(binder: "SelectBinder", node: exp.Expr) -> Plan:
    """Return the plan of a query that begins with WITH."""
    with_ = node.args["with_"]
    check_names(with_)
    if with_.args.get("recursive"):
        return with_recursive(binder, with_).body(node)
    for cte in with_.expressions:
        name = cte.alias.lower()
        if not binder.knows(name) and names_read(cte.this, frozenset({name})):
            message = f"{name} reads itself{on_line(cte.args['alias'])}; write WITH RECURSIVE"
            raise QueryError(message, span_of(cte.args["alias"]))
        binder = binder.with_views({name: renamed(binder.bind(cte.this), cte.args["alias"])})
    return binder.body(node)


def check_names(with_: exp.With) -> None:
    names = [cte.alias.lower() for cte in with_.expressions]
    if len(names) > MOST_NAMES:
        message = f"{len(names)} names in WITH, {MOST_NAMES} can be; make views of some"
        raise QueryError(message, span_of(with_.expressions[0].args["alias"]))
    for cte, name in zip(with_.expressions, names, strict=True):
        if names.count(name) > 1:
            message = f"{name} stands twice in WITH{on_line(cte.args['alias'])}; take another name"
            raise QueryError(message, span_of(cte.args["alias"]))


def with_recursive(binder: "SelectBinder", with_: exp.With) -> "SelectBinder":
    """Return a binder that knows the names of a WITH RECURSIVE."""
    queries = {cte.alias.lower(): cte for cte in with_.expressions}
    names = frozenset(queries)
    graph = {name: names_read(cte.this, names) for name, cte in queries.items()}
    rounds = with_.expressions[0].args.get(ROUNDS)
    for members in components_of(graph):
        first = members[0]
        if first in graph[first] or len(members) > 1:
            part = {name: graph[name] for name in members}
            component = Component(binder, {name: queries[name] for name in members}, part, rounds)
            binder = binder.with_views(component.plans())
        else:
            cte = queries[first]
            binder = binder.with_views({first: renamed(binder.bind(cte.this), cte.args["alias"])})
    return binder
