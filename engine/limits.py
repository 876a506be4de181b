"""Which views use more than they may: rows, bytes and seconds, each over all nodes below a view.

    rows     of the view, and of any window or table that it reads
    bytes    of all nodes below it            seconds    that these took in one tick

What partitions hold is not here, and bounded there. A shared node counts for each view that reads it.
Seconds are of computing, so that a busy machine suspends nothing, and an excess must last for three ticks,
or be three times what is allowed. A tick that is too long has the next ones timed node by node; while none
is, one in eight is looked at.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.operators.budget import GROSS, RELATE, Allowance, Budget, BudgetExceeded, milliseconds
from engine.views.nodes import LeafNode, Node
from engine.views.view import View

LASTING = 3


class Limiter:
    """Watches what the running views use; it is told of each that starts."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._slow: dict[str, int] = {}
        self._least = budget.seconds
        self.is_watching = False

    def admit(self, view: View, nodes: Sequence[Node], rows: int) -> None:
        """Count everything below a view that is about to start, and refuse what holds too much."""
        for node in nodes:
            node.usage.count(node.entries(), passed(node))
        reason = self.held_too_much(view, nodes, rows)
        if reason is not None:
            raise BudgetExceeded(reason)

    def allow(self, views: Iterable[View]) -> None:
        """Tell each node what one step of it may take: as much as any view above it permits."""
        allowed: dict[Node, Allowance] = {}
        self._least = self._budget.seconds
        for view in views:
            budget = self.of(view)
            self._least = min(self._least, budget.seconds)
            for node in view.nodes:
                allowed[node] = larger(budget.of_step, allowed.get(node))
        for node, most in allowed.items():
            node.usage.allowed = most

    def of(self, view: View) -> Budget:
        """Return a view's own budget."""
        return self._budget.within(view.limits)

    def exceeded(self, views: Iterable[View], took: float, spent: Mapping[Node, float]) -> dict[str, str]:
        """Return the views that went over a limit in a tick, each with the reason.

        ``spent`` has the nodes of a tick that was timed; what they keep is looked at then too.
        """
        self.is_watching = took > self._least
        if not spent:
            self._slow = {}
            return {}
        running = [view for view in views if view.node is not None]
        found = dict(self._too_slow(running, took, spent))
        due = {node for node in spent if node.usage.is_due(passed(node))}
        for node in due:
            node.usage.count(node.entries(), passed(node))
        for view in running:
            if due and not due.isdisjoint(view.nodes):
                reason = self.held_too_much(view, view.nodes, view.told)
                if reason is not None:
                    found[view.name] = reason
        return found

    def held_too_much(self, view: View, nodes: Sequence[Node], shown: int) -> str | None:
        """Say what is too much of what these nodes keep and a view shows."""
        budget = self.of(view)
        leaves = [node for node in nodes if isinstance(node, LeafNode)]
        rows = max([shown, *(node.usage.counted // node.partitions for node in leaves)])
        if rows > budget.rows:
            whose = view.called if rows == shown else f"what {view.called} reads"
            return f"{whose} went over {budget.rows:,} rows, with {rows:,}; {RELATE}"
        kept = sum(node.usage.counted * row_bytes(node) for node in nodes if node.is_here)
        if kept > budget.bytes:
            found, allowed = kept / 1_000_000, budget.bytes / 1_000_000
            return f"{view.called} went over {allowed:,.3g} MB of state, with {found:,.3g} MB; {RELATE}"
        return None

    def _too_slow(
        self, views: list[View], total: float, spent: Mapping[Node, float]
    ) -> Iterator[tuple[str, str]]:
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
                        f"{view.called} went over {milliseconds(allowed)} a tick, "
                        f"with {milliseconds(took)}{lasting}; {RELATE}",
                    )
        self._slow = slow


def larger(one: Allowance, other: Allowance | None) -> Allowance:
    """Return the more of each."""
    return one if other is None else Allowance(max(one.seconds, other.seconds), max(one.rows, other.rows))


def passed(node: Node) -> int:
    """Count the rows that a node took and gave."""
    return node.came() + node.usage.went


def row_bytes(node: Node) -> float:
    """Return the size of what a node keeps: a leaf its own rows, an operator those of its inputs."""
    sizes = [i.usage.row_bytes for i in node.inputs]
    return sum(sizes) / len(sizes) if sizes else node.usage.row_bytes
