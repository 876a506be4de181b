"""Incremental equi-join.

    Δ(A ⋈ B)  =  ΔA ⋈ B'  +  A ⋈ ΔB        where B' = B + ΔB

The textbook rule has a third term, ΔA ⋈ ΔB; joining ΔA with the new B absorbs it. A key that has
a NULL in it meets nothing.

Under a restricting algebra a deletion is no row: ``retract`` restricts what both sides hold, and
what was put out is restricted by whoever holds it.

References:
    Budiu, Chajed, McSherry, Ryzhyk, Tannen. DBSP: Automatic Incremental View Maintenance
    for Rich Query Languages. VLDB 2023.
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, algorithm 2, which keeps one row a key.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta, add
from engine.operators.held import Dependents
from engine.operators.operator import Quiet
from engine.operators.tombstones import Tombstones
from engine.provenance.algebra import Algebra, Restricting, Token

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
        self._has_unkeyed = [False, False]

    def step(self, *changes: Delta[A]) -> Delta[A]:
        left_change, right_change = changes
        output: Delta[A] = {}
        times, algebra = self._algebra.times, self._algebra
        for row, key, annotation in self._keyed(right_change, self._right_key, 1):
            others = self._left.get(key, {})
            for other, held in others.items():
                add(output, other + row, times(held, annotation), algebra)
            self._insert(self._right, key, row, annotation)
            self._budget.check(len(output), "a join", 1 + len(others))
        for row, key, annotation in self._keyed(left_change, self._left_key, 0):
            others = self._right.get(key, {})
            for other, held in others.items():
                add(output, row + other, times(annotation, held), algebra)
            self._insert(self._left, key, row, annotation)
            self._budget.check(len(output), "a join", 1 + len(others))
        return output

    def held(self) -> Iterator[tuple[Row, A]]:
        for index in (self._left, self._right):
            for rows in index.values():
                yield from rows.items()

    def entries(self) -> int:
        return sum(len(rows) for index in (self._left, self._right) for rows in index.values())

    def contents_of(self, side: int) -> Delta[A] | None:
        """Return all that one input holds; None where rows were among it that no key holds."""
        if self._has_unkeyed[side]:
            return None
        index = (self._left, self._right)[side]
        return {row: annotation for rows in index.values() for row, annotation in rows.items()}

    def _keyed(self, change: Delta[A], key_of: Key, side: int) -> list[tuple[Row, Row, A]]:
        keyed = [(row, key_of(row), annotation) for row, annotation in change.items()]
        met = [entry for entry in keyed if None not in entry[1]]
        if len(met) < len(keyed):
            self._has_unkeyed[side] = True
        return met

    def _insert(self, index: Index[A], key: Row, row: Row, annotation: A) -> None:
        rows = index.setdefault(key, {})
        add(rows, row, annotation, self._algebra)
        if not rows:
            del index[key]


class RetractableJoin(Join[A]):
    """The join of annotations that hold tokens."""

    def __init__(
        self,
        algebra: Restricting[A],
        left_key: Key,
        right_key: Key,
        tombstones: Tombstones[A],
        budget: Budget,
    ) -> None:
        super().__init__(algebra, left_key, right_key, budget)
        self._restricting = algebra
        self._tombstones = tombstones
        self._sides = (
            (self._left, left_key, Dependents()),
            (self._right, right_key, Dependents()),
        )

    def step(self, *changes: Delta[A]) -> Delta[A]:
        fresh = [self._taken(change, *side) for change, side in zip(changes, self._sides, strict=True)]
        return super().step(*fresh)

    def retract(self, dead: Collection[Token]) -> Delta[A]:
        self._tombstones.bury(dead)
        for index, key_of, dependents in self._sides:
            for row in dependents.pop(dead):
                self._restrict(index, key_of(row), row, dead, dependents)
        return {}

    def _taken(self, change: Delta[A], index: Index[A], key_of: Key, dependents: Dependents) -> Delta[A]:
        """Return what is not absorbed by what is held."""
        plus, support = self._restricting.plus, self._restricting.support
        fresh: Delta[A] = {}
        for row, annotation in self._tombstones.clean(change).items():
            key = key_of(row)
            held = index.get(key, {}).get(row)
            if None not in key and (held is None or plus(held, annotation) != held):
                fresh[row] = annotation
                dependents.note(row, support(annotation))
        return fresh

    def _restrict(
        self, index: Index[A], key: Row, row: Row, dead: Collection[Token], dependents: Dependents
    ) -> None:
        rows = index.get(key, {})
        if row not in rows:
            return
        rest = self._restricting.retract(rows[row], dead)
        if not self._restricting.is_zero(rest):
            rows[row] = rest
            return
        del rows[row]
        dependents.forget(row)
        if not rows:
            del index[key]
