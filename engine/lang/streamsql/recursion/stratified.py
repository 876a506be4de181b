"""What may stand between a recursive name and the query that defines it, and what may not.

σ, π, ⋈, ∪, δ over it, and without what is closed      →  any recursion
min or max of one column, by all the others            →  aggregate selection, in every query that reads it
negation, other aggregates, LIMIT                      →  refused: the cycle has no least relation
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp

from engine.lang.streamsql.recursion.components import Graph, cycle_through
from engine.lang.streamsql.spans import on_line, span_of
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.plan.bodies import is_closed
from engine.plan.expressions import Call, Expr, Field, substitute
from engine.plan.logical import (
    Aggregate,
    AntiJoin,
    Best,
    Definition,
    Distinct,
    Fixpoint,
    Plan,
    Project,
    Recur,
    Top,
    inputs_of,
)
from engine.plan.meeting import expanded
from engine.plan.outer_join import OuterJoin
from engine.plan.selection import objections
from engine.plan.sharing import remembered

SELECTING = frozenset({"min", "max"})


class Offence(NamedTuple):
    """What stands over recursive relations, by their numbers, that may not."""

    what: str
    numbers: frozenset[int]


class Chosen(NamedTuple):
    """A query that selects: what it selects from, and the place and kind of its best column."""

    body: Plan
    best: Best


# Aggregate selection


def maybe_selected(
    name: str, columns: tuple[Column, ...], plans: Sequence[Plan], cte: exp.CTE
) -> Definition | None:
    """Return the definition of a name whose queries take the best of one column by all others."""
    chosen = {place: maybe_chosen(plan) for place, plan in enumerate(plans)}
    selecting = [each for place, each in chosen.items() if each and not is_closed(plans[place])]
    if not selecting:
        return None
    best = selecting[0].best
    for place, each in chosen.items():
        if not is_closed(plans[place]) and (each is None or each.best != best):
            column = columns[best.position].name
            message = (
                f"{name} takes the {best.function} of {column} in one query that reads it, not in all"
                f"{on_line(cte.args['alias'])}; take it in each of these, GROUP BY the other columns"
            )
            raise QueryError(message, span_of(cte.args["alias"]))
    group = tuple(i for i in range(len(columns)) if i != best.position)
    bodies = tuple(each.body if each and each.best == best else plans[i] for i, each in chosen.items())
    return Definition(name, columns, bodies, group, (best,))


def maybe_chosen(plan: Plan) -> Chosen | None:
    """Recognise SELECT keys, min(cost) … GROUP BY keys."""
    while isinstance(plan, Distinct):
        plan = plan.child
    if not isinstance(plan, Project) or not isinstance(plan.child, Aggregate):
        return None
    under = plan.child
    call, last = under.calls[0] if under.calls else None, len(under.groups)
    if len(under.calls) != 1 or call is None or call.function not in SELECTING or call.argument is None:
        return None
    taken = [e.position if isinstance(e, Field) else None for e in plan.expressions]
    others = [e for e, position in zip(plan.expressions, taken, strict=True) if position != last]
    if taken.count(last) != 1 or not set(range(last)) <= set(taken) or any(reads(e, last) for e in others):
        return None
    made_of = (*under.groups, call.argument)
    expressions = tuple(substitute(e, made_of) for e in plan.expressions)
    return Chosen(Project(under.child, expressions, plan.columns), Best(call.function, taken.index(last)))


def reads(expression: Expr, position: int) -> bool:
    if isinstance(expression, Call):
        return any(reads(arg, position) for arg in expression.args)
    return isinstance(expression, Field) and expression.position == position


def check_selections(fixpoint: Fixpoint, aliases: list[exp.Expr]) -> None:
    """Refuse aggregate selection where the best rows are not enough to go on with."""
    if not any(definition.best for definition in fixpoint.definitions):
        return
    objection = next(objections(fixpoint), None)
    if objection is not None:
        names = " → ".join([each.name for each in (*fixpoint.definitions, fixpoint.definitions[0])])
        message = f"min or max through recursion: {names}; {objection}: the best rows are not enough"
        raise QueryError(message, span_of(aliases[0]))


# What is not stratified


def check_stratified(name: str, plan: Plan, graph: Graph, node: exp.Expr) -> None:
    """Refuse what asks for a relation whole while it is being defined."""
    for offence in offences(plan):
        second = list(graph)[min(offence.numbers)]
        cycle = " → ".join(cycle_through(graph, name, second))
        message = (
            f"{written(offence.what, node)} through recursion: {cycle}; a stratified program may not do this"
        )
        raise QueryError(message, span_of(node))


def offences(plan: Plan) -> Iterator[Offence]:
    if is_closed(plan):
        return
    match plan:
        case Aggregate(calls=calls):
            yield Offence(calls[0].function if calls else "GROUP BY", numbers_in(plan))
        case AntiJoin(left, right):
            if not is_closed(right):
                yield Offence("negation", numbers_in(right))
            yield from offences(left)
        case OuterJoin():
            yield from offences(expanded(plan))
        case Top():
            yield Offence("LIMIT", numbers_in(plan))
        case _:
            for each in inputs_of(plan):
                yield from offences(each)


@remembered
def numbers_in(plan: Plan) -> frozenset[int]:
    """Return the numbers of the recursive relations that a plan reads while they are defined."""
    if isinstance(plan, Recur):
        return frozenset({plan.number})
    if isinstance(plan, Fixpoint):
        return frozenset()
    return frozenset().union(*map(numbers_in, inputs_of(plan)))


def written(what: str, node: exp.Expr) -> str:
    """Return how an offence is written in a query: an outer join negates, a query in an expression counts."""
    negates = node.find(exp.Not, exp.Except) is not None
    if what == "negation" and not negates and any(join.side for join in node.find_all(exp.Join)):
        return "outer join"
    return "a query in an expression" if what == "count" and node.find(exp.Count) is None else what
