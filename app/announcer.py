"""OUTPUT TO MQTT: rows as messages at QoS 1, to the broker that the devices use.

    'a/topic'     {"view", "tick", "rows": [{…}]}  the state: at the start, after a lost connection or a gap
                  {"view", "tick", "changes": [[±n, {…}], …]}  what one tick changed
    'a/{column}'  retained, a topic for each row: {"present": true, column: value, …}; empty when it goes

Of rows that share a topic, the first by its text is published. Which topics hold a retained message is
kept (``retained``), so that one whose row went while nothing ran, or whose view is gone, is cleared too.

The network is paho's thread's. Without a connection nothing is queued: once it is back, the state is
published. At most MAX_WAITING messages wait for the broker's acknowledgement; what is more is dropped,
counted and said, and the state follows when the rest is through.
"""

from collections.abc import Mapping
from threading import Event
from typing import NamedTuple

from paho.mqtt.client import Client, ConnectFlags, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from app.facade import Delta, Snapshot
from app.retained import Kept, Retained
from app.routes import Route
from app.topic_rows import TopicRows, dumped, named_rows
from engine.model.relation import Column
from ingest.topics import TopicPattern
from ingest.wrappers.mqtt.url import parse_mqtt_url

KEEP_ALIVE = 20
IN_FLIGHT = 100
MAX_WAITING = 2_000
MAX_PAYLOAD = 1_000_000


class Waiting(NamedTuple):
    """A message that the broker has not acknowledged; ``clears`` is the topic it empties, if it does."""

    info: MQTTMessageInfo
    clears: Kept | None


class Announcer:
    """Publishes the rows of views; connects when the first of them asks for it."""

    def __init__(self, url: str, client_id: str, retained: Retained) -> None:
        self._address = parse_mqtt_url(url)
        self._retained = retained
        self._client = Client(CallbackAPIVersion.VERSION2, client_id=client_id)
        self._client.max_inflight_messages_set(IN_FLIGHT)
        self._client.reconnect_delay_set(1, 10)
        self._client.on_connect = self._connected
        self._is_open = self._is_behind = False
        self._is_back = Event()
        self._waiting: list[Waiting] = []
        self._columns: dict[Route, tuple[Column, ...]] = {}
        self._topics: dict[Route, TopicRows] = {}
        self.dropped = 0

    def close(self) -> None:
        if self._is_open:
            self._client.disconnect()
            self._client.loop_stop()
        self._retained.close()

    def health(self) -> str | None:
        """Return "ok" or what is wrong; nothing while no view is routed here."""
        if not self._is_open:
            return None
        if not self._client.is_connected():
            return f"no broker at {self._address}; rows are published when it is back"
        return f"{self.dropped} messages were too many or too long and dropped" if self.dropped else "ok"

    # The sink

    def hold(self, route: Route, state: Snapshot) -> None:
        self._open()
        self._columns[route] = state.columns
        pattern = TopicPattern(route.output.target)
        if not pattern.parts:
            named = named_rows(state.columns)
            rows = [named(row) for row, count in state.rows for _ in range(count)]
            message = dumped({"view": state.view, "tick": state.tick, "rows": rows})
            self._send(pattern.text, message, is_retained=False)
            return
        topics = self._topics[route] = TopicRows(pattern, state.columns)
        self._keep(route, dict.fromkeys(self._retained.of(route), "") | topics.apply(state.rows))

    def change(self, route: Route, change: Delta) -> None:
        if route in self._topics:
            self._keep(route, self._topics[route].apply(change.changes))
            return
        named = named_rows(self._columns[route])
        changes = [[count, named(row)] for row, count in change.changes]
        message = {"view": change.view, "tick": change.tick, "changes": changes}
        self._send(route.output.target, dumped(message), is_retained=False)

    def end(self, route: Route) -> None:
        self._columns.pop(route, None)
        self._topics.pop(route, None)
        self._keep(route, dict.fromkeys(self._retained.of(route), ""))

    def settle(self, routes: set[Route]) -> None:
        """Clear what views that are gone left retained, as soon as there is a connection."""
        if self._retained.orphans(routes):
            self._open()

    def turn(self) -> bool:
        through = [message for message in self._waiting if message.info.is_published()]
        self._waiting = [message for message in self._waiting if not message.info.is_published()]
        self._retained.forget(
            {m.clears for m in through if m.clears is not None and not self._shows(m.clears)}
        )
        is_through = self._is_behind and not self._waiting
        if not (self._is_back.is_set() or is_through):
            return False
        self._is_back.clear()
        self._is_behind = False
        for kept in self._retained.orphans(self._columns):
            self._send(kept.topic, "", clears=kept)
        return True

    def _shows(self, kept: Kept) -> bool:
        return any(
            (route.view, route.output.target) == kept[:2] and kept.topic in topics
            for route, topics in self._topics.items()
        )

    def _keep(self, route: Route, messages: Mapping[str, str]) -> None:
        self._retained.remember(route, [topic for topic, payload in messages.items() if payload])
        for topic, payload in messages.items():
            clears = None if payload else Kept(route.view, route.output.target, topic)
            self._send(topic, payload, clears=clears)

    def _send(
        self, topic: str, payload: str, *, is_retained: bool = True, clears: Kept | None = None
    ) -> None:
        if not self._client.is_connected():
            return
        body = payload.encode()
        if len(self._waiting) >= MAX_WAITING or len(body) > MAX_PAYLOAD:
            self.dropped += 1
            self._is_behind = self._is_behind or len(body) <= MAX_PAYLOAD
            return
        self._waiting.append(Waiting(self._client.publish(topic, body, qos=1, retain=is_retained), clears))

    # The connection

    def _open(self) -> None:
        if not self._is_open:
            self._is_open = True
            self._address.prepare(self._client, KEEP_ALIVE)
            self._client.loop_start()

    def _connected(
        self, _c: Client, _u: object, _f: ConnectFlags, code: ReasonCode, _p: Properties | None
    ) -> None:
        if not code.is_failure:
            self._is_back.set()
