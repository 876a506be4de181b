"""Discovery against a real broker: any order, few filters, nothing twice, and forgetting for good."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from ingest.log import REGISTRY_SOURCE, Entry, Log
from ingest.topics import TopicPattern
from ingest.wrappers.mqtt.asked import MOST_FILTERS
from tests.announcing_devices import Devices, config_topic, decoded, entries, registry_of, states_said
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until
from tests.ingest_parts import Acquisition

pytestmark = pytest.mark.integration
NAMES = [f"dev{n:03d}" for n in range(120)]
MAPPED = """
mqtt:
  air:
    topic: plain/{device}/t
    format: plain
    columns: {device: text, celsius: {type: double, unit: °C}}
    key: [device]
    measures: {device: device, values: {celsius: temperature}, expire_after: 2 seconds}
"""
TOPICS = {config_topic(name) for name in NAMES}


@pytest.fixture
def acquisition(tmp_path: Path, mosquitto: Mosquitto) -> Iterator[Acquisition]:
    made = Acquisition(tmp_path, mosquitto.port)
    made.wait_live()
    yield made
    made.process.end()


@pytest.fixture
def devices(mosquitto: Mosquitto) -> Iterator[Devices]:
    made = Devices(mosquitto.port, *NAMES)
    yield made
    made.close()


def all_known(acquisition: Acquisition) -> None:
    until(lambda: len(registry_of(acquisition.url).devices) == len(NAMES), 30, "every device to be known")
    until(lambda: is_heard(acquisition, "house/dev119/temperature"), 10, "what they say to be heard")


def filters(acquisition: Acquisition) -> list[str]:
    with Log(acquisition.url) as log:
        return list(json.loads(log.state("mqtt")["filters"]))


def is_heard(acquisition: Acquisition, topic: str) -> bool:
    return any(TopicPattern(each).matches(topic) for each in filters(acquisition))


def logged(acquisition: Acquisition) -> Counter[str]:
    return Counter(record.topic for record in entries(acquisition.url))


def test_what_a_device_said_before_it_announced_itself_comes_after_the_announcement(
    acquisition: Acquisition, devices: Devices
) -> None:
    devices.say("house/dev000/temperature", "20.0", retain=True)
    devices.say("nobody/asks", "1")
    devices.announce()
    all_known(acquisition)
    until(lambda: logged(acquisition)["house/dev000/temperature"] == 1, 10, "the first value")
    devices.say("house/dev001/temperature", "21.5")
    devices.say("house/unknown/temperature", "21.5")
    until(lambda: logged(acquisition)["house/dev001/temperature"] == 1, 10, "the second value")
    order = [record.topic for record in entries(acquisition.url)]
    assert order.index(config_topic("dev000")) < order.index("house/dev000/temperature")
    assert not {"nobody/asks", "house/unknown/temperature"} & set(order)
    assert len(filters(acquisition)) <= MOST_FILTERS
    until(lambda: acquisition.health()["mqtt"]["unasked"], 5, "what nobody asked for to be counted")


def test_states_follow_availability_and_speech(acquisition: Acquisition, devices: Devices) -> None:
    devices.say("house/dev000/lwt", "online", retain=True)
    devices.announce()
    all_known(acquisition)
    devices.say("house/dev001/temperature", "21.5")

    def states(*names: str) -> list[str | None]:
        found = states_said(acquisition.url)
        return [found.get(name) for name in names]

    until(lambda: states("dev000", "dev001", "dev002") == ["online", "online", "unknown"], 10, "the states")
    devices.say("house/dev000/lwt", "offline", retain=True)
    until(lambda: states("dev000") == ["offline"], 10, "it to be offline")
    acquisition.process.end()
    acquisition.start()
    acquisition.wait_live()
    assert states("dev000", "dev001", "dev002") == ["offline", "online", "unknown"]


@pytest.mark.slow
def test_a_restart_of_acquisition_has_devices_announce_again_and_doubles_nothing(
    acquisition: Acquisition, devices: Devices
) -> None:
    devices.say("house/dev003/temperature", "20", retain=True)
    devices.announce()
    all_known(acquisition)
    until(lambda: logged(acquisition)["house/dev003/temperature"] == 1, 10, "what the broker kept")
    before, births = logged(acquisition), devices.births
    for end in (acquisition.process.kill, acquisition.process.end):
        end()
        acquisition.start()
        acquisition.wait_live()
        until(lambda known=births: devices.births > known, 10, "the birth message")
        births = devices.births
    devices.say("house/dev007/temperature", "1")
    until(lambda: logged(acquisition)["house/dev007/temperature"] == 1, 10, "a later message")
    known, after = decoded(acquisition.url), logged(acquisition)
    assert (set(known.devices), len(known.entities), known.rejects) == (set(NAMES), len(NAMES), [])
    assert known.measured == [("sensor.dev003_temperature", 20.0), ("sensor.dev007_temperature", 1.0)]
    assert {topic: after[topic] for topic in before if topic} == {t: n for t, n in before.items() if t}


@pytest.mark.slow
def test_a_broker_that_is_killed_during_discovery_costs_no_device(
    acquisition: Acquisition, devices: Devices, mosquitto: Mosquitto
) -> None:
    devices.announce()
    until(lambda: registry_of(acquisition.url).devices, 10, "the first device")
    mosquitto.kill()
    mosquitto.start()
    all_known(acquisition)
    mosquitto.kill()
    mosquitto.start()
    until(lambda: acquisition.health()["mqtt"]["state"] == "live", 20, "the connection to be back")
    known = decoded(acquisition.url)
    assert (set(known.devices), len(known.entities), known.rejects) == (set(NAMES), len(NAMES), [])
    assert set(known.states) == set(NAMES)
    assert max(logged(acquisition)[topic] for topic in TOPICS) == 1


def test_a_device_that_is_forgotten_is_gone_from_the_broker_too_and_may_come_back(
    acquisition: Acquisition, devices: Devices, mosquitto: Mosquitto
) -> None:
    devices.announce()
    all_known(acquisition)
    with Log(acquisition.url) as log:
        log.append([Entry(REGISTRY_SOURCE, "dev005", b'{"forgotten": true}')])
    until(lambda: logged(acquisition)[config_topic("dev005")] == 2, 10, "the broker to confirm")
    kept: set[str] = set()
    reader = paho.Client(paho.CallbackAPIVersion.VERSION2)
    reader.on_message = lambda _c, _d, message: kept.add(message.topic)
    reader.connect("127.0.0.1", mosquitto.port)
    reader.loop_start()
    reader.subscribe("homeassistant/#", 1)
    until(lambda: len(kept) >= len(NAMES) - 1, 10, "what the broker keeps")
    assert config_topic("dev005") not in kept
    reader.disconnect()
    reader.loop_stop()
    known = decoded(acquisition.url)
    assert "dev005" not in {**known.devices, **known.states}
    devices.announce()
    until(lambda: "dev005" in registry_of(acquisition.url).devices, 10, "it to be back")


@pytest.mark.slow
def test_a_device_of_a_mapped_stream_is_online_while_it_speaks_also_after_a_restart(
    tmp_path: Path, mosquitto: Mosquitto
) -> None:
    acquisition = Acquisition(tmp_path, mosquitto.port, MAPPED)
    acquisition.wait_live()
    devices = Devices(mosquitto.port)
    devices.say("plain/shed/t", "20.5")
    until(lambda: states_said(acquisition.url) == {"shed": "online"}, 10, "the device to be met")
    acquisition.process.kill()
    acquisition.start()
    acquisition.wait_live()
    assert states_said(acquisition.url) == {"shed": "online"}
    until(lambda: states_said(acquisition.url) == {"shed": "stale"}, 10, "its time to be over")
    with Log(acquisition.url) as log:
        log.append([Entry(REGISTRY_SOURCE, "shed", b'{"forgotten": true}')])
    until(lambda: states_said(acquisition.url) == {}, 10, "it to be forgotten")
    devices.say("plain/shed/t", "20.5")
    until(lambda: states_said(acquisition.url) == {"shed": "online"}, 10, "it to be met again")
    devices.close()
    acquisition.process.end()
