"""SELECT becomes a plan.

FROM, WHERE  →  Join      GROUP BY  →  Aggregate      HAVING  →  Select
the columns  →  Project   DISTINCT  →  Distinct
"""

from collections.abc import Mapping
from itertools import chain, count

from sqlglot import exp

from engine.lang.streamsql.aggregates import called
from engine.lang.streamsql.brackets import IS_DEVICE
from engine.lang.streamsql.devices import relation_of
from engine.lang.streamsql.grouping import Grouping, contains_aggregate
from engine.lang.streamsql.recursion import bind_with
from engine.lang.streamsql.rows import renamed
from engine.lang.streamsql.scalar import ScalarBinder
from engine.lang.streamsql.scope import Scope
from engine.lang.streamsql.setops import bind_set_operation
from engine.lang.streamsql.spans import shown, span_of
from engine.lang.streamsql.windows import refuse_clauses, scan_of
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.plan.expressions import Expr, Field, conjuncts
from engine.plan.logical import Distinct, Join, Plan, Project, Select, size

CLAUSES = "a query has WITH, SELECT, DISTINCT, FROM, WHERE, GROUP BY, HAVING, UNION, EXCEPT and INTERSECT"
CLAUSE_NAMES = {
    "order": "ORDER BY",
    "into": "INTO",
    "windows": "WINDOW",
    "locks": "FOR UPDATE",
}
MOST_NODES = 1_000
MOST_JOINED = 50
KNOWN_CLAUSES = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "distinct", "kind", "with_"}
)
CLAUSES_OF_SETS = frozenset({"this", "expression", "distinct", "with_"})


