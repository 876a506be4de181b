"""A plan that reads outer columns, evaluated for all of their values at once.

D  =  δ(π outer columns of the outer rows)

    D ⋈ σp(R)  =  σp(D ⋈ R)                  D ⋈ γg(R)  =  γ(D, g)(D ⋈ R)
    D ⋈ π(R)   =  π(D, …)(D ⋈ R)             D ⋈ γ(R)   =  γD(D ⋈ R), with what it is of no rows
    D ⋈ (R ⋈ S)  =  (D ⋈ R) ⋈ S              D ⋈ (R ▷ S)  =  (D ⋈ R) ▷ (D ⋈ S) by D, too
    D ⋈ (R ⟕ S)  =  (D ⋈ R) ⟕ S              D ⋈ (R ⟗ S)  =  (D ⋈ R) ⟗ (D ⋈ S) by D, too

until D stands beside inputs that read nothing of it; then each outer column is a column of D. The columns
of D come first. The outer rows meet the result by D's columns, NULL being the same as NULL.

References:
    Neumann, Kemper. Unnesting Arbitrary Queries. BTW 2015.
"""

from typing import NoReturn

from engine.lang.streamsql.nested.correlation import is_correlated, put_in, reads_outer
from engine.lang.streamsql.query.defaults import or_else
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.plan.aggregates import changed
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import (
    Aggregate,
    AntiJoin,
    Distinct,
    Join,
    Plan,
    Project,
    Select,
    Top,
    Union,
)
from engine.plan.outer_join import OuterJoin
from engine.plan.rows import boxed, fields_of, pairs_of


class Domain:
    """The values of the outer columns, and plans evaluated over them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.fields = fields_of(plan)
        self._width = len(self.fields)

    def over(self, plan: Plan) -> Plan:
        """Return D ⋈ plan, the columns of D first."""
        if not is_correlated(plan):
            return Join((self.plan, plan), ())
        match plan:
            case Select(child, predicate):
                return Select(self.over(child), self._moved(predicate))
            case Project(child, expressions, columns):
                return self._projected(self.over(child), self._all_moved(expressions), columns)
            case Join(inputs, predicates):
                return self._joined(inputs, predicates)
            case Distinct(child):
                return Distinct(self.over(child))
            case Union(inputs):
                return Union(tuple(map(self.over, inputs)))
            case Aggregate():
                return self._aggregated(plan)
            case AntiJoin() | OuterJoin():
                return self._unmatched(plan) if isinstance(plan, AntiJoin) else self._outer_joined(plan)
            case Top(child, _, None, 0):
                return self.over(child)
        return refuse(plan)

    def _moved(self, expression: Expr) -> Expr:
        return put_in(expression, self.fields, lambda i: i + self._width)

    def _all_moved(self, expressions: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(map(self._moved, expressions))

    def _projected(self, child: Plan, expressions: tuple[Expr, ...], columns: tuple[Column, ...]) -> Plan:
        return Project(child, (*self.fields, *expressions), (*self.plan.columns, *columns))

    def _joined(self, inputs: tuple[Plan, ...], predicates: tuple[Expr, ...]) -> Plan:
        """Join with D, or with those inputs that it is in already, which agree on it."""
        dependent = [is_correlated(each) for each in inputs]
        if not any(dependent):
            return Join((self.plan, *inputs), self._all_moved(predicates))
        placed = [self.over(each) if is_in else each for each, is_in in zip(inputs, dependent, strict=True)]
        places: list[int] = []
        domains: list[tuple[Field, ...]] = []
        start = 0
        for plan, is_in in zip(placed, dependent, strict=True):
            own = self._width if is_in else 0
            if is_in:
                domains.append(fields_of(self.plan, start))
            places += range(start + own, start + len(plan.columns))
            start += len(plan.columns)
        first, *others = domains
        agreed = [pair for other in others for pair in pairs_of(boxed(first), boxed(other))]
        asked = [put_in(predicate, first, places.__getitem__) for predicate in predicates]
        whole = Join(tuple(placed), (*agreed, *asked))
        kept = [*(field.position for field in first), *places]
        columns = whole.columns
        fields = tuple(Field(i, columns[i].type, columns[i].name) for i in kept)
        return Project(whole, fields, tuple(columns[i] for i in kept))

    def _aggregated(self, plan: Aggregate) -> Plan:
        calls = tuple(changed(call, self._moved) for call in plan.calls)
        columns = (*self.plan.columns, *plan.columns)
        groups = (*self.fields, *self._all_moved(plan.groups))
        grouped = Aggregate(self.over(plan.child), groups, calls, columns)
        return grouped if plan.groups else self.padded(grouped, empty_row(plan))

    def padded(self, plan: Plan, row: tuple[Expr, ...]) -> Plan:
        """Return a plan whose first columns are D's, with a row for what of D it has none for."""
        keys = boxed(self.fields), boxed(self.fields)
        met = or_else(self.plan, plan, keys, row)
        return Project(met.plan, (*self.fields, *met.values), plan.columns)

    def _unmatched(self, plan: AntiJoin) -> Plan:
        """Both sides over D; the right one only where it reads outer columns."""
        left, right = self.over(plan.left), plan.right
        left_keys, right_keys = self._all_moved(plan.left_keys), plan.right_keys
        if is_correlated(right) or any(map(reads_outer, right_keys)):
            right = self.over(right)
            left_keys = boxed(self.fields) + left_keys
            right_keys = boxed(self.fields) + self._all_moved(right_keys)
        return AntiJoin(left, right, left_keys, right_keys)

    def _outer_joined(self, plan: OuterJoin) -> Plan:
        """Both sides over D, where the right one reads it or is kept; a row of either tells what D was."""
        left, right, width = self.over(plan.left), plan.right, self._width
        own = width if plan.keeps_right or is_correlated(right) else 0
        there = len(left.columns)
        places = [*range(width, there), *range(there + own, there + own + len(right.columns))]
        asked = tuple(put_in(p, self.fields, places.__getitem__) for p in plan.predicates)
        if own:
            right = self.over(right)
            asked = (*pairs_of(boxed(self.fields), boxed(fields_of(self.plan, there))), *asked)
        joined = OuterJoin(left, right, asked, plan.keeps_right)
        of_domain: tuple[Expr, ...] = self.fields
        if plan.keeps_right:
            both = zip(self.fields, fields_of(self.plan, there), strict=True)
            of_domain = tuple(Call("coalesce", pair, pair[0].type) for pair in both)
        fields = tuple(Field(i, joined.columns[i].type, joined.columns[i].name) for i in places)
        return Project(joined, (*of_domain, *fields), (*self.plan.columns, *plan.columns))


def empty_row(plan: Aggregate) -> tuple[Expr, ...]:
    """Return what aggregates over nothing are: a count is 0, any other NULL."""
    columns = plan.columns[len(plan.groups) :]
    values = [0 if call.function == "count" else None for call in plan.calls]
    return tuple(Literal(value, column.type) for value, column in zip(values, columns, strict=True))


def refuse(plan: Plan) -> NoReturn:
    """Say what cannot be evaluated for all outer rows at once."""
    if isinstance(plan, Top):
        message = (
            "a query that reads columns of the query around it may have no LIMIT but the LIMIT 1 of a value: "
            "(SELECT x FROM … ORDER BY y LIMIT 1)"
        )
    else:
        message = "a recursive query cannot read the query around it; join with it instead"
    raise QueryError(message)
