"""Push selections down.

    σp(A × B)  →  σp(A) × B            where p reads A alone
    σp(π(R))   →  π(σp'(R))            where p' is p with the projection's expressions put in
    σp(δ(R))   →  δ(σp(R))
    σp(A + B)  →  σp(A) + σp(B)
    σp(A ▷ B)  →  σp(A) ▷ B
    σp(A ⟕ B)  →  σp(A) ⟕ B            where p reads A alone; what an ON asks of B alone goes into B

A selection stops at a scan, an aggregate, a fixpoint, and at a top-k: the first of the rows that
satisfy it are not those of the first that satisfy it. In a plan that shares most of its parts it
stops at what is read more than once, which would else be there once for every way down to it. Whether
it may go on below the scan's window is for placement to say.
"""

import operator
from dataclasses import replace
from functools import partial

from engine.plan.expressions import Expr, conjunction, conjuncts, move, positions, substitute
from engine.plan.logical import AntiJoin, Distinct, Join, Plan, Project, Select, Top, Union
from engine.plan.outer_join import OuterJoin
from engine.plan.rewriting import apart, paths, rewritten
from engine.plan.sharing import remembered
from federated.rules.narrow_outer_joins import maybe_inner

MOST_READ = 1_000
"""Of a plan that reads more nodes, counted as often as they are read, a shared part stays one."""


def push_selections(plan: Plan) -> Plan:
    """Return the plan with every selection as low as it goes."""
    if paths(plan) > MOST_READ:
        return apart(plan, lambda part: rewritten(part, pushed))
    return rewritten(plan, pushed)


def pushed(plan: Plan) -> Plan:
    """Push the selections of a node over what has its own low already."""
    match plan:
        case Join(inputs, predicates):
            return _push(Join(inputs, ()), predicates) if predicates else plan
        case OuterJoin(_, _, predicates, False):
            return _push_into_right(plan, predicates)
        case Select(child, predicate):
            return _push(child, conjuncts(predicate))
    return plan


@remembered
def _push(plan: Plan, predicates: tuple[Expr, ...]) -> Plan:
    """Push predicates into a plan whose own selections are low already."""
    if not predicates:
        return plan
    match plan:
        case Project(child, expressions, columns):
            below = tuple(part for p in predicates for part in conjuncts(substitute(p, expressions)))
            return Project(_push(child, below), expressions, columns)
        case Distinct(child):
            return Distinct(_push(child, predicates))
        case Union(inputs):
            return Union(tuple(_push(each, predicates) for each in inputs))
        case AntiJoin(left, right, left_keys, right_keys):
            return AntiJoin(_push(left, predicates), right, left_keys, right_keys)
        case Top(child, order, None, 0):
            return Top(_push(child, predicates), order, None)
        case Select(child, predicate):
            return _push(child, (*conjuncts(predicate), *predicates))
        case Join(inputs, held):
            return _push_into_join(inputs, held, predicates)
        case OuterJoin():
            return _push_into_outer_join(plan, predicates)
    return Select(plan, conjunction(predicates))


def _push_into_right(plan: OuterJoin, predicates: tuple[Expr, ...]) -> OuterJoin:
    """Ask of the right, below a left join, what its condition asks of it alone."""
    width = len(plan.left.columns)
    own = tuple(p for p in predicates if min(positions(p), default=-1) >= width)
    if not own:
        return plan
    right = _push(plan.right, tuple(move(p, partial(operator.add, -width)) for p in own))
    return OuterJoin(plan.left, right, tuple(p for p in predicates if p not in own))


def _push_into_outer_join(plan: OuterJoin, predicates: tuple[Expr, ...]) -> Plan:
    """Push what reads the left alone, unless rows stand without it; narrow the join first."""
    narrowed = maybe_inner(plan, predicates)
    if not isinstance(narrowed, OuterJoin):
        return _push(narrowed, predicates)
    width = len(narrowed.left.columns)
    own = tuple(p for p in predicates if not narrowed.keeps_right and is_of_left(p, width))
    above = tuple(p for p in predicates if p not in own)
    pushed = replace(narrowed, left=_push(narrowed.left, own))
    return Select(pushed, conjunction(above)) if above else pushed


def is_of_left(predicate: Expr, width: int) -> bool:
    return bool(positions(predicate)) and max(positions(predicate)) < width


def _push_into_join(inputs: tuple[Plan, ...], held: tuple[Expr, ...], predicates: tuple[Expr, ...]) -> Join:
    pushed = []
    start = 0
    left = list(predicates)
    for plan in inputs:
        here = range(start, start + len(plan.columns))
        own = [p for p in left if positions(p) and all(position in here for position in positions(p))]
        left = [p for p in left if p not in own]
        pushed.append(_push(plan, tuple(move(p, partial(operator.add, -start)) for p in own)))
        start += len(plan.columns)
    return Join(tuple(pushed), (*held, *left))
