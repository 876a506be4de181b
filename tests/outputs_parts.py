"""What tests of outputs share: a house with lights whose ticks a test closes, its alarms, and who listens."""

import json
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from app.alarming.sink import Alarms
from app.alarming.store import AlarmStore
from app.outputs import check_outputs
from engine.model.catalog import Catalog
from engine.model.clock import ManualClock
from engine.model.reading import Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.service import Engine
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from tests.environment.waiting import until

LIGHTS = Relation(
    "lights", RelationKind.TABLE, (Column("room", Type.TEXT), Column("lux", Type.DOUBLE)), ("room",)
)
DARK = "CREATE VIEW dark AS SELECT room FROM lights WHERE lux < 50"


class House:
    """An engine over one table, whose ticks a test closes."""

    def __init__(self) -> None:
        self.engine = Engine(Session(Catalog([LIGHTS]), FederatedOptimizer(), check_outputs=check_outputs))
        self.offset = 0

    def light(self, room: str, lux: float, at: int = 0) -> None:
        self.offset += 1
        reading = Reading("lights", 1, (room, lux), self.offset, 0, at)
        rows = {f: [reading] for f in self.engine.fragments() if f.relation == "lights"}
        self.engine.advance(self.offset, at or self.offset, rows)


def alarms_in(folder: Path, told: list[Any] | None = None) -> Alarms:
    clock = ManualClock(99)
    store = AlarmStore(f"sqlite:///{folder / 'alarms.db'}", clock)
    return Alarms(store, clock, (told if told is not None else []).append)


def standing(alarms: Alarms) -> list[tuple[str, int]]:
    return sorted((a["row"]["room"], a["since"]) for a in alarms.store.listed(0))


class Listener:
    """What a subscriber hears, in order."""

    def __init__(self, port: int) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.on_message = self._take
        self.client.on_connect = lambda client, *_: client.subscribe("out/#", 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _take(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        self.heard.append((message.topic, json.loads(message.payload) if message.payload else None))

    def waits_for(self, *expected: tuple[str, Any]) -> None:
        until(lambda: all(each in self.heard for each in expected), 10, f"{expected}, heard {self.heard}")

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
