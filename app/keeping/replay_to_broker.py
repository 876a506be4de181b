"""The messages of a recording, to a broker, as they fall due: as if the devices spoke.

At QoS 1, and no faster than the broker acknowledges. Whatever else is in the recording stays there.
"""

import threading
from pathlib import Path

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from engine.model.errors import SourceError
from ingest.log import MQTT_SOURCE
from ingest.recordings.file import read_recording
from ingest.recordings.pacing import due_together, is_replayed
from ingest.wrappers.mqtt.url import parse_mqtt_url

MOST_UNACKNOWLEDGED = 500
PATIENCE, KEEP_ALIVE = 10.0, 30


def to_broker(url: str, file: Path, speed: float) -> int:
    """Publish; return how many messages that were."""
    address = parse_mqtt_url(url)
    client = Client(CallbackAPIVersion.VERSION2)
    room = threading.Semaphore(MOST_UNACKNOWLEDGED)
    client.on_publish = lambda *_: room.release()
    address.prepare(client, KEEP_ALIVE)
    try:
        client.reconnect()
    except OSError as error:
        msg = f"cannot connect to {address}: {error}; expected a broker that runs"
        raise SourceError(msg) from error
    client.loop_start()
    sent, ending = 0, threading.Event()
    try:
        said = (each for each in read_recording(file) if each.source == MQTT_SOURCE and is_replayed(each))
        for group in due_together(said, speed, ending.wait):
            for each in group:
                if not room.acquire(timeout=PATIENCE):
                    msg = f"{address} acknowledged nothing for {PATIENCE:g} s, after {sent} messages"
                    raise SourceError(msg)
                client.publish(each.topic, each.payload, qos=1)
                sent += 1
        for _ in range(MOST_UNACKNOWLEDGED):
            room.acquire(timeout=PATIENCE)
    finally:
        client.disconnect()
        client.loop_stop()
    return sent
