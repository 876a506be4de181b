"""One relation of a stratum that defines several.   pickₙ(R)  =  { r : (n, r) ∈ R }"""

from typing import Generic, TypeVar

from engine.operators.delta import Delta
from engine.operators.operator import Quiet

A = TypeVar("A")


class Pick(Quiet, Generic[A]):
    """Takes the rows behind one number, without it."""

    def __init__(self, number: int) -> None:
        self._number = number

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        return {row[1:]: annotation for row, annotation in change.items() if row[0] == self._number}
