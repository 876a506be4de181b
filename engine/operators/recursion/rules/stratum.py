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

from collections.abc import Iterable

from engine.operators.budget import Budget, BudgetExceeded, told
from engine.operators.delta import Delta
from engine.operators.recursion.rules.facts import Fact
from engine.operators.recursion.rules.standing import Standing, shorten
from engine.operators.recursion.rules.support import Support
from engine.operators.recursion.rules.walks import Facts
from engine.plan.program import Program

SHOWN = 3
EACH = 16


class Stratum(Standing):
    """The facts of a program, each with the derivation that holds it up."""

    def __init__(self, program: Program, budget: Budget) -> None:
        self._budget = budget
        self._limit = program.rounds
        self._support = Support(program, self._ask)
        self._rounds = self._asked = 0
        super().__init__(program, self._support.tables, self._support.negations)

    def step(self, *changes: Delta[int]) -> Delta[int]:
        for relation, change in enumerate(changes):
            self._support.take(relation, change)
        support, self._rounds = self._support, 0
        while not support.is_settled:
            support.settle()
            while support.fresh:
                support.propagate()
                self._rounds += 1
                self._check()
            support.let_go()
            support.select()
        support.negations.sweep()
        return {self._shown(relation, row): sign for relation, row, sign in support.changed()}

    def _ask(self, found: int) -> None:
        """Look, now and then within a round, whether it may go on; ``found`` is yet to be held."""
        self._asked += 1
        if found or not self._asked % EACH:
            self._check(found)

    def _check(self, found: int = 0) -> None:
        self._budget.meter.look()
        rounds, most = self._rounds, self._budget.most
        held = found + sum(map(len, self._tables[self._inputs :]))
        passes = self._limit is not None and rounds > self._limit and bool(self._support.fresh)
        if held <= most and rounds <= self._budget.rounds and not passes:
            return
        changing = ", ".join(shorten(fact.row) for fact in self._support.fresh[:SHOWN])
        happened = f"passes its limit of {self._limit:,} rounds" if passes else "does not settle"
        message = (
            f"{self._names} {happened}: after {rounds:,} rounds it holds {told(held, most)} and still "
            f"derives {changing}; bound what its rules count up, or take a shorter window"
        )
        raise BudgetExceeded(message)

    def _below(self, fact: Fact) -> Facts:
        return fact.body

    def _bodies(self, fact: Fact) -> Iterable[Facts]:
        return self._support.bodies(fact)
