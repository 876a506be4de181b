"""What a program's rows are, by definition: rules applied to everything until nothing changes.

Annotated over any idempotent semiring; over sets of base rows it is the provenance, recomputed.
It shares nothing with operators or wiring but the meaning of expressions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.plan.expressions import compiled, conjuncts, positions
from engine.plan.program import Defined, Negated, Program, Rule

Relations = list[dict[Row, Any]]
Monomials = frozenset[frozenset[Any]]


class Sets:
    """Rows are there or not."""

    one: Any = True

    def plus(self, left: Any, right: Any) -> Any:
        return True

    def times(self, left: Any, right: Any) -> Any:
        return True


class Derivations(Sets):
    """The minimal sets of tokens that a row can be derived from."""

    one = frozenset({frozenset()})

    def plus(self, left: Monomials, right: Monomials) -> Monomials:
        return minimal(left | right)

    def times(self, left: Monomials, right: Monomials) -> Monomials:
        return minimal(frozenset(a | b for a in left for b in right))


def minimal(monomials: frozenset[frozenset[Any]]) -> Monomials:
    return frozenset(m for m in monomials if not any(other < m for other in monomials))


def token(name: Any) -> Monomials:
    return frozenset({frozenset({name})})


class Condition(NamedTuple):
    last: int
    holds: Any


def evaluate(program: Program, inputs: Sequence[Mapping[Row, Any]], algebra: Sets) -> Relations:
    """All relations of a program, inputs first, by annotated inputs."""
    fixed = [dict(rows) for rows in inputs]
    state: Relations = [*fixed, *({} for _ in program.definitions)]
    while True:
        derived: Relations = [*fixed, *({} for _ in program.definitions)]
        for each in program.rules:
            apply(each, state, derived[each.head], program, algebra)
        for relation, definition in enumerate(program.definitions, len(fixed)):
            derived[relation] = selected(definition, derived[relation])
        if derived == state:
            return state
        state = derived


def apply(rule: Rule, state: Relations, head: dict[Row, Any], program: Program, algebra: Sets) -> None:
    parts = [part for predicate in rule.predicates for part in conjuncts(predicate)]
    conditions = [Condition(max(positions(part), default=-1), compiled(part)) for part in parts]
    expressions = [compiled(expression) for expression in rule.expressions]

    def extend(row: Row, depth: int, annotation: Any) -> None:
        if depth == len(rule.body):
            if any(is_there(each, row, state[each.relation]) for each in rule.negated):
                return
            found = tuple([value(row) for value in expressions])
            head[found] = algebra.plus(head[found], annotation) if found in head else annotation
            return
        for added, own in state[rule.body[depth]].items():
            longer = row + added
            asked = [
                each
                for each in conditions
                if len(row) <= each.last < len(longer) or (depth == each.last + 1 == 0)
            ]
            if all(each.holds(longer) is True for each in asked):
                extend(longer, depth + 1, algebra.times(annotation, own))

    extend((), 0, algebra.one)


def is_there(negated: Negated, row: Row, rows: Mapping[Row, Any]) -> bool:
    """Whether a row has the key that none may have; a key with a NULL in it none has."""
    key = [compiled(each)(row) for each in negated.left_keys]
    keys = ([compiled(each)(other) for each in negated.right_keys] for other in rows)
    return None not in key and key in keys


def selected(definition: Defined, rows: dict[Row, Any]) -> dict[Row, Any]:
    if not definition.best:
        return rows
    groups: dict[Row, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[i] for i in definition.group), []).append(row)
    return {
        row: rows[row] for members in groups.values() for row in members if is_best(definition, row, members)
    }


def is_best(definition: Defined, row: Row, members: list[Row]) -> bool:
    for best in definition.best:
        values: list[Any] = [other[best.position] for other in members if other[best.position] is not None]
        if values and row[best.position] == (min(values) if best.function == "min" else max(values)):
            return True
    return False
