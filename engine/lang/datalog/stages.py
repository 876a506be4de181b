"""Stages: a whole number in every row of a stratum that no rule lets fall.

Of each relation one argument is chosen. For a rule with head h and an atom b of its own stratum,

    b's stage is the head's: same        b's stage is lower: strict        else: unknown

strict: the head's stage is d + k with k > 0 and b's is d; or a comparison of the body says so. The
stratum is XY-stratified where nothing is unknown and what stands on the same stage stands on it in an
order: the turns.

References:
    Gupta, Zhu, Xu. Deductive Framework for Programming Sensor Networks. ICDE 2009, section IV.
    Zaniolo, Arni, Ong. Negation and Aggregates in Recursive Rules: the LDL++ Approach. DOOD 1993.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product

from engine.lang.datalog import tree as t
from engine.lang.datalog.normal import Aggregated, Rule, Simple

MOST_CHOICES = 4_096


class Step(Enum):
    """How the stage of a body's atom is to its head's."""

    SAME = 0
    STRICT = 1
    UNKNOWN = 2


@dataclass(frozen=True)
class Stages:
    """The argument that is each relation's stage, and when in a stage each relation's turn is."""

    positions: Mapping[str, int]
    turns: Mapping[str, int]

    @property
    def shown(self) -> str:
        return ", ".join(f"{name}'s argument {position + 1}" for name, position in self.positions.items())


def maybe_stages(
    relations: Iterable[str], rules: list[Rule], widths: Mapping[str, Iterable[int]]
) -> Stages | None:
    """Return the stages of a stratum, if its rules have any; ``widths`` are the arguments that may be one."""
    names = list(relations)
    choices = [list(widths[name]) for name in names]
    total = 1
    for each in choices:
        total *= len(each)
    if not 0 < total <= MOST_CHOICES:
        return None
    for choice in product(*choices):
        positions = dict(zip(names, choice, strict=True))
        turns = maybe_turns(names, rules, positions)
        if turns is not None:
            return Stages(positions, turns)
    return None


def maybe_turns(names: list[str], rules: list[Rule], positions: Mapping[str, int]) -> dict[str, int] | None:
    same: dict[str, set[str]] = {name: set() for name in names}
    for rule in rules:
        head = rule.head.args[positions[rule.head.relation]]
        for atom in atoms_of(rule.body):
            if atom.relation in positions:
                step = step_of(head, atom.args[positions[atom.relation]], rule.body)
                if step is Step.UNKNOWN:
                    return None
                if step is Step.SAME:
                    same[rule.head.relation].add(atom.relation)
    return ordered(same)


def ordered(read: Mapping[str, set[str]]) -> dict[str, int] | None:
    """Return a number for each name, above those that it reads; None where they read in a circle."""
    turns: dict[str, int] = {}
    while len(turns) < len(read):
        ready = [name for name in read if name not in turns and read[name] <= turns.keys()]
        if not ready:
            return None
        turns.update(dict.fromkeys(ready, 1 + max(turns.values(), default=-1)))
    return turns


def atoms_of(literals: Simple) -> Iterator[t.Atom]:
    for literal in literals:
        match literal:
            case t.Atom():
                yield literal
            case t.Negation(t.Atom() as atom):
                yield atom
            case Aggregated():
                yield from atoms_of(literal.literals)


def step_of(head: t.Term, body: t.Term, literals: Simple) -> Step:
    """Compare the stage of a head with one of its body's."""
    for above in meanings(head, literals):
        for below in meanings(body, literals):
            difference = distance(above, below)
            if difference == 0:
                return Step.SAME
            if difference is not None and difference > 0:
                return Step.STRICT
    if any(is_said_above(each, head, body, literals) for each in literals):
        return Step.STRICT
    return Step.UNKNOWN


def meanings(term: t.Term, literals: Simple) -> list[t.Term]:
    """Return a term and what the body says that it equals."""
    found = [term]
    for literal in literals:
        if isinstance(literal, t.Comparison) and literal.operator == "=":
            if literal.left == term:
                found.append(literal.right)
            if literal.right == term:
                found.append(literal.left)
    return found


def offset(term: t.Term) -> tuple[t.Term | None, int] | None:
    """Return a term as a variable plus a number."""
    match term:
        case t.Constant(int(number)):
            return None, number
        case t.Functor("+", (inner, t.Constant(int(number)))) | t.Functor(
            "+", (t.Constant(int(number)), inner)
        ):
            return (found[0], found[1] + number) if (found := offset(inner)) else None
        case t.Functor("-", (inner, t.Constant(int(number)))):
            return (found[0], found[1] - number) if (found := offset(inner)) else None
        case t.Variable() | t.Record():
            return term, 0
    return None


def distance(above: t.Term, below: t.Term) -> int | None:
    """Return by how much one term is greater than another, where that is plain; longer by a part is 1."""
    if isinstance(above, t.Record) and not above.is_nil and below in above.args:
        return 1
    one, other = offset(above), offset(below)
    return one[1] - other[1] if one is not None and other is not None and one[0] == other[0] else None


def is_said_above(literal: object, head: t.Term, body: t.Term, literals: Simple) -> bool:
    """Tell whether a comparison says that the head's stage is above the body's."""
    match literal:
        case t.Comparison(">", greater, less) | t.Comparison("<", less, greater):
            is_head = any(at_least(each, greater) for each in meanings(head, literals))
            return is_head and any(at_least(less, each) for each in meanings(body, literals))
    return False


def at_least(one: t.Term, other: t.Term) -> bool:
    difference = distance(one, other)
    return difference is not None and difference >= 0
