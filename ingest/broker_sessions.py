"""amqtt with a message path of our own: what it must not lose, and what it must not cost.

    socket → burst of frames → route(topic) → outbox of each subscriber → one write a burst

amqtt forgets a QoS 1 message that is not acknowledged within 5 s or whose connection ends, and spends
several tasks on each. Connecting, sessions, subscriptions, authentication, wills and retained
messages stay amqtt's; reading, routing and delivering PUBLISH at QoS 0 and 1 are ours. Subscriptions
are granted at most QoS 1, and a client gets one copy however many of its filters match.

The seam is four private methods of amqtt's broker (``_initialize_client_session``,
``_handle_disconnect``, ``_run_broadcast``, ``_del_subscription``) and two of its handler
(``_reader_loop``, ``_retry_deliveries``). The tests run them with real clients.
"""

import asyncio
from typing import Any

from amqtt.adapters import BufferReader, StreamReaderAdapter, StreamWriterAdapter
from amqtt.broker import Broker
from amqtt.errors import AMQTTError, MQTTError, NoDataError
from amqtt.mqtt import packet as packets
from amqtt.mqtt import packet_class
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.session import Session

from ingest.broker_outbox import Outbox, Owed
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
KNOWN_TOPICS = 50_000
OUTBOX = "smartcis.outbox"
UNRELEASED = "smartcis.unreleased"  # QoS 2 identifiers received and routed, not yet released
EXACTLY_ONCE = 2
PATIENCE = 1.5  # keep-alives without a word before a client is taken for dead

Subscribers = list[tuple[Session, int]]


class BurstReader(StreamReaderAdapter):
    """amqtt's adapter, that can also give whatever has come."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__(reader)
        self._stream = reader

    async def read_burst(self) -> bytes:
        """Return at least a byte, or nothing at the end."""
        return await self._stream.read(CHUNK)


class BurstWriter(StreamWriterAdapter):
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


class SwiftBroker(Broker):
    """Routes messages itself."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        self._routes: dict[bytes, Subscribers] = {}

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        """Serve a client."""
        await self._client_connected(listener_name, BurstReader(reader), BurstWriter(writer))

    def route(self, topic: bytes, payload: bytes, qos: int) -> None:
        """Give a message to every session that subscribed to its topic."""
        subscribers = self._routes.get(topic)
        if subscribers is None:
            subscribers = self._find_subscribers(topic)
        for session, granted in subscribers:
            if qos and granted:
                outbox_of(session).put(Owed(topic, payload, retain=False))
            elif (send := outbox_of(session).send) is not None:
                send(build_publish(topic, payload, None))

    def _find_subscribers(self, topic: bytes) -> Subscribers:
        name = topic.decode("utf-8", "replace")
        granted: dict[str, tuple[Session, int]] = {}
        for topic_filter, subscriptions in self.subscriptions.items():
            if self._matches(name, topic_filter):
                for session, qos in subscriptions:
                    known = granted.get(session.client_id, (session, 0))[1]
                    granted[session.client_id] = (session, max(qos, known))
        if len(self._routes) >= KNOWN_TOPICS:
            self._routes.clear()
        self._routes[topic] = list(granted.values())
        return self._routes[topic]

    async def add_subscription(self, subscription: tuple[str, int], session: Session) -> int:
        """Subscribe at QoS 1 at most; return what was granted."""
        self._routes.clear()
        topic_filter, qos = subscription
        return int(await super().add_subscription((topic_filter, min(qos, 1)), session))

    def _del_subscription(self, a_filter: str, session: Session) -> int:
        self._routes.clear()
        return int(super()._del_subscription(a_filter, session))

    async def _initialize_client_session(self, *arguments: Any) -> tuple[BrokerProtocolHandler, Session]:
        _, session = await super()._initialize_client_session(*arguments)
        return SwiftHandler(self), session

    async def _handle_disconnect(
        self, client_session: Session, handler: BrokerProtocolHandler, disconnect_waiter: asyncio.Future[Any]
    ) -> None:
        """End a session's connection, unless a newer one has taken the session over."""
        if self.sessions.get(client_session.client_id, (None, None))[1] is handler:
            await super()._handle_disconnect(client_session, handler, disconnect_waiter)

    async def _run_broadcast(self, running_tasks: object) -> None:
        """Route what amqtt itself sends: wills."""
        message = await self._broadcast_queue.get()
        self.route(message["topic"].encode(), bytes(message["data"] or b""), message.get("qos", 1))


class SwiftHandler(BrokerProtocolHandler):
    """One connection: reads bursts, writes bursts."""

    def __init__(self, broker: SwiftBroker) -> None:
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
