"""Best costs to the nearest of all seeds, as a recursive stratum.

    H(x, best c)    :-  seed(x, c).
    H(x, best w∘c)  :-  edge(x, z, w), H(z, c).

It is ``BestPaths`` without a ȳ: where nothing tells seeds apart, a node has one cost, and a change is as
much work as the costs that it changes.
"""

import operator
from collections.abc import Iterator
from itertools import pairwise

from engine.model.errors import InternalError
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.operators.operator import ITSELF, Origin, Origins, Quiet
from engine.operators.recursion.frontier.nearest_costs import Cost, NearestCosts, Node
from engine.operators.recursion.matrices.costs import ABSENT, CostRule
from engine.operators.recursion.passing import Layout, has_null
from engine.plan.meanings import BIGINT_BOUND

NOBODY = ()


class FrontierForm(Quiet):
    """``layout`` tells x from z and how rows are put out; nothing is handed on."""

    def __init__(self, layout: Layout, rule: CostRule, budget: Budget) -> None:
        self._layout, self._rule, self._budget = layout, rule, budget
        combine = operator.add if rule.adds else max
        limit = BIGINT_BOUND if rule.is_integral else ABSENT
        self._costs = NearestCosts(combine, limit, budget.meter)
        self._inputs = 0

    def entries(self) -> int:
        """Count the rows of the inputs and of the view."""
        return self._inputs + len(self._costs.values)

    def step(self, *changes: Delta[int]) -> Delta[int]:
        edges, seeds = changes
        layout, rule, costs = self._layout, self._rule, self._costs
        self._inputs += sum(edges.values()) + sum(seeds.values())
        for row, sign in edges.items():
            cost, z = rule.step(row[-1]), layout.z(row)
            if not has_null(z, layout.width):
                costs.links.take((layout.x(row), z), cost, sign)
        for row, sign in seeds.items():
            costs.seeds.take((layout.x(row), NOBODY), rule.inward(row[-1]), sign)
        before = costs.settle()
        self._budget.check(len(costs.values), "recursion")
        return dict(self._changed(before))

    def _changed(self, before: dict[Node, Cost]) -> Iterator[tuple[Row, int]]:
        values = self._costs.values
        for x, cost in before.items():
            if cost != ABSENT:
                yield self._row(x, cost), -1
            if x in values:
                yield self._row(x, values[x]), 1

    def _row(self, x: Node, cost: Cost) -> Row:
        (row,) = self._layout.table([x], [NOBODY], [self._rule.one_outward(cost)])
        return row

    # What is asked

    def rows(self) -> Iterator[Row]:
        """Yield what the view holds."""
        for x, cost in self._costs.values.items():
            yield self._row(x, cost)

    def derivations(self, row: Row) -> Iterator[Origins]:
        """Yield what derives a row of the view in one step at its cost."""
        x = self._node(row)
        if self._costs.is_seeded(x):
            yield (self._seed(x),)
        for z in self._costs.supports(x):
            yield self._edge(x, z), (ITSELF, self._row(z, self._costs.values[z]))

    def witness(self, row: Row) -> Origins:
        """Return one derivation: the edges of a best way from x, input 0, and its seed, input 1."""
        way = self._way(self._node(row))
        return (*[self._edge(*link) for link in pairwise(way)], self._seed(way[-1]))

    def _way(self, start: Node) -> list[Node]:
        """Walk on, depth first, over what may be a best way; links of no cost may lead in a circle."""
        came_over: dict[Node, Node] = {start: None}
        waiting = [start]
        while waiting:
            x = waiting.pop()
            if self._costs.is_seeded(x):
                way = [x]
                while way[-1] != start:
                    way.append(came_over[way[-1]])
                return way[::-1]
            for z in self._costs.supports(x):
                if z not in came_over:
                    came_over[z] = x
                    waiting.append(z)
        message = "a best cost without a way to it"
        raise InternalError(message)

    def _node(self, row: Row) -> Node:
        return self._layout.x(self._layout.inputs_of(row))

    def _edge(self, x: Node, z: Node) -> Origin:
        cost = self._rule.one_outward(self._costs.links.least((x, z)))
        return 0, (*self._layout.edge(x, z), cost)

    def _seed(self, x: Node) -> Origin:
        cost = self._rule.one_outward(self._costs.seeds.least((x, NOBODY)))
        return 1, (*self._layout.seed(x, NOBODY), cost)
