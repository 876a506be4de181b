"""Names that are defined by each other become one fixpoint.

r(x, y) AS (q₁ UNION q₂)    →    Definition(r, (x, y), bodies q₁, q₂)        r in the bodies is Recur

A name's columns come from those of its queries that need no columns that are not known yet; what is
found so makes more queries bind, until nothing changes. A BIGINT that meets a DOUBLE becomes one, which
may happen only once a column, so this ends.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from engine.lang.streamsql.query.setops import retyped, untyped
from engine.lang.streamsql.recursion.components import Graph, names_read
from engine.lang.streamsql.recursion.stratified import check_selections, check_stratified, maybe_selected
from engine.lang.streamsql.spans import on_line, span_of
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.bodies import is_closed
from engine.plan.logical import Definition, Fixpoint, Plan, Recur

if TYPE_CHECKING:
    from engine.lang.streamsql.query.select import SelectBinder

Known = dict[str, tuple[Column, ...]]
CLAUSES_AFTER = ("order", "limit", "offset", "with_")


@dataclass(frozen=True)
class Component:
    """Queries by the names that they define each other under; ``graph`` says which reads which."""

    binder: "SelectBinder"
    queries: Mapping[str, exp.CTE]
    graph: Graph
    rounds: int | None

    def plans(self) -> dict[str, Plan]:
        """Return what each name stands for."""
        for name, cte in self.queries.items():
            self._check_reads_nothing_open(name, cte)
        branches = {name: list(self._branches(name, cte.this)) for name, cte in self.queries.items()}
        known = self._known(branches)
        binder = self._inside(known)
        definitions = tuple(
            self._definition(name, known[name], [(node, binder.bind(node)) for node in nodes])
            for name, nodes in branches.items()
        )
        nodes = [cte.args["alias"] for cte in self.queries.values()]
        check_selections(Fixpoint(definitions), nodes)
        return {name: Fixpoint(definitions, i, self.rounds) for i, name in enumerate(self.queries)}

    def _definition(
        self, name: str, columns: tuple[Column, ...], bound: list[tuple[exp.Expr, Plan]]
    ) -> Definition:
        types, plans = [column.type for column in columns], tuple(plan for _, plan in bound)
        found = maybe_selected(name, columns, plans, self.queries[name]) or Definition(name, columns, plans)
        for (node, _), plan in zip(bound, found.bodies, strict=True):
            check_stratified(name, plan, self.graph, node)
        return replace(found, bodies=tuple(retyped(plan, types, untyped(plan)) for plan in found.bodies))

    def _inside(self, known: Known) -> "SelectBinder":
        numbers = {name: number for number, name in enumerate(self.queries)}
        return self.binder.with_views(
            {name: Recur(numbers[name], columns) for name, columns in known.items()}
        )

    # The queries whose union a name is

    def _branches(self, name: str, node: exp.Expr) -> Iterator[exp.Expr]:
        names = frozenset(self.graph)
        clauses = [clause for clause in CLAUSES_AFTER if node.args.get(clause)]
        if not isinstance(node, exp.Union | exp.Subquery) or not names_read(node, names):
            yield node
        elif clauses:
            message = (
                f"{name} is recursive{on_line(node)}; ORDER BY, LIMIT and WITH go into the query that "
                "reads it"
            )
            raise QueryError(message, span_of(node))
        elif isinstance(node, exp.Subquery):
            yield from self._branches(name, node.this)
        elif node.args.get("distinct") is False:
            message = f"recursive UNION ALL would count rows for ever: {name}{on_line(node)}; write UNION"
            raise QueryError(message, span_of(node.expression))
        else:
            yield from self._branches(name, node.this)
            yield from self._branches(name, node.expression)

    # Their columns

    def _known(self, branches: Mapping[str, list[exp.Expr]]) -> Known:
        """Return the columns of every name."""
        known: Known = {}
        while True:
            binder = self._inside(known)
            found: Known = {}
            for name, nodes in branches.items():
                ready = [node for node in nodes if names_read(node, frozenset(self.graph)) <= known.keys()]
                if ready:
                    found[name] = self._columns(name, [binder.bind(node) for node in ready])
            if found == known:
                break
            known = found
        for name in branches:
            if name not in known:
                raise self._without_types(name)
        return known

    def _columns(self, name: str, plans: list[Plan]) -> tuple[Column, ...]:
        """Return the columns that queries agree upon."""
        alias = self.queries[name].args["alias"]
        counts = sorted({len(plan.columns) for plan in plans})
        if len(counts) > 1:
            message = f"the queries of {name} have {counts[0]} and {counts[-1]} columns{on_line(alias)}"
            raise QueryError(message, span_of(alias))
        names = [identifier.name.lower() for identifier in alias.args.get("columns") or ()]
        if len(names) > counts[0] or len(set(names)) < len(names):
            found = f"{len(names)} names" if len(names) > counts[0] else "the same name twice"
            message = f"{found} for the {counts[0]} columns of {name}{on_line(alias)}"
            raise QueryError(message, span_of(alias))
        names += [column.name for column in plans[0].columns[len(names) :]]
        return tuple(Column(each, self._type(name, each, i, plans)) for i, each in enumerate(names))

    def _type(self, name: str, column: str, place: int, plans: list[Plan]) -> Type:
        found = sorted({plan.columns[place].type for plan in plans if place not in untyped(plan)})
        if found == [Type.BIGINT, Type.DOUBLE]:
            return Type.DOUBLE
        if len(found) > 1:
            alias = self.queries[name].args["alias"]
            message = (
                f"column {column} of {name} is {found[0]} in one of its queries and {found[1]} in another"
                f"{on_line(alias)}; CAST one of them"
            )
            raise QueryError(message, span_of(alias))
        return found[0] if found else Type.TEXT

    def _without_types(self, name: str) -> QueryError:
        alias, query = self.queries[name].args["alias"], self.queries[name].this.unnest()
        if isinstance(query, exp.Except | exp.Intersect):
            word = query.key.upper()
            message = f"{word} stands over all of {name}{on_line(alias)}; write q UNION (q {word} q)"
            return QueryError(message, span_of(alias))
        return QueryError(
            f"the columns of {name} have no types{on_line(alias)}: each of its queries reads what it "
            "defines; begin with a query that does not: q UNION …",
            span_of(alias),
        )

    def _check_reads_nothing_open(self, name: str, cte: exp.CTE) -> None:
        """Refuse a recursion inside of a recursion that reads the outer one."""
        views = self.binder.views
        outer = frozenset(view for view, plan in views.items() if not is_closed(plan)) - self.graph.keys()
        if read := names_read(cte.this, outer):
            message = (
                f"the recursion {name} inside of {min(read)} reads it{on_line(cte.args['alias'])}; "
                f"put both side by side into one WITH RECURSIVE"
            )
            raise QueryError(message, span_of(cte.args["alias"]))
