"""A relation that its own consequences flow back into.

    P  :  Row → A        arrival (r, a) not absorbed by P(r)  →  P(r) + a, and (r, a) goes round
                         dead tokens  →  P|dead=0, and nothing goes round

An annotation holds base tokens only, so what is not zero after restriction stands on living base
rows: a cycle cannot support itself, and nothing is over-deleted. What went round is the arrival and
not P(r) less what was known, which would be larger and not monotone.

Deletions outrun the releases that they cause downstream (``ship``), so a row may be missing here for
a while and come back. What changed is therefore told when the epoch closes, and not before.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, algorithm 1, which tells deletions at once and forgets tombstones.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta, add
from engine.operators.held import Held
from engine.operators.operator import Quiet
from engine.operators.tombstones import Tombstones
from engine.provenance.algebra import Restricting, Token

A = TypeVar("A")


class Fixpoint(Quiet, Generic[A]):
    """Holds the rows of a recursive relation; ``close`` tells how the view changed in an epoch."""

    def __init__(self, algebra: Restricting[A], tombstones: Tombstones[A], budget: Budget) -> None:
        self._algebra = algebra
        self._tombstones = tombstones
        self._budget = budget
        self._held = Held(algebra)
        self._stood: dict[Row, bool] = {}

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        output: Delta[A] = {}
        for row, annotation in self._tombstones.clean(change).items():
            stood = row in self._held
            if self._held.add(row, annotation):
                add(output, row, annotation, self._algebra)
                self._stood.setdefault(row, stood)
        self._budget.check(len(self._held), "a recursive relation")
        return output

    def retract(self, dead: Collection[Token]) -> Delta[A]:
        self._tombstones.bury(dead)
        for row in self._held.retract(dead):
            self._stood.setdefault(row, True)
        return {}

    def suppress(self, rows: Iterable[Row]) -> None:
        """Take rows off the view that are true and not wanted; no token dies by that."""
        for row in rows:
            if row in self._held:
                self._held.pop(row)
                self._stood.setdefault(row, True)

    def close(self) -> Delta[int]:
        """Return the rows that came (+1) and went (-1) since the last close."""
        stood, self._stood = self._stood, {}
        return {row: -1 if before else 1 for row, before in stood.items() if before != (row in self._held)}

    def rows(self) -> Delta[A]:
        return dict(self._held.rows)

    def held(self) -> Iterator[tuple[Row, A]]:
        return iter(self._held)
