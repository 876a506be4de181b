"""One tick of the dataflow: readings enter at the leaves, and every node takes what its inputs changed.

    for every node, inputs before outputs:   Δ(node) = step(Δ(inputs))

What is in shares goes together, since a round of Spark costs the same for one as for many: first the leaves,
then the plans that read them. What comes of that is found by ``run`` when it comes to the node.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import structlog

from engine.model.errors import SmartCISError
from engine.operators.budget import Budget, BudgetExceeded
from engine.partitions.carrying import Course, abreast
from engine.partitions.operator import PartitionedPlan
from engine.views.again import stepped
from engine.views.entering import Came, entered, together
from engine.views.nodes import InnerNode, LeafNode, Node, Rows

log = structlog.get_logger(__name__)
Before = Callable[[InnerNode, list[Rows]], Iterator[list[Rows]]]


class Tick:
    """What changed of each node, which failed and why, and, where that is timed, how long each took.

    ``before`` yields what the inputs of a node contained before these changes, in parts.
    """

    def __init__(self, came: Came, now: int, budget: Budget, before: Before, is_timed: bool) -> None:
        self._came, self._now, self._budget, self._before = came, now, budget, before
        self._meter, self._is_timed = budget.meter, is_timed
        self._found: dict[Node, Any] = {}
        self._waited: dict[Node, float] = {}
        self.changes: dict[Node, Rows] = {}
        self.failed: dict[Node, str] = {}
        self.spent: dict[Node, float] = {}

    def enter_together(self, leaves: Sequence[LeafNode]) -> None:
        """Have leaves in shares take what came."""
        self._ask(lambda: together(leaves, self._came, self._now))

    def step_together(self, plans: Mapping[InnerNode, PartitionedPlan]) -> None:
        """Have the plans in shares whose leaves changed take their rounds."""
        self._ask(lambda: self._abreast(plans))

    def _ask(self, several: Callable[[], Mapping[Node, Any]]) -> None:
        since = self._meter.clock()
        found = several()
        self._found.update(found)
        self._waited.update(dict.fromkeys(found, (self._meter.clock() - since) / max(len(found), 1)))

    def _abreast(self, plans: Mapping[InnerNode, PartitionedPlan]) -> Mapping[Node, Rows | Exception]:
        courses: dict[Node, Course] = {}
        for node, plan in plans.items():
            given = [self.changes.get(i) or {} for i in node.inputs]
            if any(given) and self.failed.keys().isdisjoint(node.inputs):
                courses[node] = plan.course(*given)
        if courses:
            self._meter.begin(max((node.usage.allowed for node in courses), key=attrgetter("seconds")))
        return abreast(courses)

    def run(self, nodes: Iterable[Node]) -> None:
        """Run nodes, inputs before what reads them."""
        changes, failed, is_timed = self.changes, self.failed, self._is_timed
        for node in nodes:
            if isinstance(node, LeafNode):
                is_idle = node.leaf.is_still and not self._came.get(node.plan.fragment)
            else:
                is_idle = not failed and changes.keys().isdisjoint(node.inputs)
            if is_idle:
                if is_timed:
                    self.spent[node] = 0.0
                continue
            started = self._meter.clock() if is_timed else 0.0
            change = self._entered(node) if isinstance(node, LeafNode) else self._stepped(node)
            if is_timed:
                self.spent[node] = self._meter.clock() - started + self._waited.get(node, 0.0)
            if change:
                changes[node] = change
                node.usage.went += len(change)
                node.usage.stands += sum(change.values())

    def _entered(self, node: LeafNode) -> Rows:
        came = self._came.get(node.plan.fragment, ())
        change, problem = entered(node, came, self._now, self._found.get(node), self._budget)
        if problem:
            self.failed[node] = problem
        return change

    def _stepped(self, node: InnerNode) -> Rows:
        failed = self.failed
        inputs = [self.changes.get(i) for i in node.inputs]
        broken = next((failed[i] for i in node.inputs if i in failed), None) if failed else None
        if broken is not None:
            failed[node] = broken
        elif any(inputs):
            self._meter.begin(node.usage.allowed)
            given = [i or {} for i in inputs]
            try:
                return stepped(
                    node, node.operator, given, lambda: self._before(node, given), self._found.get(node)
                )
            except Exception as error:
                failed[node] = reason_of(error)
        return {}


def reason_of(error: Exception) -> str:
    """Say why a view cannot go on; an error of ours stops the views above it, never the tick."""
    if isinstance(error, BudgetExceeded | SmartCISError):
        return str(error)
    log.error("an operator failed", exc_info=error)
    return f"an error of ours, {type(error).__name__}: {error}"
