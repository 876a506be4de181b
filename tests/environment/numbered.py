"""A publisher that numbers its messages and remembers which of them a broker acknowledged."""

import json
import random
import threading
from collections import Counter

from paho.mqtt.client import Client, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion

from ingest.log import Log
from ingest.wrappers.mqtt.url import parse_mqtt_url

PERIOD = 0.02


class NumberedPublisher:
    """Presses and leaves seats at random, about ``rate`` times a second, until stopped."""

    def __init__(self, url: str, desks: list[str], rate: int, seed: int) -> None:
        self._desks, self._rate, self._draw = desks, rate, random.Random(seed)
        self._sent: list[MQTTMessageInfo] = []
        self._stopping, self._going = threading.Event(), threading.Event()
        self._going.set()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id="numbered", clean_session=False)
        self._client.max_queued_messages_set(0)
        parse_mqtt_url(url).prepare(self._client, 30)
        self._client.reconnect()
        self._client.loop_start()
        self._thread = threading.Thread(target=self._publish, daemon=True)
        self._thread.start()

    def acknowledged(self) -> set[int]:
        """Return the numbers of the messages that the broker acknowledged."""
        return {number for number, sent in enumerate(self._sent, 1) if sent.is_published()}

    def pause(self) -> None:
        """Send nothing until ``resume``; return when all that was sent is acknowledged."""
        self._going.clear()
        threading.Event().wait(5 * PERIOD)
        for sent in list(self._sent):
            sent.wait_for_publish(120)

    def resume(self) -> None:
        self._going.set()

    def stop(self) -> None:
        """Stop, and wait until everything sent is acknowledged."""
        self._stopping.set()
        self._thread.join()
        for sent in self._sent:
            sent.wait_for_publish(120)
        self._client.disconnect()
        self._client.loop_stop()

    def _publish(self) -> None:
        while not self._stopping.wait(PERIOD):
            if not self._going.is_set():
                continue
            for _ in range(max(1, int(self._rate * PERIOD))):
                body = {"pressed": self._draw.random() < 0.5, "seq": len(self._sent) + 1}
                topic = f"building/seat/{self._draw.choice(self._desks)}"
                self._sent.append(self._client.publish(topic, json.dumps(body), qos=1))


def logged_numbers(log: Log) -> Counter[int]:
    """Count how often each number is in the log."""
    found: Counter[int] = Counter()
    start = 0
    while records := log.read(start, 20_000, 1 << 30):
        found.update(
            json.loads(r.payload)["seq"] for r in records if r.source == "mqtt" and b'"seq"' in r.payload
        )
        start = records[-1].offset
    return found
