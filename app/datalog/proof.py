"""A proof of a row: a rule, the facts that satisfy its body, and a proof of each of them.

The ground rules below the row are collected from it, breadth first; then facts are proved in rounds,
the leaves first, so each stands on facts proved in an earlier round: the proof is no circle, and one
of the lowest.

References:
    Zhao, Subotić, Scholz. Debugging Large-scale Datalog: A Scalable Provenance Evaluation Strategy.
    ACM TOPLAS 2020 (proof trees of minimal height).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from app.datalog.rules import Ruled
from engine.model.values import Row, Value
from engine.plan.expressions import Field, compiled
from engine.plan.program import Negated
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.match import Fact, Find, matchers_of

Pattern = dict[int, Value]


class Step(NamedTuple):
    """One way to derive a fact."""

    rule: int
    body: tuple[Fact, ...]


class Absent(NamedTuple):
    """What a negated literal asks of columns, that no row has."""

    relation: int
    asked: Pattern


class Prover:
    """Searches proofs in present rows; ``is_given`` tells facts that need none."""

    def __init__(self, rules: Ruled, find: Find, is_given: Callable[[Fact], bool], effort: Effort) -> None:
        self._rules = rules
        self._find = find
        self._is_given = is_given
        self._effort = effort
        self._matchers = matchers_of(rules.program)
        self._numbers = {
            relation: [n for n, rule in enumerate(rules.program.rules) if rule.head == relation]
            for relation in self._matchers
        }
        self.is_complete = True

    def proof(self, goal: Fact) -> dict[Fact, Step | None] | None:
        """Return a step of each fact of a proof, none of a given one; None where no proof was found."""
        ways = self._collected(goal)
        proved: dict[Fact, Step | None] = {fact: None for fact in ways if self._is_given(fact)}
        missing: dict[tuple[Fact, Step], int] = {}
        needing: dict[Fact, list[tuple[Fact, Step]]] = {}
        order = list(proved)
        for fact, steps in ways.items():
            for step in steps:
                missing[fact, step] = len(set(step.body))
                for part in set(step.body):
                    needing.setdefault(part, []).append((fact, step))
        order += [fact for (fact, step), count in missing.items() if not count]
        proved.update((fact, step) for (fact, step), count in missing.items() if not count)
        for fact in order:
            for above, step in needing.get(fact, ()):
                missing[above, step] -= 1
                if not missing[above, step] and above not in proved:
                    proved[above] = step
                    order.append(above)
        return proved if goal in proved else None

    def _collected(self, goal: Fact) -> dict[Fact, list[Step]]:
        """Return the steps of a fact and of all that they need, as far as the effort goes."""
        ways: dict[Fact, list[Step]] = {goal: []}
        unseen = [goal]
        try:
            for fact in unseen:
                for step in self._steps(fact) if not self._is_given(fact) else ():
                    ways[fact].append(step)
                    fresh = [part for part in dict.fromkeys(step.body) if part not in ways]
                    ways.update((part, []) for part in fresh)
                    unseen += fresh
        except Exhausted:
            self.is_complete = False
        return ways

    def _steps(self, fact: Fact) -> Iterator[Step]:
        relation, row = fact
        numbers, matchers = self._numbers.get(relation, ()), self._matchers.get(relation, ())
        for number, matcher in zip(numbers, matchers, strict=True):
            for body in matcher.bodies(row, self._find, self._effort):
                self._effort.spend(1 + len(body))
                yield Step(number, body)

    def absent(self, step: Step) -> list[Absent]:
        """Return what must not be there for a step to hold."""
        row = tuple(value for _, part in step.body for value in part)
        return [asked_of(negated, row) for negated in self._rules.program.rules[step.rule].negated]


def asked_of(negated: Negated, row: Row) -> Absent:
    """Return what a negated literal asks, by column; what is computed of the columns is left out."""
    keys = zip(negated.right_keys, negated.left_keys, strict=True)
    asked = {right.position: compiled(left)(row) for right, left in keys if isinstance(right, Field)}
    return Absent(negated.relation, asked)
