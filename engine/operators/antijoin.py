"""Anti-join: the rows on the left whose key is nowhere on the right.

    A ▷ B  =  { a ∈ A : key(a) ∉ key(B) }
    Δ has ΔA where the key was and is absent;  all of A[k] where k leaves B, −A[k] where it comes

A key with a NULL in it is nowhere. The right side must be closed: its rows are counted, and only
whether a key's count is zero is seen.
"""

from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.delta import Delta, add, merge
from engine.operators.join import Index, Key
from engine.operators.operator import Quiet
from engine.provenance.algebra import Ring

A = TypeVar("A")


class AntiJoin(Quiet, Generic[A]):
    """Indexes the left by key and counts the right's keys."""

    def __init__(self, algebra: Ring[A], left_key: Key, right_key: Key) -> None:
        self._algebra = algebra
        self._left_key = left_key
        self._right_key = right_key
        self._left: Index[A] = {}
        self._right: Delta[A] = {}

    def step(self, *changes: Delta[A]) -> Delta[A]:
        left_change, right_change = changes
        output: Delta[A] = {}
        turned = self._turned(right_change) if right_change else {}
        for key, is_present in turned.items():
            for row, annotation in self._left.get(key, {}).items():
                sign = self._algebra.negate(annotation) if is_present else annotation
                add(output, row, sign, self._algebra)
        for row, annotation in left_change.items():
            key = self._left_key(row)
            if key not in self._right:
                add(output, row, annotation, self._algebra)
            if None not in key:
                self._keep(key, row, annotation)
        return output

    def entries(self) -> int:
        return sum(map(len, self._left.values())) + len(self._right)

    def _turned(self, change: Delta[A]) -> dict[Row, bool]:
        """Take the right side's change in; return the keys that came and that left."""
        counted: Delta[A] = {}
        keyed = [(self._right_key(row), annotation) for row, annotation in change.items()]
        merge(counted, [(key, a) for key, a in keyed if None not in key], self._algebra)
        before = {key: key in self._right for key in counted}
        merge(self._right, counted, self._algebra)
        return {key: not was for key, was in before.items() if was != (key in self._right)}

    def _keep(self, key: Row, row: Row, annotation: A) -> None:
        rows = self._left.setdefault(key, {})
        add(rows, row, annotation, self._algebra)
        if not rows:
            del self._left[key]
