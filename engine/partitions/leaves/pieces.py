"""The state of a spread leaf as a snapshot keeps it: a piece for each share, packed where the share is.

state  =  (SPREAD, piece, piece, …)          a leaf that is not spread has its state as it is
"""

from collections.abc import Sequence

from engine.model.plain import plain_bytes, plain_value
from engine.operators.leaf import Leaf, State
from engine.operators.of_plan import leaf_of
from engine.partitions.leaves.spreading import owner_of_row
from engine.partitions.leaves.states import divided, joined
from engine.plan.leaves import Leaf as LeafPlan

SPREAD = "spread"


def is_spread(state: State) -> bool:
    return bool(state) and state[0] == SPREAD


def whole(leaf: Leaf[int], state: State) -> State:
    """Return the state of a leaf that is not spread."""
    return joined(leaf, [plain_value(piece) for piece in state[1:]]) if is_spread(state) else state


def pieces_of(plan: LeafPlan, state: State, partitions: int) -> Sequence[bytes]:
    """Return what each of so many shares is to hold."""
    if is_spread(state) and len(state) == 1 + partitions:
        return state[1:]
    leaf = leaf_of(plan)
    each = divided(leaf, whole(leaf, state), owner_of_row(plan, partitions), partitions)
    return [plain_bytes(part) for part in each]
