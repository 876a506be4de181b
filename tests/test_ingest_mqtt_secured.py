"""A real Mosquitto that asks who comes: TLS, user and password, client certificates, MQTT 5 beside 3.1.1."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from engine.model.clock import SystemClock
from engine.model.errors import SourceError
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.topics import TopicPattern
from ingest.wrapper import SourceState
from ingest.wrappers.mqtt.asked import Asked
from ingest.wrappers.mqtt.url import parse_mqtt_url
from ingest.wrappers.mqtt.wrapper import MqttWrapper
from tests.environment.certificates import Authority
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@contextmanager
def broker(folder: Path, *more: str) -> Iterator[Mosquitto]:
    folder.mkdir()
    started = Mosquitto(folder, *more)
    started.start()
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture
def secured(tmp_path: Path, authority: Authority) -> Iterator[Mosquitto]:
    """Wants TLS, a client certificate, a user and a password."""
    certificate, key = authority.give("server")
    passwords = tmp_path / "passwords"
    passwords.touch(0o600)
    subprocess.run(["mosquitto_passwd", "-b", passwords, "us@er", "p/w"], check=True, capture_output=True)
    asked = f"password_file {passwords}", "allow_anonymous false", "require_certificate true"
    files = f"cafile {authority.certificate}", f"certfile {certificate}", f"keyfile {key}"
    with broker(tmp_path / "mosquitto", *asked, *files) as started:
        yield started


@contextmanager
def opened(url: str, log_url: str) -> Iterator[MqttWrapper]:
    with Log(log_url) as log:
        writer, asked = LogWriter(log), Asked([TopicPattern("x/#")])
        wrapper = MqttWrapper(parse_mqtt_url(url), "smartcis-test", asked, (), SystemClock())
        writer.start()
        wrapper.open(writer, log)
        yield wrapper
        wrapper.close()
        writer.close()


def problem(url: str, folder: Path) -> str:
    with opened(url, f"sqlite:///{folder}/log.db") as wrapper:
        until(lambda: wrapper.health().state is SourceState.FAILING, 10, "the wrapper to be refused")
        return wrapper.health().problem


def test_a_broker_that_wants_all_of_it_lets_in_who_has_all_of_it(
    secured: Mosquitto, authority: Authority, tmp_path: Path
) -> None:
    certificate, key = authority.give("smartcis")
    files = f"ca={authority.certificate}&cert={certificate}&key={key}"
    address, log_url = f"127.0.0.1:{secured.port}", f"sqlite:///{tmp_path}/log.db"
    with opened(f"mqtts://us%40er:p%2Fw@{address}?{files}", log_url) as wrapper, Log(log_url) as log:
        until(lambda: wrapper.health().state is SourceState.LIVE, 10, "the wrapper to be live")
        device = paho.Client(paho.CallbackAPIVersion.VERSION2)
        parse_mqtt_url(f"mqtts://us%40er:p%2Fw@{address}?{files}").prepare(device, 30)
        device.reconnect()
        device.loop_start()
        device.publish("x/1", b"1", qos=1).wait_for_publish(120)
        until(lambda: any(record.topic == "x/1" for record in log.read(0)), 5, "the message")
        device.loop_stop()
    wrong = problem(f"mqtts://us%40er:other@{address}?{files}", tmp_path)
    assert wrong == (
        f"the broker at mqtts://{address} refused us: Not authorized; see user and password in its URL"
    )


def test_who_shows_no_certificate_is_told_where_to_name_it(
    secured: Mosquitto, authority: Authority, tmp_path: Path
) -> None:
    found = problem(f"mqtts://u:p@127.0.0.1:{secured.port}?ca={authority.certificate}", tmp_path)
    assert found.startswith(f"mqtts://127.0.0.1:{secured.port} ended the connection before it let us in")
    assert found.endswith("see ca, cert and key in its URL")


def test_a_broker_that_another_authority_vouches_for_is_not_trusted(
    secured: Mosquitto, tmp_path: Path
) -> None:
    other = Authority(tmp_path, "other")
    found = problem(f"mqtts://127.0.0.1:{secured.port}?ca={other.certificate}", tmp_path)
    assert found.startswith(f"no TLS with mqtts://127.0.0.1:{secured.port}: [SSL: CERTIFICATE_VERIFY_FAILED]")
    assert found.endswith("see ca, cert and key in its URL")


def test_devices_that_speak_mqtt_5_are_heard_through_mosquitto(mosquitto: Mosquitto, tmp_path: Path) -> None:
    log_url = f"sqlite:///{tmp_path}/log.db"
    with opened(mosquitto.url, log_url) as wrapper, Log(log_url) as log:
        until(lambda: wrapper.health().state is SourceState.LIVE, 10, "the wrapper to be live")
        device = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        device.connect("127.0.0.1", mosquitto.port)
        device.loop_start()
        said = Properties(PacketTypes.PUBLISH)
        said.UserProperty = [("room", "1.01")]
        said.MessageExpiryInterval = 60
        said.TopicAlias = 1
        for number in range(3):
            device.publish("x/5", b"%d" % number, qos=1, properties=said).wait_for_publish(120)
        until(lambda: sum(record.topic == "x/5" for record in log.read(0)) == 3, 5, "the messages")
        assert [record.payload for record in log.read(0) if record.topic == "x/5"] == [b"0", b"1", b"2"]
        device.loop_stop()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mqtts://b?caa=/x", "says caa= of b; expected ca, cert, key; did you mean ca?"),
        ("mqtt://b?ca=/x", "says ca of b without TLS; write mqtts:// instead"),
        ("mqtts://b?key=/x", "says key= of b without cert=; expected the certificate of the key"),
        ("mqtt://b:port", "has a wrong port"),
    ],
)
def test_a_url_that_cannot_be_meant_says_what_was_expected(url: str, said: str) -> None:
    with pytest.raises(SourceError) as raised:
        parse_mqtt_url(url)
    assert said in raised.value.message


def test_a_file_that_is_not_there_is_named() -> None:
    address = parse_mqtt_url("mqtts://b?ca=/nowhere/ca.pem")
    with pytest.raises(
        SourceError, match=r"ca /nowhere/ca\.pem of mqtts://b:8883 cannot be used: .* PEM files"
    ):
        address.prepare(paho.Client(paho.CallbackAPIVersion.VERSION2), 30)
