"""The rows of a database's fragment: a bag, which may be said anew.

    insert r  →  +r         delete r  →  -r where one is left         sign 0  →  -r for every r held

Sign 0 stands before the whole answer: the first there is, or another of a database that begins again.
"""

from collections.abc import Collection, Iterable
from typing import TypeVar

from engine.model.reading import Reading
from engine.operators.base import Bag
from engine.operators.delta import Delta, merge
from engine.operators.leaf import State

A = TypeVar("A")


class Restated(Bag[A]):
    """A bag that begins again where it is told to."""

    is_answered = False

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        stretch: list[Reading] = []
        for reading in readings:
            if reading.sign:
                stretch.append(reading)
                continue
            merge(change, super().advance(stretch, now), self._algebra)
            merge(change, self._taken_back(), self._algebra)
            stretch = []
        merge(change, super().advance(stretch, now), self._algebra)
        return change

    def _taken_back(self) -> Delta[A]:
        held, self._rows, self.is_answered = self._rows, {}, True
        return {row: self._algebra.negate(annotation) for row, annotation in held.items()}

    def unanswered(self, voices: Collection[str]) -> list[str]:
        return [] if self.is_answered else list(voices)

    def state(self) -> State:
        return [self.is_answered, *super().state()]

    def restore(self, state: State) -> None:
        self.is_answered = state[0]
        super().restore(state[1:])
