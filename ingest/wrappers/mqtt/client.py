"""A paho client whose cost a message is a tenth of paho's own.

    socket → 64 KiB buffer → PUBLISH frames parsed here, everything else by paho

paho reads a message with one ``select`` and three ``recv``, and acknowledges it with one ``send``;
this one reads and acknowledges whatever has come with one call each. Connecting, keep-alive,
subscriptions and TLS stay paho's. MQTT 3.1.1 only. All calls must come from one thread.

The seam is four private names of paho 2: ``_sock_recv``, ``_packet_read``, ``_loop_rc_handle``,
``_packet_queue``. The tests run them against a real broker.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion

from ingest.mqtt_frames import PUBACK, PUBLISH, FrameError, build_ack, find_frame, parse_publish

CHUNK = 65_536
MAX_PACKETS = 1_000  # a bound on one read, so that a flood is committed and acknowledged in between
KEEP_ALIVE = 30


class Message(NamedTuple):
    """A PUBLISH as received; ``mid`` is None at QoS 0; ``retain``: the broker had kept it."""

    topic: str
    payload: bytes
    mid: int | None
    dup: bool
    retain: bool = False


class BatchingClient(Client):
    """Calls ``on_publish_frame`` for every PUBLISH."""

    def __init__(self, client_id: str, on_publish_frame: Callable[[Message], None]) -> None:
        super().__init__(
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            clean_session=False,
            protocol=MQTTProtocolVersion.MQTTv311,
            manual_ack=True,
        )
        self._take = on_publish_frame
        self._buffer = b""
        self._at = 0
        self.on_message = lambda _client, _data, message: on_publish_frame(_to_message(message))

    @property
    def has_buffered(self) -> bool:
        """Whether there is something to parse before the socket is asked."""
        return self._at < len(self._buffer)

    def reconnect(self) -> MQTTErrorCode:
        """Connect, forgetting what the last connection left unread."""
        self._buffer, self._at = b"", 0
        return super().reconnect()

    def loop_read(self, max_packets: int = MAX_PACKETS) -> MQTTErrorCode:
        """Read what has come, up to ``max_packets`` packets."""
        for _ in range(max_packets):
            if self._sock is None:
                return MQTTErrorCode.MQTT_ERR_NO_CONN
            if self._in_packet["command"] == 0 and self._take_publish():
                continue
            code = self._packet_read()
            if code > 0:
                return self._loop_rc_handle(code)
            if code == MQTTErrorCode.MQTT_ERR_AGAIN:
                break
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def acknowledge(self, mids: Sequence[int]) -> None:
        """Send all PUBACKs as one packet of bytes."""
        if mids and self._sock is not None:
            self._packet_queue(PUBACK << 4, b"".join(build_ack(PUBACK, mid) for mid in mids), 0, 0)

    def _sock_recv(self, bufsize: int) -> bytes:
        if self._at >= len(self._buffer):
            self._buffer, self._at = super()._sock_recv(CHUNK), 0
        piece = self._buffer[self._at : self._at + bufsize]
        self._at += len(piece)
        return piece

    def _take_publish(self) -> bool:
        """Parse one complete PUBLISH from the buffer; False leaves the buffer to paho."""
        if self._at >= len(self._buffer) or self._buffer[self._at] >> 4 != PUBLISH:
            return False
        try:
            frame = find_frame(self._buffer, self._at)
            if frame is None:
                return False
            message = parse_publish(self._buffer, frame)
        except FrameError:
            return False  # paho closes the connection over it
        self._at = frame.end
        mid = message.mid if message.qos == 1 else None
        topic = _to_text(message.topic)
        self._take(Message(topic, message.payload, mid, message.dup, message.retain))
        return True


def _to_text(topic: bytes) -> str:
    """Decode what may be neither UTF-8 nor free of NUL, which PostgreSQL's text cannot hold."""
    return topic.decode("utf-8", "replace").replace("\0", "\ufffd")


def _to_message(message: MQTTMessage) -> Message:
    """Translate what paho parsed itself: a PUBLISH that came in pieces."""
    topic = _to_text(message._topic)
    mid = message.mid if message.qos else None
    return Message(topic, bytes(message.payload), mid, message.dup, message.retain)
