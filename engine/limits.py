"""Which views use more than they may: rows, bytes and seconds, each over all nodes below a view.

    rows     of the view, and of any window or table that it reads
    bytes    of all nodes below it            seconds    that these took in one tick

A shared node counts for each view that reads it. Seconds are of computing, so that a busy machine
suspends nothing, and an excess must last for three ticks, or be ten times what is allowed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.operators.budget import GROSS, Budget, BudgetExceeded
from engine.views.dataflow import LeafNode, Node
from engine.views.view import View

LASTING = 3
SHORTEN = "add a condition that relates its inputs, or a shorter window"


class Limiter:
    """Watches what the running views use; it is told of each that starts."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._slow: dict[str, int] = {}

    def admit(self, view: View, nodes: Sequence[Node], rows: int) -> None:
        """Count everything below a view that is about to start, and refuse what holds too much."""
        for node in nodes:
            node.usage.count(node.entries())
        reason = self._held_too_much(view, nodes, rows)
        if reason is not None:
            raise BudgetExceeded(reason)

    def allow(self, views: Iterable[View]) -> None:
        """Tell each node how long one step of it may take: as long as any view above it permits."""
        allowed: dict[Node, float] = {}
        for view in views:
            for node in view.nodes:
                allowed[node] = max(allowed.get(node, 0.0), GROSS * self.of(view).seconds)
        for node, seconds in allowed.items():
            node.allowed = seconds

    def of(self, view: View) -> Budget:
        """Return a view's own budget."""
        return self._budget.within(view.limits)

    def exceeded(self, views: Iterable[View], spent: Mapping[Node, float]) -> dict[str, str]:
        """Return the views that went over a limit in a tick, each with the reason."""
        running = [view for view in views if view.node is not None]
        counted = {node for node in spent if node.usage.is_due}
        for node in counted:
            node.usage.count(node.entries())
        found = dict(self._too_slow(running, spent))
        for view in running:
            grew = bool(counted) and not counted.isdisjoint(view.nodes)
            if grew or len(view.rows) > self.of(view).rows:
                reason = self._held_too_much(view, view.nodes, len(view.rows))
                if reason is not None:
                    found[view.name] = reason
        return found

    def _held_too_much(self, view: View, nodes: Sequence[Node], shown: int) -> str | None:
        budget = self.of(view)
        rows = max([shown, *(node.usage.counted for node in nodes if isinstance(node, LeafNode))])
        if rows > budget.rows:
            whose = f"the view {view.name}" if rows == shown else f"what the view {view.name} reads"
            return f"{whose} went over {budget.rows:,} rows, with {rows:,}; {SHORTEN}"
        kept = sum(node.usage.counted * row_bytes(node) for node in nodes)
        if kept > budget.bytes:
            found, allowed = kept / 1_000_000, budget.bytes / 1_000_000
            return (
                f"the view {view.name} went over {allowed:,.3g} MB of state, with {found:,.3g} MB; {SHORTEN}"
            )
        return None

    def _too_slow(self, views: list[View], spent: Mapping[Node, float]) -> Iterator[tuple[str, str]]:
        total = sum(spent.values())
        slow: dict[str, int] = {}
        for view in views:
            allowed = self.of(view).seconds
            if total <= allowed:
                continue
            took = sum(spent.get(node, 0.0) for node in view.nodes)
            if took > allowed:
                ticks = slow[view.name] = self._slow.get(view.name, 0) + 1
                if ticks >= LASTING or took > GROSS * allowed:
                    lasting = f", {ticks} ticks in a row" if ticks > 1 else ""
                    yield (
                        view.name,
                        (
                            f"the view {view.name} took {took * 1000:,.0f} ms of a tick and may take "
                            f"{allowed * 1000:,.0f} ms{lasting}; {SHORTEN}"
                        ),
                    )
        self._slow = slow


def row_bytes(node: Node) -> float:
    """Return the size of what a node keeps: a leaf its own rows, an operator those of its inputs."""
    sizes = [i.usage.row_bytes for i in node.inputs]
    return sum(sizes) / len(sizes) if sizes else node.usage.row_bytes
