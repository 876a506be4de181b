"""Routing resilience: in how many ways a node reaches another, and how few links keep it from that.

    the minimal derivations of reachable(x, y), x ≠ y   =   the simple paths from x to y
    its minimal cuts                                    =   the sets of links that every path needs one of

It is read off a row's provenance when somebody asks, and is no view: the number of simple paths can be
exponential in the links, and no path changes without changing it.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009: routing resilience.
"""

from collections.abc import Hashable
from typing import NamedTuple, TypeVar

from engine.views.why.effort import Effort, Exhausted
from engine.views.why.provenance import Provenance

T = TypeVar("T", bound=Hashable)


class Resilience(NamedTuple):
    """``is_exact`` says that there are no more paths; ``cut`` is the least number of links, if known."""

    paths: int
    is_exact: bool
    cut: int | None


def resilience(provenance: Provenance[T], effort: Effort) -> Resilience:
    """Return what the provenance of a row of ``reachable`` shows of it, as far as the effort goes."""
    try:
        cut = provenance.smallest_cut(effort)
    except Exhausted:
        cut = None
    return Resilience(provenance.count, not provenance.is_truncated, None if cut is None else len(cut))
