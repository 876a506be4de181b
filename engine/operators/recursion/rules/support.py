"""Facts and what holds them up, while tokens die and rules derive.

settle       what lost its body, lowest rank first: another body of lower rank, or it is doubtful
propagate    what is fresh derives; a doubtful fact that is derived stands again
let go       what is doubtful when nothing is fresh any more
select       of a group what is best takes part, what was best before does not
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf

from engine.model.values import Row
from engine.operators.delta import Delta
from engine.operators.recursion.rules.compiler import Compiler
from engine.operators.recursion.rules.facts import INPUT, Fact, Table
from engine.operators.recursion.rules.negation import Negations
from engine.operators.recursion.rules.selection import Selection
from engine.operators.recursion.rules.walks import Ask, Derived, Every, Facts, First
from engine.plan.expressions import Compiled
from engine.plan.program import Program, Rule

Derivation = tuple[int, Facts]
Forward = tuple[int, int, Derived, Compiled | None]


class Support:
    """The facts of a program. ``fresh`` are those that nothing was derived from yet."""

    def __init__(self, program: Program, ask: Ask) -> None:
        inputs = len(program.inputs)
        self.tables = [Table() for _ in range(inputs + len(program.definitions))]
        self.fresh: list[Fact] = []
        self.stood: list[dict[Row, bool]] = [{} for _ in self.tables]
        self._selections = {inputs + i: Selection(d) for i, d in enumerate(program.definitions) if d.best}
        self._lost: list[tuple[float, int, Fact]] = []
        self._order = count()
        self._ask = ask
        self.negations = Negations(program)
        self._forward: list[list[Forward]] = [[] for _ in (*self.tables, *self.negations)]
        self._firsts: list[list[tuple[int, First]]] = [[] for _ in self.tables]
        self._every: list[list[Every]] = [[] for _ in self.tables]
        for number, rule in enumerate(program.rules):
            compiler = Compiler(program, rule, self.tables, self.negations.of_rule(rule))
            self._compile(compiler, number, rule)

    def _compile(self, compiler: Compiler, number: int, rule: Rule) -> None:
        backward = compiler.backward()
        self._firsts[rule.head].append((number, backward.first()))
        self._every[rule.head].append(backward.every())
        denied = [negation.number for negation in self.negations.of_rule(rule)]
        for place, relation in enumerate((*rule.body, *denied)):
            forward, alone = compiler.forward(place)
            self._forward[relation].append((number, rule.head, forward.derived(self._ask), alone))

    @property
    def is_settled(self) -> bool:
        return not (self._lost or self.fresh)

    def changed(self) -> Iterator[tuple[int, Row, int]]:
        """Yield what appeared and disappeared since the last call: relation, row, sign."""
        for relation, (table, stood) in enumerate(zip(self.tables, self.stood, strict=True)):
            for row, did_stand in stood.items():
                fact = table.facts.get(row)
                if did_stand != (fact is not None and fact.active):
                    yield relation, row, -1 if did_stand else 1
            stood.clear()

    def bodies(self, fact: Fact) -> Iterator[Facts]:
        """Yield every body that derives a fact in one step."""
        for every in self._every[fact.relation]:
            yield from every(fact.row)

    def take(self, relation: int, change: Delta[int]) -> None:
        table = self.tables[relation]
        for row, sign in change.items():
            if sign < 0:
                gone = table.facts.pop(row)
                table.deactivate(gone)
                self._lose_dependents(gone)
            else:
                fact = table.facts[row] = Fact(relation, row, 0, INPUT, ())
                table.activate(fact)
                self.fresh.append(fact)
        for negation in self.negations.of_relation(relation):
            dead, fresh = negation.take(change)
            self.fresh += fresh
            for fact in dead:
                self._lose_dependents(fact)

    def _lose_dependents(self, fact: Fact) -> None:
        if fact.dependents:
            for dependent in tuple(fact.dependents):
                dependent.leave_support()
                heappush(self._lost, (dependent.rank, next(self._order), dependent))

    def settle(self) -> None:
        """Let each fact without support find another below its rank, or be doubted; the lowest first.

        Whatever has a lower rank is settled by then, so no support is built in a circle. Then what is
        doubted is derived again from what is not, where it has a body that was passed over; any other
        comes back only by what is fresh.
        """
        passed_over: list[Fact] = []
        while self._lost:
            self._ask(0)
            _, _, fact = heappop(self._lost)
            other, may_be_others = self._derivation(fact, fact.rank)
            if other is not None:
                fact.stand_on(*other)
            else:
                self._doubt(fact)
                if may_be_others:
                    passed_over.append(fact)
        for fact in passed_over:
            if fact.rank == inf:
                found, _ = self._derivation(fact, inf)
                if found is not None:
                    self._insert(fact.relation, fact.row, *found)

    def _doubt(self, fact: Fact) -> None:
        table = self.tables[fact.relation]
        table.doubtful[fact.row] = table.facts.pop(fact.row)
        fact.rank = inf
        if fact.relation in self._selections:
            self._selections[fact.relation].remove(fact)
        self._lose_dependents(fact)

    def let_go(self) -> None:
        """Drop what is still doubtful when nothing is fresh any more."""
        for table in self.tables:
            for fact in table.doubtful.values():
                if fact.active:
                    self._deactivate(fact)
            table.doubtful.clear()

    def _derivation(self, fact: Fact, below: float) -> tuple[Derivation | None, bool]:
        """Return a body of which every fact has a rank ``below``; and whether others were passed over."""
        may_be_others = False
        for number, first in self._firsts[fact.relation]:
            body, passed_over = first(fact.row, below)
            if body is not None:
                return (number, body), True
            may_be_others |= passed_over
        return None, may_be_others

    def _insert(self, relation: int, row: Row, rule: int, body: Facts) -> None:
        """Add a fact, or let a doubtful one stand again."""
        table, rank = self.tables[relation], 1 + max([f.rank for f in body])
        fact = table.doubtful.pop(row, None)
        is_back = fact is not None
        if fact is None:
            fact = Fact(relation, row, rank, rule, body)
        fact.rank, fact.rule, fact.body = rank, rule, body
        fact.lean()
        table.facts[row] = fact
        if relation in self._selections:
            fact.active &= is_back
            self._selections[relation].add(fact)
        if is_back:
            self.fresh.append(fact)
        elif relation not in self._selections:
            self._activate(fact)

    def _activate(self, fact: Fact) -> None:
        self.stood[fact.relation].setdefault(fact.row, False)
        self.tables[fact.relation].activate(fact)
        self.fresh.append(fact)

    def _deactivate(self, fact: Fact) -> None:
        self.stood[fact.relation].setdefault(fact.row, True)
        self.tables[fact.relation].deactivate(fact)

    def propagate(self) -> None:
        """Derive by what is fresh; what is derived is fresh in the next round."""
        fresh, self.fresh = self.fresh, []
        for fact in fresh:
            self._ask(0)
            if fact.active and fact.rank < inf:
                for number, head, derived, alone in self._forward[fact.relation]:
                    if alone is None or alone(fact.row) is True:
                        present = self.tables[head].facts
                        for row, body in derived(fact, present):
                            if row not in present:
                                self._insert(head, row, number, body)

    def select(self) -> None:
        """Let the groups' best take part; what stood on the suppressed must stand on something else."""
        for selection in self._selections.values():
            enter, leave = selection.changes()
            for fact in leave:
                self._deactivate(fact)
                self._lose_dependents(fact)
            for fact in enter:
                self._activate(fact)
