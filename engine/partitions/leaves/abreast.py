"""The leaves in shares that a tick moves take one round together: a round is a job, whoever it is for.

    readings of leaf a ─┐                    ┌→ Δ of leaf a
    readings of leaf b ─┴─ one job of Spark ─┴→ Δ of leaf b

A leaf whose shares are to be made anew first, or were lost in that round, takes one by itself.
"""

from collections.abc import Iterable, Mapping, Sequence

from engine.model.reading import Reading
from engine.partitions.carrying import Asking
from engine.partitions.leaves.leaf import SpreadLeaf
from engine.partitions.round import Round


def abreast(
    leaves: Iterable[tuple[SpreadLeaf, Sequence[Reading]]], now: int
) -> Mapping[SpreadLeaf, Round | Exception]:
    """Advance several leaves; return what each is to take in, those alone and behind left out."""
    asked: dict[SpreadLeaf, Asking] = {}
    for leaf, came in leaves:
        asking = leaf.asking(came, now)
        if asking is not None:
            asked[leaf] = asking
    if len(asked) < 2:
        return {}
    several = list(asked.values())
    return dict(zip(asked, several[0].carrier.rounds(several), strict=True))
