"""What people are told of a node: of one that runs what was seen of it, else what follows from its inputs.

    rows(node)  =  rows seen, where it runs         else derived from the rows of its inputs, told likewise
    cost(node)  =  rows put out + Σ cost(inputs)
    derived     =  what its inputs led to expect, of what another site answers what was known of that

The optimizer itself compares plans of which most do not run, so there all of them are derived alike.
"""

from engine.plan.explaining.estimates import Estimate
from engine.plan.leaves import Leaf, Shipped
from engine.plan.physical import Physical, children
from federated.estimating.cost import CostModel
from federated.estimating.estimated import observed


class Told(CostModel):
    """Estimates by what statistics say of every node."""

    def estimate(self, plan: Physical) -> Estimate:
        known = self._known.get(plan)
        if known is not None:
            return known
        found, seen = super().estimate(plan), self.seen(plan)
        if seen is not None and not isinstance(plan, Leaf):
            rows, least, most, source = observed(seen.rows)
            cost = rows + sum(self.estimate(each).cost for each in children(plan))
            found = self._known[plan] = Estimate(rows, cost, least, most, source, found.rows)
        elif seen is not None and isinstance(plan, Shipped):
            found = self._known[plan] = found._replace(derived=self.estimate(plan.plan).rows)
        return found
