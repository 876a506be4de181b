"""Constant rows.   start = the rows, and no step changes them."""

from collections.abc import Iterable
from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.provenance.algebra import Ring

A = TypeVar("A")


class ConstantRows(Generic[A]):
    """Has no input; says its rows before anything else."""

    def __init__(self, algebra: Ring[A], rows: Iterable[Row]) -> None:
        self._algebra = algebra
        self._rows = tuple(rows)

    def start(self) -> Delta[A]:
        output: Delta[A] = {}
        for row in self._rows:
            add(output, row, self._algebra.one, self._algebra)
        return output

    def step(self, *changes: Delta[A]) -> Delta[A]:
        return {}

    def entries(self) -> int:
        return len(self._rows)
