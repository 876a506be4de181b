"""What a leaf is: the place where decoded rows enter, and what a snapshot keeps.

    advance(readings, now)  →  Δ          contents()  =  Σ of all Δ so far

Everything above the leaves is a function of their contents, so they are all that a snapshot holds
and all that a view that comes later needs.
"""

from collections.abc import Collection, Iterable
from typing import Any, Protocol, TypeVar, runtime_checkable

from engine.model.reading import Reading
from engine.operators.delta import Delta

A = TypeVar("A")
State = list[Any]


class Leaf(Protocol[A]):
    """A base relation as it stands, or a window on a stream."""

    @property
    def is_still(self) -> bool:
        """Whether it changes by what comes alone, and not by the passing of time."""

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]: ...
    def contents(self) -> Delta[A]: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...
    def __len__(self) -> int: ...


@runtime_checkable
class Punctual(Protocol):
    """A leaf for which a row may come too late to be shown, or too early."""

    @property
    def late(self) -> int:
        """How many rows came when what they belong to was over."""

    @property
    def waiting(self) -> int:
        """How many rows are there whose time has not come."""


@runtime_checkable
class Remote(Protocol):
    """A leaf whose rows another site puts out, in one voice or in several."""

    def unanswered(self, voices: Collection[str]) -> list[str]:
        """Return who of these has not said all of its rows."""
