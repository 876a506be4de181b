"""A rule's body read from left to right: what each next relation shares with those before it.

predicates  =  keys of the joins  +  asked of one relation  +  asked once all that it reads is there
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal, conjuncts, move, positions
from engine.plan.program import Program, Rule

ANYWHERE = Literal(None, Type.BIGINT)


class Meeting(NamedTuple):
    """The key of a join on either side, and the value of it at whose owner the rows meet."""

    left: tuple[Expr, ...]
    right: tuple[Expr, ...]
    left_place: Expr
    right_place: Expr


class Chain:
    """A rule with the positions at which each relation of its body begins."""

    def __init__(self, rule: Rule, offsets: tuple[int, ...]) -> None:
        self._offsets = offsets
        self._predicates = tuple(part for each in rule.predicates for part in conjuncts(each))

    def meeting(self, number: int) -> Meeting:
        """Return how a relation of the body meets the ones before it; without a key, all at one place."""
        begin = self._offsets[number]
        sides = list(self._keys(number))
        left = tuple(side for side, _ in sides)
        right = tuple(move(side, lambda position: position - begin) for _, side in sides)
        if not sides:
            return Meeting((), (), ANYWHERE, ANYWHERE)
        at = next((i for i, side in enumerate(right) if is_first(side)), None)
        if at is None:
            at = next((i for i, side in enumerate(left) if number == 1 and is_first(side)), 0)
        return Meeting(left, right, left[at], right[at])

    def asked_of_one(self, number: int) -> tuple[Expr, ...]:
        """Return what is asked of a relation alone, over its own row."""
        begin = self._offsets[number]
        alone = [part for part in self._predicates if self._is_about(part, number)]
        return tuple(move(part, lambda position: position - begin) for part in alone)

    def asked_of_all(self, number: int) -> tuple[Expr, ...]:
        """Return what can be asked once this relation has joined those before it, and not earlier."""
        keys = {part for part, _ in self._equalities(number)}
        return tuple(
            part
            for part in self._predicates
            if part not in keys
            and not (number and self._is_about(part, number))
            and self._ready(part) == number
        )

    def _ready(self, part: Expr) -> int:
        last = max(positions(part), default=-1)
        return next(number for number, end in enumerate(self._offsets[1:]) if last < end)

    def _is_about(self, part: Expr, number: int) -> bool:
        begin, end = self._offsets[number], self._offsets[number + 1]
        read = positions(part)
        return bool(read) and all(begin <= position < end for position in read)

    def _keys(self, number: int) -> Iterator[tuple[Expr, Expr]]:
        for _, sides in self._equalities(number):
            yield sides

    def _equalities(self, number: int) -> Iterator[tuple[Expr, tuple[Expr, Expr]]]:
        """Yield what equates something before a relation with something of it, the former first."""
        begin, end = self._offsets[number], self._offsets[number + 1]
        for part in self._predicates:
            sides = equated(part)
            for left, right in (sides, sides[::-1]) if sides else ():
                before, of = positions(left), positions(right)
                if before and of and max(before) < begin <= min(of) and max(of) < end:
                    yield part, (left, right)


def equated(part: Expr) -> tuple[Expr, Expr] | None:
    if isinstance(part, Call) and part.function == "=":
        return part.args[0], part.args[1]
    return None


def is_first(expr: Expr) -> bool:
    return isinstance(expr, Field) and expr.position == 0


def ordered(rule: Rule, program: Program) -> Rule:
    """Reorder a body so that each relation shares a key with those before it, where one does."""
    widths = [program.width(relation) for relation in rule.body]
    offsets = (0, *accumulate(widths))
    owner = [number for number, width in enumerate(widths) for _ in range(width)]
    order = [0]
    while len(order) < len(widths):
        left = [number for number in range(len(widths)) if number not in order]
        order.append(next((number for number in left if is_related(rule, owner, order, number)), left[0]))
    if order == sorted(order):
        return rule
    begins = dict(zip(order, accumulate([0, *(widths[number] for number in order)]), strict=False))
    target = [begins[owner[position]] + position - offsets[owner[position]] for position in range(len(owner))]
    return Rule(
        rule.head,
        tuple(rule.body[number] for number in order),
        tuple(move(part, target.__getitem__) for part in rule.predicates),
        tuple(move(part, target.__getitem__) for part in rule.expressions),
    )


def is_related(rule: Rule, owner: list[int], known: list[int], number: int) -> bool:
    """Tell whether an equation ties a relation of the body to known ones."""
    for part in (part for each in rule.predicates for part in conjuncts(each)):
        sides = equated(part)
        reads = [{owner[position] for position in positions(side)} for side in sides or ()]
        if {number} in reads and any(read and read <= set(known) for read in reads):
            return True
    return False
