"""The cost model: rows out of every node, and the work to keep them.

    rows(σ)     =  rows · Π selectivity           = : 0.1    LIKE, <, … : 0.3
    rows(A ⋈ B) =  |A| · |B| / Π max(1, √max(|A|, |B|) or the keyed side's size)
    rows(A ⟕ B) =  max(rows(A ⋈ B), |A|)           full: + |B|
    rows(μ)     =  (Σ inputs) ^ 1.5                pairs, fewer than all; of one column: Σ inputs
    cost(node)  =  rows put out + Σ cost(inputs)

Units are rows; what a row costs at a site, in which metric, comes with the sites' own models.
"""

from typing import TYPE_CHECKING

from engine.plan.constant import Constant
from engine.plan.explaining import Estimate
from engine.plan.expressions import Call, Expr, Field, conjuncts, substitute
from engine.plan.leaves import Leaf, Shipped, Table, Totalled, Windowed
from engine.plan.nearest import NearestPaths
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    BestPaths,
    Closure,
    Filter,
    FirstRows,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Partitioned,
    Physical,
    Unique,
    children,
    leaves,
)
from federated.estimating.bounds import bounds
from federated.estimating.estimated import Estimated, guessed, observed
from federated.estimating.statistics import Observed, Statistics
from federated.sites.network import UNKNOWN, Network

if TYPE_CHECKING:
    from federated.joining.regions import Regions
    from federated.placing.totalled import Totalling

EQUALITY_KEEPS = 0.1
OTHER_KEEPS = 0.3
GROUPS_OF_ROWS = 0.5
RECURSION_GROWS = 1.5
WAYS_OF_A_POINT = 3.0
LEAST = 0.1
"""Rows that a node is taken to have which is empty: it may fill."""
RENEWED = {Table: 0.01, Windowed: 0.1, Shipped: 0.1, Totalled: 0.1}
"""Which part of a leaf's rows changes in a tick, until that was seen."""
UNTOLD = 1e18
"""Joins upon joins are guessed to have more rows than a number can say; all of these are as bad."""


