"""One client's connection to the embedded broker: reads bursts, writes bursts.

    socket → burst of frames → route → acknowledgements and deliveries gathered → one write

A PUBLISH costs no task and no wait. What a session is owed lies in its outbox, which outlives the
connection. Everything but PUBLISH and its acknowledgements is left to amqtt.

The seam is two private methods of amqtt's handler, ``_reader_loop`` and ``_retry_deliveries``.
References: MQTT 3.1.1, 4.3 (QoS), 3.1.2.10 (keep-alive).
"""

import asyncio
from typing import Any, Protocol

from amqtt.adapters import BufferReader, StreamReaderAdapter, StreamWriterAdapter
from amqtt.errors import AMQTTError, MQTTError, NoDataError
from amqtt.mqtt import packet as packets
from amqtt.mqtt import packet_class
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.plugins.manager import PluginManager
from amqtt.session import Session

from ingest.broker.outbox import Outbox, Owed
from ingest.mqtt_frames import (
    PUBACK,
    PUBCOMP,
    PUBREC,
    Frame,
    FrameError,
    Publish,
    build_ack,
    build_publish,
    find_frame,
    parse_publish,
)

CHUNK = 65_536
MAX_FRAME = 4_000_000
MAX_UNSENT = 16_000_000  # bytes; QoS 1 never gets there, its window is full before
PATIENCE = 1.5  # keep-alives without a word before a client is taken for dead
OUTBOX = "smartcis.outbox"
UNRELEASED = "smartcis.unreleased"  # QoS 2 identifiers received and routed, not yet released
EXACTLY_ONCE = 2


class Router(Protocol):
    """What a connection needs of the broker."""

    plugins_manager: "PluginManager[Any]"

    def route(self, topic: bytes, payload: bytes, qos: int) -> None:
        """Give a message to every session that subscribed to its topic."""

    async def retain_message(
        self, source_session: Session | None, topic_name: str | None, data: bytes | None, qos: int | None
    ) -> None:
        """Keep a message for later subscribers, or forget it if it is empty."""


class BurstReader(StreamReaderAdapter):  # type: ignore[misc]
    """amqtt's adapter, that can also give whatever has come, and what comes first before it is read."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__(reader)
        self._stream = reader
        self._ahead = b""

    async def peek(self) -> bytes:
        """Return what came first; it is read again."""
        self._ahead = self._ahead or await self._stream.read(CHUNK)
        return self._ahead

    async def read(self, n: int = -1) -> bytes:
        """Return ``n`` bytes, or all to the end."""
        found, self._ahead = (self._ahead, b"") if n < 0 else (self._ahead[:n], self._ahead[n:])
        return found if len(found) == n else found + await super().read(n - len(found) if n >= 0 else n)

    async def read_burst(self) -> bytes:
        """Return at least a byte, or nothing at the end."""
        found, self._ahead = self._ahead, b""
        return found or await self._stream.read(CHUNK)


class BurstWriter(StreamWriterAdapter):  # type: ignore[misc]
    """amqtt's adapter, that can also say how far the client is behind."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        super().__init__(writer)
        self._transport = writer.transport

    @property
    def unsent(self) -> int:
        """Bytes the client has not taken."""
        return self._transport.get_write_buffer_size()

    def abort(self) -> None:
        """Close without waiting for the client."""
        self._transport.abort()


