"""The simulated building's air sensors announce themselves, and discovery makes of it what they say."""

import json
from typing import Any

import pytest

from engine.model.clock import ManualClock
from ingest.building.air import BIRTH, AirSensors
from ingest.building.design import the_building
from ingest.building.floors import Occupancy
from ingest.building.publisher import Publisher
from ingest.building.rota import SECOND, Rota
from ingest.building.schedule import Schedule
from ingest.discovery.registry import Registry

BUILDING = the_building()
EPOCH = 1_700_000_000 * SECOND


class Overheard(Publisher):
    """What would be published, beside a connection that stands."""

    def __init__(self) -> None:
        super().__init__("mqtt://127.0.0.1:1", "overheard")
        self.connected.set()
        self.said: dict[str, Any] = {}
        self._client.publish = self._overhear  # type: ignore[method-assign,assignment]

    def _overhear(self, topic: str, payload: str, **_how: object) -> None:
        self.said[topic] = payload


@pytest.fixture
def out() -> Overheard:
    return Overheard()


@pytest.fixture
def rota(out: Overheard) -> Rota:
    rota = Rota(ManualClock(EPOCH), 1.0)
    AirSensors(BUILDING, 1, Occupancy(BUILDING, 7), Schedule(EPOCH), out).enrol(rota)
    rota.begin()
    rota.give_turns(EPOCH + 10 * SECOND)
    return rota


def configs(out: Overheard) -> dict[str, Any]:
    return {topic: said for topic, said in out.said.items() if topic.startswith("homeassistant/")}


def test_every_sensor_is_known_by_its_announcement_in_its_room_but_the_portable_one(
    rota: Rota, out: Overheard
) -> None:
    registry = Registry()
    for offset, (topic, said) in enumerate(configs(out).items(), 1):
        assert registry.take(offset, "mqtt", topic, said.encode()).problems == ()
    rooms = {device.id: device.room for device in registry.devices.values()}
    assert rooms["air-1-01"] == "1.01"
    assert [device for device, room in rooms.items() if room is None] == ["air-portable-1"]
    assert len(registry.entities) == 4 * len(rooms) > 20


def test_what_a_sensor_says_stays_within_what_air_can_be(rota: Rota, out: Overheard) -> None:
    said = [json.loads(body) for topic, body in out.said.items() if topic.startswith("air/")]
    assert len(said) == len(configs(out))
    assert all(420 - 15 <= one["co2"] <= 2_400 for one in said)
    assert max(one["co2"] for one in said) > 600, "somebody breathes"
    assert all(30 <= one["humidity"] <= 60 and 0 < one["battery"] <= 100 for one in said)


def test_an_announcement_is_the_same_whenever_it_is_made_and_is_made_again_at_the_birth_message(
    rota: Rota, out: Overheard
) -> None:
    before, out.said = configs(out), {}
    heard = out._client._on_message_filtered[BIRTH]
    heard(None, None, type("Message", (), {"topic": BIRTH, "payload": b"online"}))
    rota._calls.get_nowait()()
    assert configs(out) == before