class CostModel:
    """Estimates physical plans by what statistics say, each node once."""

    def __init__(
        self,
        statistics: Statistics,
        network: Network = UNKNOWN,
        regions: "Regions | None" = None,
        totalling: "Totalling | None" = None,
    ) -> None:
        self.statistics = statistics
        self.regions = regions
        self.totalling = totalling
        self._network = network
        self._known: dict[Physical, Estimate] = {}

    def estimate(self, plan: Physical) -> Estimate:
        found = self._known.get(plan)
        if found is None:
            guess = self._estimated(plan)
            rows, cost = min(guess.rows, UNTOLD), min(guess.cost, UNTOLD)
            found = guess._replace(rows=rows, cost=cost)
            if not isinstance(plan, Leaf):
                within = bounds(plan, [self.estimate(each) for each in children(plan)], is_key_of)
                found = found._replace(least=within.least, most=within.most, source=within.source)
            self._known[plan] = found
        return found

    def rows(self, plan: Physical) -> float:
        """Return the rows of a node: as seen where it runs, else as estimated."""
        seen = self.seen(plan)
        return max(self.estimate(plan).rows if seen is None or isinstance(plan, Leaf) else seen.rows, LEAST)

    def seen(self, plan: Physical) -> Observed | None:
        """Return what was seen of a node; that it is empty means nothing while what feeds it is."""
        seen = self.statistics.known(plan)
        if seen is None or seen.rows:
            return seen
        fed = (self.statistics.known(leaf) for leaf in leaves(plan))
        return seen if all(leaf is not None and leaf.rows for leaf in fed) else None

    def changes(self, plan: Physical) -> float:
        """Return how many rows of a node change in a tick."""
        seen = self.statistics.known(plan)
        if seen is not None and seen.change is not None:
            return seen.change
        return max((RENEWED[type(leaf)] for leaf in leaves(plan)), default=0.0) * self.rows(plan)

    def _estimated(self, plan: Physical) -> Estimate:
        match plan:
            case Table() | Windowed() | Shipped() | Totalled():
                rows = self._leaf(plan)
                return Estimate(rows.value, rows.value, rows.low, rows.high, rows.source)
            case Filter(child, predicate):
                below = self.estimate(child)
                return self._above(below, below.rows * kept_by(predicate))
            case Map(child):
                below = self.estimate(child)
                return self._above(below, below.rows)
            case GroupBy(child, groups):
                below = self.estimate(child)
                return self._above(below, max(1.0, below.rows * GROUPS_OF_ROWS) if groups else 1.0)
            case Unique(child):
                below = self.estimate(child)
                return self._above(below, below.rows)
            case Partitioned(child):
                return self.estimate(child)
            case HashJoin(left, right):
                return self._join(plan, self.estimate(left), self.estimate(right))
        return self._estimate_apart(plan)

    def _leaf(self, leaf: Leaf) -> Estimated:
        """Take what was observed; of what comes from another site and was not, what is known of that."""
        rows = self.statistics.rows(leaf)
        if self.statistics.is_observed(leaf):
            return observed(rows)
        if isinstance(leaf, Shipped):
            there = self.estimate(leaf.plan)
            return Estimated(there.rows, there.least, there.most, there.source)
        if isinstance(leaf, Totalled) or leaf.relation.comes_by_itself:
            return guessed(rows)
        return self._network.held(leaf)

    def _estimate_apart(self, plan: Physical) -> Estimate:
        each = [self.estimate(below) for below in children(plan)]
        rows = sum(below.rows for below in each)
        match plan:
            case Constant(held):
                rows = max(float(len(held)), 0.01)
            case HashAntiJoin():
                rows = each[0].rows
            case HashOuterJoin():
                kept = each[1].rows if plan.keeps_right else 0.0
                rows = max(self._met(plan, *each), each[0].rows) + kept
            case FirstRows(count=count) if count is not None:
                rows = min(rows, count)
            case NearestPaths():
                rows = max(1.0, each[0].rows / WAYS_OF_A_POINT)
            case Closure(width=width, seeds=seeds) if len(seeds.columns) > width:
                rows **= RECURSION_GROWS
            case BestPaths(width=width, seeds=seeds) if len(seeds.columns) > width + 1:
                rows **= RECURSION_GROWS
        return Estimate(rows, rows + sum(below.cost for below in each))

    def _above(self, below: Estimate, rows: float) -> Estimate:
        return Estimate(rows, below.cost + rows)

    def _join(self, plan: HashJoin, left: Estimate, right: Estimate) -> Estimate:
        rows = self._met(plan, left, right)
        return Estimate(rows, left.cost + right.cost + rows)

    def _met(self, plan: HashJoin | HashOuterJoin, left: Estimate, right: Estimate) -> float:
        """Guess how many pairs have equal keys."""
        rows = left.rows * right.rows
        if plan.left_keys:
            distinct = max(
                left.rows if is_key_of(plan.left_keys, plan.left) else 1.0,
                right.rows if is_key_of(plan.right_keys, plan.right) else 1.0,
            )
            rows /= distinct if distinct > 1.0 else max(left.rows, right.rows) ** 0.5 or 1.0
        return max(rows, 0.01)


def is_key_of(keys: tuple[Expr, ...], plan: Physical) -> bool:
    """Tell whether key expressions cover the key of a table (or of a window of one row each)."""
    while isinstance(plan, Filter | Map):
        if isinstance(plan, Map):
            keys = tuple(substitute(key, plan.expressions) for key in keys)
        plan = plan.child
    if not isinstance(plan, Leaf) or not plan.relation.key:
        return False
    read = {key.position for key in keys if isinstance(key, Field)}
    return set(plan.relation.key_positions) <= read


def kept_by(predicate: Expr) -> float:
    """Guess which part of the rows satisfies a predicate."""
    kept = 1.0
    for part in conjuncts(predicate):
        equality = isinstance(part, Call) and part.function == "="
        kept *= EQUALITY_KEEPS if equality else OTHER_KEEPS
    return kept
