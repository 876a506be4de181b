"""A rule matched against present rows, from a head row down to its bodies.

    h(e₁, …, eₘ) :- r₁, …, rₙ, predicates        given h's row, find rows of r₁, …, rₙ

What the head row and equalities bind narrows what is asked of each relation; the relations are
taken in the order in which most is bound. Every predicate is asked as soon as all that it reads is
there, so that a body found satisfies the rule as the operators do, NULLs included.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from engine.model.values import Row, Value
from engine.plan.expressions import Call, Compiled, Expr, Field, Literal, compiled, conjuncts, positions
from engine.plan.program import Negated, Program, Rule
from engine.views.why.effort import Effort

Fact = tuple[int, Row]
Bound = Mapping[int, Value]
Find = Callable[[int, Bound], Iterable[Row]]


class Atom(NamedTuple):
    """A relation of the body, where its columns begin, and what can be asked once it is there."""

    place: int
    relation: int
    begin: int
    classes: tuple[int, ...]
    asked: tuple[Compiled, ...]


class Match(NamedTuple):
    """A part of a body: the values of its columns, the value of each class, the facts by place."""

    values: list[Value]
    bound: dict[int, Value]
    facts: dict[int, Fact]


class Blocked(NamedTuple):
    """What a rule negates and a relation has: what is asked of its columns, and the rows found."""

    relation: int
    asked: dict[int, Value]
    rows: tuple[Row, ...]


class Denial:
    """A negated literal, ready to be asked of a complete match."""

    def __init__(self, negated: Negated) -> None:
        self._negated = negated
        self._left = [compiled(key) for key in negated.left_keys]
        self._right = [compiled(key) for key in negated.right_keys]

    def blocked(self, values: Row, find: Find) -> Blocked | None:
        """Return what is there and must not be; a key with a NULL in it is nowhere."""
        key = [value(values) for value in self._left]
        if None in key:
            return None
        sides = zip(self._negated.right_keys, key, strict=True)
        asked = {side.position: value for side, value in sides if isinstance(side, Field)}
        rows = tuple(
            row
            for row in find(self._negated.relation, asked)
            if all(value(row) == wanted for value, wanted in zip(self._right, key, strict=True))
        )
        return Blocked(self._negated.relation, asked, rows) if rows else None


class Matcher:
    """One rule, ready to be matched from its head."""

    def __init__(self, program: Program, rule: Rule) -> None:
        widths = [program.width(relation) for relation in rule.body]
        self.rule = rule
        self._size = sum(widths)
        self._begins = [0, *accumulate(widths)]
        predicates = [part for each in rule.predicates for part in conjuncts(each)]
        self._class_of, self._constants = classes_of(self._size, predicates)
        self._head = [compiled(expression) for expression in rule.expressions]
        self._head_fields = [
            (place, self._class_of[expression.position])
            for place, expression in enumerate(rule.expressions)
            if isinstance(expression, Field)
        ]
        self._always = [compiled(predicate) for predicate in predicates if not positions(predicate)]
        self._denials = [Denial(each) for each in rule.negated]
        self.atoms = self._ordered([predicate for predicate in predicates if positions(predicate)])

    def _ordered(self, predicates: Sequence[Expr]) -> list[Atom]:
        bound = {class_ for _, class_ in self._head_fields} | set(self._constants)
        left = set(range(len(self.rule.body)))
        there: set[int] = set()
        atoms = []
        while left:
            place = max(left, key=lambda at: (self._known(at, bound), -at))
            left.remove(place)
            columns = range(self._begins[place], self._begins[place + 1])
            ready = [
                p for p in predicates if not positions(p) <= there and positions(p) <= there | {*columns}
            ]
            there.update(columns)
            classes = tuple(self._class_of[column] for column in columns)
            bound.update(classes)
            asked = tuple(map(compiled, ready))
            atoms.append(Atom(place, self.rule.body[place], columns.start, classes, asked))
        return atoms

    def _known(self, place: int, bound: set[int]) -> float:
        """Return how much of a relation's row is bound; a relation without columns needs nothing."""
        classes = self._class_of[self._begins[place] : self._begins[place + 1]]
        return sum(class_ in bound for class_ in classes) / max(1, len(classes))

    def start(self, head: Bound) -> Match | None:
        """Return what is bound by what is known of the head row; None where it cannot be this rule's."""
        bound = dict(self._constants)
        for place, class_ in self._head_fields:
            if place in head and not same(bound.setdefault(class_, head[place]), head[place]):
                return None
        if not all(asked(()) is True for asked in self._always):
            return None
        return Match([None] * self._size, bound, {})

    def wanted(self, match: Match, atom: Atom) -> dict[int, Value]:
        """Return what is asked of an atom's columns."""
        return {i: match.bound[class_] for i, class_ in enumerate(atom.classes) if class_ in match.bound}

    def gives(self, match: Match, head: Bound) -> bool:
        """Tell whether a complete match is of such a head row."""
        values = tuple(match.values)
        return all(same(self._head[place](values), value) for place, value in head.items())

    def blocked(self, match: Match, find: Find, effort: Effort) -> Blocked | None:
        """Return what a negated literal of a complete match finds, if one does."""
        effort.spend(len(self._denials))
        found = (denial.blocked(tuple(match.values), find) for denial in self._denials)
        return next((each for each in found if each is not None), None)

    def extended(self, match: Match, atom: Atom, find: Find, effort: Effort) -> Iterator[Match]:
        """Yield the match with each row that an atom can be."""
        effort.spend()
        for row in find(atom.relation, self.wanted(match, atom)):
            effort.spend()
            bound = dict(match.bound)
            if not all(same(bound.setdefault(c, v), v) for c, v in zip(atom.classes, row, strict=True)):
                continue
            values = match.values.copy()
            values[atom.begin : atom.begin + len(row)] = row
            if all(asked(tuple(values)) is True for asked in atom.asked):
                yield Match(values, bound, {**match.facts, atom.place: (atom.relation, row)})

    def bodies(self, row: Row, find: Find, effort: Effort) -> Iterator[tuple[Fact, ...]]:
        """Yield the bodies of a head row, each fact at its place."""
        head = dict(enumerate(row))
        start = self.start(head)
        for match in self._complete(start, 0, find, effort) if start is not None else ():
            if self.gives(match, head) and self.blocked(match, find, effort) is None:
                yield tuple([match.facts[place] for place in range(len(self.rule.body))])

    def _complete(self, match: Match, depth: int, find: Find, effort: Effort) -> Iterator[Match]:
        if depth == len(self.atoms):
            yield match
            return
        for longer in self.extended(match, self.atoms[depth], find, effort):
            yield from self._complete(longer, depth + 1, find, effort)


