"""A gateway and its broker: paho in a thread of its own, the agent in this one.

    connected → subscribed → the agent's marker comes back, behind everything that is retained → a new life

What is said while there is no connection is not kept: in the next life everything is said again.
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import NamedTuple

from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from engine.model.clock import Clock
from ingest.gateways.agent import Agent, Outside
from ingest.gateways.incarnations import Incarnations
from ingest.gateways.kept import Kept
from ingest.gateways.runs import Pace
from ingest.gateways.states import last_will
from ingest.sources import Sources
from ingest.wrappers.mqtt.url import parse_mqtt_url

KEEP_ALIVE = 20
TICK_SECONDS = 0.25
BURST = 500
GOOD_BYE_SECONDS = 2.0


class Heard(NamedTuple):
    """A message as received; one without a topic says that the subscriptions stand."""

    topic: str
    payload: bytes
    is_retained: bool


SUBSCRIBED = Heard("", b"", is_retained=False)


class Held(NamedTuple):
    """What a gateway has on its disk."""

    incarnations: Incarnations
    kept: Kept


class Connection:
    """One gateway as a process has it."""

    def __init__(self, name: str, url: str, sources: Sources, held: Held, pace: Pace) -> None:
        self._inbox: SimpleQueue[Heard] = SimpleQueue()
        self._state_topic = f"gateway/{name}/state"
        self._client = Client(CallbackAPIVersion.VERSION2, client_id=f"gateway-{name}")
        self._will()
        self._client.max_queued_messages_set(0)
        self._client.max_inflight_messages_set(200)
        self._client.reconnect_delay_set(min_delay=1, max_delay=4)
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_message = self._on_message
        self._address = parse_mqtt_url(url)
        self._kept = held.kept
        self.agent = Agent(
            name, sources, Outside(self._publish, held.incarnations.next, pace, held.kept.keep)
        )

    def run(self, clock: Clock, ending: threading.Event) -> None:
        """Serve until told to end."""
        self.agent.recall(self._kept.read(), clock.now())
        self._kept.start()
        self._address.prepare(self._client, KEEP_ALIVE)
        self._client.loop_start()
        while not ending.is_set():
            for topic, payload, is_retained in self._burst():
                if topic:
                    self.agent.heard(topic, payload, clock.now(), is_retained)
                else:
                    self.agent.connecting()
            self.agent.tick(clock.now())
        if self._client.is_connected():
            gone = self._client.publish(self._state_topic, last_will(), qos=1, retain=True)
            gone.wait_for_publish(GOOD_BYE_SECONDS)
        self._client.disconnect()
        self._client.loop_stop()
        self._kept.stop()

    def _burst(self) -> Sequence[Heard]:
        """Return what came; wait for it no longer than until the next tick."""
        found: list[Heard] = []
        with suppress(Empty):
            found.append(self._inbox.get(timeout=TICK_SECONDS))
            while len(found) < BURST:
                found.append(self._inbox.get_nowait())
        return found

    def _publish(self, topic: str, payload: bytes, retain: bool) -> None:
        if self._client.is_connected():
            self._client.publish(topic, payload, qos=1, retain=retain)

    def _will(self) -> None:
        """Leave a will with the broker at the next connection."""
        self._client.will_set(self._state_topic, last_will(), qos=1, retain=True)

    def _on_connect(
        self, client: Client, _u: object, _f: ConnectFlags, code: ReasonCode, _p: Properties | None
    ) -> None:
        if not code.is_failure:
            self._will()
            client.subscribe(list(self.agent.filters()))

    def _on_subscribe(
        self, _c: Client, _u: object, _m: int, _codes: list[ReasonCode], _p: Properties | None
    ) -> None:
        self._inbox.put(SUBSCRIBED)

    def _on_message(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        if message.topic:
            self._inbox.put(Heard(message.topic, bytes(message.payload), message.retain))
