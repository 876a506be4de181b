"""One or more joins with their best plans, kept best while what is known changes.

    memo = Memo(graph)                     every root of a graph over all their relations
    memo.change(mask, 2.0)                 sets that contain mask have twice the rows
    memo.observe(mask, 1200)               the set has 1200 rows, whatever changes in smaller ones
    memo.release(mask)                     … until here: its factor stays, and smaller ones' changes count
    memo.change_step(step, 3.0)            one step works three times as much
    memo.cost(), memo.plan()               after one pass over all that changed in between

After any changes costs and plans equal those of a new memo. Queries that share a part of their joins share
its nodes.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, chapter 4.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from engine.model.errors import InternalError
from federated.memo.cardinality import Observed, estimated
from federated.memo.costs import Costs, Operator
from federated.memo.graph import QueryGraph
from federated.memo.levels import Levels
from federated.memo.push import Push
from federated.memo.space import Space
from federated.memo.touched import NOTHING, Touched

ARRAYS_FROM = 1_000
"""And nodes from which whole levels of arrays cost less than pushes."""
LEAST_ROWS = 1e-9
"""A set that was seen empty: its logarithm must exist, and rows may come again."""


class Plan(NamedTuple):
    """A step, the relations that it covers, its cost with all below it, and the plans of its inputs."""

    step: int
    operator: Operator
    mask: int
    cost: float
    rows: float
    inputs: tuple["Plan", ...] = ()


class Work(NamedTuple):
    """Nodes that there are, those that the last pass computed, and all passes together."""

    considered: Touched
    recomputed: Touched
    altogether: Touched
    passes: int


class Memo:
    """The and-or graph of some roots, with costs."""

    def __init__(
        self,
        graph: QueryGraph,
        roots: Sequence[int] = (),
        costs: Costs | None = None,
        *,
        physical: bool = True,
        arrays: bool | None = None,
    ) -> None:
        self.graph = graph
        self.space = Space(graph, roots, costs, physical=physical)
        self._observed = Observed()
        rows = [estimated(graph, mask) for mask in self.space.masks]
        if arrays is None:
            arrays = len(self.space.ands) > ARRAYS_FROM
        self._costed: Push | Levels = (Levels if arrays else Push)(self.space, rows)
        self._last = NOTHING
        self._ors = self._ands = self._passes = 0

    def change(self, mask: int, factor: float) -> None:
        """Multiply the rows of a set and of all that contain it, but for those that were observed."""
        if factor == 1.0:
            return
        if not 0.0 < factor < inf:
            message = (
                f"rows of {', '.join(self.graph.names_of(mask))} times {factor}; expected a factor above 0"
            )
            raise InternalError(message)
        if not self._observed.masks:
            self._costed.scale(mask, factor)
            return
        for part, own in self._observed.factors(mask, factor):
            self._costed.scale(part, own)

    def observe(self, mask: int, rows: float) -> None:
        """Let a set have these rows."""
        self.change(mask, max(rows, LEAST_ROWS) / self.rows(mask))
        self._observed.pin(mask)

    def release(self, mask: int) -> None:
        """Let an observed set follow the smaller ones again, as when no plan shows it any more."""
        self._observed.masks.pop(mask, None)

    def change_step(self, step: int, factor: float) -> None:
        """Multiply the work of one and node."""
        if factor != 1.0:
            self._costed.scale_step(step, factor)

    def rows(self, mask: int) -> float:
        """Return how many rows a set has, as estimated and observed."""
        number = self.space.expression(mask)
        if number is None:
            message = f"rows of {', '.join(self.graph.names_of(mask))}: no plan computes this set by itself"
            raise InternalError(message)
        return float(self._costed.rows[number])

    def settle(self) -> Touched:
        """Compute what the changes since the last time touched."""
        touched = self._costed.settle()
        if touched is not NOTHING:
            self._last = touched
            ors, ands = touched
            self._ors += ors
            self._ands += ands
            self._passes += 1
        return touched

    def recost(self) -> Touched:
        """Compute every cost, whatever changed: what a pass is measured against."""
        return self._costed.settle_all()

    def cost(self, root: int = 0) -> float:
        """Return what the best plan of a root costs, by the root's place."""
        self.settle()
        return self._costed.best(self.space.roots[root])

    def best(self, node: int) -> float:
        """Return the least cost of an or node."""
        self.settle()
        return self._costed.best(node)

    def costs(self, node: int) -> list[float]:
        """Return the costs of an or node's and nodes, in their order."""
        self.settle()
        return self._costed.costs(node)

    def plan(self, root: int = 0) -> Plan:
        """Return a best plan of a root; of equal ones that of the first steps."""
        self.settle()
        return self._plan(self.space.roots[root])

    def plans(self, root: int = 0) -> list[Plan]:
        """Return of each last step of a root the best plan that ends with it."""
        node = self.space.roots[root]
        costs = self.costs(node)
        steps = self.space.ors[node].ways
        return [self._ending(step, cost) for step, cost in zip(steps, costs, strict=True)]

    def statistics(self) -> Work:
        considered = Touched(len(self.space.ors), len(self.space.ands))
        return Work(considered, self._last, Touched(self._ors, self._ands), self._passes)

    def _plan(self, node: int) -> Plan:
        return self._ending(self._costed.step(node), self._costed.best(node))

    def _ending(self, number: int, cost: float) -> Plan:
        step = self.space.ands[number]
        at = self.space.ors[step.of]
        rows = float(self._costed.rows[at.expression])
        inputs = tuple(self._plan(i) for i in step.inputs)
        return Plan(step.id, step.operator, at.mask, cost, rows, inputs)
