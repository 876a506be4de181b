"""What a stateful operator holds under a restricting algebra, found again by the tokens it depends on.

    rows  :  Row → A          of[t]  ⊇  { r : t ∈ support(rows[r]) }

A deletion restricts the rows under its tokens and looks at no other. A row may stay under a token that
it has absorbed, until either of them is gone: finding out at once costs more than a look that changes
nothing.
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
        self._tokens: dict[Row, set[Token]] = {}

    def note(self, row: Row, support: Iterable[Token]) -> None:
        known = self._tokens.setdefault(row, set())
        for token in support:
            known.add(token)
            self._of.setdefault(token, set()).add(row)

    def forget(self, row: Row) -> None:
        """Take a row that is no more from under its tokens."""
        for token in self._tokens.pop(row, ()):
            rows = self._of.get(token, set())
            rows.discard(row)
            if not rows:
                self._of.pop(token, None)

    def of(self, tokens: Collection[Token]) -> set[Row]:
        """Return the rows that may depend on one of these tokens."""
        return {row for token in tokens for row in self._of.get(token, ())}

    def pop(self, dead: Collection[Token]) -> set[Row]:
        """Return the rows that may depend on one of these tokens, which are then forgotten."""
        rows = {row for token in dead for row in self._of.pop(token, ())}
        for row in rows:
            self._tokens[row].difference_update(dead)
        return rows


class Held(Generic[A]):
    """Annotated rows."""

    def __init__(self, algebra: Restricting[A]) -> None:
        self._algebra = algebra
        self._dependents = Dependents()
        self.rows: Delta[A] = {}

    def add(self, row: Row, annotation: A) -> bool:
        """Add to a row's annotation; tell whether it was not absorbed."""
        held = self.rows.get(row)
        total = annotation if held is None else self._algebra.plus(held, annotation)
        if held is not None and total == held:
            return False
        self.rows[row] = total
        self._dependents.note(row, self._algebra.support(annotation))
        return True

    def absorbs(self, row: Row, annotation: A) -> bool:
        held = self.rows.get(row)
        return held is not None and self._algebra.plus(held, annotation) == held

    def pop(self, row: Row) -> A:
        annotation = self.rows.pop(row)
        self._dependents.forget(row)
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
            if algebra.is_zero(rest):
                self.pop(row)
                gone.append(row)
            else:
                rows[row] = rest
        return gone

    def dependents(self, tokens: Collection[Token]) -> set[Row]:
        """Return the rows that may depend on one of these tokens."""
        return self._dependents.of(tokens)

    def __contains__(self, row: Row) -> bool:
        return row in self.rows

    def __iter__(self) -> Iterator[tuple[Row, A]]:
        return iter(self.rows.items())

    def __len__(self) -> int:
        return len(self.rows)
