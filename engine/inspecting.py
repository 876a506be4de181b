"""What the nodes of the dataflow keep and have done, and what goes between shares, for people to be told."""

from collections.abc import Callable, Mapping

from engine.contracts import Punctuality
from engine.operators.leaf import Punctual
from engine.plan.explaining import Kept
from engine.plan.explaining.describing import window_text
from engine.plan.explaining.shares import Shares, together
from engine.plan.leaves import Windowed
from engine.plan.physical import Physical
from engine.views.dataflow import Dataflow
from engine.views.nodes import LeafNode, Node


class Inspecting:
    """Looks at the nodes of whichever dataflow there is."""

    def __init__(self, dataflow: Callable[[], Dataflow]) -> None:
        self._dataflow = dataflow

    def kept_by(self, plan: Physical) -> Kept:
        """Tell what the node of a plan keeps; a suspended view's keep nothing."""
        node = self._dataflow().find(plan)
        if node is None:
            return Kept()
        if not isinstance(node, LeafNode):
            return Kept(node.entries())
        kept, leaf = Kept(node.entries(), shares=node.shares()), node.leaf
        if node.plan.relation.event_time is None or not isinstance(leaf, Punctual):
            return kept
        return kept._replace(late=leaf.late, waiting=leaf.waiting)

    def used_by(self, plan: Physical) -> Kept:
        """Tell what the node of a plan keeps, and what it has done so far."""
        node = self._dataflow().find(plan)
        if node is None:
            return Kept()
        usage = node.usage
        return self.kept_by(plan)._replace(
            came=node.came(),
            went=usage.went,
            seconds=usage.seconds,
            rows=node.rows(),
            passed=usage.passed(self._dataflow().ticks, self._dataflow().at),
            shares=node.shares(),
        )

    def shares(self) -> Shares:
        """Tell what all shares hold, and what was sent to them and between them, of what runs."""
        return together(found for node in self._dataflow() if (found := node.shares()) is not None)

    def spent(self) -> tuple[float, Mapping[Node, float]]:
        """Return the time of the last tick, and, where it was timed, that of each node."""
        return self._dataflow().took, self._dataflow().spent

    def punctuality(self) -> tuple[Punctuality, ...]:
        """Tell of each window on a stream with an event time how punctual its rows are."""
        kept = [(node.plan, self.kept_by(node.plan)) for node in self._dataflow().leaves()]
        return tuple(
            Punctuality(window_text(plan), told.late, told.waiting)
            for plan, told in kept
            if isinstance(plan, Windowed) and told.late is not None and told.waiting is not None
        )
