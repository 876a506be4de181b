"""The agenda: facts that changed, and whose consequences are not drawn yet.

    select   what lies below an OR node changed its cost: R9, upward
    limit    what an OR node may cost changed: B3, B4, downward
    keep     an alternative is to be kept: R2 to R5, ++
    drop     an alternative is to be suppressed: −−

Any order ends in the same state; this one ends soonest. Upward before downward, each in topological order:
a node is looked at once in a wave. Alternatives are kept depth first, so that an early whole plan bounds
the rest; every ++ comes before any −−, or a shared sub-plan is torn down and built again.
"""

from enum import IntEnum
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from federated.memo.rules.tables import And, Or


class Kind(IntEnum):
    """What is to be done with a node."""

    SELECT = 0
    LIMIT = 1
    KEEP = 2
    DROP = 3


Entry = tuple[Kind, "Or | And"]


class Agenda:
    """Waiting facts; an OR node waits once in each direction."""

    def __init__(self) -> None:
        self._up: list[tuple[int, Or]] = []
        self._down: list[tuple[int, Or]] = []
        self._keeps: list[And] = []
        self._drops: list[And] = []

    def select(self, node: "Or") -> None:
        if not node.selects:
            node.selects = True
            heappush(self._up, (node.rank, node))

    def limit(self, node: "Or") -> None:
        if not node.limits:
            node.limits = True
            heappush(self._down, (-node.rank, node))

    def keep(self, alternative: "And") -> None:
        self._keeps.append(alternative)

    def drop(self, alternative: "And") -> None:
        self._drops.append(alternative)

    def pop(self) -> Entry | None:
        """Take the next; an entry may have become void meanwhile, which the rules see."""
        if self._up:
            node = heappop(self._up)[1]
            node.selects = False
            return Kind.SELECT, node
        if self._keeps:
            return Kind.KEEP, self._keeps.pop()
        if self._down:
            node = heappop(self._down)[1]
            node.limits = False
            return Kind.LIMIT, node
        if self._drops:
            return Kind.DROP, self._drops.pop()
        return None
