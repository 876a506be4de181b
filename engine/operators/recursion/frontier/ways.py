"""The way from every point to the target that is nearest to it, kept while ways and targets change.

    costs (``nearest_costs``)   how far each point is; what changed
    next, target                of those, of what leads to them and of what was itself changed; then of what
                                led to a point whose target is another now: nearest first

A point's row is decided by rows of points that are nearer, so each is looked at once.
"""

import operator
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any

from engine.model.values import Row, Value
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.operators.operator import ITSELF, Origins, Quiet
from engine.operators.recursion.frontier.nearest_costs import NearestCosts, Node
from engine.operators.recursion.matrices.costs import ABSENT
from engine.plan.meanings import BIGINT_BOUND

WHOLE = None
"""The other end of a target, as of a link: targets of one point differ by their names alone."""


class NearestForm(Quiet):
    """Rows put out are (point, next, target, length); at the point of the target ``next`` is itself."""

    def __init__(self, budget: Budget, *, integral: bool) -> None:
        self._budget = budget
        self._costs = NearestCosts(operator.add, BIGINT_BOUND if integral else ABSENT, budget.meter)
        self._ends: dict[Node, set[tuple[Value, Value]]] = {}
        self._rows: dict[Node, Row] = {}
        self._inputs = 0

    def entries(self) -> int:
        """Count the rows of the inputs and of the view."""
        return self._inputs + len(self._rows)

    def step(self, *changes: Delta[int]) -> Delta[int]:
        ways, targets = changes
        self._inputs += sum(ways.values()) + sum(targets.values())
        touched = self._take_ways(ways) | self._take_targets(targets)
        costs = self._costs
        for x in costs.settle():
            touched.add(x)
            touched.update(costs.into(x))
        self._budget.check(len(costs.values), "recursion")
        return self._settled(touched)

    def _take_ways(self, ways: Delta[int]) -> set[Node]:
        links, touched = self._costs.links, set[Node]()
        length: Any
        for (a, b, length), sign in ways.items():
            if a is not None and b is not None and length is not None and length > 0:
                links.take((a, b), length, sign)
                touched.add(a)
        return touched

    def _take_targets(self, targets: Delta[int]) -> set[Node]:
        seeds, touched = self._costs.seeds, set[Node]()
        length: Any
        for (point, target, length), sign in targets.items():
            if point is None or target is None or length is None:
                continue
            seeds.take((point, WHOLE), length, sign)
            touched.add(point)
            ends = self._ends.setdefault(point, set())
            if sign > 0:
                ends.add((length, target))
            else:
                ends.discard((length, target))
                if not ends:
                    del self._ends[point]
        return touched

    def _settled(self, touched: set[Node]) -> Delta[int]:
        """Decide the rows of what was touched, and of what these lead on; return the change."""
        values, rows, changed = self._costs.values, self._rows, dict[Row, int]()
        for x in touched:
            if x not in values and x in rows:
                changed[rows.pop(x)] = -1
        order, decided = count(), set[Node]()
        waiting = [(values[x], next(order), x) for x in touched if x in values]
        heapify(waiting)
        while waiting:
            cost, _, x = heappop(waiting)
            if x in decided:
                continue
            decided.add(x)
            old, new = rows.get(x), self._row(x, cost)
            if new == old:
                continue
            if old is not None:
                changed[old] = -1
            changed[new] = 1
            rows[x] = new
            if old is None or old[2] != new[2]:
                for p in self._costs.into(x):
                    if p not in decided and p not in touched and p in values:
                        heappush(waiting, (values[p], next(order), p))
        return changed

    def _row(self, x: Node, cost: Value) -> Row:
        """Decide a point's row; those of the points that its way may go over are decided."""
        ends = self._ends.get(x)
        if ends is not None:
            length, target = min(ends)
            if length == cost:
                return x, x, target, cost
        onward = self._costs.support(x)
        return x, onward, self._rows[onward][2], cost

    # What is asked

    def rows(self) -> Iterator[Row]:
        """Yield what the view holds."""
        return iter(self._rows.values())

    def derivations(self, row: Row) -> Iterator[Origins]:
        """Yield what derives a row of the view: its way goes over one point, or ends here."""
        x, onward, target, cost = row
        if onward == x:
            yield ((1, (x, target, cost)),)
        else:
            there = self._rows[onward]
            yield (0, (x, onward, self._costs.onward[x][onward])), (ITSELF, there)

    def witness(self, row: Row) -> Origins:
        """Return the ways along the way of a row, input 0, and its target, input 1."""
        found = []
        while row[0] != row[1]:
            found.append((0, (row[0], row[1], self._costs.onward[row[0]][row[1]])))
            row = self._rows[row[1]]
        return (*found, (1, (row[0], row[2], row[3])))
