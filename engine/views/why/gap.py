"""What is missing, in the names of the relation that it is missing from."""

from typing import NamedTuple

from engine.model.values import Row, Value
from engine.plan.explaining.describing import site_name
from engine.plan.leaves import Shipped, Totalled
from engine.views.elsewhere import read_by
from engine.views.lineage import BaseRow
from engine.views.nodes import LeafNode, Node, below
from engine.views.why.absent import Reason
from engine.views.why.match import Bound


class Gap(NamedTuple):
    """Why there is no row ``of`` something with these values; ``found`` are rows that came closest.

    Of what blocks, ``found`` are the rows that do, and ``by`` the base rows that they stand on.
    """

    reason: Reason
    of: str
    wanted: dict[str, Value]
    found: tuple[Row, ...] = ()
    condition: str = ""
    by: tuple[BaseRow, ...] = ()


def gap_of(
    reason: Reason, node: Node, wanted: Bound, found: tuple[Row, ...] = (), condition: str = ""
) -> Gap:
    """Return a gap in the names of a node's columns."""
    columns = node.plan.columns
    return Gap(reason, name_of(node), {columns[i].name: v for i, v in wanted.items()}, found, condition)


def name_of(node: Node) -> str:
    """Name a node by the base relations below it."""
    bases = [each for each in below(node) if not each.inputs]
    return " and ".join(dict.fromkeys(map(base_name, bases)))


def base_name(node: Node) -> str:
    if not isinstance(node, LeafNode):
        return "the constants"
    if isinstance(node.plan, Totalled):
        return f"the totals of {node.plan.relation.name}"
    if isinstance(node.plan, Shipped):
        return f"{' and '.join(read_by(node.plan))} of {site_name(node.plan.site)}"
    return node.plan.relation.name
