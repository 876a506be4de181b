"""A checked program becomes plans: each stratum once, from what it reads.

    not recursive   r  =  δ (input ∪ facts ∪ bodies)
    recursive       μ r₁, …, rₙ (bodies)           with the stage and the turn of each, where it has them

The plan of a relation is one value, wherever it is read.
"""

from collections.abc import Callable, Iterable, Mapping

from engine.lang.datalog.bodies import BodyBinder
from engine.lang.datalog.classes import Class, check, classes_of
from engine.lang.datalog.declared import Checked, TypedRule
from engine.lang.datalog.strata import edges_of
from engine.lang.datalog.terms import Terms
from engine.lang.datalog.types import columns_of
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Row
from engine.plan.constant import Constant
from engine.plan.expressions import Field, compiled
from engine.plan.logical import Definition, Distinct, Fixpoint, Plan, Recur, Union
from engine.plan.rewriting import size

MOST_NODES = 5_000
Inputs = Callable[[str], Plan | None]


class ProgramBinder:
    """Binds relations on demand; ``inputs`` says what a relation reads from outside."""

    def __init__(self, program: Checked, inputs: Inputs, most_nodes: int = MOST_NODES) -> None:
        self._program = program
        self._most_nodes = most_nodes
        self._inputs = inputs
        self._rules: dict[str, list[TypedRule]] = {name: [] for name in program.relations}
        for each in program.rules:
            self._rules[each.rule.head.relation].append(each)
        self.classes = classes_of(program.relations, (each.rule for each in program.rules))
        check(self.classes)
        self._class_of = {name: each for each in self.classes for name in each.stratum.relations}
        self._plans: dict[str, Plan] = {}

    def plan(self, name: str) -> Plan:
        """Return a relation's plan."""
        for each in self.classes:
            if name in self._plans:
                break
            if self._is_read(each, name):
                self._bind(each)
        plan = self._plans[name]
        if size(plan) > self._most_nodes:
            message = (
                f"{name} takes a plan of {size(plan):,} nodes, what it reads put in; "
                f"{self._most_nodes:,} can be kept at most"
            )
            raise QueryError(message)
        return plan

    @property
    def bound(self) -> tuple[str, ...]:
        """The relations that were asked for so far, and what they stand on."""
        return tuple(self._plans)

    def _is_read(self, each: Class, name: str) -> bool:
        return each.stratum.relations[0] not in self._plans and not self._needed(name).isdisjoint(
            each.stratum.relations
        )

    def _needed(self, name: str) -> set[str]:
        """Return the relations that one stands on, itself among them."""
        found, unseen = {name}, [name]
        while unseen:
            stratum = unseen.pop()
            for rule in self._rules[stratum]:
                fresh = read_by(rule) - found
                found |= fresh
                unseen += fresh
        return found

    def _bind(self, each: Class) -> None:
        names = each.stratum.relations
        if not each.stratum.is_recursive:
            (name,) = names
            parts = self._parts(name, self._plans.__getitem__)
            self._plans[name] = Distinct(parts[0] if len(parts) == 1 else Union(tuple(parts)))
            return
        recurs = {name: Recur(i, self._columns(name)) for i, name in enumerate(names)}
        definitions = tuple(self._definition(name, each, recurs) for name in names)
        self._plans.update({name: Fixpoint(definitions, i) for i, name in enumerate(names)})

    def _definition(self, name: str, each: Class, recurs: Mapping[str, Recur]) -> Definition:
        bodies = tuple(self._parts(name, lambda read: recurs[read] if read in recurs else self._plans[read]))
        columns = self._columns(name)
        if each.stages is None:
            return Definition(name, columns, bodies)
        position = each.stages.positions[name]
        stage = Field(position, columns[position].type, columns[position].name)
        return Definition(name, columns, bodies, stage=stage, turn=each.stages.turns[name])

    def _columns(self, name: str) -> tuple[Column, ...]:
        return columns_of(dict(self._program.relations[name]))

    def _parts(self, name: str, relation: Callable[[str], Plan]) -> list[Plan]:
        """Return the plans whose rows, together, are a relation's; at least one."""
        columns = self._columns(name)
        source = self._inputs(name) if name in self._program.inputs else None
        parts = [] if source is None else [source]
        facts = [each for each in self._rules[name] if not each.rule.body]
        if facts:
            parts.append(Constant(self._rows(facts), columns))
        for each in self._rules[name]:
            if each.rule.body:
                binder = BodyBinder(each.rule, each.kinds, self._program.functors, relation)
                parts += binder.plans(columns)
        return parts or [Constant((), columns)]

    def _rows(self, facts: Iterable[TypedRule]) -> tuple[Row, ...]:
        """Return the rows that facts say; one whose value cannot be computed says none."""
        rows = []
        for each in facts:
            terms = Terms(self._program.functors, each.kinds)
            row = tuple(compiled(terms.expression(arg, {}))(()) for arg in each.rule.head.args)
            if None not in row:
                rows.append(row)
        return tuple(dict.fromkeys(rows))


def read_by(rule: TypedRule) -> set[str]:
    return {edge.body for edge in edges_of(rule.rule)}
