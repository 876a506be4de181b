"""How many derivations each row has, kept current row by row.

    count(h)  =  |{ (rule, body) : the rule's head over the body is h, and no row has a negated key }|

A row that comes adds the derivations in which it stands, a row that goes takes them away; one that
gives a negated key its first row takes away the derivations that stood on nobody having it. Positive
rows and negated keys change one at a time, each against all the others as they are, so the rule is

    Δ(R₁ ⋈ … ⋈ Rₙ)  =  Σₚ  R₁ ⋈ … ⋈ Rₚ₋₁ ⋈ ΔRₚ ⋈ R'ₚ₊₁ ⋈ … ⋈ R'ₙ

in which a row that stands at several places of a body is counted at the first of them only.

References:
    Gupta, Mumick, Subrahmanian. Maintaining Views Incrementally. SIGMOD 1993 (counting).
"""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from engine.model.values import Row
from engine.operators.recursion.rules.compiler import Compiler
from engine.operators.recursion.rules.facts import INPUT, Fact, Table
from engine.operators.recursion.rules.negation import Negations
from engine.operators.recursion.rules.walks import Ask, Derived, Every, Facts, First
from engine.plan.expressions import Compiled
from engine.plan.program import Program, Rule

DERIVED = 0
Head = tuple[int, Row]


class Place(NamedTuple):
    """Where a relation stands in a rule; ``before`` are the earlier places of the same relation."""

    head: int
    before: tuple[int, ...]
    derived: Derived
    alone: Compiled | None


class Derivations:
    """The rows of a program that stand, and the counts of those that are derived."""

    def __init__(self, program: Program, ask: Ask) -> None:
        self._ask = ask
        relations = len(program.inputs) + len(program.definitions)
        self._inputs = len(program.inputs)
        self.tables = [Table() for _ in range(relations)]
        self.negations = Negations(program)
        self.counts: list[dict[Row, int]] = [{} for _ in self.tables]
        self._places: list[list[Place]] = [[] for _ in (*self.tables, *self.negations)]
        self._firsts: list[list[First]] = [[] for _ in self.tables]
        self._every: list[list[Every]] = [[] for _ in self.tables]
        for rule in program.rules:
            self._compile(Compiler(program, rule, self.tables, self.negations.of_rule(rule)), rule)

    def _compile(self, compiler: Compiler, rule: Rule) -> None:
        backward = compiler.backward()
        self._firsts[rule.head].append(backward.first())
        self._every[rule.head].append(backward.every())
        body = (*rule.body, *(negation.number for negation in self.negations.of_rule(rule)))
        for place, relation in enumerate(body):
            forward, alone = compiler.forward(place)
            before = tuple(earlier for earlier in range(place) if body[earlier] == relation)
            self._places[relation].append(Place(rule.head, before, forward.derived(self._ask), alone))

    def stands(self, head: Head) -> bool:
        relation, row = head
        return row in self.tables[relation].facts

    def is_derived(self, head: Head) -> bool:
        relation, row = head
        return row in self.counts[relation]

    def flip(self, relation: int, row: Row, sign: int) -> Iterator[Head]:
        """Let a row come or go; yield each head whose derivations became more or fewer by it."""
        table = self.tables[relation]
        if sign > 0:
            yield from self._denied(relation, row, sign)
            fact = table.facts[row] = Fact(relation, row, 0, self._rule(relation), ())
            table.activate(fact)
            yield from self._counted(fact, sign)
        else:
            fact = table.facts[row]
            yield from self._counted(fact, sign)
            table.deactivate(fact)
            del table.facts[row]
            yield from self._denied(relation, row, sign)

    def _rule(self, relation: int) -> int:
        return INPUT if relation < self._inputs else DERIVED

    def _denied(self, relation: int, row: Row, sign: int) -> Iterator[Head]:
        """Let the negated keys that a row has come or go, which is the opposite of what it does."""
        for negation in self.negations.of_relation(relation):
            key = negation.key_of(row)
            turns = negation.turns(key, sign)
            if sign < 0:
                negation.count(key, sign)
            nobody = negation.get(key) if turns else None
            if nobody is not None:
                yield from self._counted(nobody, -sign)
            if sign > 0:
                negation.count(key, sign)

    def _counted(self, fact: Fact, sign: int) -> Iterator[Head]:
        for head, before, derived, alone in self._places[fact.relation]:
            if alone is not None and alone(fact.row) is not True:
                continue
            counts = self.counts[head]
            for row, body in derived(fact, {}):
                if any(body[place] is fact for place in before):
                    continue
                count = counts.get(row, 0) + sign
                if count:
                    counts[row] = count
                else:
                    del counts[row]
                yield head, row

    def first(self, fact: Fact) -> Facts:
        """Return a body that derives a fact; of what is not derived, nothing."""
        firsts = self._firsts[fact.relation] if fact.rule == DERIVED else ()
        bodies = (first(fact.row, inf)[0] for first in firsts)
        return next((body for body in bodies if body is not None), ())

    def bodies(self, fact: Fact) -> Iterator[Facts]:
        """Yield every body that derives a fact in one step."""
        for every in self._every[fact.relation]:
            yield from every(fact.row)