class SwiftHandler(BrokerProtocolHandler):  # type: ignore[misc]
    """One connection: reads bursts, writes bursts."""

    def __init__(self, broker: Router) -> None:
        super().__init__(broker.plugins_manager)
        self._broker = broker
        self._unsent = bytearray()
        self._flush_is_due = False

    def send(self, frame: bytes) -> None:
        """Write with everything else of this turn of the loop."""
        self._unsent += frame
        if not self._flush_is_due:
            self._flush_is_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_is_due = False
        if self.writer is not None and self._unsent:
            self.writer.write(bytes(self._unsent))
            if self.writer.unsent > MAX_UNSENT:
                self.logger.warning("closing the connection: the client does not read")
                self.writer.abort()
        self._unsent.clear()

    async def stop(self) -> None:
        """End the connection; what the session is owed stays with the session."""
        if self.session is not None and outbox_of(self.session).send == self.send:
            outbox_of(self.session).send = None
        await super().stop()

    async def mqtt_publish(
        self, topic: str, data: bytes, qos: int | None, retain: bool, ack_timeout: int | None = None
    ) -> None:
        """Send what amqtt itself has to say: retained messages."""
        if qos:
            outbox_of(self.session).put(Owed(topic.encode(), bytes(data), retain))
        else:
            self.send(build_publish(topic.encode(), bytes(data), None, retain=retain))

    async def _retry_deliveries(self) -> None:
        outbox_of(self.session).connect(self.send)

    async def _reader_loop(self) -> None:
        self._reader_ready.set()
        try:
            await self._read_frames()
        except (OSError, TimeoutError, FrameError, AMQTTError, MQTTError, NoDataError) as error:
            self.logger.info("closing the connection: %s", error)
        except asyncio.CancelledError:
            self.logger.debug("told to stop")
        await self.handle_connection_closed()
        self._reader_stopped.set()
        await self.stop()

    async def _read_frames(self) -> None:
        buffer = b""
        patience = self.keepalive_timeout and self.keepalive_timeout * PATIENCE
        while True:
            async with asyncio.timeout(patience):
                burst = await self.reader.read_burst()
            if not burst:
                return
            buffer, at = buffer + burst if buffer else burst, 0
            while at < len(buffer) and (frame := find_frame(buffer, at)) is not None:
                at = frame.end
                if not await self._take(buffer, frame):
                    return
            buffer = buffer[at:]
            if len(buffer) > MAX_FRAME:
                msg = f"a frame of more than {MAX_FRAME} bytes"
                raise FrameError(msg)
            self._flush()
            await self.writer.drain()

    async def _take(self, buffer: bytes, frame: Frame) -> bool:
        """Act on a frame; False ends the connection."""
        if frame.kind == packets.PUBLISH:
            message = parse_publish(buffer, frame)
            await self._take_publish(message)
            return True
        if frame.kind == packets.PUBACK:
            outbox_of(self.session).acknowledge(int.from_bytes(buffer[frame.body : frame.end], "big"))
            return True
        if frame.kind == packets.PUBREL:
            mid = int.from_bytes(buffer[frame.body : frame.end], "big")
            _unreleased(self.session).discard(mid)
            self.send(build_ack(PUBCOMP, mid))
            return True
        return await self._take_rest(buffer, frame)

    async def _take_publish(self, message: Publish) -> None:
        if message.topic.startswith(b"$") or b"+" in message.topic or b"#" in message.topic:
            msg = f"a PUBLISH to {message.topic!r}"
            raise FrameError(msg)
        if message.qos < EXACTLY_ONCE or message.mid not in _unreleased(self.session):
            self._broker.route(message.topic, message.payload, message.qos)
            if message.retain:
                topic = message.topic.decode("utf-8", "replace")
                await self._broker.retain_message(self.session, topic, message.payload, min(message.qos, 1))
        if message.mid is not None and message.qos == EXACTLY_ONCE:
            _unreleased(self.session).add(message.mid)
            self.send(build_ack(PUBREC, message.mid))
        elif message.mid is not None:
            self.send(build_ack(PUBACK, message.mid))

    async def _take_rest(self, buffer: bytes, frame: Frame) -> bool:
        """Leave what is rare to amqtt."""
        header = packets.MQTTFixedHeader(frame.kind, frame.flags, frame.end - frame.body)
        reader = BufferReader(bytes(buffer[frame.body : frame.end]))
        packet = await packet_class(header).from_stream(reader, fixed_header=header)
        match frame.kind:
            case packets.SUBSCRIBE:
                await self.handle_subscribe(packet)
            case packets.UNSUBSCRIBE:
                await self.handle_unsubscribe(packet)
            case packets.PINGREQ:
                await self.handle_pingreq(packet)
            case packets.DISCONNECT:
                await self.handle_disconnect(packet)
                return False
            case _:
                msg = f"an unexpected packet of type {frame.kind}"
                raise FrameError(msg)
        return True


def outbox_of(session: Session) -> Outbox:
    """Return what a session is owed."""
    outbox = session.attributes.get(OUTBOX)
    if outbox is None:
        outbox = session.attributes[OUTBOX] = Outbox()
    return outbox  # type: ignore[no-any-return]


def _unreleased(session: Session) -> set[int]:
    found: set[int] = session.attributes.setdefault(UNRELEASED, set())
    return found
