"""A stratum of any rules, kept current by one derivation a fact.

    insert    semi-naive: what is new, joined with all that is there
    delete    what stood on the dead is taken in the order of its rank: it finds another body of
              lower rank and stays, or falls and takes along what stood on it
    then      what fell is derived again where it can be, from what is left

A negated literal over an input is one more fact of the body (``negation``), without provenance.

This is absorption provenance as lazy shipping holds it: of each fact the one derivation that was
handed on first, all others left where they are, in the join's indexes. A fact is in the view if and
only if its absorption provenance, restricted to the living tokens, is not false. The view's change
is put out at the end, so nothing that falls and stands again is ever seen.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, sections IV to VII.
    Even, Shiloach. An On-Line Edge-Deletion Problem. J. ACM 28 (1981): ranks.
"""

from collections.abc import Iterator

from engine.model.values import Row
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.delta import Delta
from engine.operators.operator import ITSELF, Denied, Origin, Origins, Quiet
from engine.operators.recursion.rules.facts import Fact
from engine.operators.recursion.rules.negation import NOT
from engine.operators.recursion.rules.support import INPUT, Support
from engine.plan.program import Program

SHOWN = 3
WIDE = 80


def shorten(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


class Stratum(Quiet):
    """The facts of a program over its inputs; of several definitions, each row behind its number."""

    def __init__(self, program: Program, budget: Budget) -> None:
        self._budget = budget
        self._names = ", ".join(definition.name for definition in program.definitions)
        self._inputs = len(program.inputs)
        self._is_tagged = len(program.definitions) > 1
        self._support = Support(program)
        self._tables = self._support.tables

    def step(self, *changes: Delta[int]) -> Delta[int]:
        for relation, change in enumerate(changes):
            self._support.take(relation, change)
        support, rounds = self._support, 0
        while not support.is_settled:
            support.settle()
            while support.fresh:
                support.propagate()
                rounds += 1
                self._check(rounds)
            support.let_go()
            support.select()
        for negation in support.negations:
            negation.sweep()
        return {self._shown(relation, row): sign for relation, row, sign in support.changed()}

    def _check(self, rounds: int) -> None:
        held = sum(map(len, self._tables[self._inputs :]))
        if held <= self._budget.rows and rounds <= self._budget.rounds:
            return
        changing = ", ".join(shorten(str(fact.row), WIDE) for fact in self._support.fresh[:SHOWN])
        message = (
            f"{self._names} does not settle: after {rounds:,} rounds it holds {held:,} rows "
            f"and still derives {changing}; bound what its rules count up, or take a shorter window"
        )
        raise BudgetExceeded(message)

    def _shown(self, relation: int, row: Row) -> Row:
        return (relation - self._inputs, *row) if self._is_tagged else row

    def rows(self) -> Iterator[Row]:
        """Yield what the view holds."""
        for relation in range(self._inputs, len(self._tables)):
            for fact in self._tables[relation].facts.values():
                if fact.active:
                    yield self._shown(relation, fact.row)

    def witness(self, row: Row) -> Origins:
        """Return the rows of the inputs that hold a row up."""
        stands_on = self._stands_on(row)
        return tuple(dict.fromkeys((fact.relation, fact.row) for fact in stands_on if fact.rule == INPUT))

    def denied(self, row: Row) -> Iterator[Denied]:
        """Yield what must not be there for the witness to hold a row up."""
        for negation, key in self._support.negations.named(self._stands_on(row)):
            yield Denied(negation.relation, negation.keys, key)

    def _stands_on(self, row: Row) -> Iterator[Fact]:
        """Yield a row's fact and all that it stands on, each once."""
        unseen = [self._fact(row)]
        seen = set(unseen)
        while unseen:
            fact = unseen.pop()
            yield fact
            unseen += [below for below in reversed(fact.body) if below not in seen]
            seen.update(fact.body)

    def derivations(self, row: Row) -> Iterator[Origins]:
        """Yield the bodies that derive a row of the view in one step."""
        for body in self._support.bodies(self._fact(row)):
            yield tuple([self._origin(below) for below in body if below.rule != NOT])

    def _fact(self, row: Row) -> Fact:
        if not self._is_tagged:
            return self._tables[self._inputs].facts[row]
        number, *plain = row
        assert isinstance(number, int)
        return self._tables[self._inputs + number].facts[tuple(plain)]

    def _origin(self, fact: Fact) -> Origin:
        is_input = fact.relation < self._inputs
        return (fact.relation, fact.row) if is_input else (ITSELF, self._shown(fact.relation, fact.row))

    def entries(self) -> int:
        """Count the facts that are kept."""
        return sum(map(len, self._tables)) + sum(map(len, self._support.negations))
