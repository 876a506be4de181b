"""What a broker still owes a subscriber: sent but not acknowledged, and not yet sent.

    put → waiting → in flight (at most IN_FLIGHT, by packet identifier) → acknowledged: forgotten

Belongs to the session, not to the connection: on a new connection what is in flight is sent again,
marked as duplicate, in the first order.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ingest.mqtt_frames import build_publish

IN_FLIGHT = 1_000
MAX_WAITING = 200_000  # at 500 messages a second nearly seven minutes without the subscriber
MAX_WAITING_BYTES = 128_000_000
LAST_MID = 65_535


class Owed(NamedTuple):
    """A message at QoS 1."""

    topic: bytes
    payload: bytes
    retain: bool


class Outbox:
    """The QoS 1 messages of one session; ``send`` is None while it is not connected."""

    def __init__(self) -> None:
        self.send: Callable[[bytes], None] | None = None
        self.dropped = 0
        self._waiting: deque[Owed] = deque()
        self._waiting_bytes = 0
        self._in_flight: OrderedDict[int, Owed] = OrderedDict()
        self._mid = 0

    def __len__(self) -> int:
        return len(self._waiting) + len(self._in_flight)

    def put(self, message: Owed) -> None:
        """Send a message as soon as it may be; a full outbox drops it, as MQTT allows."""
        if self.send is not None and not self._waiting and len(self._in_flight) < IN_FLIGHT:
            self._send(message)
        elif len(self._waiting) >= MAX_WAITING or self._waiting_bytes >= MAX_WAITING_BYTES:
            self.dropped += 1
        else:
            self._waiting.append(message)
            self._waiting_bytes += len(message.payload)

    def acknowledge(self, mid: int) -> None:
        """Forget a message, and send what waited for its place."""
        self._in_flight.pop(mid, None)
        if self._waiting:
            self._pump()

    def connect(self, send: Callable[[bytes], None]) -> None:
        """Send again what the last connection left unacknowledged, then the rest."""
        self.send = send
        for mid, message in self._in_flight.items():
            send(build_publish(message.topic, message.payload, mid, dup=True, retain=message.retain))
        self._pump()

    def _pump(self) -> None:
        while self.send is not None and self._waiting and len(self._in_flight) < IN_FLIGHT:
            message = self._waiting.popleft()
            self._waiting_bytes -= len(message.payload)
            self._send(message)

    def _send(self, message: Owed) -> None:
        mid = next(mid for mid in self._mids() if mid not in self._in_flight)
        self._in_flight[mid] = message
        if self.send is not None:
            self.send(build_publish(message.topic, message.payload, mid, retain=message.retain))

    def _mids(self) -> Iterator[int]:
        """Yield identifiers in turn, so that one comes back as late as possible."""
        while True:
            self._mid = self._mid % LAST_MID + 1
            yield self._mid
