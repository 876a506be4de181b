"""Random rules of any shape: one to three relations, each by any of them, over few values.

A head puts out values that its body reads, constants, or numbers that stay small, so that every
recursion ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import AntiJoin, Definition, Distinct, Fixpoint, Plan, Project, Recur, Union
from engine.queries.clauses import AnyTerm, Atom, Term, clause, term, text, whole
from tests.random_history import BIGINT, NODES, TEXT

COMPARISONS = ["<>", "<>", "<", "<=", "="]


@dataclass
class Drawing:
    """What random makers share: chance, and the type of nodes."""

    random: Random
    node: Type = BIGINT

    def flips(self, chance: float) -> bool:
        return self.random.random() < chance

    def compared(self, *variables: str) -> Term:
        left, right = self.random.sample(variables, 2)
        return term(self.random.choice(COMPARISONS), left, right)


class FreeRules(Drawing):
    """Draws the rules of one stratum."""

    def fixpoint(self, closed_plans: Callable[[], list[Plan]]) -> Plan:
        """One to three relations by rules of any shape."""
        shapes = [self.shape() for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
        itself = [Recur(i, columns) for i, columns in enumerate(shapes)]
        closed = closed_plans()
        definitions = []
        for i, columns in enumerate(shapes):
            bodies = [self.rule(columns, closed, ())] if i == 0 or self.flips(0.6) else []
            bodies += [self.rule(columns, closed, itself) for _ in range(self.random.choice([1, 1, 2]))]
            definitions.append(Definition(f"r{i}", columns, self.wrapped(bodies)))
        return Fixpoint(tuple(definitions), self.random.randrange(len(definitions)))

    def shape(self) -> tuple[Column, ...]:
        kinds = self.random.choice(
            [
                (self.node,),
                (self.node, self.node),
                (self.node, self.node),
                (self.node, self.node, BIGINT),
                (self.node, BIGINT),
            ]
        )
        return tuple(Column(f"c{i}", kind) for i, kind in enumerate(kinds))

    def wrapped(self, bodies: list[Plan]) -> tuple[Plan, ...]:
        if len(bodies) > 1 and self.flips(0.2):
            return (Distinct(Union(tuple(bodies))),)
        return tuple(bodies)

    def rule(self, columns: Sequence[Column], closed: Sequence[Plan], itself: Sequence[Plan]) -> Plan:
        """A head over one to three atoms, each of which shares a variable with those before, mostly."""
        bound: dict[str, Type] = {}
        plans = [self.random.choice(closed) for _ in range(self.random.choice([0, 1, 1, 2]) if itself else 1)]
        plans += [self.random.choice(itself) for _ in range(self.random.choice([1, 1, 2])) if itself]
        plans = plans[-3:]
        self.random.shuffle(plans)
        body = [self.read(plan, bound) for plan in plans]
        head = {column.name: self.put_out(column.type, bound) for column in columns}
        derived = clause(head, *body, where=self.conditions(bound))
        for _ in range(self.random.choice([0, 0, 0, 0, 1, 1, 2])):
            derived = self.denied(derived, self.random.choice(closed))
        return derived

    def denied(self, plan: Plan, closed: Plan) -> Plan:
        """A clause with a negated literal: some columns of what is closed, by values of the body."""
        assert isinstance(plan, Project)
        columns = plan.child.columns
        left: list[Expr] = []
        right: list[Expr] = []
        for i, column in enumerate(closed.columns):
            like = [Field(j, c.type) for j, c in enumerate(columns) if c.type is column.type]
            if like and (not right or self.flips(0.4)):
                left.append(self.key(self.random.choice(like)))
                right.append(self.key(Field(i, column.type)))
        if not right or self.flips(0.05):
            left, right = [], []
        child = AntiJoin(plan.child, closed, tuple(left), tuple(right))
        return Project(child, plan.expressions, plan.columns)

    def key(self, field: Field) -> Expr:
        """A column, now and then what is computed of it."""
        if field.type is BIGINT and self.flips(0.15):
            return Call("%", (field, Literal(2, BIGINT)), BIGINT)
        return field if self.flips(0.95) else Literal(self.random.choice(NODES[field.type]), field.type)

    def read(self, plan: Plan, bound: dict[str, Type]) -> Atom:
        variables: list[str] = []
        for i, column in enumerate(plan.columns):
            known = [name for name, kind in bound.items() if kind is column.type]
            shares = (i == 0 and self.flips(0.9)) or self.flips(0.12)
            if known and shares:
                variables.append(self.random.choice(known))
            else:
                variables.append(f"{'n' if column.type is self.node else 'w'}{len(bound)}")
                bound[variables[-1]] = column.type
        return Atom(plan, tuple(variables))

    def put_out(self, kind: Type, bound: dict[str, Type]) -> AnyTerm:
        known = [name for name, of in bound.items() if of is kind]
        if not known or self.flips(0.07):
            return Literal(self.random.choice(NODES[kind]), kind)
        chosen: str = self.random.choice(known)
        if self.flips(0.85):
            return chosen
        return self.computed(chosen, self.random.choice(known), kind)

    def computed(self, one: str, other: str, kind: Type) -> AnyTerm:
        """A value made of values that stays among few."""
        if kind is TEXT:
            return self.random.choice([term("upper", one), term("coalesce", one, text("a"))])
        choices = [
            term("%", term("+", one, whole(1)), whole(4)),
            term("%", term("+", one, other), whole(3)),
            term("least", one, other),
            term("greatest", one, other),
            term("coalesce", one, whole(0)),
        ]
        return self.random.choice(choices)

    def conditions(self, bound: dict[str, Type]) -> list[Term]:
        found: list[Term] = []
        for kind in sorted(set(bound.values())):
            known = [name for name, of in bound.items() if of is kind]
            if len(known) > 1 and self.flips(0.15):
                found.append(self.compared(*known))
            elif self.flips(0.06):
                constant = Literal(self.random.choice(NODES[kind]), kind)
                found.append(term(self.random.choice(COMPARISONS), self.random.choice(known), constant))
        return found
