"""What every operator is: a function from the changes of its inputs to the change of its output.

    step(Δ₁, …, Δₙ)  →  Δ

A leaf takes what was decoded instead (``engine.operators.leaf``). ``start`` is what an operator
says before anything reached it: nothing, except of a global aggregate. ``entries`` counts what it
keeps, for whoever watches memory.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from engine.model.values import Row
from engine.operators.delta import Delta
from engine.plan.expressions import Expr

A = TypeVar("A")
ITSELF = -1
Origin = tuple[int, Row]
"""A row and the number of the input that has it; ``ITSELF`` is the operator's own output."""
Origins = tuple[Origin, ...]


class Denied(NamedTuple):
    """A key that no row of a relation, an input or a definition of the program, has in its ``keys``."""

    relation: int
    keys: tuple[Expr, ...]
    key: Row


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


@runtime_checkable
class Denying(Protocol):
    """A recursive stratum whose rows also stand on what is not there."""

    def denied(self, row: Row) -> Iterator[Denied]: ...


class Quiet:
    """An operator that says nothing before anything reached it, and keeps nothing unless it says so."""

    def start(self) -> Delta[A]:
        return {}

    def entries(self) -> int:
        return 0
