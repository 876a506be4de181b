"""All rules of a program at once, over the rows of all its relations: what proofs are searched in.

    Program  =  definitions: every declared relation        inputs: aggregates, and rows that rules say

Here nothing is closed but aggregates: a rule reads relations by their names, however they were planned,
so a proof goes rule by rule as the program is written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.plan.bodies import bodies_of, is_closed
from engine.plan.expressions import TRUE
from engine.plan.logical import (
    AntiJoin,
    Definition,
    Distinct,
    Fixpoint,
    Join,
    Plan,
    Project,
    Recur,
    Scan,
    Select,
    Union,
)
from engine.plan.program import Program, to_program
from engine.plan.rewriting import over

FLAT = (Select, Project, Join, Union, Distinct)


class RulePlan(NamedTuple):
    """One rule: its head, what it says, and its rows over scans of the relations that it names."""

    head: str
    text: str
    plan: Plan


class Ruled(NamedTuple):
    """A program of rules with their texts by number, and the plans of its inputs."""

    program: Program
    texts: tuple[str, ...]
    inputs: tuple[Plan, ...]

    def number(self, relation: str) -> int:
        names = [definition.name for definition in self.program.definitions]
        return len(self.program.inputs) + names.index(relation)

    def name(self, relation: int) -> str | None:
        """Return a relation's name; an input has none."""
        at = relation - len(self.program.inputs)
        return None if at < 0 else self.program.definitions[at].name


def ruled(
    columns: Mapping[str, tuple[Column, ...]], rules: Sequence[RulePlan], closed: Callable[[str], Plan]
) -> Ruled:
    """Return the rules as one program; ``closed`` is the plan of a relation by itself."""
    names = list(columns)
    flat = Flattening({name: Recur(i, columns[name]) for i, name in enumerate(names)}, closed)
    own = {name: [rule for rule in rules if rule.head == name] for name in names}
    definitions = tuple(
        Definition(name, columns[name], tuple(flat.of(rule.plan) for rule in own[name]), stage=TRUE)
        for name in names
    )
    texts = [
        rule.text
        for definition in definitions
        for rule, body in zip(own[definition.name], definition.bodies, strict=True)
        for _ in bodies_of(body, definition)
    ]
    program, inputs = to_program(Fixpoint(definitions))
    return Ruled(program, tuple(texts), inputs)


class Flattening:
    """Puts what is being defined in place of scans, where a rule's conjunction reads it."""

    def __init__(self, itself: Mapping[str, Recur], closed: Callable[[str], Plan]) -> None:
        self._itself = itself
        self._closed = closed

    def of(self, plan: Plan) -> Plan:
        """Return the plan over relations as they are defined; what is no conjunction is closed."""
        match plan:
            case Scan(relation) if relation.name in self._itself:
                return self._itself[relation.name]
            case AntiJoin(left, right, left_keys, right_keys):
                return AntiJoin(self.of(left), self._denied(right), left_keys, right_keys)
        return over(plan, self.of) if isinstance(plan, FLAT) else self._finished(plan)

    def _denied(self, right: Plan) -> Plan:
        """Return what is negated, as one relation where it can be said of one."""
        flat = self.of(right)
        try:
            is_one = is_closed(flat) or reads_one([flat])
        except QueryError:
            is_one = False
        return flat if is_one else self._finished(right)

    def _finished(self, plan: Plan) -> Plan:
        if isinstance(plan, Scan) and plan.relation.name in self._itself:
            return self._closed(plan.relation.name)
        return over(plan, self._finished)


def reads_one(plans: Iterable[Plan]) -> bool:
    """Tell whether each conjunction of plans reads a single relation."""
    anything = Definition("", (), (), stage=TRUE)
    bodies = [body for plan in plans for body in bodies_of(plan, anything)]
    return all(len(body.reads) == 1 and not body.without for body in bodies)
