"""Recognise a stratum that is linear and hands columns on.

    H(x, ȳ [, w ∘ c])  :-  closed(x, z [, w]), H(z, ȳ [, c])

in any order of columns, however the closed part is joined. x moves, ȳ passes, c is the cost.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal, move, positions
from engine.plan.program import Defined, Program, Rule

EXTREMES = {
    ("least", Type.BIGINT): Literal(2**63 - 1, Type.BIGINT),
    ("least", Type.DOUBLE): Literal(sys.float_info.max, Type.DOUBLE),
    ("greatest", Type.BIGINT): Literal(-(2**63), Type.BIGINT),
    ("greatest", Type.DOUBLE): Literal(-sys.float_info.max, Type.DOUBLE),
}
COMBINES = {("min", "+"), ("min", "greatest"), ("max", "least")}


@dataclass(frozen=True)
class Linear:
    """A pass-through linear stratum: which columns move, which one is the cost, what combines it."""

    steps: "tuple[Step, ...]"
    seeds: tuple[Rule, ...]
    moving: tuple[int, ...]
    passing: tuple[int, ...]
    cost: int | None
    best: str
    combine: str


@dataclass(frozen=True)
class Step:
    """The closed part of a recursive rule; its expressions are x, z and the weight."""

    closed: tuple[int, ...]
    predicates: tuple[Expr, ...]
    expressions: tuple[Expr, ...]
    combine: str


def maybe_linear(program: Program) -> Linear | None:
    """Return the shape of a program that is pass-through linear."""
    if len(program.definitions) != 1 or program.negates:
        return None
    definition, head = program.definitions[0], len(program.inputs)
    recursive = [rule for rule in program.rules if head in rule.body]
    if not recursive or any(rule.body.count(head) != 1 for rule in recursive):
        return None
    cost = definition.best[0].position if definition.best else None
    if definition.best and not _is_best_of_one_cost(definition):
        return None
    handed_on = [set(_handed_on(program, rule)) for rule in recursive]
    passing = tuple(sorted(reduce(set.intersection, handed_on) - {cost}))
    moving = tuple(i for i in range(len(definition.columns)) if i not in passing and i != cost)
    steps = [step for rule in recursive if (step := _maybe_step(program, rule, moving, cost)) is not None]
    if not moving or len(steps) < len(recursive) or len(recursive) == len(program.rules):
        return None
    combine = steps[0].combine
    if any(step.combine != combine for step in steps):
        return None
    best = definition.best[0].function if definition.best else ""
    if cost is not None and (best, combine) not in COMBINES:
        return None
    seeds = tuple(rule for rule in program.rules if head not in rule.body)
    return Linear(tuple(steps), seeds, moving, passing, cost, best, combine)


def _is_best_of_one_cost(definition: Defined) -> bool:
    others = (*definition.group, definition.best[0].position)
    return len(definition.best) == 1 and sorted(others) == list(range(len(definition.columns)))


def _start(program: Program, rule: Rule) -> int:
    """Return where the recursive relation's columns begin in a rule's body."""
    return sum(map(program.width, rule.body[: rule.body.index(rule.head)]))


def _handed_on(program: Program, rule: Rule) -> list[int]:
    """Return the head's columns that are the recursive relation's own and that nothing else reads."""
    start = _start(program, rule)
    found = [
        i
        for i, expression in enumerate(rule.expressions)
        if isinstance(expression, Field) and expression.position == start + i
    ]
    read = [p for predicate in rule.predicates for p in positions(predicate)]
    read += [p for i, e in enumerate(rule.expressions) if i not in found for p in positions(e)]
    return [i for i in found if start + i not in read]


def _maybe_step(program: Program, rule: Rule, moving: tuple[int, ...], cost: int | None) -> Step | None:
    start, width = _start(program, rule), program.width(rule.head)
    recursive = range(start, start + width)

    def is_closed(expression: Expr) -> bool:
        return not any(position in recursive for position in positions(expression))

    met: dict[int, Expr] = {}
    kept: list[Expr] = []
    for predicate in rule.predicates:
        found = _met(predicate, recursive, is_closed)
        if found is None:
            kept.append(predicate)
        elif found[0] in met:
            kept.append(Call("=", (met[found[0]], found[1]), Type.BOOLEAN))
        else:
            met[found[0]] = found[1]
    heads = [rule.expressions[i] for i in moving]
    if set(met) != set(moving) or not all(map(is_closed, (*heads, *kept))):
        return None
    weight = ("", None) if cost is None else _weight(rule.expressions[cost], start + cost, is_closed)
    if weight is None:
        return None
    if weight[1] is not None and may_be_null(program, rule, weight[1]):
        weight = weight[0], known(weight[0], weight[1])
    weights = () if weight[1] is None else (weight[1],)
    shift = _without(recursive)
    expressions = (*heads, *(met[i] for i in moving), *weights)
    closed = tuple(relation for relation in rule.body if relation != rule.head)
    predicates = tuple(map(shift, kept))
    if not is_connected([program.width(relation) for relation in closed], predicates):
        return None
    return Step(closed, predicates, tuple(map(shift, expressions)), weight[0])


def is_connected(widths: Sequence[int], predicates: Sequence[Expr]) -> bool:
    """Tell whether relations side by side are joined; a cross product would have too many edges."""
    owner = [i for i, width in enumerate(widths) for _ in range(width)]
    reached = {0}
    links = [{owner[p] for p in positions(predicate)} for predicate in predicates]
    while grown := [link for link in links if link & reached and not link <= reached]:
        reached.update(*grown)
    return len(reached) == len(widths)


def _met(predicate: Expr, recursive: range, is_closed: Callable[[Expr], bool]) -> tuple[int, Expr] | None:
    """Return (column of the recursive relation, what it equals) of such an equality."""
    if isinstance(predicate, Call) and predicate.function == "=":
        for here, there in (predicate.args, predicate.args[::-1]):
            if isinstance(here, Field) and here.position in recursive and is_closed(there):
                return here.position - recursive.start, there
    return None


def _weight(expression: Expr, cost: int, is_closed: Callable[[Expr], bool]) -> tuple[str, Expr] | None:
    """Return (combine, weight) of a head's cost that is made of the body's and of closed columns."""
    if isinstance(expression, Call) and len(expression.args) == 2:
        for own, weight in (expression.args, expression.args[::-1]):
            if isinstance(own, Field) and own.position == cost and is_closed(weight) and own.type.is_numeric:
                return expression.function, weight
    return None


def may_be_null(program: Program, rule: Rule, weight: Expr) -> bool:
    if not isinstance(weight, Field):
        return not isinstance(weight, Literal) or weight.value is None
    columns = [column for relation in rule.body for column in program.columns(relation)]
    return columns[weight.position].nullable


def known(combine: str, weight: Expr) -> Expr:
    """Put in for a NULL weight what leaves the cost as it is, as least and greatest do."""
    extreme = EXTREMES.get((combine, weight.type))
    return weight if extreme is None else Call("coalesce", (weight, extreme), weight.type)


def _without(recursive: range) -> Callable[[Expr], Expr]:
    """Return what moves an expression to the body without the recursive relation."""
    return lambda e: move(e, lambda p: p if p < recursive.start else p - len(recursive))
