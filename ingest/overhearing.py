"""What a broker has to say, for a moment: what it keeps, and what is said meanwhile.

    connect, clean session  →  subscribe #  →  messages, until the time is up or there are enough of them

Nothing is acknowledged for anybody else and nothing of it is logged: whoever overhears changes nothing.
"""

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import uuid4

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from engine.model.clock import Clock
from engine.model.errors import SourceError
from ingest.wrappers.mqtt.url import parse_mqtt_url

EVERYTHING = ("#",)
MOST_MESSAGES, MOST_BYTES = 20_000, 50_000_000
KEEP_ALIVE = 30
PATIENCE = 10.0
REFUSED = 128


class Message(NamedTuple):
    """A message as it was overheard, at a time in microseconds."""

    topic: str
    payload: bytes
    received: int


class _Ear:
    """Collects up to a bound; ``full`` says that it has enough."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.messages: list[Message] = []
        self.ready, self.full = threading.Event(), threading.Event()
        self.problem = ""
        self._bytes = 0

    def connected(self, client: Client, filters: Sequence[str], reason: Any) -> None:
        if reason.is_failure:
            self.fail(str(reason))
            return
        client.subscribe([(each, 1) for each in filters])

    def subscribed(self, reasons: Sequence[Any]) -> None:
        if all(reason.value >= REFUSED for reason in reasons):
            self.fail("it does not allow the subscription")
        self.ready.set()

    def fail(self, problem: str) -> None:
        self.problem = problem
        self.ready.set()
        self.full.set()

    def take(self, message: MQTTMessage) -> None:
        if self.full.is_set():
            return
        topic = message._topic.decode("utf-8", "replace")
        self.messages.append(Message(topic, bytes(message.payload), self._clock.now()))
        self._bytes += len(message.payload)
        if len(self.messages) >= MOST_MESSAGES or self._bytes >= MOST_BYTES:
            self.full.set()


def overhear(url: str, seconds: float, clock: Clock, filters: Sequence[str] = EVERYTHING) -> list[Message]:
    """Return what a broker keeps and what comes within some seconds of listening to it."""
    address, ear = parse_mqtt_url(url), _Ear(clock)
    client = Client(CallbackAPIVersion.VERSION2, client_id=f"smartcis-try-{uuid4().hex[:12]}")
    client.on_connect = lambda _c, _d, _f, reason, _p: ear.connected(client, filters, reason)
    client.on_subscribe = lambda _c, _d, _m, reasons, _p: ear.subscribed(reasons)
    client.on_message = lambda _c, _d, message: ear.take(message)
    client.on_connect_fail = lambda _c, _d: ear.fail("it does not answer")
    address.prepare(client, KEEP_ALIVE)
    client.loop_start()
    try:
        if not ear.ready.wait(PATIENCE):
            ear.fail(f"it does not answer within {PATIENCE:g} s")
        ear.full.wait(seconds)
    finally:
        client.disconnect()
        client.loop_stop()
    if ear.problem:
        msg = f"nothing can be heard from the broker at {address}: {ear.problem}"
        raise SourceError(msg)
    return ear.messages
