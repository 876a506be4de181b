"""Where expressions stand: the rows that a clause speaks of, and what names mean over them.

An expression without a query in it is a function of a row. A query in it becomes one more column of the
rows, or, where it is a condition that stands alone, a semi or an anti join with them.
"""

from functools import partial
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from engine.lang.streamsql.nested.questions import holds_query, is_query, rank_of
from engine.lang.streamsql.nested.subqueries import Subqueries
from engine.lang.streamsql.query.gathered import Gathered
from engine.lang.streamsql.query.scope import Scope
from engine.lang.streamsql.refusals import check_supported
from engine.lang.streamsql.scalars.scalar import ScalarBinder
from engine.plan.expressions import Expr
from engine.plan.logical import Plan

if TYPE_CHECKING:
    from engine.lang.streamsql.query.select import SelectBinder


class Names(Protocol):
    """What names, groups and aggregates stand for."""

    def resolve(self, node: exp.Expr, clause: str) -> Expr | None:
        """Return what a node stands for; None where it is for others to bind."""

    def find(self, node: exp.Column, clause: str) -> Expr | None:
        """Return what a column stands for; None where there is none of that name."""


class Host:
    """Binds the expressions of the clauses that speak of the same rows."""

    def __init__(self, binder: "SelectBinder", rows: Gathered, names: Names) -> None:
        self.rows = rows
        self._names = names
        self._subqueries = Subqueries(self, binder)

    @property
    def plan(self) -> Plan:
        """The rows that were gathered; of FROM always as a join."""
        return self.rows.joined if isinstance(self._names, Scope) else self.rows.plan

    def find(self, node: exp.Column, clause: str) -> Expr | None:
        return self._names.find(node, clause)

    def scalar(self, node: exp.Expr, clause: str) -> Expr:
        """Return an expression over the rows."""
        return self.binder(clause).bind(node)

    def binder(self, clause: str) -> ScalarBinder:
        return ScalarBinder(partial(self._resolve, clause=clause), clause)

    def restrict(self, node: exp.Expr, clause: str) -> None:
        """Keep the rows that satisfy a condition; what holds no query first, then what makes rows fewer."""
        parts = sorted(conditions_of(node), key=rank_of)
        for part in parts:
            if not self._subqueries.maybe_restrict(part, clause):
                self.rows.keep(self.binder(clause).condition(part))

    def _resolve(self, node: exp.Expr, clause: str) -> Expr | None:
        check_supported(node, clause)
        found = self._names.resolve(node, clause)
        if found is None and is_query(node):
            return self._subqueries.value(node, clause)
        return found


def conditions_of(node: exp.Expr) -> list[exp.Expr]:
    """Split at AND, through brackets, where a query is among the parts."""
    if isinstance(node, exp.Paren) and holds_query(node):
        return conditions_of(node.this)
    if isinstance(node, exp.And) and holds_query(node):
        return [part for side in node.flatten() for part in conditions_of(side)]
    return [node]
