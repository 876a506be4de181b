"""A stratum as rules, the form that the recursive operators read.

    head(expressions)  :-  body₁, …, bodyₙ, predicates

Predicates and expressions speak of the concatenation of the body's rows. A body names relations by
number: first the program's inputs, which are closed, then its definitions.

    same_generation  =  Fixpoint(…)   →   head 1 :- 0 × 1 × 0 where …
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.plan.expressions import Expr, Field, conjuncts, move, substitute
from engine.plan.logical import Best, Distinct, Fixpoint, Join, Plan, Project, Recur, Select, Union, inputs_of


@dataclass(frozen=True)
class Rule:
    """One way to derive a row of ``head``."""

    head: int
    body: tuple[int, ...]
    predicates: tuple[Expr, ...]
    expressions: tuple[Expr, ...]


@dataclass(frozen=True)
class Defined:
    """A relation that the rules define; ``group`` and ``best`` as in the logical ``Definition``."""

    name: str
    columns: tuple[Column, ...]
    group: tuple[int, ...] = ()
    best: tuple[Best, ...] = ()


@dataclass(frozen=True)
class Program:
    """Rules over ``inputs``, given by their columns, and ``definitions``."""

    inputs: tuple[tuple[Column, ...], ...]
    definitions: tuple[Defined, ...]
    rules: tuple[Rule, ...]

    def columns(self, relation: int) -> tuple[Column, ...]:
        inputs = len(self.inputs)
        return self.inputs[relation] if relation < inputs else self.definitions[relation - inputs].columns

    def width(self, relation: int) -> int:
        return len(self.columns(relation))

    def is_input(self, relation: int) -> bool:
        return relation < len(self.inputs)


class Body(NamedTuple):
    """A conjunction: what it reads, in order, and what it asks and puts out over all of it."""

    reads: tuple[Plan, ...]
    predicates: tuple[Expr, ...]
    expressions: tuple[Expr, ...]


def to_program(fixpoint: Fixpoint) -> tuple[Program, tuple[Plan, ...]]:
    """Return the rules of a fixpoint and the closed plans that are their inputs, in order."""
    bodies = [
        (number, body)
        for number, definition in enumerate(fixpoint.definitions)
        for plan in definition.bodies
        for body in bodies_of(plan, definition.name)
    ]
    closed = tuple(
        dict.fromkeys(plan for _, body in bodies for plan in body.reads if not isinstance(plan, Recur))
    )

    def number_of(plan: Plan) -> int:
        return len(closed) + plan.number if isinstance(plan, Recur) else closed.index(plan)

    rules = tuple(
        Rule(len(closed) + head, tuple(map(number_of, body.reads)), body.predicates, body.expressions)
        for head, body in bodies
    )
    definitions = tuple(Defined(d.name, d.columns, d.group, d.best) for d in fixpoint.definitions)
    return Program(tuple(plan.columns for plan in closed), definitions, rules), closed


def is_closed(plan: Plan) -> bool:
    """Tell whether a plan is a finished stratum, seen from the fixpoint around it."""
    if isinstance(plan, Recur):
        return False
    return isinstance(plan, Fixpoint) or all(map(is_closed, inputs_of(plan)))


def bodies_of(plan: Plan, name: str) -> Iterator[Body]:
    """Flatten a plan into the conjunctions whose union it is."""
    if isinstance(plan, Recur) or is_closed(plan):
        fields = tuple(Field(i, column.type, column.name) for i, column in enumerate(plan.columns))
        yield Body((plan,), (), fields)
        return
    match plan:
        case Distinct(child):
            yield from bodies_of(child, name)
        case Union(inputs):
            for each in inputs:
                yield from bodies_of(each, name)
        case Select(child, predicate):
            yield from (narrowed(body, conjuncts(predicate)) for body in bodies_of(child, name))
        case Project(child, expressions):
            for body in bodies_of(child, name):
                put_out = tuple(substitute(e, body.expressions) for e in expressions)
                yield Body(body.reads, body.predicates, put_out)
        case Join(inputs, predicates):
            for choice in product(*[tuple(bodies_of(each, name)) for each in inputs]):
                yield narrowed(side_by_side(choice), predicates)
        case _:
            what = type(plan).__name__.lower()
            message = (
                f"{what} through recursion in {name}; a stratified program may not do this: "
                f"finish {name} first, in a view of its own, and take the {what} over it"
            )
            raise QueryError(message)


def narrowed(body: Body, predicates: tuple[Expr, ...]) -> Body:
    """Ask predicates that speak of what a body puts out."""
    asked = tuple(substitute(p, body.expressions) for p in predicates)
    return Body(body.reads, (*body.predicates, *asked), body.expressions)


def side_by_side(bodies: tuple[Body, ...]) -> Body:
    """Join bodies: each speaks of its own part of the concatenation."""
    reads: tuple[Plan, ...] = ()
    predicates: tuple[Expr, ...] = ()
    expressions: tuple[Expr, ...] = ()
    for body in bodies:
        shift = partial(int.__add__, sum(len(plan.columns) for plan in reads))
        predicates += tuple(move(p, shift) for p in body.predicates)
        expressions += tuple(move(e, shift) for e in body.expressions)
        reads += body.reads
    return Body(reads, predicates, expressions)
