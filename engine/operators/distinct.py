"""Duplicate elimination.   δ(R)  =  { r : R(r) > 0 }

Δ has r with +1 where its count leaves zero, with -1 where it comes back to zero

Under an idempotent algebra there is nothing to do: equal rows are alternatives, and add up where
they are held (``fixpoint``).
"""

from typing import Generic, TypeVar

from engine.operators.delta import Delta, add
from engine.operators.operator import Quiet
from engine.provenance.algebra import Ring

A = TypeVar("A")


class Distinct(Quiet, Generic[A]):
    """Counts, and lets the first and the last through."""

    def __init__(self, algebra: Ring[A]) -> None:
        self._algebra = algebra
        self._held: Delta[A] = {}

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        algebra, held = self._algebra, self._held
        output: Delta[A] = {}
        for row, annotation in change.items():
            was = row in held
            add(held, row, annotation, algebra)
            if was != (row in held):
                output[row] = algebra.negate(algebra.one) if was else algebra.one
        return output

    def entries(self) -> int:
        return len(self._held)
