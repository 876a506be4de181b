"""Where readings enter the dataflow: a leaf takes what came for its fragment, and its rows change.

Leaves in shares take theirs in one round together (``engine.partitions.leaves.abreast``).
"""

from collections.abc import Mapping, Sequence

from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.operators.budget import Budget
from engine.partitions.leaves.abreast import abreast
from engine.partitions.leaves.leaf import SpreadLeaf
from engine.partitions.round import Round
from engine.plan.leaves import StreamFragment
from engine.views.nodes import LeafNode, Node, Rows

Came = Mapping[StreamFragment, Sequence[Reading]]


def together(apart: Sequence[LeafNode], came: Came, now: int) -> dict[Node, Round | Exception]:
    """Have leaves in shares take what came; return what each is to make of it (``entered``)."""
    moved: dict[SpreadLeaf, tuple[Node, Sequence[Reading]]] = {}
    for node in apart:
        each = came.get(node.plan.fragment, ())
        if isinstance(node.leaf, SpreadLeaf) and (each or not node.leaf.is_still):
            moved[node.leaf] = node, each
    found = abreast([(leaf, each) for leaf, (_, each) in moved.items()], now)
    return {moved[leaf][0]: outcome for leaf, outcome in found.items()}


def entered(
    node: LeafNode, came: Sequence[Reading], now: int, found: Round | Exception | None, budget: Budget
) -> tuple[Rows, str]:
    """Have one leaf take what came, unless it was found together with others; return why it fails, if so."""
    leaf = node.leaf
    try:
        change = leaf.advance(came, now, found) if isinstance(leaf, SpreadLeaf) else leaf.advance(came, now)
    except SourceError as error:  # its shares are gone; what came is not, and comes with the next tick
        return {}, error.message
    is_over = len(leaf) > budget.rows * node.partitions
    return change, over_budget(node, budget) if is_over else ""


def over_budget(node: LeafNode, budget: Budget) -> str:
    return (
        f"{node.plan.relation.name} holds over {budget.rows * node.partitions:,} rows; take a shorter window"
    )
