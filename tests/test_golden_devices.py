"""Twenty kinds of devices, each resolved as expected; SMARTCIS_GOLDEN=write records anew."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from engine.model.reading import Reading
from ingest.decoding.decoder import Decoder
from ingest.discovery.topics import announces, is_telemetry
from ingest.log import Record
from ingest.reader import LogReader
from ingest.sources import Sources
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until
from tests.golden_devices import blocks, rerun
from tests.ingest_parts import Acquisition

DEVICES = sorted((Path(__file__).parent / "golden" / "devices").glob("*.mqtt"))


@pytest.mark.parametrize("device", DEVICES, ids=lambda path: path.stem)
def test_what_a_device_sends_becomes_what_is_recorded(device: Path) -> None:
    recorded, said = rerun(device, write=os.environ.get("SMARTCIS_GOLDEN") == "write")
    if os.environ.get("SMARTCIS_GOLDEN") != "write":
        assert said == recorded


@pytest.mark.parametrize("device", DEVICES, ids=lambda path: path.stem)
def test_every_file_names_the_document_that_it_follows(device: Path) -> None:
    assert "# Follows: " in device.read_text("utf-8").split("\n\n", 1)[0]


def test_there_are_twenty_kinds() -> None:
    assert len(DEVICES) >= 20


Message = tuple[str, bytes]


def first_words() -> tuple[list[Message], list[Message]]:
    """Return what all devices announce, each topic once, and one state on each of their other topics."""
    found: dict[str, bytes] = {}
    for path in DEVICES:
        for block in blocks(path.read_text("utf-8")):
            if block.payload and "migrate_discovery" not in block.payload:
                found.setdefault(block.topic, block.payload.encode())
    first = [(topic, body) for topic, body in found.items() if announces(topic) and not is_telemetry(topic)]
    return first, [each for each in found.items() if each not in first]


def told(readings: Iterable[Reading]) -> dict[str, set[tuple[object, ...]]]:
    """Return the rows of each relation, without when they came."""
    found: dict[str, set[tuple[object, ...]]] = {}
    for each in readings:
        row = each.row[:-1] if each.relation == "measurements" else each.row
        found.setdefault(each.relation, set()).add(row)
    return found


def decoded(messages: Iterable[Message]) -> Iterator[Reading]:
    decoder = Decoder(Sources())
    for offset, (topic, body) in enumerate(messages, 1):
        yield from decoder.decode(Record(offset, 0, "mqtt", topic, None, body))


@pytest.mark.integration
def test_over_a_real_broker_all_of_them_become_the_same_whatever_comes_first(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    announced, states = first_words()
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", mosquitto.port)
    client.loop_start()
    for topic, body in (*states[::2], *announced):
        client.publish(topic, body, qos=1, retain=True).wait_for_publish(120)
    acquisition = Acquisition(tmp_path, mosquitto.port)
    acquisition.wait_live()
    expected = told(decoded((*announced, *states[::2])))["measurements"]

    def measured() -> set[tuple[object, ...]]:
        return told(LogReader(acquisition.url, Sources()).read(0).readings).get("measurements", set())

    until(lambda: measured() >= expected, 20, "what the broker had kept")
    for topic, body in states[1::2]:
        client.publish(topic, body, qos=1).wait_for_publish(120)
    whole = told(decoded((*announced, *states)))
    until(lambda: measured() >= whole["measurements"], 20, "what they say")
    found = told(LogReader(acquisition.url, Sources()).read(0).readings)
    assert found["measurements"] == whole["measurements"]
    assert found["rejects"] == whole["rejects"]
    assert {row[0] for row in found["devices"]} == {row[0] for row in whole["devices"]}
    client.disconnect()
    client.loop_stop()
    acquisition.process.end()
