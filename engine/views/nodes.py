"""The nodes of the dataflow: leaves, where rows enter, and operators over other nodes."""

from collections.abc import Callable, Iterator

import structlog

from engine.model.errors import SourceError
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.operators.leaf import Leaf, State
from engine.operators.operator import Operator
from engine.partitions.leaves.leaf import SpreadLeaf, spread_leaf
from engine.partitions.leaves.pieces import is_spread, whole
from engine.partitions.operator import Carry, PartitionedPlan
from engine.plan.explaining.describing import describe
from engine.plan.explaining.shares import Shares
from engine.plan.leaves import Leaf as LeafPlan
from engine.plan.physical import Partitioned, Physical
from engine.views.usage import Usage

Rows = Delta[int]
log = structlog.get_logger(__name__)


class LeafNode:
    """Where the rows of one fragment enter."""

    inputs: tuple["Node", ...] = ()

    def __init__(self, plan: LeafPlan, leaf: Leaf[int]) -> None:
        self.plan = plan
        self.leaf = leaf
        self.usage = Usage()

    def __str__(self) -> str:
        return describe(self.plan)

    def entries(self) -> int:
        return len(self.leaf)

    def rows(self) -> int:
        return len(self.leaf)

    def came(self) -> int:
        return self.usage.went

    @property
    def partitions(self) -> int:
        """Count what its rows are in: shares, or the driver alone."""
        return self.leaf.partitions if isinstance(self.leaf, SpreadLeaf) else 1

    @property
    def is_here(self) -> bool:
        """Tell whether the driver holds its rows."""
        return not isinstance(self.leaf, SpreadLeaf)

    @property
    def problem(self) -> str:
        """Why its rows would be gone with whoever has them elsewhere."""
        return self.leaf.problem if isinstance(self.leaf, SpreadLeaf) else ""

    def portions(self) -> Iterator[Rows]:
        """Yield its rows, of shares one at a time."""
        yield from self.leaf.portions() if isinstance(self.leaf, SpreadLeaf) else [self.leaf.contents()]

    def shares(self) -> Shares | None:
        """Return what is held and sent where its rows are in shares."""
        return self.leaf.shares() if isinstance(self.leaf, SpreadLeaf) else None

    def restore(self, state: State, budget: Budget, carry: Carry | None) -> None:
        """Begin with a state: in shares where it was in some, and there is ``carry`` that has them."""
        if carry is not None and is_spread(state):
            try:
                self.leaf = restored(spread_leaf(self.plan, budget, carry), state)
            except SourceError as error:
                log.warning("a leaf begins in the driver", reason=error.message)
            else:
                return
        self.leaf.restore(whole(self.leaf, state))

    def spread(self, budget: Budget, carry: Carry) -> None:
        """Have its rows in shares from now on."""
        self.leaf = restored(spread_leaf(self.plan, budget, carry), self.leaf.state())

    def gather(self) -> None:
        """Have its rows in the driver again."""
        assert isinstance(self.leaf, SpreadLeaf)
        here = self.leaf.here()
        self.leaf.end()
        self.leaf = here

    def end(self) -> None:
        """Let go of what is held anywhere else."""
        if isinstance(self.leaf, SpreadLeaf):
            self.leaf.end()


class InnerNode:
    """An operator over other nodes; ``make`` makes it anew, without state."""

    def __init__(self, plan: Physical, make: Callable[[], Operator[int]], inputs: tuple["Node", ...]) -> None:
        self.plan = plan
        self.make = make
        self.inputs = inputs
        self.operator = make()
        self.is_filled = False
        self.usage = Usage()

    def __str__(self) -> str:
        return describe(self.plan.child if isinstance(self.plan, Partitioned) else self.plan)

    def entries(self) -> int:
        return self.operator.entries()

    def rows(self) -> int:
        """Count the rows that it has put out and not taken back."""
        return self.usage.stands

    @property
    def is_here(self) -> bool:
        """Tell whether the driver holds what its operator keeps."""
        return not isinstance(self.operator, PartitionedPlan)

    def came(self) -> int:
        """Count the changed rows that it took since it started."""
        return sum(i.usage.went for i in self.inputs) - self.usage.inputs_gave

    def shares(self) -> Shares | None:
        """Return what is held and sent where the plan is partitioned."""
        return self.operator.shares() if isinstance(self.operator, PartitionedPlan) else None

    def end(self) -> None:
        """Let go of what is held anywhere else."""
        if isinstance(self.operator, PartitionedPlan):
            self.operator.end()


Node = LeafNode | InnerNode


def restored(leaf: SpreadLeaf, state: State) -> SpreadLeaf:
    """Return a leaf in shares with a state; where that fails, nothing is left there."""
    try:
        leaf.restore(state)
    except BaseException:
        leaf.end()
        raise
    return leaf


def below(*roots: Node) -> tuple[Node, ...]:
    """Return nodes and all that they stand on, each once, from left to right."""
    found: dict[Node, None] = {}
    unseen = list(roots)
    while unseen:
        node = unseen.pop()
        if node not in found:
            found[node] = None
            unseen += reversed(node.inputs)
    return tuple(found)
