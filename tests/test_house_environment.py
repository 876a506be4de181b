"""The real parts that other tests lean on do run, stop, and come back."""

import threading

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from playwright.sync_api import Page
from sqlalchemy import create_engine, text

from tests.environment.mosquitto import Mosquitto


def deliver_one(port: int, payload: bytes) -> bytes:
    received: list[bytes] = []
    arrived = threading.Event()
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.on_subscribe = lambda *_: client.publish("a", payload, qos=1)
    client.on_message = lambda _client, _data, message: (received.append(message.payload), arrived.set())
    client.connect("127.0.0.1", port)
    client.subscribe("a", qos=1)
    client.loop_start()
    assert arrived.wait(120)
    client.disconnect()
    client.loop_stop()
    return received[0]


@pytest.mark.integration
def test_mosquitto_delivers_and_comes_back_on_its_port_after_a_kill(mosquitto: Mosquitto) -> None:
    assert deliver_one(mosquitto.port, b"before") == b"before"
    mosquitto.kill()
    mosquitto.start()
    assert deliver_one(mosquitto.port, b"after") == b"after"


@pytest.mark.integration
def test_postgresql_gives_each_test_an_empty_database(postgres: str) -> None:
    engine = create_engine(postgres)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE made_here (x INT)"))
        tables = connection.execute(text("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"))
        assert tables.scalar_one() == 1
    engine.dispose()


@pytest.mark.browser
def test_chromium_runs_scripts(page: Page) -> None:
    page.set_content("<p id=p></p><script>p.textContent = 6 * 7</script>")
    assert page.text_content("#p") == "42"