class SelectBinder:
    """Binds queries against a catalog and the plans of the views that there are."""

    def __init__(self, catalog: Catalog, views: Mapping[str, Plan]) -> None:
        self._catalog = catalog
        self._views = views

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
        return SelectBinder(self._catalog, {**self._views, **more})

    def body(self, node: exp.Expr) -> Plan:
        """Return the plan of a query whose WITH is taken in already."""
        match node:
            case exp.Subquery():
                return self.bind(node.this)
            case exp.SetOperation():
                check_clauses(node, CLAUSES_OF_SETS)
                return bind_set_operation(self, node)
            case exp.Select():
                check_clauses(node, KNOWN_CLAUSES)
                return self._select(node)
        message = f"{node.key.upper()} is not part of StreamSQL; {CLAUSES}"
        raise QueryError(message, span_of(node))

    def _select(self, node: exp.Select) -> Plan:
        scope, joined = self._from(node)
        items = self._items(node, scope)
        grouping = Grouping(node, scope, items) if self._is_grouped(node) else None
        plan = (
            self._grouped(node, scope, joined, items, grouping)
            if grouping
            else self._plain(scope, joined, items)
        )
        return Distinct(plan) if node.args.get("distinct") else plan

    def _is_grouped(self, node: exp.Select) -> bool:
        having = node.args.get("having")
        return bool(node.args.get("group") or having) or any(contains_aggregate(e) for e in node.expressions)

    def _from(self, node: exp.Select) -> tuple[Scope, Join]:
        from_ = node.args.get("from_")
        if from_ is None:
            message = "a query needs FROM: SELECT columns FROM relation"
            raise QueryError(message, span_of(node))
        scope, inputs = Scope(), [from_.this]
        conditions: list[tuple[str, exp.Expr]] = []
        for join in node.args.get("joins") or []:
            if join.side or join.kind not in ("", "INNER", "CROSS") or join.args.get("using") or join.method:
                using = "… USING" if join.args.get("using") else ""
                spelled = " ".join(
                    word for word in (join.method, join.side, join.kind, "JOIN", using) if word
                )
                message = f"{spelled} is not part of StreamSQL; use a comma or JOIN … ON"
                raise QueryError(message, span_of(join))
            inputs.append(join.this)
            if on := join.args.get("on"):
                conditions.append(("on", on))
        if len(inputs) > MOST_JOINED:
            message = f"{len(inputs)} relations in FROM; {MOST_JOINED} can be joined at once"
            raise QueryError(message, span_of(from_))
        plans = tuple(self._input(source, scope) for source in inputs)
        if where := node.args.get("where"):
            conditions.append(("where", where.this))
        bound = [binder_of(scope, clause).condition(condition) for clause, condition in conditions]
        return scope, Join(plans, tuple(part for whole in bound for part in conjuncts(whole)))

    def _input(self, node: exp.Expr, scope: Scope) -> Plan:
        if isinstance(node, exp.Subquery):
            plan, alias = self.bind(node.this), node.alias.lower()
            if not alias:
                message = "a query in FROM needs an alias: FROM (SELECT …) name"
                raise QueryError(message, span_of(node))
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            plan, alias = self._relation(node), (node.alias or node.name).lower()
        else:
            message = f"{shown(node)} cannot stand in FROM; a relation, a view or (SELECT …) can"
            raise QueryError(message, span_of(node))
        plan = renamed(plan, node.args.get("alias"))
        scope.add(alias, plan.columns, node)
        return plan

    def _relation(self, node: exp.Table) -> Plan:
        name = node.name.lower()
        if name in self._views and not node.args.get(IS_DEVICE):
            refuse_clauses(f"{name} is a view", node)
            return self._views[name]
        return scan_of(relation_of(self._catalog, self._views, node), node)

    def _items(self, node: exp.Select, scope: Scope) -> list[tuple[str, exp.Expr | Field]]:
        items: list[tuple[str, exp.Expr | Field]] = []
        for item in node.expressions:
            inner = item.this if isinstance(item, exp.Alias) else item
            if isinstance(inner, exp.Star) or (
                isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
            ):
                stars = scope.star(inner.table.lower() if isinstance(inner, exp.Column) else "", inner)
                items += [(field.name.rpartition(".")[2], field) for field in stars]
            else:
                name = item.alias_or_name if isinstance(item, exp.Alias | exp.Column) else called(item)
                items.append((name.lower(), inner))
        if not items:
            message = "a query needs columns: SELECT columns FROM relation"
            raise QueryError(message, span_of(node))
        return items

    def _plain(self, scope: Scope, joined: Join, items: list[tuple[str, exp.Expr | Field]]) -> Plan:
        binder = binder_of(scope, "select")
        bound = [item if isinstance(item, Field) else binder.bind(item) for _, item in items]
        return projection(joined, [name for name, _ in items], bound)

    def _grouped(
        self,
        node: exp.Select,
        scope: Scope,
        joined: Join,
        items: list[tuple[str, exp.Expr | Field]],
        grouping: Grouping,
    ) -> Plan:
        binder = ScalarBinder(lambda n: grouping.resolve(n, "select"), "select")
        bound = [
            grouping.output(item, "select") if isinstance(item, Field) else binder.bind(item)
            for _, item in items
        ]
        having = node.args.get("having")
        predicate = (
            ScalarBinder(lambda n: grouping.resolve(n, "having"), "having").condition(having.this)
            if having
            else None
        )
        plan: Plan = grouping.plan(joined)
        if predicate is not None:
            plan = Select(plan, predicate)
        return projection(plan, [name for name, _ in items], bound)


def check_clauses(node: exp.Expr, known: frozenset[str]) -> None:
    for clause, value in node.args.items():
        if value and clause not in known:
            message = f"{CLAUSE_NAMES.get(clause, clause.upper())} is not part of StreamSQL; {CLAUSES}"
            raise QueryError(message, span_of(value if isinstance(value, exp.Expr) else node))


def binder_of(scope: Scope, clause: str) -> ScalarBinder:
    return ScalarBinder(lambda n: scope.field(n, clause) if isinstance(n, exp.Column) else None, clause)


def projection(child: Plan, names: list[str], expressions: list[Expr]) -> Project:
    """Return the projection; a name that stands twice gets a number."""
    columns: dict[str, Column] = {}
    for name, expression in zip(names, expressions, strict=True):
        numbered = (f"{name}_{number}" for number in count(2))
        free = next(each for each in chain([name], numbered) if each not in columns)
        columns[free] = Column(free, expression.type)
    return Project(child, tuple(expressions), tuple(columns.values()))
