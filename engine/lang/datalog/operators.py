"""A row of operands and operators becomes terms, by how tightly each operator binds.

    -x ^ 2 + y * 3   →   (-(x ^ 2)) + (y * 3)

The grammar leaves the row as it is: a rule for each of the ten levels would be gone through by every
argument of every fact.

References:
    Pratt. Top Down Operator Precedence. POPL 1973.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lark import Token

from engine.lang.datalog import tree as t
from engine.model.errors import QueryError, Span

LEVELS = (
    ("lor",),
    ("lxor",),
    ("land",),
    ("bor",),
    ("bxor",),
    ("band",),
    ("bshl", "bshr", "bshru"),
    ("+", "-"),
    ("*", "/", "%"),
)
BINDS = {name: level for level, names in enumerate(LEVELS) for name in names}


class Prefixed(NamedTuple):
    """An operand with signs before it."""

    signs: tuple[Token, ...]
    term: t.Term


class Operators:
    """Reads one row from the left."""

    def __init__(self, row: Sequence[Any]) -> None:
        self._row = row
        self._place = 0

    def term(self, least: int = 0) -> t.Term:
        """Return what operators that bind at least so tightly put together."""
        left = self._operand()
        while (level := BINDS.get(self._next(), -1)) >= least:
            name = self._row[self._place]
            self._place += 1
            left = joined(name, left, self.term(level + 1))
        return left

    def _next(self) -> str:
        return str(self._row[self._place]) if self._place < len(self._row) else ""

    def _operand(self) -> t.Term:
        """Return an operand, its power first, then its signs."""
        found = self._row[self._place]
        self._place += 1
        term = found.term if isinstance(found, Prefixed) else found
        if self._next() == "^":
            name = self._row[self._place]
            self._place += 1
            term = joined(name, term, self._operand())
        for sign in reversed(found.signs if isinstance(found, Prefixed) else ()):
            term = signed(sign, term)
        return term


def joined(name: Token, left: t.Term, right: t.Term) -> t.Functor:
    return t.Functor(str(name), (left, right), covering(left.span, right.span))


def signed(sign: Token, term: t.Term) -> t.Term:
    assert sign.line is not None
    assert sign.start_pos is not None
    span = covering(Span(sign.line, sign.start_pos, sign.start_pos + len(sign)), term.span)
    if sign == "+":
        message = f"a plus sign before a term, line {sign.line}; leave it out"
        raise QueryError(message, span)
    if sign == "-" and isinstance(term, t.Constant) and isinstance(term.value, int | float):
        return t.Constant(-term.value, term.kind, span)
    return t.Functor("negate" if sign == "-" else str(sign), (term,), span)


def covering(first: Span, last: Span) -> Span:
    return Span(first.line, first.start, last.end)
