"""The acquisition process asks gateways for what the log declares, by messages that a real broker keeps."""

import json
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from ingest.log import Log
from tests.environment.waiting import until
from tests.gateway_messages import asked, dropped, said, shipped, state
from tests.ingest_parts import Acquisition, embedded_broker

SOURCES = """
mqtt:
  lights: {field: 'field/+/light/{lamp}', columns: {lamp: text, room: text, lux: double, open: boolean}}
gateways:
  floor-1: {links: [base]}
"""
LEAF, OTHER = shipped(), shipped("SELECT room FROM lights")


class Listener:
    """What a gateway that comes is told."""

    def __init__(self, port: int) -> None:
        self.kept: dict[str, bytes] = {}
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _c, _d, m: self.kept.update({m.topic: m.payload})
        self.client.connect("127.0.0.1", port)
        self.client.subscribe("fragments/#", 1)
        self.client.loop_start()

    def asked(self) -> dict[str, int]:
        """Return of each fragment that is asked for its version."""
        return {topic: json.loads(payload)["version"] for topic, payload in self.kept.items() if payload}


@pytest.fixture
def port() -> Iterator[int]:
    with embedded_broker() as found:
        yield found


def topic(name: str) -> str:
    return f"fragments/{name.partition(':')[2]}"


@pytest.mark.integration
def test_gateways_are_asked_for_what_is_in_force_and_for_nothing_else(port: int, tmp_path: Path) -> None:
    acquisition = Acquisition(tmp_path, port, SOURCES)
    acquisition.wait_live()
    listener = Listener(port)
    with Log(acquisition.url) as log:
        first = log.append([asked(LEAF)]).offset
        log.append([asked(OTHER)])
        until(lambda: len(listener.asked()) == 2, 30, "two fragments to be asked for")
        assert listener.asked()[topic(LEAF.name)] == first
        acquisition.process.kill()
        log.append([dropped(OTHER), dropped(LEAF)])
        again = log.append([asked(LEAF)]).offset
        acquisition.start()
        wanted = {topic(LEAF.name): again}
        until(lambda: listener.asked() == wanted, 40, "what was dropped meanwhile to be cleared")
        late = Listener(port)
        until(lambda: late.asked() == wanted, 30, "one that comes later to be told the same")
        foreign = said(OTHER, "floor-1", 1, 0, [])
        for message in (
            foreign,
            said(LEAF, "floor-1", 1, 0, []),
            state("floor-1", state="up", incarnation=1),
        ):
            late.client.publish(message.topic, message.payload, 1)
        heard = {"fragment", "gateway"}
        until(
            lambda: heard <= {r.topic.partition("/")[0] for r in log.read(0)}, 30, "the answer to be logged"
        )
        assert not {r.topic for r in log.read(0)} & {foreign.topic}, "nobody here asked for it"
        sites = [json.loads(r.payload) for r in log.read(0) if r.source == "sites"]
        assert [(found["changes"][0][2]["site"], found["removed"]) for found in sites] == [("floor-1", [])]
    assert acquisition.process.end() == 0
    for each in (listener, late):
        each.client.loop_stop()
