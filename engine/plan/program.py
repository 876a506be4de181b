"""A stratum as rules, the form that the recursive operators read.

    head(expressions)  :-  body₁, …, bodyₙ, predicates, not negated₁, …, not negatedₘ

Predicates and expressions speak of the concatenation of the body's rows. A body names relations by
number: first the program's inputs, which are closed, then its definitions.

    same_generation  =  Fixpoint(…)   →   head 1 :- 0 × 1 × 0 where …
"""

from dataclasses import dataclass

from engine.model.relation import Column
from engine.plan.bodies import bodies_of, pushed
from engine.plan.expressions import Expr
from engine.plan.logical import Best, Fixpoint, Plan, Recur


@dataclass(frozen=True)
class Negated:
    """No row of ``relation`` has in ``right_keys`` what the body has in ``left_keys``.

    A key with a NULL in it is nowhere. The relation is an input, or a definition of a lower stage.
    """

    relation: int
    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]


@dataclass(frozen=True)
class Rule:
    """One way to derive a row of ``head``."""

    head: int
    body: tuple[int, ...]
    predicates: tuple[Expr, ...]
    expressions: tuple[Expr, ...]
    negated: tuple[Negated, ...] = ()


@dataclass(frozen=True)
class Defined:
    """A relation that the rules define; its parts are as in the logical ``Definition``."""

    name: str
    columns: tuple[Column, ...]
    group: tuple[int, ...] = ()
    best: tuple[Best, ...] = ()
    stage: Expr | None = None
    turn: int = 0


@dataclass(frozen=True)
class Program:
    """Rules over ``inputs``, given by their columns, and ``definitions``; ``rounds`` as in ``Fixpoint``."""

    inputs: tuple[tuple[Column, ...], ...]
    definitions: tuple[Defined, ...]
    rules: tuple[Rule, ...]
    rounds: int | None = None

    def columns(self, relation: int) -> tuple[Column, ...]:
        inputs = len(self.inputs)
        return self.inputs[relation] if relation < inputs else self.definitions[relation - inputs].columns

    def width(self, relation: int) -> int:
        return len(self.columns(relation))

    @property
    def is_staged(self) -> bool:
        """Tell whether rows stand on rows of lower stages, so that definitions may be negated."""
        return any(definition.stage is not None for definition in self.definitions)

    @property
    def negates(self) -> bool:
        return any(rule.negated for rule in self.rules)

    def is_input(self, relation: int) -> bool:
        return relation < len(self.inputs)


def to_program(fixpoint: Fixpoint) -> tuple[Program, tuple[Plan, ...]]:
    """Return the rules of a fixpoint and the closed plans that are their inputs, in order."""
    bodies = [
        (number, pushed(body))
        for number, definition in enumerate(fixpoint.definitions)
        for plan in definition.bodies
        for body in bodies_of(plan, definition)
    ]
    read = [plan for _, body in bodies for plan in (*body.reads, *(each.plan for each in body.without))]
    closed = tuple(dict.fromkeys(plan for plan in read if not isinstance(plan, Recur)))

    def number_of(plan: Plan) -> int:
        return len(closed) + plan.number if isinstance(plan, Recur) else closed.index(plan)

    rules = tuple(
        Rule(
            len(closed) + head,
            tuple(map(number_of, body.reads)),
            body.predicates,
            body.expressions,
            tuple(Negated(number_of(each.plan), *each[1:]) for each in body.without),
        )
        for head, body in bodies
    )
    definitions = tuple(
        Defined(d.name, d.columns, d.group, d.best, d.stage, d.turn) for d in fixpoint.definitions
    )
    return Program(tuple(plan.columns for plan in closed), definitions, rules, fixpoint.rounds), closed
