"""Which redeliveries are of messages the log already has.

A broker that lost its connection to us sends what we had not acknowledged again, marked as
duplicate, with the packet identifier of the first time. It is dropped when the last message of this
session with that identifier had the same topic and payload.

Exact for brokers that hand out identifiers in turn (Mosquitto, amqtt and most others): an identifier
comes back after 65,535 messages, and the window forgets after at most 2 × HALF. A broker that reuses
the lowest free identifier could have a message dropped whose first transmission was lost and which
repeats topic and payload of the one before under that identifier; a sequence number or a time in the
payload excludes even that.
"""

from collections.abc import Iterable

from ingest.log import Record
from ingest.losses import SOURCE as LOSSES
from ingest.losses import left_out
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.content import digest

HALF = 16_384
SESSION_BEGAN = b"session began"  # the broker knew no session; without a topic, which no device can send


class DeliveryWindow:
    """The last HALF to 2 × HALF messages by packet identifier."""

    def __init__(self) -> None:
        self._recent: dict[int, int] = {}
        self._older: dict[int, int] = {}

    def restore(self, records: Iterable[Record], source: str) -> None:
        """Remember the log's tail, and what it says was left out."""
        for record in records:
            if record.source == LOSSES:
                for shed in left_out(record.payload):
                    self._remember(shed.mid, shed.content)
            if record.source != source:
                continue
            if record.delivery is not None:
                self._remember(record.delivery, digest(record.topic, record.payload))
            elif (record.topic, record.payload) == ("", SESSION_BEGAN):
                self.clear()

    def clear(self) -> None:
        """Forget everything: identifiers begin anew with a session."""
        self._recent, self._older = {}, {}

    def remember(self, message: Message) -> None:
        """Note a message that is received for the first time."""
        if message.mid is not None:
            self._remember(message.mid, digest(message.topic, message.payload))

    def _remember(self, mid: int | None, content: int) -> None:
        if mid is None:
            return
        if len(self._recent) >= HALF:
            self._recent, self._older = {}, self._recent
        self._recent[mid] = content

    def is_redelivery(self, message: Message) -> bool:
        """Ask of a message marked as duplicate whether it was received before."""
        if not message.dup or message.mid is None:
            return False
        known = self._recent.get(message.mid, self._older.get(message.mid))
        return known == digest(message.topic, message.payload)
