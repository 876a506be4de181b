"""One join of a recursive stratum at one partition: rows with a witness each, and the pairs that they make.

    pairs(l, r)  :  key(l) = key(r)            witness(l + r)  =  witness(l) ∪ witness(r)

Every pair is told when its second row comes, and when its first one goes: whoever takes them keeps, of
each row that they derive, the pairs that do, so no alternative has to be looked for.
"""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

from engine.model.values import Row
from engine.network.wiring import JoinAt
from engine.operators.budget import Budget
from engine.partitions.recursion.tokens import ByToken, Witness, both
from engine.provenance.algebra import Token

Pairs = list[Row]


class SideRows:
    """The rows on one side, by key."""

    def __init__(self, key_of: Callable[[Row], Row]) -> None:
        self.key_of = key_of
        self.by_key: dict[Row, dict[Row, Witness]] = {}
        self._by_token: ByToken[Row] = ByToken(self._held)

    def add(self, key: Row, row: Row, witness: Witness) -> bool:
        """Take a row in; tell whether it was not there."""
        rows = self.by_key.setdefault(key, {})
        if row in rows:
            return False
        rows[row] = witness
        self._by_token.note(row, witness)
        return True

    def bury(self, dead: AbstractSet[Token]) -> Iterator[tuple[Row, Row]]:
        """Take out what stands on dead tokens; yield each key and row once it is out."""
        for row in self._by_token.pop(dead):
            key = self.key_of(row)
            rows = self.by_key.get(key, {})
            if row in rows and not dead.isdisjoint(rows[row]):
                self._by_token.leave(rows.pop(row))
                if not rows:
                    del self.by_key[key]
                yield key, row

    def witness(self, row: Row) -> Witness:
        return self.by_key[self.key_of(row)][row]

    def __len__(self) -> int:
        return sum(map(len, self.by_key.values()))

    def _held(self) -> Iterator[tuple[Row, Witness]]:
        for rows in self.by_key.values():
            yield from rows.items()


class Meeting:
    """A binary join."""

    def __init__(self, join: JoinAt, budget: Budget) -> None:
        self._budget = budget
        self._width = join.width
        self._left, self._right = SideRows(join.left_key), SideRows(join.right_key)

    def insert(self, is_right: bool, rows: list[tuple[Row, Witness]]) -> list[tuple[Row, Witness]]:
        """Take rows in on one side; return the pairs that they make."""
        side, other = (self._right, self._left) if is_right else (self._left, self._right)
        pairs: list[tuple[Row, Witness]] = []
        for row, witness in rows:
            key = side.key_of(row)
            if None in key or not side.add(key, row, witness):
                continue
            met = other.by_key.get(key, {})
            if is_right:
                pairs += [(left + row, both(its, witness)) for left, its in met.items()]
            else:
                pairs += [(row + right, both(witness, its)) for right, its in met.items()]
            self._budget.check(len(pairs), "a join", 1 + len(met))
        return pairs

    def bury(self, dead: AbstractSet[Token]) -> Pairs:
        """Take out what stands on dead tokens; return the pairs that are no more."""
        left, right = self._left.by_key, self._right.by_key
        gone = [other + row for key, row in self._right.bury(dead) for other in left.get(key, ())]
        gone += [row + other for key, row in self._left.bury(dead) for other in right.get(key, ())]
        return gone

    def witness(self, pair: Row) -> Witness:
        return both(self._left.witness(pair[: self._width]), self._right.witness(pair[self._width :]))

    def __len__(self) -> int:
        return len(self._left) + len(self._right)
