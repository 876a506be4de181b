"""Union.   Δ(R₁ ∪ … ∪ Rₙ)  =  ΔR₁ + … + ΔRₙ          linear, no state; duplicates add up

Under counting they stay (UNION ALL); under an idempotent algebra they become alternatives.
"""

from typing import Generic, TypeVar

from engine.operators.delta import Delta, merge
from engine.operators.operator import Quiet
from engine.provenance.algebra import Algebra

A = TypeVar("A")


class Union(Quiet, Generic[A]):
    """Adds its inputs."""

    def __init__(self, algebra: Algebra[A]) -> None:
        self._algebra = algebra

    def step(self, *changes: Delta[A]) -> Delta[A]:
        output: Delta[A] = {}
        for change in changes:
            merge(output, change, self._algebra)
        return output
