"""Rules, compiled to walks over the tables' indexes.

    forward    from a fact that stands at place k of a body: what it derives with all others
    backward   from a head row: the bodies that derive it

A walk starts from one row and widens it, place by place, to the concatenation of the body: each
place is looked up by what the row so far determines of it, the most determined place first and of
those an input, and each predicate is asked as soon as its columns are there.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from math import inf
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.operators.recursive.facts import Fact, Index, Table
from engine.plan.expressions import Call, Compiled, Expr, Field, compiled, conjunction, move, positions
from engine.plan.program import Program, Rule

Facts = tuple[Fact, ...]
RowMaker = Callable[[Row], Row]
NOWHERE = object()
"""The key of a row whose key has a NULL in it: no index has it."""


class Step(NamedTuple):
    """One place of a body: where to look, by which key of the row so far, and what must hold then."""

    place: int
    entries: Index
    key: Callable[[Row], Any]
    holds: Compiled | None


class Walk:
    """The steps from a start row to a whole body, and the head over it."""

    def __init__(self, steps: Sequence[Step], head: RowMaker, first: tuple[int, ...]) -> None:
        self._steps = steps
        self._head = head
        self.passed_over = False
        order = (*first, *(step.place for step in steps))
        self._restore = None if order == tuple(sorted(order)) else [order.index(i) for i in sorted(order)]

    def derived(self, fact: Fact, present: Container[Row]) -> Iterator[tuple[Row, Facts]]:
        """Yield the heads that ``fact`` derives and that are not present, each with its body."""
        for row, facts in self._bodies(fact.row, (fact,), 0, inf):
            head = self._head(row)
            if head not in present:
                yield head, self._in_order(facts)

    def deriving(self, head: Row, below: float) -> Iterator[Facts]:
        """Yield the bodies of a head row whose facts have ranks below.

        ``passed_over`` says that there may be others, of which no fact is doubtful.
        """
        self.passed_over = False
        for row, facts in self._bodies(head, (), 0, below):
            if self._head(row) == head:
                yield self._in_order(facts)

    def _bodies(self, row: Row, facts: Facts, depth: int, below: float) -> Iterator[tuple[Row, Facts]]:
        if depth == len(self._steps):
            yield row, facts
            return
        _, entries, key, holds = self._steps[depth]
        last = depth + 1 == len(self._steps)
        for fact in tuple(entries.get(key(row), ())):
            if fact.rank >= below:
                self.passed_over |= fact.rank < inf
                continue
            wider = row + fact.row
            if holds is None or holds(wider) is True:
                if last:
                    yield wider, (*facts, fact)
                else:
                    yield from self._bodies(wider, (*facts, fact), depth + 1, below)

    def _in_order(self, facts: Facts) -> Facts:
        return facts if self._restore is None else tuple([facts[i] for i in self._restore])


class Compiler:
    """Compiles one rule of a program over its tables."""

    def __init__(self, program: Program, rule: Rule, tables: Sequence[Table]) -> None:
        self._program = program
        self._rule = rule
        self._tables = tables
        widths = [program.width(relation) for relation in rule.body]
        self._spans = [range(sum(widths[:i]), sum(widths[: i + 1])) for i in range(len(widths))]

    def forward(self, place: int) -> tuple[Walk, Compiled | None]:
        """Return the walk from a fact at ``place``, and what must hold of that fact alone."""
        where = {column: i for i, column in enumerate(self._spans[place])}
        left = list(self._rule.predicates)
        alone = ready(left, where)
        return Walk(self._steps({place}, where, left, {}), self._head(where), (place,)), alone

    def backward(self) -> Walk:
        """Return the walk from a head row, whose columns stand for those that it was made of."""
        made_of = {e.position: i for i, e in enumerate(self._rule.expressions) if isinstance(e, Field)}
        head_places = {-1 - i: i for i in range(len(self._rule.expressions))}
        given = {column: Field(-1 - i, self._rule.expressions[i].type) for column, i in made_of.items()}
        where = dict(head_places)
        return Walk(self._steps(set(), where, list(self._rule.predicates), given), self._head(where), ())

    def _head(self, where: dict[int, int]) -> RowMaker:
        return rowmaker([move(e, where.__getitem__) for e in self._rule.expressions])

    def _steps(
        self, done: set[int], where: dict[int, int], asked: list[Expr], given: dict[int, Field]
    ) -> list[Step]:
        """Order what is left of the body; ``where``, which says where columns lie, grows."""
        steps: list[Step] = []
        left = set(range(len(self._spans))) - done
        while left:
            place = max(left, key=lambda i: self._promise(i, where, asked, given))
            left.discard(place)
            keys = dict(sorted(self._keys(place, where, asked, given).items()))
            used = [predicate for _, predicate in keys.values() if predicate is not None]
            asked[:] = [p for p in asked if p not in used]
            strict = [predicate is not None for _, predicate in keys.values()]
            key = keymaker([move(e, where.__getitem__) for e, _ in keys.values()], strict)
            entries = self._tables[self._rule.body[place]].index(tuple(keys))
            where.update({column: len(where) + i for i, column in enumerate(self._spans[place])})
            steps.append(Step(place, entries, key, ready(asked, where)))
        return steps

    def _promise(
        self, place: int, where: dict[int, int], asked: list[Expr], given: dict[int, Field]
    ) -> tuple[int, int, int]:
        """Rank a place for the next step: the most determined, then an input, then the narrowest."""
        determined = len(self._keys(place, where, asked, given))
        is_input = self._program.is_input(self._rule.body[place])
        return determined, is_input, determined - len(self._spans[place])

    def _keys(
        self, place: int, where: dict[int, int], asked: list[Expr], given: dict[int, Field]
    ) -> dict[int, tuple[Expr, Expr | None]]:
        """Return, by position within the place, what it equals, and the predicate that says so.

        A column that the head was made of equals it even where both are NULL.
        """
        span = self._spans[place]
        keys: dict[int, tuple[Expr, Expr | None]] = {}
        for predicate in asked:
            for column, other in sides(predicate):
                if column in span and positions(other) <= where.keys():
                    keys.setdefault(column - span.start, (other, predicate))
        for column, field in given.items():
            if column in span:
                keys.setdefault(column - span.start, (field, None))
        return keys


def sides(predicate: Expr) -> Iterator[tuple[int, Expr]]:
    """Yield (column, what it equals) of an equality, each way that it can be read."""
    if isinstance(predicate, Call) and predicate.function == "=":
        for here, there in (predicate.args, predicate.args[::-1]):
            if isinstance(here, Field):
                yield here.position, there


def ready(asked: list[Expr], where: dict[int, int]) -> Compiled | None:
    """Take out the predicates whose columns are all there, as one condition."""
    found = [p for p in asked if positions(p) <= where.keys()]
    asked[:] = [p for p in asked if p not in found]
    return compiled(move(conjunction(tuple(found)), where.__getitem__)) if found else None


def rowmaker(expressions: Sequence[Expr]) -> RowMaker:
    """Return what computes a row from a row."""
    places = [e.position for e in expressions if isinstance(e, Field)]
    if len(places) < len(expressions):
        parts = [compiled(e) for e in expressions]
        return lambda row: tuple([part(row) for part in parts])
    if len(places) == 2:
        first, second = places
        return lambda row: (row[first], row[second])
    return lambda row: tuple([row[i] for i in places])


def keymaker(expressions: Sequence[Expr], strict: Sequence[bool]) -> Callable[[Row], Any]:
    """Return what computes a key as the indexes have it; with a NULL in a strict part it is nowhere."""
    if len(expressions) == 1:
        only, is_strict = compiled(expressions[0]), strict[0]
        return lambda row: NOWHERE if (value := only(row)) is None and is_strict else value
    make = rowmaker(expressions)
    if all(strict):
        return lambda row: NOWHERE if None in (key := make(row)) else key
    places = [i for i, is_strict in enumerate(strict) if is_strict]

    def key_of(row: Row) -> Any:
        key = make(row)
        return NOWHERE if any([key[i] is None for i in places]) else key

    return key_of if places else make
