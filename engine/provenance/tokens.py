"""Incarnations: one token for each time that a base row is there.

    inserted          deleted, expired, replaced           every site has acknowledged
       │ fresh               │ kill                              │ drain
       ▼                     ▼                                   ▼
     live      ──────▶   dead, a tombstone     ──────▶    forgotten, its variable free

A row that is inserted again gets another token, so that what is still under way with the first one
cannot bring the row back. A tombstone stays until nothing that mentions its token can arrive any
more; only then may an algebra use the token's variable for another.
"""

from collections.abc import Hashable, Iterable
from itertools import count
from typing import NamedTuple

from engine.model.values import Row
from engine.provenance.algebra import Token


class Origin(NamedTuple):
    """The base row that a token is an incarnation of."""

    relation: Hashable
    row: Row


class Incarnations:
    """The tokens of a view; tokens are numbers that never come twice."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._origins: dict[Token, Origin] = {}
        self.dead: set[Token] = set()

    def fresh(self, relation: Hashable, row: Row) -> Token:
        token = next(self._numbers)
        self._origins[token] = Origin(relation, row)
        return token

    def kill(self, token: Token) -> None:
        if token in self._origins:
            self.dead.add(token)

    def origin(self, token: Token) -> Origin:
        """Return what a token stands for; a dead one is known until it is drained."""
        return self._origins[token]

    def drain(self, tokens: Iterable[Token]) -> list[Token]:
        """Forget those of the tokens that are dead, and return them to be recycled."""
        drained = [token for token in set(tokens) if token in self.dead]
        for token in drained:
            self.dead.remove(token)
            del self._origins[token]
        return drained

    @property
    def live(self) -> int:
        return len(self._origins) - len(self.dead)
