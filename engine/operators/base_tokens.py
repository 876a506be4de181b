"""The base operator of a restricting algebra: base rows become tokens, deletes become retractions.

    insert r           →  born += { a fresh token: r }
    delete, expiry     →  dead += { the token of the incarnation that is meant }

    keyed    one incarnation a key: another row under the key kills it, the same row only renews its
             expiry; keyed by the whole row it is a set
    a bag    every insert is an incarnation of its own with an expiry of its own; a delete by value
             kills the oldest

A delete of the absent is counted and ignored. A timer carries its incarnation: that of a row that
was renewed, or deleted and inserted again, does nothing. What comes and goes between two changes is
never said, and the rows after a change are the same however what led to it was cut into changes.
Whoever takes a change makes annotations of it: the algebra is that of the site where a row lives.
"""

import math
from collections.abc import Hashable
from heapq import heappop, heappush
from typing import NamedTuple

from engine.model.values import Row
from engine.provenance.algebra import Token
from engine.provenance.tokens import Incarnations


class Kind(NamedTuple):
    """What a base relation is: its key, or None for a bag, and how long its rows stay."""

    key: tuple[int, ...] | None
    lifetime: float = math.inf


class Change(NamedTuple):
    """What a restricting algebra is told: tokens of rows that are there now, and dead tokens."""

    born: dict[Token, Row]
    dead: set[Token]


class Incarnation(NamedTuple):
    """A base row that is there, and until when."""

    expires: float
    token: Token
    row: Row


class BaseTokens:
    """The incarnations of one base relation."""

    def __init__(self, kind: Kind, incarnations: Incarnations, relation: Hashable) -> None:
        self._kind = kind
        self._incarnations = incarnations
        self._relation = relation
        self._held: dict[Row, dict[Token, Incarnation]] = {}
        self._timers: list[Incarnation] = []
        self._born: dict[Token, Row] = {}
        self._dead: set[Token] = set()
        self.ignored_deletes = 0

    def insert(self, row: Row, now: float) -> None:
        place = self._place(row)
        token = None if self._kind.key is None else self._survivor(place, row)
        if token is None:
            token = self._incarnations.fresh(self._relation, row)
            self._born[token] = row
        held = Incarnation(now + self._kind.lifetime, token, row)
        self._held.setdefault(place, {})[token] = held
        if held.expires < math.inf:
            heappush(self._timers, held)

    def delete(self, row: Row) -> None:
        oldest = next(iter(self._held.get(self._place(row), {}).values()), None)
        if oldest is None or oldest.row != row:
            self.ignored_deletes += 1
        else:
            self._end(oldest)

    def expire(self, now: float) -> None:
        """Let time go on; a row is there until its expiry, and not at it."""
        while self._timers and self._timers[0].expires <= now:
            timer = heappop(self._timers)
            if self._held.get(self._place(timer.row), {}).get(timer.token) == timer:
                self._end(timer)

    def take_change(self) -> Change:
        """Return what came and what went since the last change."""
        change = Change(self._born, self._dead)
        self._born, self._dead = {}, set()
        return change

    def tokens_of(self, row: Row) -> list[Token]:
        """Return the tokens that a row has, the oldest first."""
        return [held.token for held in self._held.get(self._place(row), {}).values() if held.row == row]

    def _place(self, row: Row) -> Row:
        key = self._kind.key
        return row if key is None else tuple([row[i] for i in key])

    def _survivor(self, place: Row, row: Row) -> Token | None:
        """Return the token that goes on under a key; whatever else was there is replaced."""
        for held in tuple(self._held.get(place, {}).values()):
            if held.row == row:
                return held.token
            self._end(held)
        return None

    def _end(self, held: Incarnation) -> None:
        place = self._place(held.row)
        del self._held[place][held.token]
        if not self._held[place]:
            del self._held[place]
        self._incarnations.kill(held.token)
        if self._born.pop(held.token, None) is None:
            self._dead.add(held.token)
        else:
            self._incarnations.drain([held.token])
