"""The ground rules below a fact: every way in which it, and what it needs, is derived.

    fact  ←  {body facts} | {body facts} | …        down to input rows

Collected from the goal by breadth first, so that an effort that runs out leaves the short proofs.
A body with its own head in it proves nothing and is left out. Facts become numbers; those of the
inputs are the base rows.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.plan.program import Program
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.match import Fact, Find, Matcher

Number = int
Body = tuple[Number, ...]


@dataclass(frozen=True)
class Ground:
    """Numbered facts with their bodies, none for a base row; the goal is number 0."""

    facts: list[Fact]
    bodies: list[list[Body]]
    base: frozenset[Number]
    is_complete: bool


def ground(program: Program, goal: Fact, find: Find, effort: Effort) -> Ground:
    """Collect the ground rules below a goal, as far as the effort goes."""
    matchers: dict[int, list[Matcher]] = {}
    for rule in program.rules:
        matchers.setdefault(rule.head, []).append(Matcher(program, rule))
    number: dict[Fact, Number] = {goal: 0}
    facts = [goal]
    bodies: list[list[Body]] = []
    is_complete = True
    for fact in facts:
        known: dict[Body, None] = {}
        try:
            for body in _bodies(matchers.get(fact[0], ()), fact, find, effort):
                for part in body:
                    if part not in number:
                        number[part] = len(facts)
                        facts.append(part)
                known[tuple(sorted({number[part] for part in body}))] = None
        except Exhausted:
            is_complete = False
        bodies.append([body for body in known if number[fact] not in body])
        if not is_complete:
            break
    bodies += [[] for _ in facts[len(bodies) :]]
    base = frozenset(place for place, (relation, _) in enumerate(facts) if program.is_input(relation))
    return Ground(facts, bodies, base, is_complete)


def _bodies(
    matchers: Iterable[Matcher], fact: Fact, find: Find, effort: Effort
) -> Iterable[tuple[Fact, ...]]:
    for matcher in matchers:
        yield from matcher.bodies(fact[1], find, effort)
