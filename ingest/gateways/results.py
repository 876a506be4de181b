"""What a gateway says of a fragment: numbered, so that a loss shows.

    fragment/<16 hex>/<gateway>   {"incarnation", "sequence": 0, 1, …, "settled", "changes": [[sign, row], …]}

A new incarnation begins with the whole answer; the message that completes it is the first that is settled.
"""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from engine.model.values import Row
from ingest.gateways.local import signed

Body = dict[str, Any]


class Results:
    """The results of one fragment; ``packet`` is how many changes a message has at most."""

    def __init__(self, packet: int, say: Callable[[Body], None]) -> None:
        self._packet = packet
        self._say = say
        self._incarnation = 0
        self._numbers = count()
        self.is_settled = False

    def begin(self, incarnation: int) -> None:
        """Begin a new incarnation, of which nothing is said yet."""
        self._incarnation = incarnation
        self._numbers = count()
        self.is_settled = False

    def settle(self, contents: Mapping[Row, int]) -> None:
        """Say the whole answer."""
        changes = [[sign, row] for sign, row in signed(contents)]
        while len(changes) > self._packet:
            self._number(changes[: self._packet])
            changes = changes[self._packet :]
        self.is_settled = True
        self._number(changes)

    def change(self, delta: Mapping[Row, int]) -> None:
        """Say what changed since."""
        changes = [[sign, row] for sign, row in signed(delta)]
        for start in range(0, len(changes), self._packet):
            self._number(changes[start : start + self._packet])

    def _number(self, changes: list[list[Any]]) -> None:
        head = {"incarnation": self._incarnation, "sequence": next(self._numbers)}
        self._say({**head, "settled": self.is_settled, "changes": changes})
