"""The query graph: relations, closed equalities, and what else a set of relations keeps.

    a.x = b.y, b.y = c.z   →   one class {a, b, c}: every two of them can be joined on it
    kept(S) = 0.2          →   every set of relations that contains S has a fifth of its rows

Relations are numbered, and a set of them is a bitmask. A product of two sets is considered only where
it is asked for, or between parts of the query that nothing connects.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from engine.model.errors import PlanError, nearest
from federated.memo.sets import connected_around_lowest, members, parts_of


class Base(NamedTuple):
    """One relation, after its own selections."""

    name: str
    rows: float


class EqualityClass(NamedTuple):
    """Columns that are all equal: whose they are, how many values each has, who is kept in that order."""

    members: int
    values: tuple[tuple[int, float], ...]
    ordered: int = 0
    indexed: int = 0


@dataclass(frozen=True)
class QueryGraph:
    """Relations by number, what equates them, and the share of rows that sets of them keep."""

    bases: tuple[Base, ...]
    classes: tuple[EqualityClass, ...] = ()
    kept: tuple[tuple[int, float], ...] = ()
    products: bool = False
    _parts: dict[int, list[int]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def everything(self) -> int:
        return (1 << len(self.bases)) - 1

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """By relation, those that it may be joined with; a share of more than two connects none."""
        numbers = range(len(self.bases))
        if self.products:
            return tuple(self.everything & ~(1 << r) for r in numbers)
        edges = [c.members for c in self.classes] + [mask for mask, _ in self.kept if mask.bit_count() == 2]
        met = [0] * len(self.bases)
        for edge in edges:
            for r in members(edge):
                met[r] |= edge & ~(1 << r)
        return tuple(met)

    def splits(self, mask: int) -> Iterator[tuple[int, int]]:
        """Yield each way to cut a set in two that may be joined, once; the left has the lowest member."""
        parts = self._parts_of(mask)
        if len(parts) > 1:
            yield from self._split_parts(mask, parts)
            return
        for left in connected_around_lowest(mask, self.neighbours):
            right = mask & ~left
            if right and len(self._parts_of(right)) == 1:
                yield left, right

    def _split_parts(self, mask: int, parts: list[int]) -> Iterator[tuple[int, int]]:
        first, *others = parts
        for taken in range((1 << len(others)) - 1):
            left = first | sum(part for i, part in enumerate(others) if taken >> i & 1)
            yield left, mask & ~left

    def _parts_of(self, mask: int) -> list[int]:
        found = self._parts.get(mask)
        if found is None:
            found = self._parts[mask] = parts_of(mask, self.neighbours)
        return found

    def mask_of(self, names: Iterable[str]) -> int:
        """Return the set of the relations so called."""
        mask = 0
        for name in names:
            mask |= 1 << self.number(name)
        return mask

    def names_of(self, mask: int) -> tuple[str, ...]:
        return tuple(self.bases[r].name for r in members(mask))

    def number(self, name: str) -> int:
        for number, base in enumerate(self.bases):
            if base.name == name:
                return number
        known = [base.name for base in self.bases]
        message = f"unknown relation {name} in a join of {', '.join(known)}{nearest(name, known)}"
        raise PlanError(message)
