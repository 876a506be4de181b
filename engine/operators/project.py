"""Projection.   Δ(π(R))  =  π(ΔR)          linear, no state; rows that become equal add up"""

from collections.abc import Callable
from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.operators.operator import Quiet
from engine.provenance.algebra import Algebra

A = TypeVar("A")


class ProjectRows(Quiet, Generic[A]):
    """Computes a row of the output from a row of the input."""

    def __init__(self, algebra: Algebra[A], made: Callable[[Row], Row]) -> None:
        self._algebra, self._made = algebra, made

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        output: Delta[A] = {}
        made, algebra = self._made, self._algebra
        for row, annotation in change.items():
            new = made(row)
            if new in output:
                add(output, new, annotation, algebra)
            else:
                output[new] = annotation
        return output
