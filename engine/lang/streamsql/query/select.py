"""Queries become plans.

FROM, WHERE  →  Join      GROUP BY  →  Aggregate      HAVING  →  Select
the columns  →  Project   DISTINCT  →  Distinct       ORDER BY, LIMIT  →  Top

Each clause speaks of the rows that a ``Host`` has gathered: FROM's, or the groups'.
"""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from engine.lang.streamsql.grammar.brackets import IS_DEVICE
from engine.lang.streamsql.query.clauses import check_clauses
from engine.lang.streamsql.query.columns import Item, items_of
from engine.lang.streamsql.query.devices import relation_of
from engine.lang.streamsql.query.gathered import Gathered
from engine.lang.streamsql.query.grouping import Grouping, contains_aggregate
from engine.lang.streamsql.query.hosts import Host
from engine.lang.streamsql.query.joins import FromBinder, Joined
from engine.lang.streamsql.query.ordering import ordered_query, ordered_selection
from engine.lang.streamsql.query.rows import unordered
from engine.lang.streamsql.query.scope import Outside, Scope
from engine.lang.streamsql.query.setops import bind_set_operation
from engine.lang.streamsql.query.values import ONE_ROW, bind_values
from engine.lang.streamsql.query.windows import refuse_clauses, scan_of
from engine.lang.streamsql.recursion.with_clause import bind_with
from engine.lang.streamsql.refusals import check_supported
from engine.lang.streamsql.spans import on_line, shown, span_of
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.plan.logical import Plan
from engine.plan.rewriting import size

MOST_NODES = 2_500


class SelectBinder:
    """Binds queries against a catalog and the plans of the views that there are."""

    def __init__(self, catalog: Catalog, views: Mapping[str, Plan], outside: Outside | None = None) -> None:
        self._catalog = catalog
        self._views = views
        self.outside = outside

    def bind(self, node: exp.Expr) -> Plan:
        """Return the logical plan of a query: a SELECT or a set operation, in brackets or after WITH."""
        plan = bind_with(self, node) if node.args.get("with_") else self.body(node)
        if size(plan) > MOST_NODES:
            message = f"a plan of {size(plan):,} nodes, its views put in; {MOST_NODES:,} can be kept at most"
            raise QueryError(message, span_of(node))
        return plan

    @property
    def views(self) -> Mapping[str, Plan]:
        """What names stand for, beside the relations."""
        return self._views

    def knows(self, name: str) -> bool:
        return name in self._views or name in self._catalog

    def with_views(self, more: Mapping[str, Plan]) -> "SelectBinder":
        """Return a binder that knows some names besides, which hide those that are alike."""
        return SelectBinder(self._catalog, {**self._views, **more}, self.outside)

    def inside(self, outside: Outside) -> "SelectBinder":
        """Return a binder of a query within another, whose columns it may read."""
        return SelectBinder(self._catalog, self._views, outside)

    def body(self, node: exp.Expr) -> Plan:
        """Return the plan of a query whose WITH is taken in already."""
        check_clauses(node)
        match node:
            case exp.Subquery():
                return ordered_query(self, self.bind(node.this), node)
            case exp.SetOperation():
                return ordered_query(self, bind_set_operation(self, node), node)
            case exp.Values():
                return bind_values(node)
        assert isinstance(node, exp.Select)
        return self._select(node)

    def _select(self, node: exp.Select) -> Plan:
        found = self._from(node)
        made = frozenset(item.alias.lower() for item in node.expressions if isinstance(item, exp.Alias))
        host = Host(self, found.rows, replace(found.scope, made=made))
        if where := node.args.get("where"):
            host.restrict(where.this, "where")
        items = items_of(node, found.scope)
        if is_grouped(node):
            host = self._grouped(node, host, found, items)
        bound = [host.scalar(item, "select") if isinstance(item, exp.Expr) else item for _, item in items]
        return ordered_selection(host, node, [name for name, _ in items], bound)

    def _grouped(self, node: exp.Select, base: Host, found: Joined, items: list[Item]) -> Host:
        """Return what SELECT and HAVING speak of: the groups; the items that a star made are put in place."""
        group = node.args.get("group")
        grouping = Grouping(base, found.scope, group.expressions if group else [], items)
        order, having = node.args.get("order"), node.args.get("having")
        parts = [item for _, item in items if isinstance(item, exp.Expr)]
        grouping.collect(parts, "select")
        grouping.collect([having.this] if having else [], "having")
        grouping.collect(order.expressions if order else [], "order by")
        host = Host(self, Gathered((grouping.plan(found.rows.joined),)), grouping)
        if having:
            host.restrict(having.this, "having")
        for i, (name, item) in enumerate(items):
            if not isinstance(item, exp.Expr):
                items[i] = name, grouping.output(item, "select")
        return host

    def _from(self, node: exp.Select) -> Joined:
        from_ = node.args.get("from_")
        if from_ is None:
            if not node.expressions:
                message = "a query needs columns: SELECT columns FROM relation"
                raise QueryError(message, span_of(node))
            star = next((item for item in node.expressions if is_star(item)), None)
            if star is not None:
                message = f"FROM is missing{on_line(star)}: SELECT * FROM {star.alias or 'relation'}"
                raise QueryError(message, span_of(star))
            return Joined(Gathered((ONE_ROW,)), Scope(outside=self.outside))
        return FromBinder(self).bind(from_.this, node.args.get("joins") or [])

    def source(self, node: exp.Expr) -> tuple[Plan, str]:
        """Return what a name or a query in FROM stands for, and its alias."""
        if isinstance(node, exp.Subquery | exp.Values):
            if not node.alias:
                message = "a query in FROM needs an alias: FROM (SELECT …) name"
                raise QueryError(message, span_of(node))
            inner = node.this if isinstance(node, exp.Subquery) else node
            return unordered(self.bind(inner)), node.alias.lower()
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            return self._relation(node), (node.alias or node.name).lower()
        check_supported(node, "from")
        message = f"{shown(node)} cannot stand in FROM; a relation, a view or (SELECT …) can"
        raise QueryError(message, span_of(node))

    def _relation(self, node: exp.Table) -> Plan:
        name = node.name.lower()
        if name in self._views and not node.args.get(IS_DEVICE):
            refuse_clauses(f"{name} is a view", node)
            return unordered(self._views[name])
        return scan_of(relation_of(self._catalog, self._views, node), node)


def is_star(item: exp.Expr) -> bool:
    return isinstance(item.this if isinstance(item, exp.Alias) else item, exp.Star)


def is_grouped(node: exp.Select) -> bool:
    """Tell whether a query speaks of groups."""
    order = node.args.get("order")
    parts = [*node.expressions, *(order.expressions if order else [])]
    return bool(node.args.get("group") or node.args.get("having")) or any(map(contains_aggregate, parts))
