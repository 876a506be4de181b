"""The acquisition process against real brokers that die, and dying itself."""

import json
import threading
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from ingest.declarations import dropping, entry_of
from ingest.log import Entry, Log
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until
from tests.ingest_parts import Acquisition, Sender, embedded_broker, logged_numbers

pytestmark = pytest.mark.integration


def check_exactly_once(url: str, sender: Sender) -> None:
    until(lambda: len(set(logged_numbers(url))) >= sender.sent, 30, "every message to be in the log")
    found = logged_numbers(url)
    assert len(found) == len(set(found)), "a message is in the log twice"
    assert set(found) >= sender.acknowledged


def kill_three_times(acquisition: Acquisition, sender: Sender) -> None:
    sending = threading.Thread(target=sender.send_for, args=(9.0, 400.0))
    sending.start()
    for kill in range(3):
        reached = 300 * (kill + 1)
        until(lambda: len(logged_numbers(acquisition.url)) > reached, 20, "messages to be logged")  # noqa: B023
        acquisition.process.kill()
        acquisition.start()
    sending.join()
    sender.finish()
    check_exactly_once(acquisition.url, sender)


def test_acquisition_killed_under_load_logs_every_acknowledged_message_once_with_mosquitto(
    tmp_path: Path, mosquitto: Mosquitto
) -> None:
    acquisition = Acquisition(tmp_path, mosquitto.port)
    try:
        acquisition.wait_live()
        kill_three_times(acquisition, Sender(mosquitto.port))
    finally:
        acquisition.process.end()


def test_acquisition_killed_under_load_logs_every_acknowledged_message_once_with_the_embedded_broker(
    tmp_path: Path,
) -> None:
    with embedded_broker() as port:
        acquisition = Acquisition(tmp_path, port)
        try:
            acquisition.wait_live()
            kill_three_times(acquisition, Sender(port))
        finally:
            acquisition.process.end()


def test_mosquitto_restarted_mid_stream_neither_loses_nor_doubles_what_it_acknowledged(
    tmp_path: Path, mosquitto: Mosquitto
) -> None:
    acquisition = Acquisition(tmp_path, mosquitto.port)
    try:
        acquisition.wait_live()
        sender = Sender(mosquitto.port)
        sending = threading.Thread(target=sender.send_for, args=(6.0, 300.0))
        sending.start()
        for reached in (200, 700):
            until(lambda: len(logged_numbers(acquisition.url)) > reached, 20, "it to happen")  # noqa: B023
            mosquitto.stop()
            mosquitto.start()
        sending.join()
        sender.finish()
        check_exactly_once(acquisition.url, sender)
    finally:
        acquisition.process.end()


def test_acquisition_ends_when_its_parent_does(tmp_path: Path) -> None:
    with embedded_broker() as port:
        acquisition = Acquisition(tmp_path, port)
        acquisition.wait_live()
        assert acquisition.process.popen.stdin is not None
        acquisition.process.popen.stdin.close()
        assert acquisition.process.popen.wait(120) == 0
        assert acquisition.health()["mqtt"]["state"] == "closed"


def test_a_broken_sources_file_is_one_line_and_exit_code_2(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    acquisition = Acquisition(tmp_path, 1, "mqtt: {seats: {topic: a/{desk}, columns: {desk: txt}}}")
    assert acquisition.process.popen.wait(120) == 2
    error = capfd.readouterr().err.strip()
    assert error.startswith("acquisition: ")
    assert "\n" not in error


def test_a_stream_declared_in_the_log_is_listened_to_until_it_is_dropped(
    tmp_path: Path, mosquitto: Mosquitto
) -> None:
    """Of two messages, only the one that came while the stream was declared is logged."""
    acquisition = Acquisition(tmp_path, mosquitto.port)
    device = paho.Client(paho.CallbackAPIVersion.VERSION2)
    device.connect("127.0.0.1", mosquitto.port)
    device.loop_start()

    def heard() -> list[bytes]:
        with Log(acquisition.url) as log:
            return [record.payload for record in log.read(0) if record.topic == "air/1.01"]

    def declare(entry: Entry) -> None:
        with Log(acquisition.url) as log:
            offset = log.append([entry]).offset
        report = tmp_path / "acquisition.json"
        until(lambda: json.loads(report.read_text())["declared"] >= offset, 10, "acquisition to follow")

    try:
        acquisition.wait_live()
        spec = {"topic": "air/{room}", "columns": {"room": "text"}}
        declare(entry_of({"name": "air", "kind": "stream", "wrapper": "mqtt", "spec": spec}))
        device.publish("air/1.01", b"1", qos=1).wait_for_publish(120)
        until(heard, 5, "the message")
        declare(dropping("air"))
        device.publish("air/1.01", b"2", qos=1).wait_for_publish(120)
        device.publish("count/s", b"{}", qos=1).wait_for_publish(120)
        until(lambda: logged_topics(acquisition.url)[-1] == "count/s", 5, "what is still declared")
        assert heard() == [b"1"]
    finally:
        device.disconnect()
        device.loop_stop()
        acquisition.process.end()


def logged_topics(url: str) -> list[str]:
    with Log(url) as log:
        return [record.topic for record in log.read(0) if record.topic]
