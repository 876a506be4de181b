"""A command to a device: one message over a connection of its own, acknowledged by the broker.

People give commands seldom, so nothing is kept open for them.
"""

from threading import Event

from paho.mqtt.client import Client, ConnectFlags
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from engine.model.errors import SourceError
from ingest.wrappers.mqtt.url import parse_mqtt_url

PATIENCE_SECONDS = 5.0
KEEP_ALIVE = 20


def send_command(url: str, topic: str, payload: str) -> None:
    """Publish, and return once the broker has it."""
    client, connected = Client(CallbackAPIVersion.VERSION2), Event()

    def on_connect(_c: Client, _u: object, _f: ConnectFlags, code: ReasonCode, _p: Properties | None) -> None:
        if not code.is_failure:
            connected.set()

    client.on_connect = on_connect
    address = parse_mqtt_url(url)
    address.prepare(client, KEEP_ALIVE)
    client.loop_start()
    try:
        if not connected.wait(PATIENCE_SECONDS):
            message = f"the broker at {address} did not answer for {PATIENCE_SECONDS:.0f} s"
            raise SourceError(message)
        sent = client.publish(topic, payload, qos=1)
        sent.wait_for_publish(PATIENCE_SECONDS)
        if not sent.is_published():
            message = f"the broker at {address} did not take a command for {topic}"
            raise SourceError(message)
    finally:
        client.disconnect()
        client.loop_stop()
