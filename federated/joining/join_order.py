"""The order of joins: the cheapest tree by what is known, bushy, each predicate used once.

An equality between the two sides becomes a key of the hash join, any other predicate a selection as
soon as all its columns are there. What is known of the join is kept by its region (``joining``).
"""

from engine.plan.expressions import Expr
from engine.plan.physical import Physical
from federated.estimating.cost import CostModel
from federated.joining.regions import Regions


class JoinOrder:
    """Orders the inputs of one n-ary join; afterwards ``place`` says where a column went."""

    def __init__(
        self,
        inputs: tuple[Physical, ...],
        predicates: tuple[Expr, ...],
        model: CostModel,
        key: object = None,
    ) -> None:
        self._inputs = inputs
        self._model = model
        self._regions = Regions() if model.regions is None else model.regions
        self._region = self._regions.of(inputs if key is None else key, inputs, predicates)
        self.place: dict[int, int] = {}

    def plan(self) -> Physical:
        """Return the tree's operators."""
        tree, built = self._region.plan(self._inputs, self._model)
        self._regions.note(built.plan, self._region, tree)
        self.place = built.place
        return built.plan
