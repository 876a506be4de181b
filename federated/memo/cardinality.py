"""One number of rows for each set of relations, however it is joined.

    rows(T)  =  Π base(r)  /  Π_class (Π V / min V)  ·  Π_{S ⊆ T} kept(S)        over r and V of T's members

An equality counts once for each member beyond the first, never once for each pair. What is observed of T
is a factor of T, which every larger set inherits; a larger set that was itself observed stays as it was:
its own factor gives back what the smaller one brought. Every split of a set sees the same number.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.1, where each split
    may have a number of its own.
"""

from math import prod

from federated.memo.graph import QueryGraph
from federated.memo.sets import members


def estimated(graph: QueryGraph, mask: int) -> float:
    """Return the rows that the graph alone promises of a set; a product: whole numbers stay whole."""
    rows = prod(graph.bases[r].rows for r in members(mask))
    for joined in graph.classes:
        if (joined.members & mask).bit_count() > 1:
            values = [v for r, v in joined.values if mask >> r & 1]
            rows /= prod(values) / min(values)
    return rows * prod(share for part, share in graph.kept if part & mask == part)


class Observed:
    """Sets that were seen to have some rows, and what that makes of a change."""

    def __init__(self) -> None:
        self.masks: dict[int, None] = {}

    def pin(self, mask: int) -> None:
        """Let a set keep its rows when a smaller one changes."""
        self.masks[mask] = None

    def factors(self, mask: int, factor: float) -> list[tuple[int, float]]:
        """Return the sets whose own factors change, and by what: the set, and the observed ones above it."""
        above = [p for p in self.masks if p & mask == mask and p != mask]
        powers = {mask: 1}
        for pinned in sorted(above, key=int.bit_count):
            powers[pinned] = -sum(power for part, power in powers.items() if part & pinned == part)
        return [(part, factor**power) for part, power in powers.items() if power]
