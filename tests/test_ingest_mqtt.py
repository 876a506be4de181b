"""The MQTT wrapper against real brokers: acknowledged after the commit, redeliveries dropped."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from engine.model.clock import SystemClock
from engine.model.errors import SourceError
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.topics import TopicPattern
from ingest.wrapper import SourceState
from ingest.wrappers.mqtt.asked import Asked
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.url import parse_mqtt_url
from ingest.wrappers.mqtt.window import HALF, DeliveryWindow
from ingest.wrappers.mqtt.wrapper import MqttWrapper
from tests.environment.waiting import free_port, until
from tests.ingest_parts import Sender, embedded_broker, logged_numbers


@pytest.fixture(params=["mosquitto", "embedded"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    if request.param == "embedded":
        with embedded_broker() as found:
            yield found
        return
    yield request.getfixturevalue("mosquitto").port


class Forgetful(MqttWrapper):
    """Dies between the commit and the acknowledgement."""

    acknowledges = False

    def _acknowledge(self) -> None:
        if self.acknowledges:
            super()._acknowledge()
        self._deliveries.ready()

    def _leave(self) -> None:
        pass

    def cut(self) -> None:
        """Drop the connection as a dead process does."""
        connection = self._client.socket()
        self._ending.set()
        assert connection is not None
        connection.shutdown(2)
        self._thread.join(120)


@contextmanager
def opened(
    kind: type[MqttWrapper], port: int, url: str, filters: tuple[str, ...] = ("count/+",)
) -> Iterator[MqttWrapper]:
    log = Log(url)
    writer = LogWriter(log)
    asked = Asked(list(map(TopicPattern, filters)))
    wrapper = kind(parse_mqtt_url(f"mqtt://127.0.0.1:{port}"), "smartcis-test", asked, (), SystemClock())
    writer.start()
    wrapper.open(writer, log)
    until(lambda: wrapper.health().state is SourceState.LIVE, 20, "the wrapper to be live")
    try:
        yield wrapper
    finally:
        wrapper.close()
        writer.close()
        log.close()


@pytest.mark.integration
def test_what_was_logged_but_not_acknowledged_is_redelivered_and_dropped(port: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/log.db"
    sender = Sender(port)
    with opened(Forgetful, port, url) as forgetful:
        for _ in range(100):
            sender.send()
        until(lambda: len(logged_numbers(url)) == 100, 20, "100 to be logged")
        assert isinstance(forgetful, Forgetful)
        forgetful.cut()
    with opened(MqttWrapper, port, url) as wrapper:
        until(lambda: wrapper.health().duplicates == 100, 20, "100 redeliveries to be dropped")
        for _ in range(100):
            sender.send()
        until(lambda: len(logged_numbers(url)) == 200, 20, "200 to be logged")
    with opened(MqttWrapper, port, url) as again:
        sender.send()
        until(lambda: len(logged_numbers(url)) == 201, 20, "201 to be logged")
        assert again.health().duplicates == 0, "the dropped redeliveries were acknowledged"
    sender.finish()
    assert logged_numbers(url) == list(range(201))


@pytest.mark.integration
def test_nothing_is_acknowledged_before_the_commit(port: int, tmp_path: Path) -> None:
    """The writer never writes: a process that dies with everything in its queue."""
    url = f"sqlite:///{tmp_path}/log.db"
    with opened(MqttWrapper, port, url):
        pass
    sender = Sender(port)
    with Log(url) as log:
        address = parse_mqtt_url(f"mqtt://127.0.0.1:{port}")
        doomed = Forgetful(address, "smartcis-test", Asked([TopicPattern("count/+")]), (), SystemClock())
        doomed.acknowledges = True
        doomed.open(LogWriter(log), log)
        for _ in range(100):
            sender.send()
        sender.finish()
        until(lambda: doomed.health().accepted == 100, 20, "100 to be queued")
        doomed.cut()
    assert logged_numbers(url) == []
    with opened(MqttWrapper, port, url):
        until(lambda: len(logged_numbers(url)) == 100, 20, "100 to be logged")
    assert logged_numbers(url) == list(range(100))


@pytest.mark.integration
def test_what_came_while_nobody_listened_is_logged_later_in_order(port: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/log.db"
    with opened(MqttWrapper, port, url):
        pass
    sender = Sender(port)
    for _ in range(3000):
        sender.send()
    sender.finish()
    with opened(MqttWrapper, port, url):
        until(lambda: len(logged_numbers(url)) == 3000, 20, "all to be logged")
    assert logged_numbers(url) == list(range(3000))


@pytest.mark.integration
def test_what_a_broker_retains_is_logged_once_however_often_we_come(port: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/log.db"
    sender = Sender(port)
    for topic in ("kept/1", "kept/2"):
        sender.client.publish(topic, b'{"on": true}', qos=1, retain=True).wait_for_publish(120)
    for turn in range(3):
        with opened(MqttWrapper, port, url, ("kept/+", "count/+")) as wrapper:
            until(lambda: wrapper.health().accepted + wrapper.health().repeated >= 2, 20, "both")
            if turn == 1:
                sender.client.publish("kept/2", b'{"on": false}', qos=1, retain=True)
                until(lambda: wrapper.health().accepted == 1, 20, "the change")
    sender.finish()
    with Log(url) as log:
        found = [(each.topic, each.payload) for each in log.read(0) if each.topic.startswith("kept")]
    on, off = b'{"on": true}', b'{"on": false}'
    assert sorted(found) == [("kept/1", on), ("kept/2", off), ("kept/2", on)]


@pytest.mark.integration
def test_any_payload_and_topic_is_logged_as_received(port: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/log.db"
    payloads = [b"", b"\xff\xfe\x00", b"x" * 100_000, b"y" * 300_000, "straße".encode()]
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    with opened(MqttWrapper, port, url, ("odd/#",)), Log(url) as log:
        for at, payload in enumerate(payloads):
            client.publish(f"odd/ü {at}/x", payload, qos=at % 2).wait_for_publish(120)
        until(
            lambda: sum(r.topic.startswith("odd") for r in log.read(0)) == len(payloads), 20, "it to happen"
        )
        found = [(r.topic, r.payload) for r in log.read(0) if r.topic.startswith("odd")]
    client.loop_stop()
    assert sorted(found) == [(f"odd/ü {at}/x", payload) for at, payload in enumerate(payloads)]


@pytest.mark.integration
def test_a_filter_nobody_declares_any_more_is_unsubscribed(port: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/log.db"
    with opened(MqttWrapper, port, url, ("old/+", "count/+")):
        pass
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    sender = Sender(port)
    with opened(MqttWrapper, port, url, ("count/+",)) as wrapper, Log(url) as log:
        sender.send()
        until(lambda: len(logged_numbers(url)) == 1, 20, "the subscription to be in place")
        client.publish("old/x", b"1", qos=1).wait_for_publish(120)
        sender.send()
        until(lambda: len(logged_numbers(url)) == 2, 20, "a later message to be logged")
        assert wrapper.health().unasked == 0
        assert not [r for r in log.read(0) if r.topic == "old/x"]
    sender.finish()
    client.loop_stop()


@pytest.mark.integration
def test_no_broker_is_said_in_health_and_tried_until_there_is_one(tmp_path: Path) -> None:
    log, nowhere = Log(f"sqlite:///{tmp_path}/log.db"), free_port()
    writer = LogWriter(log)
    address = parse_mqtt_url(f"mqtt://127.0.0.1:{nowhere}")
    wrapper = MqttWrapper(address, "smartcis-test", Asked([TopicPattern("a")]), (), SystemClock())
    wrapper.open(writer, log)
    until(lambda: wrapper.health().state is SourceState.FAILING, 20, "it to happen")
    assert f"no broker at mqtt://127.0.0.1:{nowhere}" in wrapper.health().problem
    wrapper.close()
    log.close()


def test_the_window_drops_only_the_same_message_under_the_same_identifier() -> None:
    window = DeliveryWindow()
    message = Message("a", b"1", 7, dup=False)
    window.remember(message)
    assert window.is_redelivery(message._replace(dup=True))
    assert not window.is_redelivery(message)
    assert not window.is_redelivery(message._replace(dup=True, payload=b"2"))
    assert not window.is_redelivery(message._replace(dup=True, mid=8))
    window.clear()
    assert not window.is_redelivery(message._replace(dup=True))


def test_the_window_forgets_before_an_identifier_comes_back() -> None:
    window = DeliveryWindow()
    window.remember(Message("a", b"1", 1, dup=False))
    for mid in range(2, 2 * HALF + 3):
        window.remember(Message("a", b"1", mid, dup=False))
    assert not window.is_redelivery(Message("a", b"1", 1, dup=True))
    assert window.is_redelivery(Message("a", b"1", HALF + 10, dup=True))


@pytest.mark.parametrize("url", ["", "http://x", "mqtt://", "1.2.3.4:1883"])
def test_a_url_that_names_no_broker_says_what_was_expected(url: str) -> None:
    with pytest.raises(SourceError, match="expected mqtt://host:port"):
        parse_mqtt_url(url)


def test_a_url_carries_user_password_and_tls() -> None:
    address = parse_mqtt_url("mqtts://us%40er:p%2Fw@broker?ca=/ca.pem")
    assert (address.host, address.port, address.user, address.password) == ("broker", 8883, "us@er", "p/w")
    assert (address.tls, address.ca, str(address)) == (True, "/ca.pem", "mqtts://broker:8883")
