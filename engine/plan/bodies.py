"""A recursive definition's body as conjunctions: what is read, what must not be there, what is put out.

    π(A ⋈ Recur ▷ B)   →   reads A, Recur    without B    predicates, expressions over A × Recur

What must not be there is closed, so a negated literal whose keys are all of one closed relation goes
into that: A ⋈ Recur ▷ B = (A ▷ B) ⋈ Recur. Only where the definition has stages may the negated be
what is being defined.
"""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate, chain, product
from typing import NamedTuple

from engine.model.errors import QueryError
from engine.plan.expressions import TRUE, Call, Expr, Field, conjuncts, fields, move, positions, substitute
from engine.plan.logical import (
    AntiJoin,
    Definition,
    Distinct,
    Fixpoint,
    Join,
    Plan,
    Project,
    Recur,
    Select,
    Union,
    inputs_of,
)
from engine.plan.meeting import expanded
from engine.plan.outer_join import OuterJoin
from engine.plan.sharing import remembered


class Without(NamedTuple):
    """No row of ``plan`` may have in ``right_keys`` what the body has in ``left_keys``."""

    plan: Plan
    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]


class Body(NamedTuple):
    """A conjunction: what it reads, in order, and what it asks and puts out over all of it."""

    reads: tuple[Plan, ...]
    predicates: tuple[Expr, ...]
    expressions: tuple[Expr, ...]
    without: tuple[Without, ...] = ()

    @property
    def begins(self) -> list[int]:
        return [0, *accumulate(len(plan.columns) for plan in self.reads)]


@remembered
def is_closed(plan: Plan) -> bool:
    """Tell whether a plan is a finished stratum, seen from the fixpoint around it."""
    if isinstance(plan, Recur):
        return False
    return isinstance(plan, Fixpoint) or all(map(is_closed, inputs_of(plan)))


def bodies_of(plan: Plan, of: Definition) -> Iterator[Body]:
    """Flatten a plan into the conjunctions whose union it is."""
    if isinstance(plan, Recur) or is_closed(plan):
        fields = tuple(Field(i, column.type, column.name) for i, column in enumerate(plan.columns))
        yield Body((plan,), (), fields)
        return
    match plan:
        case Distinct() | Union():
            yield from chain.from_iterable(bodies_of(each, of) for each in inputs_of(plan))
        case Select(child, predicate):
            yield from (narrowed(body, conjuncts(predicate)) for body in bodies_of(child, of))
        case Project(child, expressions):
            for body in bodies_of(child, of):
                put_out = tuple(substitute(e, body.expressions) for e in expressions)
                yield body._replace(expressions=put_out)
        case Join(inputs, predicates):
            for choice in product(*[tuple(bodies_of(each, of)) for each in inputs]):
                yield narrowed(side_by_side(choice), predicates)
        case AntiJoin():
            yield from denied_bodies(plan, of)
        case OuterJoin():
            yield from bodies_of(expanded(plan), of)
        case _:
            raise QueryError(through_recursion(type(plan).__name__.lower(), of))


def through_recursion(what: str, of: Definition) -> str:
    return (
        f"{what} through recursion in {of.name}; a stratified program may not do this: "
        f"finish {of.name} first, in a view of its own, and take the {what} over it"
    )


def narrowed(body: Body, predicates: tuple[Expr, ...]) -> Body:
    """Ask predicates that speak of what a body puts out."""
    asked = tuple(substitute(p, body.expressions) for p in predicates)
    return body._replace(predicates=(*body.predicates, *asked))


def side_by_side(bodies: tuple[Body, ...]) -> Body:
    """Join bodies: each speaks of its own part of the concatenation."""
    joined = Body((), (), ())
    for body in bodies:
        shift = partial(int.__add__, joined.begins[-1])
        joined = Body(
            joined.reads + body.reads,
            joined.predicates + tuple(move(p, shift) for p in body.predicates),
            joined.expressions + tuple(move(e, shift) for e in body.expressions),
            joined.without
            + tuple(w._replace(left_keys=tuple(move(k, shift) for k in w.left_keys)) for w in body.without),
        )
    return joined


def denied_bodies(plan: AntiJoin, of: Definition) -> Iterator[Body]:
    """Ask that what is on the right of an anti-join is not there."""
    if of.stage is None and not is_closed(plan.right):
        raise QueryError(through_recursion("antijoin", of))
    rights = tuple(bodies_of(plan.right, of))
    for body in bodies_of(plan.left, of):
        keys = tuple(substitute(key, body.expressions) for key in plan.left_keys)
        more = tuple(without(right, keys, plan.right_keys, of) for right in rights)
        yield body._replace(without=body.without + more)


def without(
    right: Body, left_keys: tuple[Expr, ...], right_keys: tuple[Expr, ...], of: Definition
) -> Without:
    """Return the denial of one relation; what is asked of it is a key that must be TRUE."""
    if len(right.reads) != 1 or right.without:
        raise QueryError(through_recursion("negation of a conjunction", of))
    keys = tuple(substitute(key, right.expressions) for key in right_keys)
    asked = right.predicates
    return Without(right.reads[0], left_keys + (TRUE,) * len(asked), keys + asked)


def pushed(body: Body) -> Body:
    """Put each denial into a closed relation that has all of its keys, where there is one."""
    reads, left = list(body.reads), []
    for each in body.without:
        place = next((i for i in range(len(reads)) if _may_deny(body, each, i)), None)
        if place is None:
            left.append(each)
            continue
        target = _within(body, place)
        keys = tuple(move(key, target.__getitem__) for key in each.left_keys)
        reads[place] = AntiJoin(reads[place], each.plan, keys, each.right_keys)
    return body._replace(reads=tuple(reads), without=tuple(left))


def _may_deny(body: Body, each: Without, place: int) -> bool:
    read = {position for key in each.left_keys for position in positions(key)}
    return is_closed(body.reads[place]) and is_closed(each.plan) and read <= _within(body, place).keys()


def _within(body: Body, place: int) -> dict[int, int]:
    """Return which of a relation's columns has the value of a column of the body, by the body's equations."""
    begin, end = body.begins[place : place + 2]
    found = {position: position - begin for position in range(begin, end)}
    pairs = [pair for predicate in body.predicates for pair in _equated(predicate)]
    while grown := [(to, at) for to, at in pairs if to not in found and at in found]:
        found.update((to, found[at]) for to, at in grown)
    return found


def _equated(predicate: Expr) -> Iterator[tuple[int, int]]:
    if isinstance(predicate, Call) and predicate.function == "=":
        read = [each.position for each in fields(predicate)]
        if all(isinstance(arg, Field) for arg in predicate.args):
            yield (read[0], read[1])
            yield (read[1], read[0])
