"""An XY-stratified stratum: rows change in the order of their stages.

    level(row)  =  (stage, turn)            a row stands on rows of lower levels only
    base rows first;  then, level by level:  a row appears or falls as its derivations say

At a level all that its rows stand on is settled, so counting derivations is exact, every row changes
at most once a step, and nothing counts up to infinity when what it stood on is gone: the papers'
evaluation, in which the retraction follows the insertion at the same speed, never ends there. Tuples
of the base come one at a time, and what they change waits for its level.

That a row stands on lower levels is looked at while rules run: what breaks it is an error by name.

References:
    Gupta, Zhu, Xu. Deductive Framework for Programming Sensor Networks. ICDE 2009, with the
    corrections that REFERENCES.md lists.
    Zaniolo, Arni, Ong. Negation and Aggregates in Recursive Rules: the LDL++ Approach. DOOD 1993.
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import NamedTuple

from engine.model.errors import InternalError, QueryError
from engine.operators.budget import Budget, BudgetExceeded, told
from engine.operators.delta import Delta
from engine.operators.recursion.rules.facts import Fact
from engine.operators.recursion.rules.standing import Standing, shorten
from engine.operators.recursion.rules.walks import Facts
from engine.operators.recursion.staged.derivations import Derivations, Head
from engine.plan.expressions import Compiled, compiled
from engine.plan.program import Defined, Program


class Level(NamedTuple):
    """Rows of a level stand on rows of lower ones."""

    stage: int
    turn: int


class Stages(Standing):
    """The facts of a program whose definitions have stages."""

    def __init__(self, program: Program, budget: Budget) -> None:
        self._budget = budget
        self._most_levels = budget.rounds if program.rounds is None else min(budget.rounds, program.rounds)
        self._program = program
        self._derivations = Derivations(program, self._ask)
        self._stage = [stage_of(definition) for definition in program.definitions]
        self._waiting: list[tuple[Level, int, Head]] = []
        self._levels: dict[Head, Level] = {}
        self._held = 0
        self._order = 0
        super().__init__(program, self._derivations.tables, self._derivations.negations)

    def step(self, *changes: Delta[int]) -> Delta[int]:
        for relation, change in enumerate(changes):
            for row, sign in change.items():
                for head in self._derivations.flip(relation, row, sign):
                    self._wait(head, None)
        output: Delta[int] = {}
        last: Level | None = None
        levels = 0
        while self._waiting:
            self._budget.meter.check()
            level, _, head = heappop(self._waiting)
            del self._levels[head]
            levels += level != last
            last = level
            sign = self._derivations.is_derived(head) - self._derivations.stands(head)
            if sign:
                self._held += sign
                self._check(levels, head)
                self._flip(head, sign, level)
                output[self._shown(*head)] = sign
        self._negations.sweep()
        return output

    def _flip(self, head: Head, sign: int, level: Level) -> None:
        for above in self._derivations.flip(*head, sign):
            if self._wait(above, level) <= level:
                raise QueryError(self._breach(above, head))

    def _wait(self, head: Head, below: Level | None) -> Level:
        """Let a head wait for its level, which is returned; what is of no higher level is not queued."""
        level = self._levels.get(head)
        if level is None:
            level = self._level(head)
            if below is None or level > below:
                self._levels[head] = level
                self._order += 1
                heappush(self._waiting, (level, self._order, head))
        return level

    def _level(self, head: Head) -> Level:
        relation, row = head
        number = relation - self._inputs
        stage = self._stage[number](row)
        if not isinstance(stage, int):
            message = f"{self._text(head)} is of stage {stage}, expected a whole number"
            raise QueryError(message)
        return Level(stage, self._program.definitions[number].turn)

    def _breach(self, above: Head, below: Head) -> str:
        levels = [self._level(each) for each in (above, below)]
        here, there = [f"stage {each.stage}, turn {each.turn}" for each in levels]
        return (
            f"{self._text(above)} of {here} stands on {self._text(below)} of {there}; "
            "a row may stand on lower stages only, raise the stage in the head of its rule"
        )

    def _text(self, head: Head) -> str:
        return f"{self._program.definitions[head[0] - self._inputs].name}{shorten(head[1])}"

    def _ask(self, found: int) -> None:
        self._budget.check(self._held + found, self._names)

    def _check(self, levels: int, head: Head) -> None:
        most = self._budget.most
        if self._held <= most and levels <= self._most_levels:
            return
        message = (
            f"{self._names} does not settle: after {levels:,} stages it holds {told(self._held, most)} "
            f"and still derives {self._text(head)} of stage {self._level(head).stage:,}; "
            "bound the stage, or take a shorter window"
        )
        raise BudgetExceeded(message)

    def _below(self, fact: Fact) -> Facts:
        return self._derivations.first(fact)

    def _bodies(self, fact: Fact) -> Iterable[Facts]:
        return self._derivations.bodies(fact)


def stage_of(definition: Defined) -> Compiled:
    """Return what computes the stage of a definition's row."""
    if definition.stage is None or definition.best:
        message = f"{definition.name} has no stage, or selects; where one definition has a stage, all do"
        raise InternalError(message)
    return compiled(definition.stage)
