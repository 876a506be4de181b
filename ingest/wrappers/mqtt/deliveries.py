"""From a message to its acknowledgement.

    burst → one unit → log commit → PUBACKs in the order received

A redelivery of what is settled is dropped, and acknowledged with the rest. An acknowledgement is only
sent on the connection that brought the message: on a later one the broker may already mean another
message by that identifier.
"""

import time
from collections import deque
from collections.abc import Callable

from ingest.log import REDELIVERY_TAIL, Entry, Log
from ingest.log.writer import LogWriter
from ingest.wrappers.mqtt.accounts import Accounts
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.intake import Intake
from ingest.wrappers.mqtt.window import SESSION_BEGAN, DeliveryWindow


class Deliveries:
    """What was received and is not yet acknowledged; ``wake`` is called once something can be."""

    def __init__(self, source: str, intake: Intake, accounts: Accounts, wake: Callable[[], None]) -> None:
        self._source, self._intake, self._accounts, self._wake = source, intake, accounts, wake
        self._window = DeliveryWindow()
        self._burst: list[Message] = []
        self._mids: list[int] = []
        self._committed: deque[tuple[int, list[int], float]] = deque()
        self.connection = 0
        self.accepted = self.duplicates = 0
        self.lag = 0.0

    def open(self, writer: LogWriter, log: Log) -> None:
        """Remember what the log has, so that a redelivery of it is known."""
        self._writer = writer
        self._accounts.open(writer, log)
        at = max(0, log.last().offset - REDELIVERY_TAIL)
        while tail := log.read(at):
            self._window.restore(tail, self._source)
            self._accounts.fold(tail)
            at = tail[-1].offset

    def reconnect(self) -> None:
        """Take note that another connection begins: what came before is acknowledged on none any more."""
        self.connection += 1

    def begin(self, *, is_known: bool) -> None:
        """Take note that the broker let us in, and whether it knew the session."""
        if not is_known:
            self._window.clear()
            self._writer.submit([Entry(self._source, "", SESSION_BEGAN)])

    def take(self, message: Message) -> None:
        """Receive one message."""
        if self._window.is_redelivery(message):
            self.duplicates += 1
        else:
            self._window.remember(message)
            self._intake.hear(message)
            self._burst.append(message)
        if message.mid is not None:
            self._mids.append(message.mid)

    def submit(self) -> bool:
        """Hand a burst over; it is acknowledged, duplicates included, once it is in the log."""
        burst, self._burst = self._burst, []
        mids, self._mids = self._mids, []
        entries, state, accepted = self._accounts.settle(burst)
        if not entries and not mids:
            return False
        connection, began = self.connection, time.monotonic()

        def committed() -> None:
            self._committed.append((connection, mids, began))
            self._wake()

        self._writer.submit(entries, committed, state)
        self.accepted += accepted
        return True

    def ready(self) -> list[int]:
        """Return what to acknowledge on this connection."""
        found: list[int] = []
        while self._committed:
            connection, mids, began = self._committed.popleft()
            if connection == self.connection:
                found += mids
            self.lag = round(time.monotonic() - began, 4)
        return found
