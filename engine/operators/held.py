"""What a stateful operator holds under a restricting algebra, found again by the tokens it depends on.

    rows  :  Row → A          of[t]  =  { r : t ∈ support(rows[r]) }

A deletion restricts the rows under its tokens and looks at no other. A token that a row has absorbed
leaves the index at once, so that nothing grows under a token that never dies.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Generic, TypeVar

from engine.model.values import Row
from engine.operators.delta import Delta
from engine.provenance.algebra import Restricting, Token

A = TypeVar("A")


class Dependents:
    """Rows by the tokens that their annotations depend on."""

    def __init__(self) -> None:
        self._of: dict[Token, set[Row]] = {}

    def move(self, row: Row, old: Iterable[Token], new: Iterable[Token]) -> None:
        """Note that a row depends on the new tokens, and no longer on others of the old."""
        before, after = set(old), set(new)
        for token in after - before:
            self._of.setdefault(token, set()).add(row)
        for token in before - after:
            rows = self._of.get(token)
            if rows is not None:
                rows.discard(row)
                if not rows:
                    del self._of[token]

    def of(self, tokens: Collection[Token]) -> set[Row]:
        """Return the rows that depend on one of these tokens."""
        return {row for token in tokens for row in self._of.get(token, ())}

    def pop(self, dead: Collection[Token]) -> set[Row]:
        """Return the rows that depend on one of these tokens, which are then forgotten."""
        return {row for token in dead for row in self._of.pop(token, ())}


class Held(Generic[A]):
    """Annotated rows."""

    def __init__(self, algebra: Restricting[A]) -> None:
        self._algebra = algebra
        self._dependents = Dependents()
        self.rows: Delta[A] = {}

    def add(self, row: Row, annotation: A) -> bool:
        """Add to a row's annotation; tell whether it was not absorbed."""
        held, support = self.rows.get(row), self._algebra.support
        if held is None:
            self.rows[row] = annotation
            self._dependents.move(row, (), support(annotation))
            return True
        total = self._algebra.plus(held, annotation)
        if total == held:
            return False
        self.rows[row] = total
        self._dependents.move(row, support(held), support(total))
        return True

    def absorbs(self, row: Row, annotation: A) -> bool:
        held = self.rows.get(row)
        return held is not None and self._algebra.plus(held, annotation) == held

    def pop(self, row: Row) -> A:
        annotation = self.rows.pop(row)
        self._dependents.move(row, self._algebra.support(annotation), ())
        return annotation

    def retract(self, dead: Collection[Token]) -> list[Row]:
        """Set dead tokens to zero; return the rows that are no more."""
        algebra, rows = self._algebra, self.rows
        gone = []
        for row in self._dependents.pop(dead):
            held = rows.get(row)
            if held is None:
                continue
            rest = algebra.retract(held, dead)
            self._dependents.move(row, algebra.support(held), algebra.support(rest))
            if algebra.is_zero(rest):
                del rows[row]
                gone.append(row)
            else:
                rows[row] = rest
        return gone

    def dependents(self, tokens: Collection[Token]) -> set[Row]:
        """Return the rows that depend on one of these tokens."""
        return self._dependents.of(tokens)

    def __contains__(self, row: Row) -> bool:
        return row in self.rows

    def __iter__(self) -> Iterator[tuple[Row, A]]:
        return iter(self.rows.items())

    def __len__(self) -> int:
        return len(self.rows)
