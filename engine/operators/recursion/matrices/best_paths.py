"""Pass-through linear recursion that keeps the best cost, in matrices.

    H(x, ȳ, best c)    :-  seed(x, ȳ, c).
    H(x, ȳ, best w∘c)  :-  edge(x, z, w), H(z, ȳ, c).

Nodes and ȳ are numbers inside. Only the best cost is held; the alternates to it are w∘D[z, ȳ] over
the other edges. A step first takes away what became worse, then adds what became better, and puts
out the difference to the step before: the old row of a pair goes, its new row comes.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, aggregate selection.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine.model.errors import InternalError
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.operators.operator import ITSELF, Origin, Origins, Quiet
from engine.operators.recursion.interned import Interned
from engine.operators.recursion.matrices.all_pairs import AllPairs
from engine.operators.recursion.matrices.changes import Parallels
from engine.operators.recursion.matrices.costs import CostRule, Costs
from engine.operators.recursion.matrices.links import Indices
from engine.operators.recursion.matrices.matrix import Difference
from engine.operators.recursion.matrices.seeded_paths import SeededPaths
from engine.operators.recursion.passing import Layout, Part, has_null

Ends = tuple[list[Part], list[Part]]


class NullEnd(NamedTuple):
    """A z with a NULL in it where seeds are edges: a ȳ like others, but no node from which edges go on."""

    part: Part


class BestPathsForm(Quiet):
    """``layout`` tells x from ȳ and how rows are put out, the cost as the column after ȳ."""

    def __init__(self, layout: Layout, rule: CostRule, seeds_are_edges: bool, budget: Budget) -> None:
        self._layout = layout
        self._rule = rule
        self._budget = budget
        self._is_square = seeds_are_edges
        self._nodes = Interned()
        self._links = Parallels()
        self._passing = self._nodes if seeds_are_edges else Interned()
        self._seeds = self._links if seeds_are_edges else Parallels()
        self._paths = (AllPairs if seeds_are_edges else SeededPaths)(rule, budget)
        self._inputs = self._rows = 0

    def entries(self) -> int:
        """Count the rows of the inputs and of the view."""
        return self._inputs + self._rows

    def step(self, *changes: Delta[int]) -> Delta[int]:
        edges, seeds = changes
        self._inputs += sum(edges.values()) + sum(seeds.values())
        links = self._linked(edges)
        seeded = [] if self._is_square else self._seeded(seeds)
        worse, better = self._links.changes()
        worse_seeds, better_seeds = ({}, {}) if self._is_square else self._seeds.changes()
        paths = self._paths
        if self._rule.outgrows_doubles:
            paths.widen()
        paths.grow(len(self._nodes.values), len(self._passing.values))
        with np.errstate(over="ignore"):  # a sum beyond the largest double is absent, as ∞ is
            paths.worsen(worse, worse_seeds)
            paths.improve(better, better_seeds)
            output = self._decoded(paths.differences())
        self._forget(links, seeded)
        return output

    # The inputs

    def _linked(self, change: Delta[int]) -> list[tuple[Part, Part]]:
        """Take edges in; return the ends of those that went."""
        layout, rule, went = self._layout, self._rule, []
        for row, sign in change.items():
            x, z, cost = layout.x(row), layout.z(row), rule.step(row[-1])
            if has_null(z, layout.width):
                if not self._is_square:
                    continue
                z = NullEnd(z)
            link = self._taken(self._nodes, x, sign), self._taken(self._nodes, z, sign)
            self._links.take(link, cost, sign)
            rule.count(cost, sign)
            if sign < 0:
                went.append((x, z))
        return went

    def _seeded(self, change: Delta[int]) -> list[tuple[Part, Part]]:
        """Take seeds in; return the ends of those that went."""
        layout, rule, went = self._layout, self._rule, []
        for row, sign in change.items():
            x, y, cost = layout.x(row), layout.y(row), rule.inward(row[-1])
            seed = self._taken(self._nodes, x, sign), self._taken(self._passing, y, sign)
            self._seeds.take(seed, cost, sign)
            rule.count(cost, sign)
            if sign < 0:
                went.append((x, y))
        return went

    def _taken(self, interned: Interned, part: Part, sign: int) -> int:
        return interned.take(part) if sign > 0 else interned.number(part)

    def _forget(self, links: list[tuple[Part, Part]], seeds: list[tuple[Part, Part]]) -> None:
        """Let go of numbers that no input row uses any more."""
        for x, z in links:
            self._nodes.drop(x)
            self._nodes.drop(z)
        for x, y in seeds:
            self._nodes.drop(x)
            self._passing.drop(y)

    # The output

    def _decoded(self, differences: list[Difference]) -> Delta[int]:
        if not differences:
            return {}
        rows, named, before, now = (np.concatenate(parts) for parts in zip(*differences, strict=True))
        gone, come = self._rule.there(before), self._rule.there(now)
        count, more = int(np.count_nonzero(gone)), int(np.count_nonzero(come))
        self._rows += more - count
        self._budget.check(max(self._rows, count + more), "recursion")
        old = self._ends(rows[gone], named[gone])
        new = old if count == more == len(rows) else self._ends(rows[come], named[come])
        output = dict.fromkeys(self._rows_of(old, before[gone]), -1)
        output.update(dict.fromkeys(self._rows_of(new, now[come]), 1))
        return output

    def _ends(self, rows: Indices, named: Indices) -> Ends:
        """Return the x and the ȳ of cells."""
        passing = list(map(self._passing.values.__getitem__, named.tolist()))
        if self._is_square and NullEnd in set(map(type, passing)):
            passing = [y.part if type(y) is NullEnd else y for y in passing]
        return list(map(self._nodes.values.__getitem__, rows.tolist())), passing

    def _rows_of(self, ends: Ends, costs: Costs) -> Iterable[Row]:
        return self._layout.table(*ends, self._rule.outward(costs))

    # What is asked

    def rows(self) -> Iterator[Row]:
        """Yield what the view holds."""
        for rows, named, costs in self._paths.present():
            there = self._rule.there(costs)
            yield from self._rows_of(self._ends(rows[there], named[there]), costs[there])

    def derivations(self, row: Row) -> Iterator[Origins]:
        """Yield what derives a row of the view in one step at its cost."""
        node, column = self._place(row)
        cost = self._paths.cost(node, column)
        if self._seeds.least((node, column)) == cost:
            yield (self._seed(node, column),)
        for following in self._paths.next_rows(node, column, cost):
            if not (self._is_square and following == column):
                below = self._paths.cost(following, column)
                ends = self._ends(np.array([following]), np.array([column]))
                (rest,) = self._rows_of(ends, np.array([below]))
                yield self._edge(node, following), (ITSELF, rest)

    def _place(self, row: Row) -> tuple[int, int]:
        wanted = self._layout.inputs_of(row)
        y = self._layout.y(wanted)
        named = NullEnd(y) if self._is_square and has_null(y, self._layout.width) else y
        return self._nodes.number(self._layout.x(wanted)), self._passing.number(named)

    def _edge(self, node: int, following: int) -> Origin:
        cost = self._rule.one_outward(self._links.least((node, following)))
        return 0, (*self._layout.edge(self._nodes.values[node], self._nodes.values[following]), cost)

    def _seed(self, node: int, column: int) -> Origin:
        cost = self._rule.one_outward(self._seeds.least((node, column)))
        y = self._passing.values[column]
        return 1, (*self._layout.seed(self._nodes.values[node], y.part if type(y) is NullEnd else y), cost)

    def witness(self, row: Row) -> Origins:
        """Return one derivation: the edges of a best way from x, input 0, and its seed, input 1."""
        node, column = self._place(row)
        way = self._way(node, column)
        return (*[self._edge(*link) for link in pairwise(way)], self._seed(way[-1], column))

    def _way(self, start: int, column: int) -> list[int]:
        """Search the edges that a best way may take, breadth first, for a seed as cheap as its row."""
        came_over = {start: start}
        waiting = deque([start])
        while waiting:
            node = waiting.popleft()
            cost = self._paths.cost(node, column)
            if self._seeds.least((node, column)) == cost:
                return way_back(node, came_over)
            for following in self._paths.next_rows(node, column, cost):
                if following not in came_over:
                    came_over[following] = node
                    waiting.append(following)
        message = "a best cost without a way to it"
        raise InternalError(message)


def way_back(node: int, came_over: dict[int, int]) -> list[int]:
    way = [node]
    while came_over[way[-1]] != way[-1]:
        way.append(came_over[way[-1]])
    return way[::-1]
