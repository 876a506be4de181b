"""Incremental equi-join.

    Δ(A ⋈ B)  =  ΔA ⋈ B'  +  A ⋈ ΔB        where B' = B + ΔB

The textbook rule has a third term, ΔA ⋈ ΔB; joining ΔA with the new B absorbs it. A key that has
a NULL in it meets nothing.

References:
    Budiu, Chajed, McSherry, Ryzhyk, Tannen. DBSP: Automatic Incremental View Maintenance
    for Rich Query Languages. VLDB 2023.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta, add
from engine.operators.operator import Quiet
from engine.provenance.algebra import Algebra

A = TypeVar("A")
Key = Callable[[Row], Row]
Index = dict[Row, Delta[A]]


class Join(Quiet, Generic[A]):
    """A pipelined hash join; both sides are indexed by key."""

    def __init__(self, algebra: Algebra[A], left_key: Key, right_key: Key, budget: Budget) -> None:
        self._algebra = algebra
        self._budget = budget
        self._left_key = left_key
        self._right_key = right_key
        self._left: Index[A] = {}
        self._right: Index[A] = {}

    def step(self, *changes: Delta[A]) -> Delta[A]:
        left_change, right_change = changes
        output: Delta[A] = {}
        times, algebra = self._algebra.times, self._algebra
        for row, key, annotation in self._keyed(right_change, self._right_key):
            for other, held in self._left.get(key, {}).items():
                add(output, other + row, times(held, annotation), algebra)
            self._insert(self._right, key, row, annotation)
            self._budget.check(len(output), "a join")
        for row, key, annotation in self._keyed(left_change, self._left_key):
            for other, held in self._right.get(key, {}).items():
                add(output, row + other, times(annotation, held), algebra)
            self._insert(self._left, key, row, annotation)
            self._budget.check(len(output), "a join")
        return output

    def _keyed(self, change: Delta[A], key_of: Key) -> list[tuple[Row, Row, A]]:
        keyed = [(row, key_of(row), annotation) for row, annotation in change.items()]
        return [entry for entry in keyed if None not in entry[1]]

    def _insert(self, index: Index[A], key: Row, row: Row, annotation: A) -> None:
        rows = index.setdefault(key, {})
        add(rows, row, annotation, self._algebra)
        if not rows:
            del index[key]
