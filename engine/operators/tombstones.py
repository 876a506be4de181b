"""The tokens that are dead while rows that carry them may still be on their way.

    clean(Δ)  =  { r ↦ Δ(r)|dead=0 }      every arrival is cleaned before anything looks at it

Without them a row in flight brings back what its deletion, which overtook it, has just removed.
Operators of one site share one set; a token leaves it once no channel can hold the token any more.
"""

from collections.abc import Collection
from typing import Generic, TypeVar

from engine.operators.delta import Delta
from engine.provenance.algebra import Restricting, Token

A = TypeVar("A")


class Tombstones(Generic[A]):
    """The dead tokens of a site."""

    def __init__(self, algebra: Restricting[A]) -> None:
        self._algebra = algebra
        self._dead: set[Token] = set()

    def bury(self, dead: Collection[Token]) -> None:
        self._dead.update(dead)

    def forget(self, drained: Collection[Token]) -> None:
        self._dead.difference_update(drained)

    def clean(self, change: Delta[A]) -> Delta[A]:
        if not self._dead:
            return change
        algebra, dead = self._algebra, self._dead
        rest = {row: algebra.retract(annotation, dead) for row, annotation in change.items()}
        return {row: annotation for row, annotation in rest.items() if not algebra.is_zero(annotation)}

    def __len__(self) -> int:
        return len(self._dead)
