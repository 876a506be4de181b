"""Rewrites of the logical plan, one a file, in the order in which they run.

A rule never mutates; where it declines it returns the plan that it was given.

Views are unfolded and subqueries decorrelated by the binder already (``engine.lang.streamsql.nested``). What
depends on the way that is chosen is done in placement: a fragment brings the columns that are read above it
(``federated.placing.partition``), totals are begun beside the rows (``federated.placing.totals``).
"""

from functools import reduce

from engine.plan.logical import Plan
from engine.plan.sharing import remembered
from federated.rules.merge_projections import merge_projections
from federated.rules.push_best import push_best
from federated.rules.push_selections import push_selections
from federated.rules.unwrap_lone_inputs import unwrap_lone_inputs

RULES = (push_best, push_selections, unwrap_lone_inputs, merge_projections)


@remembered
def rewrite(plan: Plan) -> Plan:
    """Apply every rule in turn."""
    return reduce(lambda rewritten, rule: rule(rewritten), RULES, plan)
