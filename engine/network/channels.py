"""Reliable channels, first in first out, one for each sender and receiver; and who delivers next.

    send ──▶ [m₃ m₂ m₁] ──▶ deliver        nothing is ordered between two channels

``deliver_any`` lets chance choose the channel, as an adversary would; ``deliver_round`` delivers
what is under way when it begins and nothing that this causes. A row counts as shipped when it
changes sites, whoever carries it.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section III.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from weakref import WeakMethod

from engine.model.values import Row

NUMBER = 8  # bytes of a number or a truth value on a wire
TOKEN = 4
Address = int


def row_size(row: Row) -> int:
    """Return the bytes of a row on a wire."""
    return sum([len(value.encode()) if isinstance(value, str) else NUMBER for value in row])


class Message(NamedTuple):
    """What is sent: ``kind`` for the count, how many rows and bytes, and the content."""

    kind: str
    rows: int
    size: int
    provenance: int
    content: Any


@dataclass
class Traffic:
    """What went over the channels."""

    messages: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    size: int = 0
    provenance: int = 0
    deliveries: int = 0
    rounds: int = 0

    def count(self, message: Message) -> None:
        self.messages[message.kind] += 1
        self.rows[message.kind] += message.rows
        self.size += message.size
        self.provenance += message.provenance


class Channels:
    """The channels between sites; ``receive(sender, receiver, content)`` takes what is delivered.

    It is a method of who owns the channels, held weakly: a cycle would be taken apart in any order,
    and a BDD manager must not go before its nodes.
    """

    def __init__(self, receive: Callable[[Address, Address, Any], None]) -> None:
        self._receive = WeakMethod(receive)
        self._queues: dict[tuple[Address, Address], deque[Message]] = {}
        self.sent: Counter[tuple[Address, Address]] = Counter()
        self.delivered: Counter[tuple[Address, Address]] = Counter()
        self.traffic = Traffic()

    @property
    def are_empty(self) -> bool:
        return not self._queues

    def send(self, sender: Address, receiver: Address, message: Message) -> None:
        self.traffic.count(message)
        self.sent[sender, receiver] += 1
        self._queues.setdefault((sender, receiver), deque()).append(message)

    def deliver(self, sender: Address, receiver: Address) -> None:
        """Deliver the oldest message of a channel."""
        queue = self._queues[sender, receiver]
        message = queue.popleft()
        if not queue:
            del self._queues[sender, receiver]
        self.delivered[sender, receiver] += 1
        self.traffic.deliveries += 1
        receive = self._receive()
        if receive is not None:
            receive(sender, receiver, message.content)

    def deliver_any(self, random: Random) -> None:
        """Deliver the oldest message of some channel."""
        self.deliver(*random.choice(list(self._queues)))

    def deliver_round(self) -> None:
        """Deliver all that is under way, sender by sender."""
        self.traffic.rounds += 1
        carried = {channel: len(queue) for channel, queue in self._queues.items()}
        for sender, receiver in sorted(carried):
            for _ in range(carried[sender, receiver]):
                self.deliver(sender, receiver)

    def drain(self, random: Random | None = None) -> None:
        """Deliver until nothing is under way: in rounds, or in an order that chance chooses."""
        while self._queues:
            if random is None:
                self.deliver_round()
            else:
                self.deliver_any(random)

    def under_way(self) -> Iterator[tuple[Address, Address, Message]]:
        """Yield all messages that are not delivered, with their senders and receivers."""
        for (sender, receiver), queue in self._queues.items():
            for message in queue:
                yield sender, receiver, message
