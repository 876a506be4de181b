"""Clauses: the conjunctions that a query's relations are defined by, written down by hand.

    clause(("x", "y"), Atom(link, "x", "z"), Atom(reached, "z", "y"))

    reached(x, y)  :-  link(x, z), reached(z, y).

A variable that stands in several places asks that they are equal. A head's term, and a condition,
is a variable, a constant or a function of terms. There is no text here and nothing is checked but
types; a language for clauses has a parser, a binder and errors with a place.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.functions import FUNCTIONS
from engine.plan.logical import Best, Definition, Distinct, Fixpoint, Join, Plan, Project, Recur, Select
from engine.plan.logical import Union as UnionPlan

ANY = "_"


@dataclass(frozen=True)
class Atom:
    """A relation with a variable in each of its columns; ``_`` is any value."""

    plan: Plan
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Term:
    """A function of terms."""

    function: str
    args: "tuple[str | Literal | Term, ...]"


AnyTerm = str | Literal | Term


def atom(plan: Plan, *variables: str) -> Atom:
    return Atom(plan, variables)


def term(function: str, *args: AnyTerm) -> Term:
    return Term(function, args)


def whole(number: int) -> Literal:
    return Literal(number, Type.BIGINT)


def text(characters: str) -> Literal:
    return Literal(characters, Type.TEXT)


def clause(head: Mapping[str, AnyTerm], *body: Atom, where: Iterable[Term] = ()) -> Plan:
    """Return the rows of the head, a term for each column's name, that the body derives."""
    fields = [Field(i, column.type, column.name) for i, column in enumerate(columns_of(body))]
    bound: dict[str, Field] = {}
    asked: list[Expr] = []
    for variable, field in zip((v for a in body for v in a.variables), fields, strict=True):
        first = bound.setdefault(variable, field)
        if first is not field and variable != ANY:
            asked.append(Call("=", (first, field), Type.BOOLEAN))
    asked += [resolved(condition, bound) for condition in where]
    expressions = tuple(resolved(each, bound) for each in head.values())
    columns = tuple(Column(name, e.type) for name, e in zip(head, expressions, strict=True))
    return Project(joined(body, tuple(asked)), expressions, columns)


def columns_of(body: Sequence[Atom]) -> list[Column]:
    return [column for each in body for column in each.plan.columns]


def joined(body: Sequence[Atom], asked: tuple[Expr, ...]) -> Plan:
    if len(body) > 1:
        return Join(tuple(each.plan for each in body), asked)
    plan = body[0].plan
    for predicate in asked:
        plan = Select(plan, predicate)
    return plan


def resolved(each: AnyTerm, bound: Mapping[str, Field]) -> Expr:
    """Return a term as an expression over the body's row."""
    if isinstance(each, str):
        return bound[each]
    if isinstance(each, Literal):
        return each
    args = tuple(resolved(arg, bound) for arg in each.args)
    function = FUNCTIONS[each.function]
    kind = function.signature(tuple(arg.type for arg in args))
    if kind is None:
        found = ", ".join(arg.type for arg in args)
        message = f"{each.function} takes {function.expects}, found {found}"
        raise QueryError(message)
    return Call(each.function, args, kind)


def taken(plan: Plan, *names: str) -> Plan:
    """Return a plan's columns of these names, in this order."""
    places = {column.name: i for i, column in enumerate(plan.columns)}
    missing = next((name for name in names if name not in places), None)
    if missing is not None:
        message = f"unknown column {missing}; there are {', '.join(places)}{nearest(missing, list(places))}"
        raise QueryError(message)
    if names == tuple(places):
        return plan
    fields = tuple(Field(places[n], plan.columns[places[n]].type, n) for n in names)
    return Project(plan, fields, tuple(plan.columns[places[n]] for n in names))


def either(*plans: Plan) -> Plan:
    """Return each row of any of the plans, once."""
    return Distinct(plans[0] if len(plans) == 1 else UnionPlan(plans))


def least(
    name: str,
    base: Plan,
    steps: Callable[[Plan], Iterable[Plan]],
    group: tuple[int, ...] = (),
    best: tuple[Best, ...] = (),
) -> Fixpoint:
    """Return the least relation that has the base's rows and is closed under the steps from itself."""
    itself = Recur(0, base.columns)
    return Fixpoint((Definition(name, base.columns, (base, *steps(itself)), group, best),))
