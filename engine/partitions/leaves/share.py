"""One partition's share of a leaf: a leaf like any other, of the rows that it owns."""

from collections.abc import Iterable

from engine.model.plain import plain_bytes, plain_value
from engine.model.reading import Reading
from engine.operators.budget import Budget
from engine.operators.leaf import Punctual, Remote
from engine.operators.of_plan import leaf_of
from engine.partitions.hashing import Partition
from engine.partitions.orders import Advance, Came, Keep, LeafTold, Order, Restored, Rows, Say
from engine.partitions.packing import unpacked
from engine.partitions.round import Round, Sending
from engine.plan.explaining.shares import Sent
from engine.plan.leaves import Leaf as LeafPlan


class LeafShare:
    """The leaf of one partition."""

    def __init__(self, plan: LeafPlan, number: Partition, partitions: int, budget: Budget) -> None:
        self._number = number
        self._leaf = leaf_of(plan)

    def carry_out(self, order: Order, arriving: Iterable[bytes]) -> tuple[Sending, Round]:
        came: list[Reading] = []
        sent = Sent()
        for content in arriving:
            match unpacked(content):
                case Restored(piece):
                    self._leaf.restore(plain_value(piece))
                case Came(readings):
                    came += readings
                    sent = Sent(sent.rows + len(readings), sent.bytes + len(content))
        rows: Rows = {}
        piece = b""
        match order:
            case Advance(now):
                rows = self._leaf.advance(came, now)
            case Say(partitions) if self._number in partitions:
                rows = self._leaf.contents()
            case Keep(partitions) if self._number in partitions:
                piece = plain_bytes(self._leaf.state())
        told = {self._number: self._told(piece)}
        return [], Round(rows=rows, sent={"readings": sent} if sent.rows else {}, leaves=told)

    def _told(self, piece: bytes) -> LeafTold:
        leaf = self._leaf
        late, waiting = (leaf.late, leaf.waiting) if isinstance(leaf, Punctual) else (0, 0)
        is_answered = not (isinstance(leaf, Remote) and leaf.unanswered([""]))
        return LeafTold(len(leaf), late, waiting, is_answered, piece)
