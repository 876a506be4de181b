"""Why recursion does not derive a row.

    rules     each as far as it gets (``absent``); a missing row of an input is asked for there
    ways      S, what can be reached from x;   T, what leads to ȳ;   and no edge from S to T

A cut says at once what the rules would say in as many steps as there are ways.
"""

from collections.abc import Callable, Iterator

from engine.model.values import Row
from engine.plan.physical import BestPaths, Closure, Recursive
from engine.views.dataflow import InnerNode, Node
from engine.views.why.absent import Failure, Reason, why_not
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.gap import Gap, gap_of, name_of
from engine.views.why.match import Bound

Find = Callable[[Node, Bound], list[Row]]
Below = Callable[[Node, Bound], Iterator[Gap]]


class Underived:
    """Asks a recursive node; ``find`` looks into a node, ``below`` asks one for what it has not."""

    def __init__(self, node: InnerNode, find: Find, below: Below, effort: Effort) -> None:
        self._node = node
        self._find = find
        self._below = below
        self._effort = effort

    def by_rules(self, plan: Recursive, wanted: Bound) -> Iterator[Gap]:
        """Ask each rule of the definition that the row is of."""
        first = len(plan.program.inputs)
        is_alone = len(plan.program.definitions) == 1
        relation = first if is_alone else first + int(wanted[0] or 0)
        head = wanted if is_alone else {column - 1: value for column, value in wanted.items() if column}

        def find(relation: int, bound: Bound) -> list[Row]:
            if relation < first:
                return self._find(self._node.inputs[relation], bound)
            if is_alone:
                return self._find(self._node, bound)
            behind = {0: relation - first} | {column + 1: value for column, value in bound.items()}
            return [row[1:] for row in self._find(self._node, behind)]

        result = why_not(plan.program, relation, head, find, self._effort)
        for failure in result.failures:
            yield from self._of_rule(plan, relation, failure, head)
        if result.is_truncated:
            raise Exhausted

    def _of_rule(self, plan: Recursive, head: int, failure: Failure, wanted: Bound) -> Iterator[Gap]:
        program = plan.program
        relation = head if failure.relation is None else failure.relation
        asked = wanted if failure.relation is None else failure.wanted
        rows = tuple(row for _, row in failure.satisfied)
        if program.is_input(relation) and failure.reason is Reason.NO_ROW:
            for gap in self._below(self._node.inputs[relation], asked):
                yield gap._replace(found=(*rows, *gap.found))
        elif program.is_input(relation):
            yield gap_of(failure.reason, self._node.inputs[relation], asked, rows)
        else:
            definition = program.definitions[relation - len(program.inputs)]
            named = {definition.columns[column].name: value for column, value in asked.items()}
            yield Gap(failure.reason, definition.name, named, rows)

    def by_ways(self, plan: Closure | BestPaths, wanted: Bound) -> Iterator[Gap]:
        """Say what cuts x off from ȳ."""
        edges, seeds = self._node.inputs
        placed = {plan.order[column]: value for column, value in wanted.items()}
        ends = len(plan.order) - isinstance(plan, BestPaths)
        of_ends = {column: value for column, value in wanted.items() if plan.order[column] < ends}
        others = self._find(self._node, of_ends)
        if others:
            yield gap_of(Reason.OUTRANKED, self._node, wanted, tuple(others[:1]))
            return
        x = {column: value for column, value in placed.items() if column < plan.width}
        y = {column: value for column, value in placed.items() if plan.width <= column < ends}
        leading = self._find(self._node, {i: v for i, v in of_ends.items() if plan.order[i] >= plan.width})
        if not leading or len(x) + len(y) < ends:
            yield from self._below(seeds, y)
        elif not self._find(edges, x):
            yield from self._below(edges, x)
        else:
            reached = self._reached(plan.width, tuple(x[column] for column in range(plan.width)), edges)
            told = f"{len(reached)} reached, {len(leading)} lead there, and none of {name_of(edges)} between"
            yield gap_of(Reason.CUT_OFF, self._node, of_ends, (), told)

    def _reached(self, width: int, x: Row, edges: Node) -> set[Row]:
        found = {x}
        front = [x]
        while front:
            at = front.pop()
            self._effort.spend()
            onward = self._find(edges, dict(enumerate(at)))
            after = {row[width : 2 * width] for row in onward} - found
            found |= after
            front += after
        return found
