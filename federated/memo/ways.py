"""Every way to get what the roots want, from the top down.

    (T, none)      hash(L, R)   merge_c(L order c, R order c)   lookup_c(L, index c of r)
    (T, order c)   sort(T)      merge_c(…)                      lookup_d(L order c, index d of r)
    (r, …)         scan where r is kept in that order, index scan, index access, sort

A hash join of two inputs costs the same either way round, so it is there once; a lookup's outer and inner
differ. The logical space has hash joins only.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.1, R1 to R5; what
    was corrected in them: REFERENCES.md.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

from engine.model.errors import PlanError
from federated.memo.costs import Operator
from federated.memo.graph import EqualityClass, QueryGraph


class Kind(IntEnum):
    """What a property promises, in the order in which nodes of one set are computed."""

    NONE = 0
    INDEX = 1
    ORDER = 2


class Property(NamedTuple):
    """None, or an order by or an index on equality class ``of``."""

    kind: Kind
    of: int = -1


MOST = 100_000
"""Ways of all sets together; more take over a second to enumerate, and 200 MB."""
NONE = Property(Kind.NONE)
Key = tuple[int, Property]


class Way(NamedTuple):
    """One operator over its inputs."""

    operator: Operator
    left: Key | None = None
    right: Key | None = None


class Ways:
    """Finds them in one graph."""

    def __init__(self, graph: QueryGraph, *, physical: bool) -> None:
        self._graph = graph
        self._classes: tuple[tuple[int, EqualityClass], ...] = ()
        if physical:
            self._classes = tuple(enumerate(graph.classes))
        self._splits: dict[int, list[tuple[int, int]]] = {}

    def below(self, roots: Iterable[Key]) -> dict[Key, list[Way]]:
        """Return all that the roots may need, each with its ways."""
        found: dict[Key, list[Way]] = {}
        wanted = list(roots)
        many = 0
        while wanted:
            key = wanted.pop()
            if key in found:
                continue
            found[key] = ways = list(self.of(key))
            many += len(ways)
            if many > MOST:
                message = (
                    f"a join of {len(self._graph.bases)} relations has over {MOST:,} ways; join fewer at once"
                )
                raise PlanError(message)
            wanted += [child for way in ways for child in way[1:] if child and child not in found]
        return found

    def of(self, key: Key) -> Iterator[Way]:
        """Yield the ways to get one key, in the order of ties."""
        mask, has = key
        if has.kind is Kind.ORDER:
            yield Way(Operator.SORT, (mask, NONE))
        if mask.bit_count() == 1:
            yield from self._scans(mask, has)
        else:
            yield from self._joins(mask, has)

    def _scans(self, mask: int, has: Property) -> Iterator[Way]:
        kept = self._graph.classes[has.of] if has.kind is not Kind.NONE else None
        if has.kind is Kind.INDEX:
            yield Way(Operator.INDEX_ACCESS)
            return
        if kept is None or kept.ordered & mask:
            yield Way(Operator.SCAN)
        if kept is not None and kept.indexed & mask:
            yield Way(Operator.INDEX_SCAN)

    def _joins(self, mask: int, has: Property) -> Iterator[Way]:
        for left, right in self._split(mask):
            if has.kind is Kind.NONE:
                yield Way(Operator.HASH, (left, NONE), (right, NONE))
            for c, joined in self._classes:
                if not (joined.members & left and joined.members & right):
                    continue
                order = Property(Kind.ORDER, c)
                if has in (NONE, order):
                    yield Way(Operator.MERGE, (left, order), (right, order))
                yield from self._lookups(joined, Property(Kind.INDEX, c), has, (left, right))

    def _lookups(
        self, joined: EqualityClass, index: Property, has: Property, sides: tuple[int, int]
    ) -> Iterator[Way]:
        for outer, inner in (sides, sides[::-1]):
            if inner.bit_count() == 1 and joined.indexed & inner and self._keeps(outer, has):
                yield Way(Operator.LOOKUP, (outer, has), (inner, index))

    def _keeps(self, outer: int, has: Property) -> bool:
        """Tell whether a set can have what is wanted of it: an order by a column of its own."""
        return has.kind is Kind.NONE or bool(self._graph.classes[has.of].members & outer)

    def _split(self, mask: int) -> list[tuple[int, int]]:
        found = self._splits.get(mask)
        if found is None:
            found = self._splits[mask] = list(self._graph.splits(mask))
        return found
