"""Shipping a derived row to the site that holds it, no more often than that site must hear of it.

    Ship       every arrival goes
    MinShip    S, W : Row → A                           what was sent, what waits
               a ≤ S(r)             →  nothing           absorbed
               S(r) = 0             →  send a            the first derivation
               otherwise            →  W(r) + a          until so many wait, or for so long
               S(r)|dead = 0, W(r)|dead ≠ 0  →  send W(r)    the release

Without the release a lazy sender keeps back the only living derivation. Eager is one that may wait,
lazy is any number. The receiver of a row is a function of the row, so that it needs no key here.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section V; the algorithm is ours, their text has none.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.operators.held import Held
from engine.operators.operator import Quiet
from engine.operators.tombstones import Tombstones
from engine.provenance.algebra import Restricting, Token

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Policy:
    """How many derivations wait before all go, and for how long the first of them does."""

    count: float = math.inf
    age: float = math.inf


LAZY = Policy()
EAGER = Policy(count=1)


class Ship(Quiet, Generic[A]):
    """Sends what arrives."""

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        return change

    def retract(self, dead: Collection[Token]) -> Delta[A]:
        return {}

    def flush(self) -> Delta[A]:
        return {}

    def advance(self, now: float) -> Delta[A]:
        return {}

    def held(self) -> Iterator[tuple[Row, A]]:
        return iter(())


class MinShip(Ship[A]):
    """Sends the first derivation of a row, and others when the policy says so or the first dies."""

    def __init__(self, algebra: Restricting[A], tombstones: Tombstones[A], policy: Policy) -> None:
        self._algebra = algebra
        self._tombstones = tombstones
        self._policy = policy
        self._sent = Held(algebra)
        self._waiting = Held(algebra)
        self._kept = 0
        self._now = self._since = 0.0

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        output: Delta[A] = {}
        for row, annotation in self._tombstones.clean(change).items():
            if row not in self._sent:
                self._send(output, row, annotation)
            elif not self._sent.absorbs(row, annotation) and self._waiting.add(row, annotation):
                self._since = self._since if self._kept else self._now
                self._kept += 1
        return self._go(output) if self._is_due() else output

    def retract(self, dead: Collection[Token]) -> Delta[A]:
        self._tombstones.bury(dead)
        self._waiting.retract(dead)
        output: Delta[A] = {}
        for row in self._sent.retract(dead):
            if row in self._waiting:
                self._send(output, row, self._waiting.pop(row))
        return output

    def flush(self) -> Delta[A]:
        """Send what waits."""
        return self._go({})

    def advance(self, now: float) -> Delta[A]:
        """Send what waits if its time has come."""
        self._now = now
        return self.flush() if self._is_due() else {}

    def held(self) -> Iterator[tuple[Row, A]]:
        yield from self._sent
        yield from self._waiting

    def _is_due(self) -> bool:
        kept, policy = self._kept, self._policy
        return kept > 0 and (kept >= policy.count or self._now - self._since >= policy.age)

    def _go(self, output: Delta[A]) -> Delta[A]:
        for row in list(self._waiting.rows):
            self._send(output, row, self._waiting.pop(row))
        self._kept = 0
        return output

    def _send(self, output: Delta[A], row: Row, annotation: A) -> None:
        self._sent.add(row, annotation)
        add(output, row, annotation, self._algebra)
