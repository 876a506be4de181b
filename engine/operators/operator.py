"""What every operator is: a function from the changes of its inputs to the change of its output.

    step(Δ₁, …, Δₙ)  →  Δ

A leaf takes what was decoded instead (``engine.operators.leaf``). ``start`` is what an operator
says before anything reached it: nothing, except of a global aggregate.
"""

from typing import Protocol, TypeVar

from engine.operators.delta import Delta

A = TypeVar("A")


class Operator(Protocol[A]):
    """An operator with its state."""

    def start(self) -> Delta[A]: ...
    def step(self, *changes: Delta[A]) -> Delta[A]: ...


class Quiet:
    """An operator that says nothing before anything reached it."""

    def start(self) -> Delta[A]:
        return {}
