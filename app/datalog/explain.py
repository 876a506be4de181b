"""Why a row of any relation holds, and why it does not: asked of the program's own rules.

The rows of all relations that the asked one stands on are computed for it; then a proof is searched
rule by rule (``proof``), or of each rule how far it gets is told (``failed``), within an effort.
"""

import time
from collections.abc import Callable, Iterator

from app.datalog.engine import Engine
from app.datalog.failed import FailureText
from app.datalog.files import Shape
from app.datalog.proof import Pattern, Prover
from app.datalog.proof_text import ProofText
from app.datalog.rules import Ruled, RulePlan, ruled
from app.datalog.shown import rule_text
from app.datalog.values import Texts
from engine.lang.datalog.bodies import BodyBinder
from engine.lang.datalog.declared import Checked
from engine.lang.datalog.strata import edges_of
from engine.lang.datalog.terms import Terms
from engine.lang.datalog.types import columns_of
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row
from engine.plan.expressions import compiled
from engine.plan.logical import Aggregate, Plan, Scan
from engine.views.why.effort import Effort
from engine.views.why.match import Fact
from engine.views.why.present import Present

SECONDS, STEPS = 10.0, 2_000_000


class Explanations:
    """Answers about a program as its facts are."""

    def __init__(self, program: Checked, plan: Callable[[str], Plan], engine: Engine, texts: Texts) -> None:
        self._program = program
        self._plan = plan
        self._engine = engine
        self._texts = texts

    def lines(self, shape: Shape, row: Row) -> Iterator[str]:
        """Yield why a row holds, or why it does not."""
        self._names = self._needed(shape.name)
        rules = ruled({name: self._columns(name) for name in self._names}, self._rules(), self._plan)
        self._inputs = rules.inputs
        inputs = [self._engine.rows_of(plan) for plan in rules.inputs]
        defined = [self._engine.rows_of(self._plan(name)) for name in self._names]
        present = Present([*inputs, *defined])
        goal = (rules.number(shape.name), row)
        effort = Effort(SECONDS, STEPS, time.monotonic)
        if row in defined[self._names.index(shape.name)]:
            yield from self._proof(rules, goal, Prover(rules, present.find, self._is_given(rules), effort))
            return
        failures = FailureText(rules, self._show, self._pattern)
        is_input = shape.name in self._program.inputs
        yield from failures.lines(goal, present.find, effort, is_input=is_input)

    def _proof(self, rules: Ruled, goal: Fact, prover: Prover) -> Iterator[str]:
        found = prover.proof(goal)
        if found is None:
            yield f"{self._show(*goal)} holds; no proof was found within {STEPS:,} steps and {SECONDS:.0f} s"
            return
        yield from ProofText(rules, prover, self._show, self._pattern).lines(goal, found)
        if not prover.is_complete:
            yield f"the search ended after {STEPS:,} steps or {SECONDS:.0f} s; there may be a lower proof"

    def _needed(self, name: str) -> list[str]:
        """Return the relations that one stands on, itself first."""
        found = [name]
        for each in found:
            own = [rule.rule for rule in self._program.rules if rule.rule.head.relation == each]
            found += [n for n in dict.fromkeys(e.body for r in own for e in edges_of(r)) if n not in found]
        return found

    def _columns(self, name: str) -> tuple[Column, ...]:
        return columns_of(dict(self._program.relations[name]))

    def _rules(self) -> list[RulePlan]:
        return [
            RulePlan(each.rule.head.relation, rule_text(each.rule), plan)
            for each in self._program.rules
            if each.rule.body and each.rule.head.relation in self._names
            for plan in BodyBinder(each.rule, each.kinds, self._program.functors, self._scan).plans(
                self._columns(each.rule.head.relation)
            )
        ]

    def _scan(self, name: str) -> Scan:
        return Scan(Relation(name, RelationKind.TABLE, self._columns(name)), None)

    def _is_given(self, rules: Ruled) -> Callable[[Fact], bool]:
        """Return what tells facts that need no proof: of a file, of the program, of an aggregate."""
        said: set[tuple[str | None, Row]] = set()
        for each in self._program.rules:
            if not each.rule.body and each.rule.head.relation in self._names:
                terms = Terms(self._program.functors, each.kinds)
                row = tuple(compiled(terms.expression(arg, {}))(()) for arg in each.rule.head.args)
                said.add((each.rule.head.relation, row))
        for name in self._names:
            said.update((name, row) for row in self._engine.facts(name))
        return lambda fact: rules.program.is_input(fact[0]) or (rules.name(fact[0]), fact[1]) in said

    def _show(self, relation: int, row: Row) -> str:
        return self._pattern(relation, dict(enumerate(row)))

    def _pattern(self, relation: int, asked: Pattern) -> str:
        """Write a row as far as it is known; a column that may have any value is _."""
        at = relation - len(self._inputs)
        if at < 0:
            return self._aggregate(self._inputs[relation], asked)
        name = self._names[at]
        kinds = [kind for _, kind in self._program.relations[name]]
        known = [
            self._texts.program_text(asked[i], kind) if i in asked else "_" for i, kind in enumerate(kinds)
        ]
        return f"{name}({', '.join(known)})"

    def _aggregate(self, plan: Plan, asked: Pattern) -> str:
        """Write what is known of an aggregate's row: its values, and the group that they are of."""
        groups = len(plan.groups) if isinstance(plan, Aggregate) else 0
        values = [f"{plan.columns[i].name} = {value}" for i, value in sorted(asked.items()) if i >= groups]
        of = ", ".join(str(value) for i, value in sorted(asked.items()) if i < groups)
        shown = " and ".join(values) or "any value"
        return f"an aggregate with {shown}" + (f" of the group {of}" if of else "")
