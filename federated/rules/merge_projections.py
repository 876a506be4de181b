"""Merge a projection with one below it that only picks columns.

    π(π'(R))      →  π∘π'(R)
    π(σp(π'(R)))  →  π∘π'(σp∘π'(R))

Parts of a recursion, and views over views, so come to equal plans where they do equal work. What
the lower one computes stays where it is, so that nothing is computed twice.
"""

from engine.plan.expressions import Call, Expr, conjunction, conjuncts, substitute
from engine.plan.logical import Plan, Project, Select
from engine.plan.rewriting import rewritten


def merge_projections(plan: Plan) -> Plan:
    """Return the plan without a projection upon one that only picks columns."""
    return rewritten(plan, merged)


def merged(plan: Plan) -> Plan:
    """Merge a node with the one below it, which is merged already."""
    match plan:
        case Project(Project(child, inner), outer, columns) if only_picks(inner):
            return Project(child, tuple(substitute(e, inner) for e in outer), columns)
        case Project(Select(Project(child, inner), predicate), outer, columns) if only_picks(inner):
            asked = conjunction(tuple(substitute(p, inner) for p in conjuncts(predicate)))
            return Project(Select(child, asked), tuple(substitute(e, inner) for e in outer), columns)
    return plan


def only_picks(expressions: tuple[Expr, ...]) -> bool:
    return not any(isinstance(expression, Call) for expression in expressions)
