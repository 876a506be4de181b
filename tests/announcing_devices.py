"""Devices that announce themselves by Home Assistant's discovery, over a real connection."""

import json
import threading
from typing import NamedTuple

import paho.mqtt.client as paho

from engine.model.relation import REJECTS
from engine.model.values import Row, Value
from ingest.discovery.registry import Registry
from ingest.discovery.relations import DEVICE_STATES, DEVICES, ENTITIES, MEASUREMENTS
from ingest.discovery.topics import BIRTH_TOPIC
from ingest.log import Log, Record
from ingest.reader import LogReader
from ingest.sources import parse_sources
from tests.environment.waiting import until

PATIENCE = 20


def config_topic(device: str, quantity: str = "temperature") -> str:
    return f"homeassistant/sensor/{device}/{quantity}/config"


def config(device: str, quantity: str = "temperature", **more: object) -> bytes:
    about = {"identifiers": [device], "name": f"Sensor {device}", "manufacturer": "Test"}
    body = {"unique_id": f"{device}_{quantity}", "name": quantity, "device_class": quantity}
    where = {"state_topic": f"house/{device}/{quantity}", "availability_topic": f"house/{device}/lwt"}
    return json.dumps({**body, **where, "device": about, **more}).encode()


class Devices:
    """One connection that speaks for many devices, and announces them again whenever it hears a birth."""

    def __init__(self, port: int, *names: str) -> None:
        self.configs = {config_topic(name): config(name) for name in names}
        self.births = 0
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id="devices", clean_session=False)
        self.client.max_queued_messages_set(0)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda *_: self.client.subscribe(BIRTH_TOPIC, 1)
        self.client.on_message = self._heard
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        until(self.client.is_connected, PATIENCE, "the devices to be connected")

    def _heard(self, _client: object, _data: object, message: paho.MQTTMessage) -> None:
        if message.payload == b"online":
            self.births += 1
            threading.Thread(target=self.announce, daemon=True).start()

    def announce(self) -> None:
        for topic, body in self.configs.items():
            self.client.publish(topic, body, qos=1, retain=True)

    def say(self, topic: str, payload: bytes | str, *, retain: bool = False) -> None:
        self.client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(PATIENCE)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


def registry_of(url: str) -> Registry:
    """Return what is known by what the log has."""
    registry = Registry()
    with Log(url) as log:
        for each in log.announced():
            registry.take(*each)
    return registry


class Decoded(NamedTuple):
    """What the decoder makes of a log: rows by key, and each measurement and reject."""

    devices: dict[str, Row]
    entities: dict[str, Row]
    states: dict[str, Row]
    measured: list[tuple[Value, Value]]
    rejects: list[Row]


def decoded(url: str) -> Decoded:
    """Return what the decoder makes of the log, read from its beginning."""
    reader, at = LogReader(url, parse_sources("mqtt: {}", {})), 0
    found = Decoded({}, {}, {}, [], [])
    tables = {DEVICES.name: found.devices, ENTITIES.name: found.entities, DEVICE_STATES.name: found.states}
    while (batch := reader.read(at)).end > at:
        at = batch.end
        for reading in batch.readings:
            table = tables.get(reading.relation)
            if table is not None and reading.sign > 0:
                table[str(reading.row[0])] = reading.row
            elif table is not None:
                table.pop(str(reading.row[0]), None)
            elif reading.relation == MEASUREMENTS.name:
                found.measured.append((reading.row[0], reading.row[3]))
            elif reading.relation == REJECTS.name:
                found.rejects.append(reading.row)
    return found


def entries(url: str, source: str = "mqtt") -> list[Record]:
    found, at = [], 0
    with Log(url) as log:
        while records := log.read(at):
            found += [record for record in records if record.source == source]
            at = records[-1].offset
    return found


def states_said(url: str) -> dict[str, str]:
    with Log(url) as log:
        return log.state("device_states")
