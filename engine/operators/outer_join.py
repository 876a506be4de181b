"""Outer join, incremental over bags.

    A ⟕ B  =  A ⋈ B  +  Σ { A(a) · (a, NULLs) : m(a) = 0 }        m(a) = Σ { B(b) : a meets b }
    Δ      =  A ⋈ ΔB  +  ΔA ⋈ B'                                  where B' = B + ΔB
           +  A'(a)·[m'(a) = 0]  −  A(a)·[m(a) = 0]               for each a whose A or m changed

m is kept for each row of a side that is padded, counted with multiplicity, and changes with every pair
that comes or goes, so padding costs no more than the pairs do. A key with a NULL in it meets nothing.
"""

from collections.abc import Callable

from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta, add
from engine.operators.join import Key
from engine.operators.operator import Quiet
from engine.plan.expressions import Compiled
from engine.provenance.counting import COUNTING

Pad = Callable[[Row], Row]
Pair = Callable[[Row, Row], Row]


class Side:
    """The rows of one side by key, and, where it is padded, how many rows each of them meets."""

    def __init__(self, key_of: Key, pad: Pad | None) -> None:
        self._key_of = key_of
        self._pad = pad
        self._rows: dict[Row, Delta[int]] = {}
        self._matches: dict[Row, int] = {}
        self._padded: dict[Row, int] = {}

    def entries(self) -> int:
        return sum(map(len, self._rows.values()))

    def by_key(self, change: Delta[int], output: Delta[int]) -> dict[Row, Delta[int]]:
        """Return a change by key; what has none is padded at once."""
        found: dict[Row, Delta[int]] = {}
        for row, count in change.items():
            key = self._key_of(row)
            if None not in key:
                found.setdefault(key, {})[row] = count
            elif self._pad is not None:
                add(output, self._pad(row), count, COUNTING)
        return found

    def rows(self, key: Row) -> Delta[int]:
        return self._rows.get(key, {})

    def meet(self, key: Row, row: Row, count: int) -> None:
        """Note that a row meets so many more, or fewer."""
        if self._pad is not None:
            self._note(key, row)
            self._matches[row] = self._matches.get(row, 0) + count

    def take(self, key: Row, change: Delta[int]) -> None:
        """Take the change of a key in."""
        rows = self._rows.setdefault(key, {})
        for row, count in change.items():
            if self._pad is not None:
                self._note(key, row)
            add(rows, row, count, COUNTING)
        if not rows:
            del self._rows[key]

    def settle(self, key: Row, output: Delta[int]) -> None:
        """Put out how the padding of a key's touched rows changed."""
        rows = self.rows(key)
        for row, before in self._padded.items():
            after = 0 if self._matches.get(row) else rows.get(row, 0)
            if after != before:
                assert self._pad is not None
                add(output, self._pad(row), after - before, COUNTING)
            if row not in rows or not self._matches.get(row):
                self._matches.pop(row, None)
        self._padded.clear()

    def _note(self, key: Row, row: Row) -> None:
        """Remember how often a row is padded before anything of it changes."""
        if row not in self._padded:
            self._padded[row] = 0 if self._matches.get(row) else self.rows(key).get(row, 0)


class OuterJoin(Quiet):
    """A hash join of two sides; ``condition`` is asked of each pair with equal keys."""

    def __init__(self, left: Side, right: Side, condition: Compiled | None, budget: Budget) -> None:
        self._left = left
        self._right = right
        self._condition = condition
        self._budget = budget

    def step(self, *changes: Delta[int]) -> Delta[int]:
        output: Delta[int] = {}
        left, right = self._left.by_key(changes[0], output), self._right.by_key(changes[1], output)
        for key in {**left, **right}:
            self._join(key, left.get(key, {}), right.get(key, {}), output)
            self._left.settle(key, output)
            self._right.settle(key, output)
        return output

    def entries(self) -> int:
        return self._left.entries() + self._right.entries()

    def _join(self, key: Row, left_change: Delta[int], right_change: Delta[int], output: Delta[int]) -> None:
        """Join A with ΔB, then ΔA with B'."""
        left, right = self._left, self._right
        self._come(key, right_change, right, left, lambda b, a: a + b, output)
        self._come(key, left_change, left, right, lambda a, b: a + b, output)

    def _come(
        self, key: Row, change: Delta[int], side: Side, other: Side, pair: Pair, output: Delta[int]
    ) -> None:
        """Join the change of a side with what the other holds; a new row counts itself what it meets."""
        held = other.rows(key)
        for row, times in change.items():
            is_new = row not in side.rows(key)
            for met, count in held.items():
                both = pair(row, met)
                if self._meets(both):
                    add(output, both, times * count, COUNTING)
                    other.meet(key, met, times)
                    side.meet(key, row, count if is_new else 0)
            self._budget.check(len(output), "an outer join", 1 + len(held))
        side.take(key, change)

    def _meets(self, pair: Row) -> bool:
        if self._condition is None:
            return True
        self._budget.meter.check()
        return self._condition(pair) is True
