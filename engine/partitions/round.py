"""One share's part in a round: what arrived is taken, the order carried out, what goes on packed.

What a partition holds (``Held``) is a share of a plan or of a leaf; it is made where it is to be (``Make``).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from engine.operators.budget import Budget
from engine.operators.delta import merge
from engine.partitions.cutting import Cut
from engine.partitions.hashing import Partition
from engine.partitions.orders import Count, LeafTold, Order, Rows, Told
from engine.partitions.packing import Packed, packed, unpacked
from engine.partitions.share import Share
from engine.plan.explaining.shares import Sent, added
from engine.provenance.counting import COUNTING


@dataclass(frozen=True)
class Round:
    """What a round led to, at a share or at all of them.

    ``waiting`` are the stages that have mail, there or on its way; strata are ``unsettled`` until they are
    closed, and ``told`` says that something is on its way within them; ``rows`` is what changed of the plan,
    or of the leaf, whose shares tell of themselves in ``leaves``; ``problems`` are of the world and not ours.
    """

    waiting: frozenset[int] = frozenset()
    unsettled: bool = False
    told: bool = False
    rows: Rows = field(default_factory=dict)
    entries: Mapping[Partition, int] = field(default_factory=dict)
    sent: Mapping[str, Sent] = field(default_factory=dict)
    leaves: Mapping[Partition, LeafTold] = field(default_factory=dict)
    problems: tuple["Problem", ...] = ()


def together(left: Round, right: Round) -> Round:
    """Return what a round led to at several shares."""
    rows = dict(left.rows)
    merge(rows, right.rows, COUNTING)
    return Round(
        left.waiting | right.waiting,
        left.unsettled or right.unsettled,
        left.told or right.told,
        rows,
        {**left.entries, **right.entries},
        added(left.sent, right.sent),
        {**left.leaves, **right.leaves},
        left.problems + right.problems,
    )


class Problem(NamedTuple):
    """What hinders a share, and what it met if that cannot be taken apart."""

    reason: str
    sample: str = ""


Sending = list[tuple[Partition, Packed]]


class Held(Protocol):
    """What one partition holds."""

    def carry_out(self, order: Order, arriving: Iterable[bytes]) -> tuple[Sending, Round]:
        """Carry out an order; return what is sent, and what is told."""


Make = Callable[[Partition, int, Budget], Held]
"""Makes what a partition of so many holds; travels to where that is."""


class PlanShare:
    """A share of a cut plan."""

    def __init__(self, cut: Cut, number: Partition, partitions: int, budget: Budget) -> None:
        self._share = Share(cut, number, partitions, budget)

    def carry_out(self, order: Order, arriving: Iterable[bytes]) -> tuple[Sending, Round]:
        share = self._share
        outcome = share.take(order, [unpacked(each) for each in arriving])
        out = [(receiver, packed(parcel)) for receiver, parcel in outcome.parcels]
        sent: dict[str, Sent] = {}
        for each in (each for receiver, each in out if receiver != share.number):
            sent = added(sent, {each.kind: Sent(each.rows, len(each.content))})
        told = any(isinstance(parcel, Told) for _, parcel in outcome.parcels)
        waiting = outcome.waiting | share.stages_of([parcel for _, parcel in outcome.parcels])
        entries = {share.number: share.entries()} if isinstance(order, Count) else {}
        return out, Round(waiting, outcome.unsettled, told, outcome.rows, entries, sent)
