"""A physical plan becomes nodes of the dataflow: each of its nodes that is not there yet is added."""

from collections.abc import Callable, Iterable
from functools import partial

from engine.operators.budget import Budget
from engine.operators.of_plan import leaf_of, operator_of
from engine.operators.operator import Operator
from engine.partitions.operator import PartitionedPlan
from engine.plan.leaves import Leaf as LeafPlan
from engine.plan.physical import Partitioned, Physical, children
from engine.views.dataflow import Dataflow
from engine.views.nodes import InnerNode, LeafNode, Node


def build(plan: Physical, dataflow: Dataflow, budget: Budget) -> tuple[Node, list[LeafNode]]:
    """Return the node of a plan, added with all below it where it was not there, and the leaves added."""
    found = dataflow.find(plan)
    if found is not None:
        return found, []
    node: Node
    if isinstance(plan, LeafPlan):
        node = LeafNode(plan, leaf_of(plan))
        added = [node]
    else:
        below = [build(child, dataflow, budget) for child in children(plan)]
        make: Callable[[], Operator[int]] = partial(operator_of, plan, budget)
        if isinstance(plan, Partitioned):
            make = partial(PartitionedPlan, plan, budget, dataflow.carry)
        node = InnerNode(plan, make, tuple(input_ for input_, _ in below))
        added = [leaf for _, leaves in below for leaf in leaves]
    dataflow.add(plan, node)
    return node, added


def computed(plan: Physical, leaves: Iterable[Node], budget: Budget) -> tuple[Dataflow, Node]:
    """Return a plan's node in a dataflow of its own over leaves that run, filled as a start may be."""
    dataflow = Dataflow(budget)
    for leaf in leaves:
        dataflow.add(leaf.plan, leaf)
    node, _ = build(plan, dataflow, budget)
    dataflow.fill(node, budget.of_start)
    return dataflow, node
