"""What every operator is: a function from the changes of its inputs to the change of its output.

    step(Δ₁, …, Δₙ)  →  Δ

A leaf takes what was decoded instead (``engine.operators.leaf``). ``start`` is what an operator
says before anything reached it: nothing, except of a global aggregate. ``entries`` counts what it
keeps, for whoever watches memory.
"""

from collections.abc import Iterator
from typing import Protocol, TypeVar, runtime_checkable

from engine.model.values import Row
from engine.operators.delta import Delta

A = TypeVar("A")
ITSELF = -1
Origin = tuple[int, Row]
"""A row and the number of the input that has it; ``ITSELF`` is the operator's own output."""
Origins = tuple[Origin, ...]


class Operator(Protocol[A]):
    """An operator with its state."""

    def start(self) -> Delta[A]: ...
    def step(self, *changes: Delta[A]) -> Delta[A]: ...
    def entries(self) -> int: ...


@runtime_checkable
class Recursion(Operator[A], Protocol[A]):
    """A recursive stratum: it knows its rows and what they stand on."""

    def rows(self) -> Iterator[Row]: ...
    def witness(self, row: Row) -> Origins: ...
    def derivations(self, row: Row) -> Iterator[Origins]: ...


class Quiet:
    """An operator that says nothing before anything reached it, and keeps nothing unless it says so."""

    def start(self) -> Delta[A]:
        return {}

    def entries(self) -> int:
        return 0
