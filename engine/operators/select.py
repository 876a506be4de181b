"""Selection.   Δ(σ(R))  =  σ(ΔR)          linear, no state"""

from collections.abc import Callable
from typing import TypeVar

from engine.model.values import Row, Value
from engine.operators.delta import Delta
from engine.operators.operator import Quiet

A = TypeVar("A")


class SelectRows(Quiet):
    """Keeps the rows of which the predicate is true; NULL is not true."""

    def __init__(self, predicate: Callable[[Row], Value]) -> None:
        self._predicate = predicate

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        predicate = self._predicate
        return {row: annotation for row, annotation in change.items() if predicate(row) is True}
