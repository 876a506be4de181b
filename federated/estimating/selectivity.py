"""Which part of the devices a selection keeps: counted where it runs alone, else guessed.

kept(σp(R))  =  rows of the fragment σp(R) / rows of R
"""

from engine.plan.leaves import Shipped, Windowed
from engine.plan.physical import Filter, GroupBy, Map, Physical
from federated.estimating.cost import kept_by
from federated.estimating.estimated import Estimated, exact, guessed, observed
from federated.sites.network import Network

FEW = 0.5


class Selectivities:
    """What was counted, by selection."""

    def __init__(self) -> None:
        self._rows: dict[Physical, float] = {}

    def observe(self, leaf: Shipped, rows: float) -> None:
        """Take in how many rows a fragment has that selects and does nothing else with them.

        None at all may be that nobody has answered yet; where there were some, it is fewer than one.
        """
        core = selected(leaf.plan)
        if isinstance(core, Filter) and not isinstance(leaf.plan, GroupBy) and (rows or core in self._rows):
            self._rows[core] = max(rows, FEW)

    def of(self, plan: Physical, network: Network) -> Estimated:
        """Return which part of the rows of one relation a plan keeps."""
        core = selected(plan)
        if not isinstance(core, Filter):
            return exact(1.0)
        rows, leaf = self._rows.get(core), core.child
        if rows is None or not isinstance(leaf, Windowed):
            return guessed(kept_by(core.predicate)).at_most(1.0)
        return observed(min(1.0, rows / max(1.0, network.held(leaf).value))).at_most(1.0)


def selected(plan: Physical) -> Physical:
    """Return what is selected, below projections and totals."""
    while isinstance(plan, Map | GroupBy):
        plan = plan.child
    return plan
