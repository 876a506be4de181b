"""A device's voice: MQTT by paho, QoS 1, reconnecting by itself.

What a device says while the broker is away is lost, as with a real one; once the broker is back,
`is_back()` is true one time and everything is said again. Every payload carries the sender's own sequence
number. A device that can be told something listens on the same connection.
"""

import json
from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from ingest.wrappers.mqtt.url import parse_mqtt_url

QOS = 1
QUEUE = 500
KEEP_ALIVE = 20


class Publisher:
    """One sender with its sequence numbers."""

    def __init__(self, url: str, name: str) -> None:
        self.connected = Event()
        self.sent = 0
        self._back = False
        self._acknowledged = 0
        self._filters: list[str] = []
        self._announced: set[str] = set()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id=name)
        self._client.max_queued_messages_set(QUEUE)
        self._client.reconnect_delay_set(min_delay=1, max_delay=4)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_publish = self._on_publish
        parse_mqtt_url(url).prepare(self._client, KEEP_ALIVE)

    def start(self) -> None:
        """Connect in the background, and again whenever it is needed."""
        self._client.loop_start()

    def listen(self, topics: str, take: Callable[[str, bytes], None]) -> None:
        """Hand over what is said on a topic filter, on the connection's own thread; ask before `start`."""

        def taken(_client: Client, _userdata: object, message: MQTTMessage) -> None:
            take(message.topic, bytes(message.payload))

        self._filters.append(topics)
        self._client.message_callback_add(topics, taken)

    def send(self, topic: str, payload: Mapping[str, Any], retain: bool = False) -> MQTTMessageInfo | None:
        """Publish, or lose what cannot be said now."""
        if not self.connected.is_set():
            return None
        self.sent += 1
        return self._client.publish(topic, json.dumps({**payload, "seq": self.sent}), qos=QOS, retain=retain)

    def announce(self, topic: str, payload: Mapping[str, Any]) -> None:
        """Publish what the broker is to keep, as it is: the same again is the same message."""
        if self.connected.is_set():
            self._announced.add(topic)
            self.sent += 1
            self._client.publish(topic, json.dumps(payload), qos=QOS, retain=True)

    def has_announced(self, topic: str) -> bool:
        """Tell whether something was announced on this connection."""
        return topic in self._announced

    def waiting(self) -> int:
        """Return how many messages the broker has not acknowledged yet."""
        return self.sent - self._acknowledged

    def is_back(self) -> bool:
        """Return once whether there is a connection that there was not before."""
        back, self._back = self._back, False
        return back

    def close(self) -> None:
        """Say good-bye to the broker."""
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(
        self, _c: Client, _u: object, _f: object, code: ReasonCode, _p: Properties | None
    ) -> None:
        if not code.is_failure:
            self._back = True
            self._announced.clear()
            for topics in self._filters:
                self._client.subscribe(topics, QOS)
            self.connected.set()

    def _on_publish(self, _c: Client, _u: object, _m: int, _r: ReasonCode, _p: Properties | None) -> None:
        self._acknowledged += 1

    def _on_disconnect(
        self, _c: Client, _u: object, _f: object, _r: ReasonCode, _p: Properties | None
    ) -> None:
        self.connected.clear()
