"""FROM: relations, queries and joins become rows and the names that they go by.

a, b JOIN c ON p        →  one n-ary join: the optimizer orders it
a LEFT JOIN b ON p      →  one input of it, made by ``matching``; RIGHT, FULL and ANTI JOIN too
a SEMI JOIN b ON p      →  one more input, each key once, whose columns have no name

Joins associate to the left and bind more closely than the comma; where that makes no difference, an ON
may also speak of what is before a comma.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from engine.lang.streamsql.nested.questions import holds_query
from engine.lang.streamsql.query.gathered import Gathered
from engine.lang.streamsql.query.hosts import Host
from engine.lang.streamsql.query.matching import Match, anti_join, full_join, left_join, right_join, semi_join
from engine.lang.streamsql.query.rows import renamed
from engine.lang.streamsql.query.scope import Named, Scope, Source
from engine.lang.streamsql.scalars.scalar import ScalarBinder
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.plan.expressions import Expr, conjuncts
from engine.plan.logical import Plan, Project
from engine.plan.rows import fields_of, shifted

if TYPE_CHECKING:
    from engine.lang.streamsql.query.select import SelectBinder

MOST_JOINED = 50
WAYS = {
    "": "inner", "INNER": "inner", "CROSS": "inner", "LEFT": "left", "LEFT OUTER": "left",
    "RIGHT": "right", "RIGHT OUTER": "right", "FULL": "full", "FULL OUTER": "full",
    "SEMI": "semi", "LEFT SEMI": "semi", "ANTI": "anti", "LEFT ANTI": "anti",
}  # fmt: skip
KNOWN_JOINS = "there are INNER, LEFT, RIGHT, FULL, CROSS, SEMI, ANTI and NATURAL JOIN"


@dataclass(frozen=True)
class Joined:
    """What FROM has gathered, and its names."""

    rows: Gathered
    scope: Scope


class FromBinder:
    """Binds one FROM clause."""

    def __init__(self, binder: "SelectBinder") -> None:
        self._binder = binder

    def bind(self, first: exp.Expr, joins: Sequence[exp.Join]) -> Joined:
        """Return what FROM makes; what stands between two commas is joined on its own."""
        if len(joins) >= MOST_JOINED:
            message = f"{len(joins) + 1} relations in FROM; {MOST_JOINED} can be joined at once"
            raise QueryError(message, span_of(first))
        starts = [i for i, join in enumerate(joins) if is_comma(join)] if any(map(is_closed, joins)) else []
        chains = [(first, joins[: starts[0]] if starts else joins)]
        for start, end in zip(starts, [*starts, len(joins)][1:], strict=True):
            chains.append((joins[start].this, joins[start + 1 : end]))
        whole, *others = (self._chain(*chain) for chain in chains)
        for other, (node, _) in zip(others, chains[1:], strict=True):
            whole = self._inner(whole, other, self._beside(whole, other, node), ())
        return whole

    def _chain(self, first: exp.Expr, joins: Sequence[exp.Join]) -> Joined:
        joined = self._source(first)
        for join in joins:
            joined = self._join(joined, join)
        return joined

    def _source(self, node: exp.Expr) -> Joined:
        """Return a relation, a query or joins in brackets."""
        if isinstance(node, exp.Table) and node.args.get("joins"):
            return self._bracketed(node, node)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            return self._bracketed(node.this, node)
        plan, alias = self._binder.source(node)
        plan = renamed(plan, node.args.get("alias"))
        return self._named(plan, alias)

    def _named(self, plan: Plan, alias: str) -> Joined:
        source = Source(alias, plan.columns)
        return Joined(Gathered((plan,)), Scope((source,), source.named(), self._binder.outside))

    def _bracketed(self, table: exp.Table, around: exp.Expr) -> Joined:
        """Return the join that a table begins; with an alias around it its columns are one relation's."""
        first = table.copy()
        first.set("joins", None)
        joined = self._chain(first, table.args.get("joins") or [])
        alias = around.args.get("alias") if around is not table else None
        if alias is None:
            return joined
        columns = tuple(Column(name, expression.type) for name, expression in joined.scope.visible)
        expressions = tuple(expression for _, expression in joined.scope.visible)
        plan = renamed(Project(joined.rows.plan, expressions, columns), alias)
        return self._named(plan, alias.name.lower())

    def _join(self, left: Joined, node: exp.Join) -> Joined:
        way = way_of(node)
        right = self._source(node.this)
        both = self._beside(left, right, node.this)
        merged = self._merged(left, right, both, node, way)
        on = node.args.get("on")
        if on is not None and holds_query(on):
            return self._by_query(left, right, both, on, way)
        predicates = tuple(predicate for _, predicate in merged)
        if on is not None:
            predicates = conjuncts(scalars(both, "on").condition(on))
        scope = both.merged(tuple(column for column, _ in merged))
        if way == "inner":
            return self._inner(left, right, scope, predicates)
        match = Match(left.rows.plan, right.rows.plan, predicates)
        return self._outer(left, match, scope, way)

    def _by_query(self, left: Joined, right: Joined, scope: Scope, on: exp.Expr, way: str) -> Joined:
        """Join by a condition with a query in it: the pairs that satisfy it are found first."""
        both = self._inner(left, right, scope, ())
        width = both.rows.width
        Host(self._binder, both.rows, scope).restrict(on, "on")
        if way == "inner":
            return both
        whole = both.rows.plan
        pairs = Project(whole, fields_of(whole)[:width], whole.columns[:width])
        return self._outer(left, Match(left.rows.plan, right.rows.plan, (), pairs), scope, way)

    def _inner(self, left: Joined, right: Joined, scope: Scope, predicates: tuple[Expr, ...]) -> Joined:
        width = left.rows.width
        asked = tuple(shifted(predicate, width) for predicate in right.rows.joined.predicates)
        inputs = left.rows.joined.inputs + right.rows.joined.inputs
        return Joined(Gathered(inputs, left.rows.joined.predicates + asked + predicates), scope)

    def _outer(self, left: Joined, match: Match, scope: Scope, way: str) -> Joined:
        match way:
            case "semi":
                left.rows.meet(*semi_join(match))
                return left
            case "anti":
                return Joined(Gathered((anti_join(match),)), left.scope)
        make = {"left": left_join, "right": right_join, "full": full_join}[way]
        return Joined(Gathered((make(match),)), scope)

    def _beside(self, left: Joined, right: Joined, node: exp.Expr) -> Scope:
        return left.scope.beside(right.scope.shifted(left.rows.width), node)

    def _merged(
        self, left: Joined, right: Joined, both: Scope, node: exp.Join, way: str
    ) -> list[tuple[Named, Expr]]:
        """Return the columns that USING or NATURAL merges, with their equalities."""
        its = right.scope.shifted(left.rows.width)
        names = [identifier.name.lower() for identifier in node.args.get("using") or ()]
        if node.method:
            names = [name for name, _ in left.scope.visible if its.has(name)]
        binder = scalars(both, "using")
        found = []
        for name in names:
            sides = [self._column(scope, name, node) for scope in (left.scope, its)]
            equal = binder.call("=", sides, node)
            kept = binder.call("coalesce", sides, node) if way == "full" else sides[way == "right"]
            found.append(((name, kept), equal))
        return found

    def _column(self, scope: Scope, name: str, node: exp.Join) -> Expr:
        names = [each for each, _ in scope.visible]
        found = [expression for each, expression in scope.visible if each.lower() == name.lower()]
        if len(found) != 1:
            problem = "ambiguous" if found else "unknown"
            known = ", ".join(source.alias for source in scope.sources)
            message = (
                f"{problem} column {name} in using; {known} has {', '.join(names)}{nearest(name, names)}"
            )
            raise QueryError(message, span_of(node))
        return found[0]


def scalars(scope: Scope, clause: str) -> ScalarBinder:
    return ScalarBinder(lambda n: scope.field(n, clause) if isinstance(n, exp.Column) else None, clause)


def is_closed(join: exp.Join) -> bool:
    """Tell whether a join has another meaning where what is before a comma belongs to its left side."""
    return join.side in ("RIGHT", "FULL") or bool(join.method or join.args.get("using"))


def is_comma(join: exp.Join) -> bool:
    return not any(value for part, value in join.args.items() if part != "this")


def way_of(node: exp.Join) -> str:
    """Return how a JOIN treats the rows that meet nothing."""
    spelled = " ".join(word for word in (node.side, node.kind) if word)
    way = WAYS.get(spelled)
    if way is None or node.method not in ("", "NATURAL"):
        words = " ".join(word for word in (node.method, spelled, "JOIN") if word)
        message = f"{words} is not part of StreamSQL; {KNOWN_JOINS}"
        raise QueryError(message, span_of(node))
    return way
