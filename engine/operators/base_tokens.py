"""The base operator of a restricting algebra: base rows become tokens, deletes become retractions.

    insert r           →  rows += { r: a fresh token }
    delete, expiry     →  dead += { the token of the incarnation that is meant }

    keyed    one incarnation a key: another row under the key kills it, the same row only renews its
             expiry; keyed by the whole row it is a set
    a bag    every insert is an incarnation of its own with an expiry of its own; a delete by value
             kills the oldest

A delete of the absent is counted and ignored. A timer carries its incarnation: that of a row that
was renewed, or deleted and inserted again, does nothing. What comes and goes between two changes is
never said, and the rows after a reading are the same however the readings were cut into batches.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import Generic, NamedTuple, TypeVar

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.operators.leaf import State
from engine.provenance.algebra import Restricting, Token
from engine.provenance.tokens import Incarnations

A = TypeVar("A")
NEVER = 2**63


class Change(NamedTuple, Generic[A]):
    """The two messages of a restricting algebra: rows to merge by plus, and tokens to retract."""

    rows: Delta[A]
    dead: set[Token]


class Incarnation(NamedTuple):
    """A base row that is there, and until when."""

    expires: int
    token: Token
    row: Row


class BaseTokens(Generic[A]):
    """The incarnations of one base relation; ``key`` is None for a bag."""

    def __init__(
        self,
        algebra: Restricting[A],
        incarnations: Incarnations,
        relation: Hashable,
        key: tuple[int, ...] | None = None,
        lifetime: int | None = None,
    ) -> None:
        self._algebra = algebra
        self._incarnations = incarnations
        self._relation = relation
        self._key = key
        self._lifetime = lifetime
        self._held: dict[Row, dict[Token, Incarnation]] = {}
        self._timers: list[Incarnation] = []
        self._born: dict[Token, Row] = {}
        self._dead: set[Token] = set()
        self.ignored_deletes = 0

    def advance(self, readings: Iterable[Reading], now: int) -> Change[A]:
        """Take readings, each at its time, and then let time go on to ``now``."""
        for reading in readings:
            self._expire(reading.at)
            if reading.sign > 0:
                self._insert(reading.row, NEVER if self._lifetime is None else reading.at + self._lifetime)
            else:
                self._delete(reading.row)
        self._expire(now)
        return self._change()

    def step(self, change: Mapping[Row, int]) -> Change[A]:
        """Take the change of a closed stratum, whose rows appear, +n, and disappear, -n."""
        for row, count in change.items():
            for _ in range(-count):
                self._delete(row)
            for _ in range(count):
                self._insert(row, NEVER)
        return self._change()

    def contents(self) -> Delta[A]:
        return self._annotated((held.token, held.row) for held in self._incarnate())

    def state(self) -> State:
        """Return the rows with their expiries, the oldest first; tokens are of this run only."""
        by_age = sorted(self._incarnate(), key=lambda held: held.token)
        return [(held.row, held.expires) for held in by_age]

    def restore(self, state: State) -> Change[A]:
        for row, expires in state:
            self._insert(row, expires)
        return self._change()

    def __len__(self) -> int:
        return sum(map(len, self._held.values()))

    def _incarnate(self) -> Iterator[Incarnation]:
        for same in self._held.values():
            yield from same.values()

    def _place(self, row: Row) -> Row:
        return row if self._key is None else tuple([row[i] for i in self._key])

    def _insert(self, row: Row, expires: int) -> None:
        place = self._place(row)
        token = None if self._key is None else self._survivor(place, row)
        if token is None:
            token = self._incarnations.fresh(self._relation, row)
            self._born[token] = row
        held = self._held.setdefault(place, {})[token] = Incarnation(expires, token, row)
        if expires < NEVER:
            heappush(self._timers, held)

    def _survivor(self, key: Row, row: Row) -> Token | None:
        """Return the token that goes on under a key; whatever else was there is replaced."""
        for held in tuple(self._held.get(key, {}).values()):
            if held.row == row:
                return held.token
            self._end(held)
        return None

    def _delete(self, row: Row) -> None:
        oldest = next(iter(self._held.get(self._place(row), {}).values()), None)
        if oldest is None or oldest.row != row:
            self.ignored_deletes += 1
        else:
            self._end(oldest)

    def _expire(self, now: int) -> None:
        while self._timers and self._timers[0].expires <= now:
            timer = heappop(self._timers)
            if self._held.get(self._place(timer.row), {}).get(timer.token) == timer:
                self._end(timer)

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

    def _change(self) -> Change[A]:
        change = Change(self._annotated(self._born.items()), self._dead)
        self._born, self._dead = {}, set()
        return change

    def _annotated(self, rows: Iterable[tuple[Token, Row]]) -> Delta[A]:
        delta: Delta[A] = {}
        for token, row in rows:
            add(delta, row, self._algebra.token(token), self._algebra)
        return delta
