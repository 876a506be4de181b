"""A conjunction on its way to a plan: what it reads, asks and has bound so far.

plan  =  ((input × … × input) where predicates)  ▷  excluded  ▷  …
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.lang.datalog.terms import equal, guards
from engine.model.relation import Column
from engine.plan.bodies import is_closed
from engine.plan.constant import Constant
from engine.plan.expressions import Expr, Field, compiled, conjunction, move, positions
from engine.plan.logical import AntiJoin, Distinct, Join, Plan, Project, Select

UNIT = Constant(((),), ())


@dataclass(frozen=True)
class Excluded:
    """Rows on the right of an anti-join, and the keys that must not meet."""

    plan: Plan
    left: tuple[Expr, ...]
    right: tuple[Expr, ...]


@dataclass
class Conjunction:
    """Grows literal by literal; ``is_dead`` once a condition without variables fails."""

    inputs: list[Plan] = field(default_factory=list)
    predicates: list[Expr] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    bound: dict[str, Expr] = field(default_factory=dict)
    is_dead: bool = False

    def copy(self) -> "Conjunction":
        parts = list(self.inputs), list(self.predicates), list(self.excluded), dict(self.bound)
        return Conjunction(*parts, self.is_dead)

    def read(self, plan: Plan) -> list[Field]:
        """Join a plan and return its columns' fields."""
        start = sum(len(each.columns) for each in self.inputs)
        self.inputs.append(plan)
        return [Field(start + i, column.type, column.name) for i, column in enumerate(plan.columns)]

    def ask(self, predicate: Expr) -> None:
        if predicate in self.predicates:
            return
        if positions(predicate):
            self.predicates.append(predicate)
        elif compiled(predicate)(()) is not True:
            self.is_dead = True

    def value_of(self, expr: Expr) -> Expr:
        """Return an expression that is asked to have a value."""
        for guard in guards([expr]):
            self.ask(guard)
        return expr

    def bind(self, name: str, expr: Expr) -> None:
        """Bind a variable, or ask that what it is bound to is equal."""
        if name in self.bound:
            self.ask(equal(self.bound[name], expr))
        else:
            self.bound[name] = self.value_of(expr)

    def plan(self) -> Plan:
        """Return the rows of the concatenated inputs that satisfy everything."""
        plan: Plan = UNIT
        if len(self.inputs) > 1:
            plan = Join(tuple(self.inputs), tuple(self.predicates))
        elif self.inputs:
            plan = self.inputs[0]
            plan = Select(plan, conjunction(tuple(self.predicates))) if self.predicates else plan
        for each in self.excluded:
            plan = AntiJoin(plan, each.plan, each.left, each.right)
        return plan

    def project(self, expressions: Iterable[Expr], columns: tuple[Column, ...]) -> Project:
        """Return a plan of expressions, each of which has a value."""
        made = tuple(self.value_of(each) for each in expressions)
        return Project(self.plan(), made, columns)

    def values_of(self, names: Iterable[str]) -> Distinct | None:
        """Return the values that variables take by what is closed here; None where that is not enough."""
        asked = [self.bound[name] for name in names]
        kept: dict[int, int] = {}
        inputs: list[Plan] = []
        start = 0
        for plan in self.inputs:
            if is_closed(plan):
                width = sum(len(each.columns) for each in inputs)
                kept.update({start + i: width + i for i in range(len(plan.columns))})
                inputs.append(plan)
            start += len(plan.columns)
        if not all(positions(each) <= kept.keys() for each in asked):
            return None
        predicates = [move(p, kept.__getitem__) for p in self.predicates if positions(p) <= kept.keys()]
        columns = tuple(Column(f"c{i}", each.type) for i, each in enumerate(asked))
        part = Conjunction(inputs, predicates)
        return Distinct(part.project((move(each, kept.__getitem__) for each in asked), columns))
