"""The nodes of the dataflow: leaves, where rows enter, and operators over other nodes."""

from collections.abc import Callable

from engine.operators.delta import Delta
from engine.operators.leaf import Leaf
from engine.operators.operator import Operator
from engine.partitions.operator import PartitionedPlan
from engine.plan.explaining.shares import Shares
from engine.plan.leaves import Leaf as LeafPlan
from engine.plan.physical import Physical
from engine.views.usage import Usage

Rows = Delta[int]


class LeafNode:
    """Where the rows of one fragment enter."""

    inputs: tuple["Node", ...] = ()

    def __init__(self, plan: LeafPlan, leaf: Leaf[int]) -> None:
        self.plan = plan
        self.leaf = leaf
        self.usage = Usage()

    def entries(self) -> int:
        return len(self.leaf)

    def rows(self) -> int:
        return len(self.leaf)

    def came(self) -> int:
        return self.usage.went

    def shares(self, *, asks: bool = True) -> None:
        """Have none: the driver has it all."""

    def end(self) -> None:
        """Have nothing anywhere else to let go of."""


class InnerNode:
    """An operator over other nodes; ``make`` makes it anew, without state."""

    def __init__(self, plan: Physical, make: Callable[[], Operator[int]], inputs: tuple["Node", ...]) -> None:
        self.plan = plan
        self.make = make
        self.inputs = inputs
        self.operator = make()
        self.is_filled = False
        self.usage = Usage()

    def entries(self) -> int:
        return self.operator.entries()

    def rows(self) -> int:
        """Count the rows that it has put out and not taken back."""
        return self.usage.stands

    def came(self) -> int:
        """Count the changed rows that it took since it started."""
        return sum(i.usage.went for i in self.inputs) - self.usage.inputs_gave

    def shares(self, *, asks: bool = True) -> Shares | None:
        """Return what is held and sent where the plan is partitioned; without asking, as last seen."""
        if not isinstance(self.operator, PartitionedPlan):
            return None
        return self.operator.shares() if asks else self.operator.known()

    def end(self) -> None:
        """Let go of what is held anywhere else."""
        if isinstance(self.operator, PartitionedPlan):
            self.operator.end()


Node = LeafNode | InnerNode


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
