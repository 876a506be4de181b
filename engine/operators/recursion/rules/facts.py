"""Facts: rows with the one derivation that holds each of them up.

    fact  =  (relation, row)  supported by  (rule, body facts), all of lower rank

The rank makes supports acyclic: a fact stands on facts that stood before it. ``dependents`` is the
way back, from a fact to those that it holds up; from an input's fact on, it leads to all that can
change when that fact's token dies.

A fact that is not *active* is derivable but not selected by its group's best: it is kept, as an
alternate, and joins with nothing. A *doubtful* fact has lost its support in this step and found no
other yet: it stays where it is, of a rank that no support can have, as most come back.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from engine.model.values import Row

INPUT = -1
Positions = tuple[int, ...]
Index = dict[Any, dict["Fact", None]]


class Fact:
    """A row of a relation; ``rule`` is ``INPUT`` for an input's."""

    __slots__ = ("active", "body", "dependents", "rank", "relation", "row", "rule")

    def __init__(self, relation: int, row: Row, rank: float, rule: int, body: "tuple[Fact, ...]") -> None:
        self.relation = relation
        self.row = row
        self.rank = rank
        self.rule = rule
        self.body = body
        self.dependents: set[Fact] | None = None
        self.active = True

    def stand_on(self, rule: int, body: "tuple[Fact, ...]") -> None:
        """Take another derivation for support."""
        self.leave_support()
        self.rule, self.body = rule, body
        self.lean()

    def lean(self) -> None:
        """Make known to the body what it holds up."""
        for fact in self.body:
            if fact.dependents is None:
                fact.dependents = {self}
            else:
                fact.dependents.add(self)

    def leave_support(self) -> None:
        for fact in self.body:
            if fact.dependents is not None:
                fact.dependents.discard(self)
        self.body = ()


class Table:
    """One relation's facts by row, and its active ones by every key that a rule looks them up by."""

    def __init__(self) -> None:
        self.facts: dict[Row, Fact] = {}
        self.doubtful: dict[Row, Fact] = {}
        self._indexes: dict[Positions, tuple[Callable[[Row], Any], Index]] = {}

    def index(self, positions: Positions) -> Index:
        """Return the index on these positions; asked for while rules are compiled, before any fact."""
        if positions not in self._indexes:
            self._indexes[positions] = (key_at(positions), {})
        return self._indexes[positions][1]

    def activate(self, fact: Fact) -> None:
        fact.active = True
        for key_of, index in self._indexes.values():
            key = key_of(fact.row)
            if key in index:
                index[key][fact] = None
            else:
                index[key] = {fact: None}

    def deactivate(self, fact: Fact) -> None:
        fact.active = False
        for key_of, index in self._indexes.values():
            key = key_of(fact.row)
            entry = index[key]
            del entry[fact]
            if not entry:
                del index[key]

    def __len__(self) -> int:
        return len(self.facts)


def key_at(positions: Positions) -> Callable[[Row], Any]:
    """Return what takes a key out of a row: a bare value of one position, a tuple of several or none."""
    return itemgetter(*positions) if positions else lambda _: ()
