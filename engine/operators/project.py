"""Projection.   Δ(π(R))  =  π(ΔR)          linear, no state; rows that become equal add up"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from engine.model.values import Row, Value
from engine.operators.delta import Delta, add
from engine.operators.operator import Quiet
from engine.provenance.algebra import Algebra

A = TypeVar("A")


class ProjectRows(Quiet, Generic[A]):
    """Computes each column of the output from a row of the input."""

    def __init__(self, algebra: Algebra[A], expressions: Sequence[Callable[[Row], Value]]) -> None:
        self._algebra = algebra
        self._expressions = list(expressions)

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        output: Delta[A] = {}
        expressions, algebra = self._expressions, self._algebra
        for row, annotation in change.items():
            add(output, tuple([expression(row) for expression in expressions]), annotation, algebra)
        return output
