"""Queries among expressions.

as a condition of its own            EXISTS, IN     →  semi join          NOT EXISTS  →  anti join
                                     NOT IN         →  three anti joins: it is there, or in doubt by a NULL
anywhere else, one more column       EXISTS (q)     →  count(*) of q, > 0
                                     (q)            →  its only value; ``single`` stops the view at a second
                                     x IN (q)       →  a CASE over: is x there, how many rows, how many known
                                     x < ANY (q)    →  the same over the largest

The columns are ``answers``. An outer column is met by an equality of q where there is one (``pulling``), else
all its values are put into q (``domains``).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from sqlglot import exp

from engine.lang.streamsql.nested.answers import any_of, exists, is_in, only, row_in, single
from engine.lang.streamsql.nested.correlation import Correlation
from engine.lang.streamsql.nested.nested import Keyed, Nested, keyed
from engine.lang.streamsql.nested.questions import Question, question_of
from engine.lang.streamsql.query.rows import unordered
from engine.lang.streamsql.query.setops import untyped
from engine.lang.streamsql.scalars.literals import UNTYPED_NULL, converted
from engine.lang.streamsql.scalars.logic import TRUE, UNKNOWN, condition
from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr
from engine.plan.logical import AntiJoin, Distinct, Plan, Project, Select, Top
from engine.plan.rows import boxed, fields_of, pairs_of

if TYPE_CHECKING:
    from engine.lang.streamsql.query.hosts import Host
    from engine.lang.streamsql.query.select import SelectBinder

Bound = TypeVar("Bound")


class Subqueries:
    """The queries among the expressions over one set of rows; equal ones are one."""

    def __init__(self, host: "Host", binder: "SelectBinder") -> None:
        self._host = host
        self._binder = binder
        self._columns: dict[exp.Expr, Expr] = {}

    def value(self, node: exp.Expr, clause: str) -> Expr:
        """Return what a query, or a question about one, is for each row."""
        if node not in self._columns:
            self._columns[node] = self._placed(self._column, node, clause)
        return self._columns[node]

    def maybe_restrict(self, node: exp.Expr, clause: str) -> bool:
        """Keep the rows for which EXISTS, IN or its negation holds; tell whether that was one of these."""
        return self._placed(self._restrict, node, clause)

    def _placed(self, bind: Callable[[exp.Expr, str], Bound], node: exp.Expr, clause: str) -> Bound:
        """Bind a query; what is said of a plan that cannot be has the query's place."""
        try:
            return bind(node, clause)
        except QueryError as error:
            if error.span is not None:
                raise
            raise QueryError(error.message, span_of(node)) from None

    def _restrict(self, node: exp.Expr, clause: str) -> bool:
        question = question_of(node)
        if question is None or question.kind == "any" or is_row_not_in(question):
            return False
        found = keyed(self._nested(question, clause), self._host.rows)
        if found.empty is not None:
            return False
        needle, values = self._sides(question, found, node, clause)
        self._keep(found, needle, values, question.is_negated)
        if question.is_negated and needle:
            self._keep_known(found, needle[0], values[0])
        return True

    def _keep(
        self, found: Keyed, needle: tuple[Expr, ...], values: tuple[Expr, ...], is_negated: bool
    ) -> None:
        """Keep the rows that meet something, or those that meet nothing."""
        rows = self._host.rows
        mine = (boxed(found.mine) if found.is_null_safe else found.mine) + needle
        its = (boxed(found.its) if found.is_null_safe else found.its) + values
        if is_negated:
            rows.become(AntiJoin(rows.plan, found.plan, mine, its))
            return
        columns = tuple(Column(f"key_{i}", key.type) for i, key in enumerate(its))
        there = Distinct(Project(found.plan, its, columns))
        rows.meet(there, pairs_of(mine, fields_of(there, rows.width)))

    def _keep_known(self, found: Keyed, needle: Expr, value: Expr) -> None:
        """Keep the rows for which no comparison of NOT IN is unknown.

        NULL is in doubt with any row of the query, any value with a NULL there; a key of NULL is nowhere.
        """
        nulls = Select(found.plan, condition("is_null", value))
        self._keep(replace(found, plan=nulls), (), (), is_negated=True)
        is_null = Call("case", (condition("is_null", needle), TRUE, UNKNOWN), Type.BOOLEAN)
        self._keep(found, (is_null,), (TRUE,), is_negated=True)

    def _column(self, node: exp.Expr, clause: str) -> Expr:
        question = question_of(node)
        if question is None:
            return self._single(node, clause)
        return self._answer(question, node, clause)

    def _answer(self, question: Question, node: exp.Expr, clause: str) -> Expr:
        nested = self._nested(question, clause)
        found = keyed(nested, self._host.rows)
        needle, values = self._sides(question, found, node, clause)
        rows = self._host.rows
        if question.kind == "exists":
            answer = exists(found, rows)
        elif len(needle) > 1:
            answer = row_in(nested, rows, needle)
        elif found.empty is not None:
            value = only(found, rows)
            answer = condition(question.symbol, needle[0], converted(value, needle[0].type) or value)
        elif question.kind == "in":
            answer = is_in(found, rows, needle[0], values[0])
        else:
            answer = any_of(question.symbol, found, rows, needle[0], values[0])
        return condition("not", answer) if question.is_negated else answer

    def _nested(self, question: Question, clause: str) -> Nested:
        """Bind a query; what EXISTS asks does not depend on how many rows there are."""
        correlation = Correlation(lambda column: self._host.find(column, clause))
        plan = unordered(self._binder.inside(correlation).bind(question.query))
        plan = unlimited(plan) if question.kind == "exists" else plan
        return Nested(plan, tuple(correlation.outers))

    def _sides(
        self, question: Question, found: Keyed, node: exp.Expr, clause: str
    ) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """Return what IN compares, of the outer rows and of the query's, brought to common types."""
        if question.needle is None:
            return (), ()
        nodes = question.needle.expressions if isinstance(question.needle, exp.Tuple) else [question.needle]
        if len(nodes) != len(found.values):
            counts = f"{len(nodes)} on the left and {len(found.values)} in the query"
            message = f"IN compares as many columns as there are{where(node, clause)}: found {counts}"
            raise QueryError(message, span_of(node))
        nulls = untyped(found.plan)
        pairs = []
        for each, value in zip(nodes, found.values, strict=True):
            theirs = UNTYPED_NULL if value.position in nulls else value
            equal = self._host.binder(clause).call("=", [self._host.scalar(each, clause), theirs], node)
            assert isinstance(equal, Call)
            pairs.append(equal.args)
        return tuple(mine for mine, _ in pairs), tuple(its for _, its in pairs)

    def _single(self, node: exp.Expr, clause: str) -> Expr:
        """Return the only value of a query."""
        nested = self._nested(Question("single", node), clause)
        if len(nested.plan.columns) != 1:
            count = len(nested.plan.columns)
            message = f"a query that is a value has one column{where(node, clause)}, found {count}"
            raise QueryError(message, span_of(node))
        return single(nested, self._host.rows)


def is_row_not_in(question: Question) -> bool:
    """Tell whether rows are compared, and NULLs in them matter."""
    return question.is_negated and isinstance(question.needle, exp.Tuple)


def unlimited(plan: Plan) -> Plan:
    """Return the plan without a LIMIT that leaves a row wherever there is one."""
    match plan:
        case Top(child, _, count, 0) if count != 0:
            return child
        case Project(Top(child, _, count, 0), expressions, columns) if count != 0:
            return Project(child, expressions, columns)
    return plan
