"""Rules, compiled to walks over the tables' indexes.

    forward    from a fact that stands at place k of a body: what it derives with all others
    backward   from a head row: the bodies that derive it

A walk starts from one row and widens it, place by place, to the concatenation of the body: each
place is looked up by what the row so far determines of it, the most determined place first and of
those an input, and each predicate is asked as soon as its columns are there. A negated literal is a
place behind the body, whose row is its key: it is looked up as soon as the whole key is there.
"""

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from engine.model.errors import PlanError
from engine.model.values import Type
from engine.operators.recursion.rules.facts import Table
from engine.operators.recursion.rules.negation import Negation
from engine.operators.recursion.rules.walks import Step, Walk
from engine.plan.expressions import Call, Compiled, Expr, Field, compiled, conjunction, move, positions
from engine.plan.program import Program, Rule

MOST_RELATIONS = 18
"""Python nests at most twenty loops."""


class Compiler:
    """Compiles one rule of a program over its tables."""

    def __init__(
        self, program: Program, rule: Rule, tables: Sequence[Table], negations: Sequence[Negation] = ()
    ) -> None:
        places = len(rule.body) + len(rule.negated)
        if places > MOST_RELATIONS:
            name = program.definitions[rule.head - len(program.inputs)].name
            message = (
                f"a rule of {name} joins {places} relations, at most {MOST_RELATIONS} are run; "
                "join some of those that are not recursive in a view"
            )
            raise PlanError(message)
        self._program = program
        self._rule = rule
        self._tables = tables
        self._negations = negations
        widths = [program.width(relation) for relation in rule.body]
        widths += [len(negated.left_keys) for negated in rule.negated]
        self._spans = [range(sum(widths[:i]), sum(widths[: i + 1])) for i in range(len(widths))]

    def forward(self, place: int) -> tuple[Walk, Compiled | None]:
        """Return the walk from a fact at ``place``, and what must hold of that fact alone."""
        where = {column: i for i, column in enumerate(self._spans[place])}
        left = [*self._rule.predicates, *self._denied(place)]
        alone = ready(left, where)
        steps = self._steps({place}, where, left, {})
        return Walk(len(self._spans[place]), steps, self._head(where), (place,)), alone

    def backward(self) -> Walk:
        """Return the walk from a head row, whose columns stand for those that it was made of."""
        made_of = {e.position: i for i, e in enumerate(self._rule.expressions) if isinstance(e, Field)}
        head_places = {-1 - i: i for i in range(len(self._rule.expressions))}
        given = {column: Field(-1 - i, self._rule.expressions[i].type) for column, i in made_of.items()}
        steps = self._steps(set(), head_places, list(self._rule.predicates), given)
        return Walk(len(self._rule.expressions), steps, self._head(head_places), ())

    def _head(self, where: dict[int, int]) -> list[Expr]:
        return [move(e, where.__getitem__) for e in self._rule.expressions]

    def _steps(
        self, done: set[int], where: dict[int, int], asked: list[Expr], given: dict[int, Field]
    ) -> list[Step]:
        """Order what is left of the body; ``where``, which says where columns lie, grows."""
        steps: list[Step] = []
        left = set(range(len(self._spans))) - done
        while left:
            place = max(left, key=lambda i: self._promise(i, where, asked, given))
            left.discard(place)
            if place >= len(self._rule.body):
                steps.append(self._looked_up(place, where, asked))
                continue
            keys = dict(sorted(self._keys(place, where, asked, given).items()))
            used = [predicate for _, predicate in keys.values() if predicate is not None]
            asked[:] = [p for p in asked if p not in used]
            key = [(move(e, where.__getitem__), p is not None) for e, p in keys.values()]
            span, table = self._spans[place], self._tables[self._rule.body[place]]
            is_whole = len(keys) == len(span) > 0
            entries: Any = table.facts if is_whole else table.index(tuple(keys))
            where.update({column: len(where) + i for i, column in enumerate(span)})
            steps.append(Step(place, len(span), entries, key, ready(asked, where), is_whole))
        return steps

    def _looked_up(self, place: int, where: dict[int, int], asked: list[Expr]) -> Step:
        """Return the step that asks for a negated literal by its whole key, which may be NULL."""
        number, span = place - len(self._rule.body), self._spans[place]
        key = [(move(e, where.__getitem__), False) for e in self._rule.negated[number].left_keys]
        where.update({column: len(where) + i for i, column in enumerate(span)})
        return Step(place, len(span), self._negations[number], key, ready(asked, where), is_whole=True)

    def _denied(self, place: int) -> list[Expr]:
        """Return what a negated literal from which a walk starts says of the body."""
        number, span = place - len(self._rule.body), self._spans[place]
        if number < 0:
            return []
        return [
            Call("=", (key, Field(column, key.type)), Type.BOOLEAN)
            for key, column in zip(self._rule.negated[number].left_keys, span, strict=True)
        ]

    def _promise(
        self, place: int, where: dict[int, int], asked: list[Expr], given: dict[int, Field]
    ) -> tuple[float, int, int]:
        """Rank a place for the next step: the most determined, then an input, then the narrowest.

        A negated literal is first once its key is there, and cannot be asked before.
        """
        number = place - len(self._rule.body)
        if number >= 0:
            read = {p for key in self._rule.negated[number].left_keys for p in positions(key)}
            return (inf if read <= where.keys() else -1, 0, 0)
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
