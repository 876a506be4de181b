"""Unwrap what is joined with nothing.

    ⋈(R)  →  R

So does a query of one relation come to selections and projections alone, which every site can run.
"""

from engine.plan.logical import Join, Plan
from engine.plan.rewriting import rewritten


def unwrap_lone_inputs(plan: Plan) -> Plan:
    """Return the plan without joins of one input that ask for nothing."""
    return rewritten(plan, unwrapped)


def unwrapped(plan: Plan) -> Plan:
    """Return the only input of a node that is a join of one."""
    match plan:
        case Join((only,), ()):
            return only
    return plan
