"""Push selections down.

    σp(A × B)  →  σp(A) × B            where p reads A alone
    σp(π(R))   →  π(σp'(R))            where p' is p with the projection's expressions put in
    σp(δ(R))   →  δ(σp(R))

A selection stops at a scan and at an aggregate. Whether it may go on below the scan's window is
for placement to say.
"""

import operator
from functools import partial

from engine.plan.expressions import Call, Expr, Field, conjunction, conjuncts, move, positions
from engine.plan.logical import Aggregate, Distinct, Join, Plan, Project, Scan, Select


def push_selections(plan: Plan) -> Plan:
    """Return the plan with every selection as low as it goes."""
    pushed = _pushed(plan)
    return plan if pushed == plan else pushed


def _pushed(plan: Plan) -> Plan:
    match plan:
        case Scan():
            return plan
        case Join(inputs, predicates):
            return _push(Join(tuple(_pushed(each) for each in inputs), ()), predicates)
        case Select(child, predicate):
            return _push(_pushed(child), conjuncts(predicate))
        case Project(child, expressions, columns):
            return Project(_pushed(child), expressions, columns)
        case Aggregate(child, groups, calls, columns):
            return Aggregate(_pushed(child), groups, calls, columns)
        case Distinct(child):
            return Distinct(_pushed(child))


def _push(plan: Plan, predicates: tuple[Expr, ...]) -> Plan:
    """Push predicates into a plan whose own selections are low already."""
    if not predicates:
        return plan
    match plan:
        case Project(child, expressions, columns):
            below = tuple(part for p in predicates for part in conjuncts(_substitute(p, expressions)))
            return Project(_push(child, below), expressions, columns)
        case Distinct(child):
            return Distinct(_push(child, predicates))
        case Select(child, predicate):
            return _push(child, (*conjuncts(predicate), *predicates))
        case Join(inputs, held):
            return _push_into_join(inputs, held, predicates)
    return Select(plan, conjunction(predicates))


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


def _substitute(predicate: Expr, expressions: tuple[Expr, ...]) -> Expr:
    if isinstance(predicate, Field):
        return expressions[predicate.position]
    if isinstance(predicate, Call):
        args = tuple(_substitute(arg, expressions) for arg in predicate.args)
        return Call(predicate.function, args, predicate.type)
    return predicate
