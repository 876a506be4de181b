"""Push min and max into a recursion, as aggregate selection.

    γ min(c) by g (μ P)            →  γ min(c) by g (μ best P)
    P ⋈ γ min(c) by g (μ P)        →  the same over μ best P        on g and c: the best rows themselves

where everything in the plan that reads P asks for no more than the best c of each g, and the best rows
derive the best rows (``engine.plan.selection``). Without it a path's costs go on for ever round a cycle.

It asks for what a query can say, and else declines: costs that are never NULL, for a group of NULLs has
a row of its own; under min, costs that are added are not negative, for the operators of best paths take
no others. ``WHERE cost >= 0`` says both. A sum beyond its type is NULL, and such a row is left out.
Where P has columns beside g and c, costs are added: of a least or greatest the rows that are not best
derive best rows too. Of doubles whose sums only rounding makes equal, those over the best part stay.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section VII: aggregate selection.
"""

from collections.abc import Iterator
from dataclasses import replace

from engine.model.values import Type
from engine.plan.blocks import asked_of, blocks_of, is_known, is_not_negative, spans
from engine.plan.bodies import Body
from engine.plan.expressions import Call, Expr, Field, positions
from engine.plan.logical import Best, Definition, Fixpoint, Plan
from engine.plan.rewriting import bottom_up, each_once, paths
from engine.plan.selection import Costs, costs_in
from federated.recursion.extremes import Use, uses

MOST_READ = 5_000
"""A part is looked at as often as it is read; of a larger plan no use is known."""

STRICT = frozenset({"+", "-", "*", "double_of_bigint"})


def push_best(plan: Plan) -> Plan:
    """Return the plan with every recursion as selective as what reads it."""
    found = dict.fromkeys(fixpoints(plan))
    for fixpoint in found if paths(plan) <= MOST_READ else ():
        selective = maybe_selective(fixpoint, list(uses(plan, fixpoint)))
        if selective is not None:
            plan = exchanged(plan, fixpoint, selective)
    return plan


def fixpoints(plan: Plan) -> Iterator[Fixpoint]:
    for each in reversed(bottom_up(plan)):
        if isinstance(each, Fixpoint) and len(each.definitions) == 1:
            definition = each.definitions[0]
            if not definition.best and definition.stage is None:
                yield each


def exchanged(plan: Plan, old: Plan, new: Plan) -> Plan:
    return each_once(plan, lambda before, after: new if before == old else after)


def maybe_selective(fixpoint: Fixpoint, asked: list[Use | None]) -> Fixpoint | None:
    """Return the fixpoint that derives no more than is asked of it, where it can."""
    known = [use for use in asked if use is not None]
    if not asked or len(known) < len(asked) or len({use.best for use in known}) != 1:
        return None
    best, definition = known[0].best, fixpoint.definitions[0]
    group = maybe_group(definition, best, frozenset().union(*(use.group for use in known)))
    if group is None:
        return None
    found = replace(fixpoint, definitions=(replace(definition, group=tuple(sorted(group)), best=(best,)),))
    blocks = blocks_of(definition)
    each = [(block, costs_in(block, found.definitions), block.expressions[best.position]) for block in blocks]
    wants_known = any(use.takes_null for use in known) or not all(
        is_lost(cost, position) for _, costs, cost in each for position in costs.best
    )
    wants_strict = len(group) + 1 < len(definition.columns)
    is_sound = all(
        derives_best(block, costs, cost, best)
        and (not wants_known or is_known(cost, facts_of(block, costs, cost)))
        and (not wants_strict or not costs.best or costs.is_strict(cost))
        for block, costs, cost in each
    )
    return found if is_sound else None


def maybe_group(definition: Definition, best: Best, group: frozenset[int]) -> frozenset[int] | None:
    """Return the columns that the group's values and what else is asked depend on; None if on the cost."""
    blocks = blocks_of(definition)
    while True:
        read = frozenset(p for block in blocks for p in read_by_group(block, definition, best, group))
        if best.position in read:
            return None
        if read <= group:
            return group
        group |= read


def read_by_group(block: Body, definition: Definition, best: Best, group: frozenset[int]) -> Iterator[int]:
    """Yield the relation's own columns that a body reads for anything but its other columns."""
    costs = costs_in(block, (replace(definition, best=(best,)),))
    own = {span[i]: i for span in own_spans(block, costs) for i in range(len(span))}
    for expression in [block.expressions[i] for i in group]:
        yield from (own[p] for p in positions(expression) if p in own)
    for expression in (*asked_of(block), block.expressions[best.position]):
        is_ordered = costs.lets_better_pass(expression) or costs.keeps_order(expression)
        hidden = costs.best.keys() if is_ordered else ()
        yield from (own[p] for p in positions(expression) if p in own and p not in hidden)


def own_spans(block: Body, costs: Costs) -> list[range]:
    return [span for span in spans(block) if any(position in span for position in costs.best)]


def derives_best(block: Body, costs: Costs, cost: Expr, best: Best) -> bool:
    """Tell whether a body derives best costs from the best rows."""
    keeps = costs.keeps_order(cost) and all(map(costs.lets_better_pass, asked_of(block)))
    added = [part for part in addends(cost) if not costs.read_by(part)] if costs.best else []
    facts = facts_of(block, costs, cost)
    return keeps and (best.function == "max" or all(is_not_negative(part, facts) for part in added))


def facts_of(block: Body, costs: Costs, cost: Expr) -> tuple[Expr, ...]:
    """Return what holds in a body; a cost that was selected is there, and what is declared so is."""
    declared = (
        Field(span[i], column.type)
        for plan, span in zip(block.reads, spans(block), strict=True)
        for i, column in enumerate(plan.columns)
        if not column.nullable
    )
    selected = (*(Field(position, cost.type) for position in costs.best), *declared)
    there = (Call("not", (Call("is_null", (each,), Type.BOOLEAN),), Type.BOOLEAN) for each in selected)
    return (*block.predicates, *there)


def addends(cost: Expr) -> Iterator[Expr]:
    """Yield what is added; nothing where nothing is."""
    if isinstance(cost, Call) and cost.function == "+":
        for arg in cost.args:
            is_sum = isinstance(arg, Call) and arg.function == "+"
            yield from addends(arg) if is_sum else (arg,)


def is_lost(cost: Expr, position: int) -> bool:
    """Tell whether a NULL at a position makes the whole NULL; else what has no cost may derive what has."""
    if isinstance(cost, Call):
        return cost.function in STRICT and any(is_lost(arg, position) for arg in cost.args)
    return isinstance(cost, Field) and cost.position == position
