"""What a node contains, read off a join above it: it holds its inputs whole, so nothing is computed again.

A row without a key is in no join's hands, so one that was ever given such a row does not answer.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.operators.delta import Delta
from engine.operators.join import Join

if TYPE_CHECKING:
    from engine.views.nodes import InnerNode, Node


def held_above(node: "InnerNode", readers: Iterable["Node"]) -> Delta[int] | None:
    """Return the contents of a node where some join that reads it has all of them."""
    for reader in readers:
        operator = getattr(reader, "operator", None)
        if node in reader.inputs and isinstance(operator, Join) and reader.is_filled:  # type: ignore[union-attr]
            held: Delta[int] | None = operator.contents_of(reader.inputs.index(node))
            if held is not None:
                return held
    return None
