"""The dataflow: operators joined by their deltas, each run at most once a tick.

A node is found by the physical plan that it runs, so equal sub-plans of different views are one
node. A node that is added later starts from the contents of its inputs; those of an inner node are what a
view shows of it, read off a join above it, or computed anew from its leaves, so nothing has to be kept for
latecomers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from engine.model.reading import Reading
from engine.operators.budget import Allowance, Budget, BudgetExceeded
from engine.operators.delta import merge
from engine.operators.operator import Operator, Recursion
from engine.partitions.in_place import InPlace
from engine.partitions.lost import tried
from engine.partitions.operator import Carry, PartitionedPlan
from engine.plan.leaves import StreamFragment
from engine.plan.physical import Physical
from engine.provenance.counting import COUNTING
from engine.views.above import held_above
from engine.views.entering import over_budget
from engine.views.nodes import InnerNode, LeafNode, Node, Rows, below
from engine.views.parts import in_parts
from engine.views.tick import Tick
from engine.views.usage import EACH, EACH_SAMPLED


class Dataflow:
    """Nodes by plan. Inputs are added before what reads them, so insertion order is evaluation order."""

    def __init__(self, budget: Budget, carry: Carry = InPlace) -> None:
        self._budget = budget
        self.carry = carry
        self.shown: Callable[[Node], Rows | None] = lambda _: None
        self._nodes: dict[Physical, Node] = {}
        self._meter = budget.meter
        self._allowed = budget.of_step
        self.ticks = self._since = self.at = 0
        self._added: list[Node] = []
        self.apart: Sequence[LeafNode] = ()
        self._shared: dict[InnerNode, PartitionedPlan] = {}
        self.took = 0.0
        self.spent: dict[Node, float] = {}

    def find(self, plan: Physical) -> Node | None:
        return self._nodes.get(plan)

    def add(self, plan: Physical, node: Node) -> None:
        self._nodes[plan] = node
        if isinstance(node, InnerNode) and isinstance(node.operator, PartitionedPlan):
            self._shared[node] = node.operator
        self._added.append(node)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def leaves(self) -> list[LeafNode]:
        return [node for node in self._nodes.values() if isinstance(node, LeafNode)]

    def fragments(self) -> tuple[StreamFragment, ...]:
        """Return the fragments that feed the leaves, each once."""
        return tuple(dict.fromkeys(node.plan.fragment for node in self.leaves()))

    def advance(
        self, readings: Mapping[StreamFragment, Sequence[Reading]], now: int, is_watched: bool = False
    ) -> tuple[dict[Node, Rows], dict[Node, str]]:
        """Run one tick: the change of every node that has one, and the nodes that failed, with the reason.

        ``took`` is its time, and ``spent``, in one tick of eight and where it is watched, that of each node.
        """
        self._since += 1
        begun = self._meter.clock()
        is_timed = is_watched or not self.ticks % EACH
        tick = Tick(readings, now, self._budget, self._before, is_timed)
        if len(self.apart) > 1:
            tick.enter_together(self.apart)
        if self._shared:
            tick.run(self.leaves())
            tick.step_together(self._shared)
            tick.run(node for node in self._nodes.values() if isinstance(node, InnerNode))
        else:
            tick.run(self._nodes.values())
        self.took = self._meter.clock() - begun
        self.at = now
        self._note(tick.spent, tick.changes)
        return tick.changes, tick.failed

    def _before(self, node: InnerNode, changes: list[Rows]) -> Iterator[list[Rows]]:
        """Yield what a node's inputs contained before this tick changed them, in parts."""
        yield from self._inputs(node, {})
        yield [{row: -count for row, count in change.items()} for change in changes]

    def _note(self, spent: dict[Node, float], changes: dict[Node, Rows]) -> None:
        """Take the times of a tick in; it stands for those since the last that was timed."""
        self.spent = spent
        if spent:
            for node, seconds in spent.items():
                node.usage.seconds += seconds * self._since
            self._since = 0
        if not self.ticks % EACH_SAMPLED:
            for node, change in changes.items():
                node.usage.sample(change)
        self.ticks += 1
        for node in self._added:
            node.usage.settled = node.usage.as_of(self.ticks, self.at)
        self._added.clear()

    def fill(self, node: Node, allowed: Allowance) -> Rows:
        """Start the nodes below ``node`` that have not started, and return what ``node`` contains."""
        self._allowed = allowed
        self._meter.begin(allowed)
        try:
            return self.contents(node, {})
        finally:
            self._allowed = self._budget.of_step

    def contents(self, node: Node, known: dict[Node, Rows]) -> Rows:
        """Return what a node contains; ``known`` keeps what was computed on the way."""
        if node not in known:
            known[node] = self._held(node) if isinstance(node, LeafNode) else self._computed(node, known)
        return known[node]

    def _held(self, node: LeafNode) -> Rows:
        if len(node.leaf) > self._budget.rows:
            raise BudgetExceeded(over_budget(node, self._budget))
        contents = node.leaf.contents()
        node.usage.sample(contents)
        return contents

    def _computed(self, node: InnerNode, known: dict[Node, Rows]) -> Rows:
        if node.is_filled and isinstance(node.operator, Recursion):
            self._begin()
            held = dict.fromkeys(node.operator.rows(), 1)
            self._budget.check(len(held), "recursion")
            return held
        if node.is_filled:
            found = self.shown(node)
            found = held_above(node, self._nodes.values()) if found is None else found
            if found is not None:
                return found
        operator = node.make() if node.is_filled else node.operator
        begun = self._meter.clock()
        contents, came = tried(node, lambda _: self._started(operator, self._inputs(node, known)))
        if not node.is_filled:
            node.usage.begin(contents, came, sum(i.usage.went for i in node.inputs))
            node.usage.seconds = self._meter.clock() - begun
        elif isinstance(operator, PartitionedPlan):
            operator.end()
        node.is_filled = True
        return contents

    def _inputs(self, node: InnerNode, known: dict[Node, Rows]) -> Iterator[list[Rows]]:
        """Yield what a node's inputs contain, in parts; what is in shares on both sides never as a whole."""
        apart: list[LeafNode] = []
        if isinstance(node.operator, PartitionedPlan):
            apart = [i for i in node.inputs if isinstance(i, LeafNode) and not i.is_here]
        whole = [{} if i in apart else self.contents(i, known) for i in node.inputs]
        yield from in_parts(node.operator, whole)
        for leaf in apart:
            for rows in leaf.portions():
                leaf.usage.sample(rows)
                yield [rows if i is leaf else {} for i in node.inputs]

    def _started(self, operator: Operator[int], inputs: Iterable[list[Rows]]) -> tuple[Rows, int]:
        """Return what an operator without state puts out of its inputs' contents, and how many these are."""
        contents, came = operator.start(), 0
        self._begin()
        for changes in inputs:
            merge(contents, operator.step(*changes), COUNTING)
            came += sum(map(len, changes))
            self._meter.look()
        return contents, came

    def _begin(self) -> None:
        """Begin a step of a start that is not bounded as a whole."""
        if not self._allowed.is_whole:
            self._meter.begin(self._allowed)

    def keep_only(self, roots: Iterable[Node]) -> None:
        """Drop every node that no root reads."""
        kept = set(below(*roots))
        for node in self._nodes.values():
            if node not in kept:
                node.end()
        self._nodes = {plan: node for plan, node in self._nodes.items() if node in kept}
        self._shared = {node: operator for node, operator in self._shared.items() if node in kept}
