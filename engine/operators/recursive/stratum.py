"""A stratum of any rules, kept current by one derivation a fact.

    insert    semi-naive: what is new, joined with all that is there
    delete    what stood on the dead is taken in the order of its rank: it finds another body of
              lower rank and stays, or falls and takes along what stood on it
    then      what fell is derived again where it can be, from what is left

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
from heapq import heappop, heappush
from itertools import count
from math import inf

from engine.model.values import Row
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.delta import Delta
from engine.operators.operator import ITSELF, Origin, Origins, Quiet
from engine.operators.recursive.facts import Fact, Table
from engine.operators.recursive.rules import Compiler, Facts, Walk
from engine.operators.recursive.selection import Selection
from engine.plan.expressions import Compiled
from engine.plan.program import Program

INPUT = -1
SHOWN = 3
Derivation = tuple[int, Facts]


class Stratum(Quiet):
    """The facts of a program over its inputs."""

    def __init__(self, program: Program, budget: Budget) -> None:
        self._program = program
        self._budget = budget
        self._inputs = len(program.inputs)
        self._is_tagged = len(program.definitions) > 1
        self._tables = [Table() for _ in range(self._inputs + len(program.definitions))]
        self._compile()
        self._selections = {
            self._inputs + i: Selection(d) for i, d in enumerate(program.definitions) if d.best
        }
        self._lost: list[tuple[int, int, Fact]] = []
        self._order = count()
        self._fallen: list[Fact] = []
        self._fresh: list[Fact] = []
        self._was: list[dict[Row, bool]] = []

    def _compile(self) -> None:
        self._forward: list[list[tuple[int, int, Walk, Compiled | None]]] = [[] for _ in self._tables]
        self._backward: list[list[tuple[int, Walk]]] = [[] for _ in self._tables]
        for number, rule in enumerate(self._program.rules):
            compiler = Compiler(self._program, rule, self._tables)
            self._backward[rule.head].append((number, compiler.backward()))
            for place, relation in enumerate(rule.body):
                walk, alone = compiler.forward(place)
                self._forward[relation].append((number, rule.head, walk, alone))

    def step(self, *changes: Delta[int]) -> Delta[int]:
        self._was = [{} for _ in self._tables]
        for relation, change in enumerate(changes):
            self._take(relation, change)
        rounds = 0
        while self._lost or self._fallen or self._fresh:
            self._settle()
            self._derive_again()
            self._propagate()
            self._select()
            rounds += 1
            self._check(rounds)
        return self._change()

    # What the inputs say

    def _take(self, relation: int, change: Delta[int]) -> None:
        table = self._tables[relation]
        for row, sign in change.items():
            if sign < 0:
                gone = table.facts.pop(row)
                table.deactivate(gone)
                self._lose_dependents(gone)
            else:
                fact = table.facts[row] = Fact(relation, row, 0, INPUT, ())
                table.activate(fact)
                self._fresh.append(fact)

    # Deletion

    def _lose_dependents(self, fact: Fact) -> None:
        if fact.dependents:
            for dependent in tuple(fact.dependents):
                dependent.leave_support()
                heappush(self._lost, (dependent.rank, next(self._order), dependent))

    def _settle(self) -> None:
        """Let each fact without support find another below its rank, or fall; the lowest first.

        Whatever has a lower rank is settled by then, so no support can be built in a circle.
        """
        # What no body at all derives can come back only by what is fresh; the others are tried again.
        while self._lost:
            _, _, fact = heappop(self._lost)
            other = self._derivation(fact.relation, fact.row, fact.rank)
            if other is not None:
                fact.stand_on(*other)
            else:
                self._fall(fact)
                if any([walk.passed_over for _, walk in self._backward[fact.relation]]):
                    self._fallen.append(fact)

    def _fall(self, fact: Fact) -> None:
        del self._tables[fact.relation].facts[fact.row]
        if fact.relation in self._selections:
            self._selections[fact.relation].remove(fact)
        if fact.active:
            self._deactivate(fact)
        self._lose_dependents(fact)

    def _derivation(self, relation: int, row: Row, below: float) -> Derivation | None:
        """Return a body of ``row`` of which every fact has a rank ``below``."""
        for number, walk in self._backward[relation]:
            for body in walk.deriving(row, below):
                return number, body
        return None

    def _derive_again(self) -> None:
        fallen, self._fallen = self._fallen, []
        for fact in fallen:
            if fact.row not in self._tables[fact.relation].facts:
                found = self._derivation(fact.relation, fact.row, inf)
                if found is not None:
                    self._insert(fact.relation, fact.row, *found)

    # Insertion

    def _propagate(self) -> None:
        """Derive by what is fresh; what is derived is fresh in the next round."""
        fresh, self._fresh = self._fresh, []
        for fact in fresh:
            if fact.active:
                for number, head, walk, alone in self._forward[fact.relation]:
                    if alone is None or alone(fact.row) is True:
                        present = self._tables[head].facts
                        for row, body in walk.derived(fact, present):
                            self._insert(head, row, number, body)

    def _insert(self, relation: int, row: Row, rule: int, body: Facts) -> None:
        fact = Fact(relation, row, 1 + max([f.rank for f in body]), rule, body)
        fact.lean()
        self._tables[relation].facts[row] = fact
        if relation in self._selections:
            fact.active = False
            self._selections[relation].add(fact)
        else:
            self._activate(fact)

    def _activate(self, fact: Fact) -> None:
        self._was[fact.relation].setdefault(fact.row, False)
        self._tables[fact.relation].activate(fact)
        self._fresh.append(fact)

    def _deactivate(self, fact: Fact) -> None:
        self._was[fact.relation].setdefault(fact.row, True)
        self._tables[fact.relation].deactivate(fact)

    def _select(self) -> None:
        """Let the groups' best take part; what stood on the suppressed must stand on something else."""
        for selection in self._selections.values():
            enter, leave = selection.changes()
            for fact in leave:
                self._deactivate(fact)
                self._lose_dependents(fact)
            for fact in enter:
                self._activate(fact)

    # At the end

    def _check(self, rounds: int) -> None:
        held = sum(map(len, self._tables[self._inputs :]))
        if held <= self._budget.rows and rounds <= self._budget.rounds:
            return
        names = ", ".join(definition.name for definition in self._program.definitions)
        changing = ", ".join(str(fact.row) for fact in self._fresh[:SHOWN])
        message = (
            f"{names} does not settle: after {rounds:,} rounds it holds {held:,} rows "
            f"and still derives {changing}; bound what its rules count up, or take a shorter window"
        )
        raise BudgetExceeded(message)

    def _change(self) -> Delta[int]:
        output: Delta[int] = {}
        for number, table in enumerate(self._tables[self._inputs :]):
            for row, was in self._was[self._inputs + number].items():
                fact = table.facts.get(row)
                if was != (fact is not None and fact.active):
                    output[self._shown(number, row)] = -1 if was else 1
        return output

    # What is asked

    def rows(self) -> Iterator[Row]:
        """Yield what the view holds."""
        for number, table in enumerate(self._tables[self._inputs :]):
            for fact in table.facts.values():
                if fact.active:
                    yield self._shown(number, fact.row)

    def witness(self, row: Row) -> Origins:
        """Return the rows of the inputs that hold a row up."""
        unseen = [self._fact(row)]
        found: dict[Origin, None] = {}
        seen = set(unseen)
        while unseen:
            fact = unseen.pop()
            if fact.rule == INPUT:
                found[fact.relation, fact.row] = None
            unseen += [below for below in reversed(fact.body) if below not in seen]
            seen.update(fact.body)
        return tuple(found)

    def derivations(self, row: Row) -> Iterator[Origins]:
        """Yield the bodies that derive a row of the view in one step."""
        fact = self._fact(row)
        for _, walk in self._backward[fact.relation]:
            for body in walk.deriving(fact.row, inf):
                yield tuple([self._origin(below) for below in body])

    def _fact(self, row: Row) -> Fact:
        if not self._is_tagged:
            return self._tables[self._inputs].facts[row]
        number, *plain = row
        assert isinstance(number, int)
        return self._tables[self._inputs + number].facts[tuple(plain)]

    def _shown(self, number: int, row: Row) -> Row:
        return (number, *row) if self._is_tagged else row

    def _origin(self, fact: Fact) -> Origin:
        if fact.relation < self._inputs:
            return fact.relation, fact.row
        return ITSELF, self._shown(fact.relation - self._inputs, fact.row)

    def entries(self) -> int:
        """Count the facts that are kept."""
        return sum(map(len, self._tables))
