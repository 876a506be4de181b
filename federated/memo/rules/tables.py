"""The tables of facts, each fact held at the node that is its key.

    OR node (expression, property):  Best, Low, Bound, and its users: RefCount is their number
    AND node, one alternative:       SearchSpace (is it kept), Local; PlanCost and its lower bound stand
                                     in lists of the OR node, where min runs over them

An absent fact has the value that the rules give the unknown: a cost and a bound are +∞, a lower bound is 0.
An alternative that is not kept holds a lower bound of its cost: decreases reach it, increases need not; it is
derived anew before it is kept again. (The thesis leaves pruned state alone, and then misses decreases.)

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.1.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from federated.memo.rules.agenda import Agenda
from federated.memo.searched import Searched
from federated.memo.ways import Key, Way

UNKNOWN = math.inf
ROUNDING = 1e-12
"""A bound is a difference of sums; what is over it by this part of the best cost may be rounding."""
KINDS, MANY = 4, 1 << 32


class Prunings(NamedTuple):
    """Which prunings are on."""

    suppression: bool = True
    counting: bool = True
    bounding: bool = True


@dataclass(slots=True, eq=False)
class And:
    """One alternative of an OR node; ``place`` is its index there, ``local`` is as of so many changes."""

    node: "Or"
    place: int
    way: Way
    children: tuple["Or", ...]
    local: float
    as_of: int
    kept: bool = False


@dataclass(slots=True, eq=False)
class Or:
    """One entry of the plan table; ``rank`` puts it after its children, ``users`` are the kept parents."""

    key: Key
    rank: int
    pinned: bool = False
    reached: bool = False
    selects: bool = False
    limits: bool = False
    low: float = 0
    best: float = UNKNOWN
    bound: float = UNKNOWN
    passed: float = UNKNOWN
    alternatives: list[And] = field(default_factory=list)
    lows: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    parents: list[And] = field(default_factory=list)
    users: dict[And, None] = field(default_factory=dict)


class Tables:
    """All facts of one optimizer, and the agenda of those to be looked at."""

    def __init__(self, space: Searched, prunings: Prunings, agenda: Agenda, rounding: float) -> None:
        self.space = space
        self.prunings = prunings
        self.agenda = agenda
        self.rounding = rounding
        self.slack: float = 0
        self.changes = 0
        self.roots: list[Or] = []
        self.entries: dict[Key, Or] = {}
        self.of_expression: dict[int, list[Or]] = {}

    def entry(self, key: Key) -> Or:
        """Return the OR node of a key."""
        found = self.entries.get(key)
        if found is None:
            mask, has = key
            rank = (mask.bit_count() * KINDS + has.kind) * MANY + len(self.entries)
            found = self.entries[key] = Or(key, rank)
            self.of_expression.setdefault(mask, []).append(found)
        return found
