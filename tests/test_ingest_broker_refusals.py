"""The embedded broker speaks MQTT 3.1.1, and tells who speaks another version so, and people too."""

import socket
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from app.refused import TOLD, refused
from engine.model.clock import SystemClock
from ingest.broker.greeting import Greeting, note, read_greeting, refusal
from ingest.mqtt_frames import build_length
from tests.environment.waiting import until
from tests.ingest_parts import embedded_broker

OLD = b"\x10\x10\x00\x06MQIsdp\x03\x02\x00\x3c\x00\x02ab"


@pytest.mark.integration
def test_a_client_of_mqtt_5_is_told_why_it_is_refused_and_people_are_too(tmp_path: Path) -> None:
    told: list[tuple[ReasonCode, str]] = []
    with embedded_broker("--state", str(tmp_path / "broker")) as port:
        client = paho.Client(
            paho.CallbackAPIVersion.VERSION2, client_id="lamp-7", protocol=MQTTProtocolVersion.MQTTv5
        )
        client.on_connect = lambda _c, _d, _f, code, properties: told.append((code, properties.ReasonString))
        client.connect("127.0.0.1", port)
        client.loop_start()
        until(lambda: told, 10, "the broker's answer")
        client.loop_stop()
        assert told[0][0] == "Unsupported protocol version"
        assert told[0][1].startswith(
            "the embedded broker speaks MQTT 3.1.1, not MQTT 5; set the device to 3.1.1"
        )
        until(lambda: refused(tmp_path, SystemClock().now()), 5, "people to be told")
    found = refused(tmp_path, SystemClock().now())
    assert found.startswith("refused lamp-7 at 127.0.0.1 (the embedded broker speaks MQTT 3.1.1, not MQTT 5")
    assert refused(tmp_path, SystemClock().now() + 2 * TOLD) == ""


@pytest.mark.integration
def test_a_client_of_mqtt_3_1_gets_the_only_code_that_there_is_for_it() -> None:
    with embedded_broker() as port, socket.create_connection(("127.0.0.1", port), 5) as device:
        device.sendall(OLD)
        assert device.recv(100) == b"\x20\x02\x00\x01"
        assert device.recv(100) == b""


def test_a_greeting_is_read_as_far_as_it_goes() -> None:
    assert read_greeting(OLD) == Greeting(3, "ab")
    newer = b"\x10\x13\x00\x04MQTT\x05\x02\x00\x3c\x05\x11\x00\x00\x00\x05\x00\x02ab"
    assert read_greeting(newer) == Greeting(5, "ab")
    for cut in range(len(newer)):
        found = read_greeting(newer[:cut])
        assert found is None or found.version == 5
    assert read_greeting(b"GET / HTTP/1.1\r\n") is None
    assert read_greeting(b"\x10\xff\xff\xff\xff\xff") is None


def test_a_name_that_is_no_text_is_shown_without_its_signs() -> None:
    greeting = read_greeting(b"\x10\x13\x00\x04MQTT\x05\x02\x00\x3c\x00\x00\x04a\x1b\nb")
    assert greeting == Greeting(5, "a��b")


def test_the_refusal_of_a_version_to_come_is_in_the_words_of_the_newest_known() -> None:
    answer = refusal(Greeting(6, ""))
    assert (answer[0], answer[1:3], answer[3:5]) == (0x20, build_length(len(answer) - 3), b"\x00\x84")
    assert b"version 6 of MQTT" in answer


def test_the_last_twenty_who_were_refused_are_noted_and_counted(tmp_path: Path) -> None:
    for number in range(30):
        note(tmp_path / "broker", Greeting(5, f"c{number}"), "10.0.0.1", 1_000 + number)
        note(tmp_path / "broker", Greeting(5, "last"), "10.0.0.1", 1_000 + number)
    found = refused(tmp_path, 1_030)
    assert found.startswith("refused c28 at")
    assert found.endswith("and 17 more")
