"""The ground rules below a fact: every way in which it, and what it needs, is derived.

    fact  ←  {body facts} | {body facts} | …        down to base rows

Collected from the goal by breadth first, so that an effort that runs out leaves the short proofs.
A body with its own head in it proves nothing and is left out. Facts become numbers; facts that are
the same base row become one.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.views.why.effort import Effort, Exhausted

Number = int
Body = tuple[Number, ...]
F = TypeVar("F", bound=Hashable)


@dataclass(frozen=True)
class Ground:
    """Numbered facts with their bodies, none for a base row; the goal is number 0."""

    facts: list[Any]
    bodies: list[list[Body]]
    base: frozenset[Number]
    is_complete: bool


def collect(
    goal: F,
    bodies_of: Callable[[F], Iterable[tuple[F, ...]]],
    base_row_of: Callable[[F], Hashable | None],
    effort: Effort,
) -> Ground:
    """Collect the ground rules below a goal, as far as the effort goes; base rows go by their names."""
    numbers: dict[Hashable, Number] = {}
    facts: list[Any] = []
    base: set[Number] = set()

    def number_of(fact: F) -> Number:
        name = base_row_of(fact)
        known = fact if name is None else name
        number = numbers.setdefault(known, len(facts))
        if number == len(facts):
            facts.append(known)
            if name is not None:
                base.add(number)
        return number

    number_of(goal)
    bodies: list[list[Body]] = []
    is_complete = True
    while len(bodies) < len(facts):
        head = len(bodies)
        known: dict[Body, None] = {}
        try:
            for body in bodies_of(facts[head]) if is_complete and head not in base else ():
                effort.spend(1 + len(body))
                known[tuple(sorted({number_of(part) for part in body}))] = None
        except Exhausted:
            is_complete = False
        bodies.append([body for body in known if head not in body])
    return Ground(facts, bodies, frozenset(base), is_complete)