def matchers_of(program: Program) -> dict[int, list[Matcher]]:
    """Return the matchers of a program's rules by the relation of their heads."""
    matchers: dict[int, list[Matcher]] = {}
    for rule in program.rules:
        matchers.setdefault(rule.head, []).append(Matcher(program, rule))
    return matchers


def same(one: Value, other: Value) -> bool:
    """Tell whether two values are one: NULL is NULL here, and the same NaN itself."""
    return one is other or one == other


def classes_of(size: int, predicates: Sequence[Expr]) -> tuple[list[int], dict[int, Value]]:
    """Return the class of each column, equal ones having one, and the constants of classes."""
    class_of = list(range(size))
    constants: list[tuple[int, Value]] = []
    for predicate in predicates:
        if not isinstance(predicate, Call) or predicate.function != "=":
            continue
        for one, other in (predicate.args, predicate.args[::-1]):
            if isinstance(one, Field) and isinstance(other, Field):
                kept, gone = class_of[one.position], class_of[other.position]
                class_of = [kept if class_ == gone else class_ for class_ in class_of]
            elif isinstance(one, Field) and isinstance(other, Literal):
                constants.append((one.position, other.value))
    return class_of, {class_of[position]: value for position, value in constants}


def met(row: Row, keys: tuple[Expr, ...], others: tuple[Expr, ...]) -> dict[int, Value]:
    """Return what a row's keys ask of the columns on the other side."""
    return {
        other.position: compiled(key)(row)
        for key, other in zip(keys, others, strict=True)
        if isinstance(other, Field)
    }
