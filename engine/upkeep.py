"""The leaves and nodes that views stand on: what is kept, what is let go, how latecomers are filled.

Every table, and every stream through the window that it declares, is kept whether or not a view reads
it, so that a view to come starts complete. Any other window is filled from the log by ``history``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.answering import Said, awaited, missing
from engine.build import build, computed
from engine.contracts import History, Optimizer, Stamp
from engine.inspecting import Inspecting
from engine.lang.streamsql.query.windows import default_window
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.reading import Reading
from engine.model.relation import SITES, Relation, RelationKind
from engine.model.values import Row
from engine.operators.budget import Allowance, Budget, BudgetExceeded
from engine.operators.event_window import EventWindow
from engine.operators.totals import in_totals
from engine.partitions.in_place import InPlace
from engine.partitions.leaves.leaf import SpreadLeaf
from engine.partitions.leaves.spreading import can_spread
from engine.partitions.operator import Carry
from engine.plan.leaves import Leaf, Shipped, StreamFragment, TotalFragment, Totalled
from engine.plan.logical import Scan
from engine.plan.physical import Partitioned, Physical
from engine.plan.windows import Window
from engine.views.checkpoint import leaf_name
from engine.views.dataflow import Dataflow
from engine.views.lineage import Lineage
from engine.views.nodes import LeafNode, Node, Rows
from engine.views.why.explain import Explainer

Readings = Mapping[StreamFragment, Sequence[Reading]]


class Upkeep:
    """The dataflow of a session."""

    def __init__(
        self, catalog: Catalog, optimizer: Optimizer, history: History, budget: Budget, carry: Carry = InPlace
    ) -> None:
        self._optimizer = optimizer
        self._history = history
        self._budget, self._carry = budget, carry
        self.shown: Callable[[Node], Rows | None] = lambda _: None
        self.inspecting = Inspecting(lambda: self._dataflow)
        self._restoring: dict[str, list[Any]] = {}
        self._installed: dict[Leaf, Node] = {}
        self._base = {relation.name: self._leaf(relation) for relation in catalog if is_kept(relation)}
        self._begin(Stamp(0, 0, 0))

    def _begin(self, stamp: Stamp) -> None:
        self._dataflow = Dataflow(self._budget, self._carry)
        self._dataflow.shown = lambda node: self.shown(node)
        self._base_nodes = {name: self._add(leaf, stamp) for name, leaf in self._base.items()}

    def restore(self, leaves: Mapping[str, list[Any]], stamp: Stamp) -> None:
        """Begin again with the leaves of an image; those that nobody asks for until ``restored`` go."""
        self._restoring = dict(leaves)
        self._optimizer.holds(frozenset(leaves))
        self._begin(stamp)

    def restored(self) -> None:
        self._restoring = {}
        self._optimizer.holds(())

    def declare(self, relation: Relation, stamp: Stamp) -> None:
        """Keep a relation from now on, as one that was always there."""
        if is_kept(relation):
            self._base[relation.name] = self._leaf(relation)
            self._base_nodes[relation.name] = self._add(self._base[relation.name], stamp)

    def forget(self, name: str) -> None:
        """Keep a relation no longer; ``keep_only`` lets it go."""
        self._base.pop(name, None)
        self._base_nodes.pop(name, None)

    def _leaf(self, relation: Relation) -> Physical:
        return self._optimizer.optimize(Scan(relation, own_window(relation)))

    def start(self, plan: Physical, stamp: Stamp, allowed: Allowance) -> tuple[Node, Rows]:
        """Return the node of a plan, running, and what it contains."""
        node = self._add(plan, stamp)
        return node, self._dataflow.fill(node, allowed)

    def _add(self, plan: Physical, stamp: Stamp) -> Node:
        node, leaves = build(plan, self._dataflow, self._budget)
        for leaf in leaves:
            held = self._restoring.pop(leaf_name(leaf.plan), None)
            if held is not None:
                leaf.restore(held, self._budget, self._carry if self._optimizer.may_spread() else None)
            elif stamp.offset:
                leaf.leaf.advance(brought(leaf.plan.fragment, self._past(leaf.plan, stamp)), stamp.at)
        self._look()
        return node

    def _past(self, leaf: Leaf, stamp: Stamp) -> Iterable[Reading]:
        """Return the rows that a leaf missed, from another that holds them if there is one."""
        node = self._dataflow.find(leaf.of_rows) if isinstance(leaf, Totalled) else None
        if isinstance(node, LeafNode):
            return timed(node)
        return self._history(leaf, stamp.offset, stamp.at)

    def _look(self) -> None:
        """Take note of what the leaves are fed by, for other threads to read."""
        self.fragments = self._dataflow.fragments()
        self._leaves = leaves = self._dataflow.leaves()
        self._dataflow.apart = [leaf for leaf in leaves if not leaf.is_here]
        self.shipped = tuple(node for node in leaves if isinstance(node.plan, Shipped))
        self.is_alone = not any(node.plan.relation.gateways for node in leaves) and not self.shipped

    def at_risk(self) -> tuple[str, ...]:
        """Say of leaves in shares whose rows would be lost with these why that is; for any thread."""
        return tuple(f"the rows of {leaf}: {leaf.problem}" for leaf in self._leaves if leaf.problem)

    def sites(self) -> tuple[Row, ...]:
        """Return what each other site said last, in the columns of ``sites``."""
        return tuple(sorted(self.held(SITES.name), key=str))

    def held(self, table: str) -> tuple[Row, ...]:
        """Return the rows of a table that is kept."""
        node = self._base_nodes.get(table)
        return tuple(node.leaf.contents()) if isinstance(node, LeafNode) else ()

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes, inputs before what reads them."""
        return iter(self._dataflow)

    def _said(self) -> dict[str, Said]:
        return {str(site): Said(str(state), str(problem or "")) for site, state, _, problem in self.sites()}

    def install(self, leaves: Sequence[Leaf], stamp: Stamp) -> bool:
        """Have these leaves run, and no others, beside what views read; tell whether that changed."""
        if not leaves and not self._installed:
            return False
        self._installed = {leaf: self._add(leaf, stamp) for leaf in leaves}
        return True

    def is_running(self, plan: Physical) -> bool:
        return self._dataflow.find(plan) is not None

    def answers(self, leaf: Leaf) -> bool:
        """Tell whether a leaf runs and every site that it needs is up and has answered for it."""
        node = self._dataflow.find(leaf)
        return node is not None and not self.missing((node,))

    def missing(self, nodes: Iterable[Node]) -> tuple[str, ...]:
        """Return the sites that nodes are without."""
        return () if self.is_alone else missing(nodes, self._said())

    def awaited(self, nodes: Iterable[Node]) -> frozenset[tuple[str, str]]:
        """Return from which sites an answer to nodes is on its way, each with the fragment's name."""
        return awaited(nodes, self._said()) if self.shipped else frozenset()

    def keep_only(self, nodes: Iterable[Node]) -> None:
        """Let go of what neither a view nor a view to come needs."""
        self._dataflow.keep_only([*self._base_nodes.values(), *self._installed.values(), *nodes])
        self._look()

    def explainer(self, of: Node | None = None) -> tuple[Explainer, Node | None]:
        """Return what explains rows of the last closed tick, until the next.

        The rows ``of`` a partitioned plan are explained by the node of that plan, computed here and now.
        """
        if of is None or not isinstance(of.plan, Partitioned):
            return Explainer(Lineage(self._dataflow)), None
        try:
            here, node = computed(of.plan.child, of.inputs, self._budget)
        except BudgetExceeded as error:
            message = f"why is asked of the view computed here and now, and that is too much: {error}"
            raise QueryError(message) from None
        return Explainer(Lineage(here)), node

    def maybe_move(self) -> bool:
        """Move the rows of one leaf that outgrew the driver to shares, or back; tell whether one moved."""
        for node in self._dataflow.leaves():
            outgrows = can_spread(node.plan) and self._optimizer.outgrows(len(node.leaf), node.is_here)
            if outgrows == node.is_here:
                node.spread(self._budget, self._carry) if outgrows else node.gather()
                self._look()
                return True
        return False

    def observe(self, tick: int = 0) -> None:
        """Tell the optimizer how much each node holds or puts out; as of a tick, how that goes on too."""
        for node in self._dataflow:
            self._optimizer.observe(node.plan, node.rows(), node.usage.went, tick)
        self._optimizer.runs(node.plan for node in self.shipped)

    def advance(
        self, end: int, at: int, readings: Readings, stamp: Stamp, is_watched: bool = False
    ) -> tuple[dict[Node, Rows], dict[Node, str]]:
        """Run one tick after ``stamp``; return the changes, and what failed with the reason."""
        return self._dataflow.advance({**self._missed(readings, end, at, stamp), **readings}, at, is_watched)

    def _missed(
        self, known: Readings, end: int, at: int, stamp: Stamp
    ) -> dict[StreamFragment, Sequence[Reading]]:
        """Read back what a pass that began before a fragment was asked for did not bring."""
        missed: dict[StreamFragment, list[Reading]] = {}
        for node in self._dataflow.leaves():
            plan = node.plan
            if plan.fragment not in known:
                past = self._history(plan, end, at)
                found = [reading for reading in past if reading.offset > stamp.offset]
                missed[plan.fragment] = max(missed.get(plan.fragment, []), found, key=len)
        return {fragment: brought(fragment, rows) for fragment, rows in missed.items()}

    def image(self) -> dict[str, list[Any]]:
        """Return a copy of every leaf's state, by name."""
        return {leaf_name(node.plan): node.leaf.state() for node in self._dataflow.leaves()}


def brought(fragment: StreamFragment, rows: Iterable[Reading]) -> Sequence[Reading]:
    """Return what a tick brings of a fragment's rows: of totals, what the rows amount to."""
    return in_totals(fragment, rows) if isinstance(fragment, TotalFragment) else list(rows)


def timed(node: LeafNode) -> list[Reading]:
    """Return the rows that a window on a stream without an event time holds, with when they came."""
    leaf = node.leaf.here() if isinstance(node.leaf, SpreadLeaf) else node.leaf
    name = node.plan.relation.name
    if isinstance(leaf, EventWindow):
        return [Reading(name, 1, row, 0, 0, at) for at, row in leaf.timed()]
    return [Reading(name, 1, row, 0, 0, 0) for row, count in leaf.contents().items() for _ in range(count)]


def is_kept(relation: Relation) -> bool:
    """Tell whether a relation is kept although no view reads it; what another site holds is not."""
    has_end = relation.kind is RelationKind.TABLE or relation.window is not None
    return relation.comes_by_itself and has_end


def own_window(relation: Relation) -> Window | None:
    """Return the window that a stream declares for itself."""
    return None if relation.kind is RelationKind.TABLE else default_window(relation)
