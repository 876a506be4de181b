"""What a plan asks of a recursive relation, where that is the best of each group.

    γ min(c) by g (P)           the best c of each g
    P ⋈ γ min(c) by g (P)       on g and c: the rows themselves that have it

A query's joins, selections and projections are seen through, so it does not matter how it is written.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.plan.blocks import block_of, is_known, spans
from engine.plan.bodies import Body
from engine.plan.expressions import Call, Field, positions, substitute
from engine.plan.logical import Aggregate, Best, Fixpoint, Plan, inputs_of
from engine.plan.selection import Costs

EXTREMES = frozenset({"min", "max"})


class Use(NamedTuple):
    """What is asked of a recursive relation: of each group the best."""

    best: Best
    group: frozenset[int]
    takes_null: bool


def uses(plan: Plan, fixpoint: Fixpoint) -> Iterator[Use | None]:
    """Yield every use; None for one that asks for more than the best."""
    yield from uses_in(block_of(plan), None, fixpoint)


def uses_in(block: Body, over_it: Aggregate | None, fixpoint: Fixpoint) -> Iterator[Use | None]:
    """Yield the uses in a conjunction, upon which an aggregate may stand."""
    for place, plan in enumerate(block.reads):
        if plan == fixpoint:
            alone = over_it is not None and block.reads.count(fixpoint) == 1
            whole = maybe_best_rows(block, place, fixpoint)
            yield whole or (maybe_extreme(block, place, over_it) if over_it and alone else None)
        elif isinstance(plan, Aggregate):
            last = spans(block)[place][-1]
            is_lost = is_known(Field(last, plan.columns[-1].type), block.predicates)
            for use in uses_in(block_of(plan.child), plan, fixpoint):
                yield use._replace(takes_null=False) if use and is_lost else use
        else:
            for each in inputs_of(plan):
                yield from uses(each, fixpoint)


def maybe_extreme(block: Body, place: int, aggregate: Aggregate) -> Use | None:
    """Recognise γ min(c) by g over a conjunction that reads the relation."""
    span = spans(block)[place]
    arguments = {
        None if call.argument is None else substitute(call.argument, block.expressions)
        for call in aggregate.calls
    }
    functions = {call.function for call in aggregate.calls}
    cost = next(iter(arguments), None)
    if len(arguments) != 1 or len(functions) != 1 or not functions <= EXTREMES:
        return None
    if not isinstance(cost, Field) or cost.position not in span:
        return None
    best, costs = Best(min(functions), cost.position - span.start), Costs({cost.position: min(functions)})
    groups = [substitute(group, block.expressions) for group in aggregate.groups]
    read = {p for e in (*groups, *block.predicates) for p in positions(e) if p in span}
    if all(map(costs.lets_better_pass, block.predicates)) and not any(map(costs.read_by, groups)):
        read.discard(cost.position)
    if cost.position in read:
        return None
    group = frozenset(p - span.start for p in read)
    return Use(best, group, takes_null=bool(groups))


def maybe_best_rows(block: Body, place: int, fixpoint: Fixpoint) -> Use | None:
    """Recognise P ⋈ γ min(c) by g (P) on g and c: of P its best rows are read, whole."""
    start, equal = spans(block)[place].start, equalities(block)
    for plan, span in zip(block.reads, spans(block), strict=True):
        if not isinstance(plan, Aggregate) or block_of(plan.child).reads != (fixpoint,):
            continue
        inner = block_of(plan.child)
        use = maybe_extreme(inner, 0, plan)
        taken = [substitute(group, inner.expressions) for group in plan.groups]
        wanted = [each.position for each in taken if isinstance(each, Field)]
        if use is None or len(wanted) < len(taken) or use.group != frozenset(wanted):
            continue
        meets = zip((*wanted, use.best.position), span, strict=False)
        if all(frozenset((start + here, there)) in equal for here, there in meets):
            return use._replace(takes_null=False)
    return None


def equalities(block: Body) -> set[frozenset[int]]:
    return {
        frozenset(positions(predicate))
        for predicate in block.predicates
        if isinstance(predicate, Call)
        and predicate.function == "="
        and all(isinstance(arg, Field) for arg in predicate.args)
    }
