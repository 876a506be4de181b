"""Group aggregate, revised under deletion.

    Δγ  =  Σ over the groups that ΔR touches of  (+ new row  - old row)

A group without rows is gone; without GROUP BY the one group is always there.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from engine.model.values import Row, Value
from engine.operators.accumulators.accumulator import Accumulator
from engine.operators.delta import Delta, add
from engine.provenance.algebra import Ring

A = TypeVar("A")


class Group:
    """How many rows a group has, and what its aggregates remember."""

    __slots__ = ("accumulators", "size")

    def __init__(self, accumulators: list[Accumulator]) -> None:
        self.size = 0
        self.accumulators = accumulators

    def row(self, key: Row) -> Row:
        return key + tuple([accumulator.value() for accumulator in self.accumulators])

    def entries(self) -> int:
        return 1 + sum([accumulator.entries() for accumulator in self.accumulators])


class GroupAggregate(Generic[A]):
    """``calls`` are pairs: what makes an accumulator, and its argument."""

    def __init__(
        self,
        algebra: Ring[A],
        key: Callable[[Row], Row] | None,
        calls: Sequence[tuple[Callable[[], Accumulator], Callable[[Row], Value]]],
    ) -> None:
        self._algebra = algebra
        self._key = key
        self._makers = [maker for maker, _ in calls]
        self._arguments = [argument for _, argument in calls]
        self._groups: dict[Row, Group] = {}
        self._entries = 0

    def start(self) -> Delta[A]:
        if self._key is not None:
            return {}
        self._groups[()] = self._group()
        self._entries = 1
        return {self._groups[()].row(()): self._algebra.one}

    def step(self, *changes: Delta[A]) -> Delta[A]:
        (change,) = changes
        before: dict[Row, Row | None] = {}
        for row, annotation in change.items():
            key = self._key(row) if self._key is not None else ()
            group = self._groups.get(key)
            if key not in before:
                before[key] = None if group is None else group.row(key)
                self._entries -= 0 if group is None else group.entries()
            if group is None:
                group = self._groups[key] = self._group()
            self._take(group, row, self._algebra.multiplicity(annotation))
        return self._revised(before)

    def entries(self) -> int:
        return self._entries

    def _group(self) -> Group:
        return Group([maker() for maker in self._makers])

    def _take(self, group: Group, row: Row, times: int) -> None:
        group.size += times
        for accumulator, argument in zip(group.accumulators, self._arguments, strict=True):
            accumulator.add(argument(row), times)

    def _revised(self, before: dict[Row, Row | None]) -> Delta[A]:
        output: Delta[A] = {}
        one = self._algebra.one
        for key, old in before.items():
            group = self._groups[key]
            if old is not None:
                add(output, old, self._algebra.negate(one), self._algebra)
            if group.size or self._key is None:
                add(output, group.row(key), one, self._algebra)
                self._entries += group.entries()
            else:
                del self._groups[key]
        return output
