"""A program as chains of binary joins, and what decides where each row is needed.

    h(…) :- r₀, r₁, …, rₖ        r₀ ──▶ ⋈₁ ──▶ ⋈₂ ──▶ … ──▶ ⋈ₖ ──▶ h
                                        ▲      ▲            ▲
                                        r₁     r₂           rₖ

A relation's row lives with the owner of its first value, a join's rows meet at the owner of one
value of the join's key. Among the key's values that one is taken which leaves the relation on the
right where it lives, else the relation on the left: so reachable's join of ``link(x, z)`` with
``reachable(z, y)`` runs at the owner of z, links travel there, and answers travel back to x.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from engine.model.errors import PlanError
from engine.model.values import Row, Value
from engine.network.chain import Chain, Meeting, ordered
from engine.plan.expressions import Compiled, Expr, compiled, conjunction, row_of
from engine.plan.program import Program, Rule

Function = Callable[[Row], Row]


class Head(NamedTuple):
    """Where the rows of a relation arrive that rules define."""

    relation: int


class Side(NamedTuple):
    """Where rows arrive at one of a join's two sides; ``join`` numbers the joins of all chains."""

    join: int
    is_right: bool


Port = Head | Side


class Outlet(NamedTuple):
    """Where rows go: those that are kept, computed, to a port at the owner of a place's value."""

    port: Port
    keep: Compiled | None
    expressions: tuple[Compiled, ...] | None
    place: Compiled

    def sent(self, row: Row) -> Row | None:
        """Return the row that goes, if one does."""
        if self.keep is not None and self.keep(row) is not True:
            return None
        return row if self.expressions is None else tuple([value(row) for value in self.expressions])


@dataclass(frozen=True)
class JoinAt:
    """One binary join of a chain, how wide its rows on the left are, and where those that it makes go."""

    left_key: Function
    right_key: Function
    width: int
    outlet: Outlet


@dataclass(frozen=True)
class Wiring:
    """``outlets[r]`` is where the rows of relation r are needed; ``joins`` are those of all chains."""

    program: Program
    outlets: tuple[tuple[Outlet, ...], ...]
    joins: tuple[JoinAt, ...]


def wired(program: Program) -> Wiring:
    """Return a program's wiring."""
    for rule in program.rules:
        if rule.negated:
            name = program.definitions[rule.head - len(program.inputs)].name
            message = f"a network joins, found a negated literal in a rule of {name}; negate at one site"
            raise PlanError(message)
    outlets: list[list[Outlet]] = [[] for _ in (*program.inputs, *program.definitions)]
    joins: list[JoinAt] = []
    for rule in program.rules:
        add_chain(ordered(rule, program), program, outlets, joins)
    return Wiring(program, tuple(map(tuple, outlets)), tuple(joins))


def without_best(program: Program) -> Program:
    """Return a program that a scheme without aggregate selection can maintain."""
    selecting = [definition.name for definition in program.definitions if definition.best]
    if selecting:
        message = f"only absorption selects within recursion, found {selecting[0]}; leave its best out"
        raise PlanError(message)
    return program


def add_chain(rule: Rule, program: Program, outlets: list[list[Outlet]], joins: list[JoinAt]) -> None:
    """Add a rule's joins, and the outlets that feed them."""
    offsets = (0, *accumulate(program.width(relation) for relation in rule.body))
    chain = Chain(rule, offsets)
    first = len(joins) - 1
    meetings = [chain.meeting(number) for number in range(1, len(rule.body))]
    for number, relation in enumerate(rule.body):
        follows = [*meetings, None][number]
        asked = chain.asked_of_all(number)
        onward = outlet(rule, follows, first + number + 1, asked)
        if number == 0:
            outlets[relation].append(onward)
            continue
        meeting = meetings[number - 1]
        keep = predicate(chain.asked_of_one(number))
        port = Side(first + number, True)
        outlets[relation].append(Outlet(port, keep, None, compiled(meeting.right_place)))
        joins.append(JoinAt(row_of(meeting.left), row_of(meeting.right), offsets[number], onward))


def outlet(rule: Rule, follows: Meeting | None, join: int, asked: tuple[Expr, ...]) -> Outlet:
    """Return where the rows of a chain's beginning go: on to the next join, or to the head."""
    if follows is not None:
        return Outlet(Side(join, False), predicate(asked), None, compiled(follows.left_place))
    return Outlet(Head(rule.head), predicate(asked), tuple(map(compiled, rule.expressions)), first_value)


def first_value(row: Row) -> Value:
    return row[0] if row else None


def predicate(parts: tuple[Expr, ...]) -> Compiled | None:
    return compiled(conjunction(parts)) if parts else None
