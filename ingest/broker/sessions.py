"""amqtt with a message path of our own: what it must not lose, and what it must not cost.

    route(topic) → the sessions whose filters match, remembered per topic → outbox of each

amqtt forgets a QoS 1 message that is not acknowledged within 5 s or whose connection ends, and spends
several tasks on each. Connecting, sessions, subscriptions, authentication, wills and retained
messages stay amqtt's; reading (``broker_connection``), routing and delivering PUBLISH are ours.
Subscriptions are granted at most QoS 1, and a client gets one copy however many of its filters match.
What is retained goes to whoever subscribes, at the SUBSCRIBE, and nowhere else (MQTT 3.1.1, 3.3.1.3);
amqtt would send it at each connection too, for the filters of all sessions.

The seam is seven private methods of amqtt's broker: ``_initialize_client_session``,
``_handle_disconnect``, ``_handle_subscription``, ``_publish_retained_messages_for_subscription``,
``_run_broadcast``, ``_del_subscription``, ``_matches``. The tests run them with real clients.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from amqtt.broker import Broker
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.session import Session

from ingest.broker.connection import BurstReader, BurstWriter, SwiftHandler, outbox_of
from ingest.broker.greeting import SPOKEN, Greeting, read_greeting, refusal
from ingest.broker.outbox import Owed
from ingest.mqtt_frames import build_publish

KNOWN_TOPICS = 50_000
GREETING_SECONDS = 10.0

Subscribers = list[tuple[Session, int]]
OnRefusal = Callable[[Greeting, str], None]


class SwiftBroker(Broker):
    """Routes messages itself."""

    def __init__(self, config: dict[str, Any], on_refusal: OnRefusal = lambda *_: None) -> None:
        super().__init__(config)
        self._on_refusal = on_refusal
        self._routes: dict[bytes, Subscribers] = {}

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        """Serve a client, if it speaks our version of MQTT."""
        burst = BurstReader(reader)
        try:
            async with asyncio.timeout(GREETING_SECONDS):
                greeting = read_greeting(await burst.peek())
        except (OSError, TimeoutError):
            writer.close()
            return
        if greeting is None or greeting.version == SPOKEN:
            await self._client_connected(listener_name, burst, BurstWriter(writer))
            return
        self._on_refusal(greeting, str(writer.get_extra_info("peername", ("an unknown address",))[0]))
        writer.write(refusal(greeting))
        writer.close()

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

    async def _handle_subscription(
        self, client_session: Session, handler: BrokerProtocolHandler, subscribe_waiter: asyncio.Future[Any]
    ) -> None:
        """Subscribe, then send what is retained under any of the filters that were granted, each once."""
        await super()._handle_subscription(client_session, handler, subscribe_waiter)
        asked = [name for name, _ in subscribe_waiter.result().topics]
        granted = {name: qos for name in asked if (qos := self._granted(name, client_session)) is not None}
        for topic, retained in list(self._retained_messages.items()):
            qos = max((qos for name, qos in granted.items() if self._matches(topic, name)), default=None)
            if qos is not None:
                data, qos = bytes(retained.data), min(qos, retained.qos or 0)
                await handler.mqtt_publish(topic, data, qos, retain=True)

    def _granted(self, topic_filter: str, session: Session) -> int | None:
        """Return the QoS of a session's subscription, or None if it was refused."""
        found = self.subscriptions.get(topic_filter, ())
        return next((qos for each, qos in found if each.client_id == session.client_id), None)

    async def _publish_retained_messages_for_subscription(self, *_arguments: Any) -> None:
        """Send nothing: amqtt calls this for each filter that anybody has, whenever a client connects."""

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
