"""What relates the inputs of a join, each predicate used once in any tree.

    a.x = b.y, b.y = c.z      →   one class: any two of the three may meet on it
    f(a.x) = g(b.y)           →   a key where a and b meet
    a.x < b.y                 →   a selection as soon as both are there

Columns of one type are equal through others, so a class gives a join of two sets one key. Columns of two
types are not: 2⁵³ + 1 and its neighbour are the same double.
"""

from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, positions

Sides = tuple[Expr, Expr]


class Asked(NamedTuple):
    """A predicate, the inputs that it reads, and where it equates two sides of other inputs, these."""

    predicate: Expr
    mask: int
    sides: tuple[tuple[int, Expr], tuple[int, Expr]] | None = None


class Predicates:
    """The predicates of one join over inputs of these widths; positions are those of all columns in turn."""

    def __init__(self, widths: tuple[int, ...], predicates: Iterable[Expr]) -> None:
        self.starts = tuple(sum(widths[:i]) for i in range(len(widths)))
        self._owner = [number for number, width in enumerate(widths) for _ in range(width)]
        asked = tuple(dict.fromkeys(predicates))
        pairs = [equal for p in asked if (equal := maybe_columns(p)) and self._reads(p).bit_count() > 1]
        self.classes = tuple(tuple(sorted(each, key=by_position)) for each in closed(pairs))
        self.others = tuple(self._asked(p) for p in asked if maybe_columns(p) not in pairs)
        self.between = cache(self._between)

    def owner(self, field: Field) -> int:
        """Return the number of the input that a column is of."""
        return self._owner[field.position]

    def members(self, joined: Iterable[Field]) -> int:
        """Return the inputs that have a column in a class."""
        return sum(1 << each for each in {self.owner(field) for field in joined})

    def within(self, number: int) -> tuple[Expr, ...]:
        """Return what is asked of one input alone; what reads no input is asked of the first."""
        own = (1 << number, 0) if number == 0 else (1 << number,)
        asked = [each.predicate for each in self.others if each.mask in own]
        for joined in self.classes:
            mine = [field for field in joined if self.owner(field) == number]
            asked += [equality(a, b) for a, b in pairwise(mine)]
        return tuple(asked)

    def _between(self, left: int, right: int) -> tuple[tuple[Sides, ...], tuple[Expr, ...]]:
        """Return the keys on which two sets of inputs meet, and what is asked once they are together."""
        keys = []
        for joined in self.classes:
            mine = [field for field in joined if left >> self.owner(field) & 1]
            its = [field for field in joined if right >> self.owner(field) & 1]
            if mine and its:
                keys.append((mine[0], its[0]))
        both = left | right
        ready = [a for a in self.others if a.mask & ~both == 0 and a.mask & left and a.mask & right]
        met = [(each, found) for each in ready if (found := sides_of(each, left, right))]
        used = [each for each, _ in met]
        rest = tuple(each.predicate for each in ready if each not in used)
        return (*keys, *(found for _, found in met)), rest

    def _asked(self, predicate: Expr) -> Asked:
        if isinstance(predicate, Call) and predicate.function == "=":
            one, other = ((self._reads(side), side) for side in predicate.args)
            if one[0] and other[0] and not one[0] & other[0]:
                return Asked(predicate, one[0] | other[0], (one, other))
        return Asked(predicate, self._reads(predicate))

    def _reads(self, predicate: Expr) -> int:
        return sum(1 << each for each in {self._owner[position] for position in positions(predicate)})


def sides_of(asked: Asked, left: int, right: int) -> Sides | None:
    """Return an equality's sides, the left set's first, where each is of one set."""
    if asked.sides is None:
        return None
    (one, mine), (other, its) = asked.sides
    if not one & ~left and not other & ~right:
        return mine, its
    return (its, mine) if not one & ~right and not other & ~left else None


def maybe_columns(predicate: Expr) -> tuple[Field, Field] | None:
    """Return the columns that a predicate equates, if they are columns of one type."""
    match predicate:
        case Call("=", (Field() as one, Field() as other)) if one.type is other.type:
            return one, other
    return None


def equality(one: Field, other: Field) -> Expr:
    return Call("=", (one, other), Type.BOOLEAN)


def by_position(field: Field) -> int:
    return field.position


def closed(pairs: Iterable[tuple[Field, Field]]) -> list[set[Field]]:
    """Gather columns that are equal, directly or through others."""
    groups: list[set[Field]] = []
    for pair in pairs:
        met = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in met]
        groups.append(set(pair).union(*met))
    return groups
