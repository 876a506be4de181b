"""The whole path: a cushion is pressed over MQTT, the desk turns on the map."""

import json
from collections.abc import Iterator
from dataclasses import replace

import paho.mqtt.client as mqtt
import pytest
from playwright.sync_api import Page, expect

from app.devices import prepare_building
from app.settings import read_settings
from engine.model.clock import SystemClock
from tests.environment.product import Demo, demo

pytestmark = [pytest.mark.browser, pytest.mark.integration, pytest.mark.timeout(240)]


class Devices:
    """Whoever publishes for the building's cushions."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("mqtt://").partition(":")
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="cushions")
        self.client.connect(host, int(port))
        self.client.loop_start()
        self.sent = 0

    def publish(self, topic: str, payload: object) -> None:
        self.client.publish(topic, json.dumps(payload), qos=1).wait_for_publish(10)

    def press(self, desk: str, pressed: bool) -> None:
        self.sent += 1
        self.publish(f"building/seat/{desk}", {"pressed": pressed, "seq": self.sent})

    def stop(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Everything but the simulated devices, over the facts of the simulated building."""
    state = tmp_path_factory.mktemp("state")
    settings = read_settings({"SMARTCIS_STATE": str(state)})
    prepare_building(replace(settings, simulate=True), SystemClock())
    with demo(state, SMARTCIS_SIMULATE="0") as running:
        yield running


@pytest.fixture
def devices(product: Demo) -> Iterator[Devices]:
    devices = Devices(product.mqtt_url)
    yield devices
    devices.stop()


def test_pressing_a_cushion_turns_the_desk_on_the_map(product: Demo, devices: Devices, page: Page) -> None:
    page.goto(product.link())
    expect(page.locator("html[data-feed=live]")).to_be_attached(timeout=20_000)
    desk = page.locator("path[data-desk='1.01-d01']")
    expect(desk).to_have_attribute("data-state", "unknown")
    for pressed, state in ((False, "free"), (True, "taken"), (False, "free")):
        devices.press("1.01-d01", pressed)
        expect(desk).to_have_attribute("data-state", state, timeout=10_000)


def test_a_lamp_that_goes_out_greys_its_room(product: Demo, devices: Devices, page: Page) -> None:
    page.goto(product.link())
    room = page.locator("path.room[data-room='1.09']")
    for lux, dark in ((2.0, "true"), (420.0, "false")):
        devices.publish("building/light/1.09", {"lux": lux, "seq": int(lux)})
        expect(room).to_have_attribute("data-dark", dark, timeout=10_000)


def test_a_message_that_cannot_be_read_is_shown_to_the_operator(
    product: Demo, devices: Devices, page: Page
) -> None:
    page.goto(product.link())
    devices.publish("building/seat/1.01-d02", {"pressed": "<b>yes</b>", "seq": 1})
    expect(page.locator("#rejects-list")).to_contain_text("building/seat/1.01-d02", timeout=10_000)
    expect(page.locator("#rejects-list code").first).to_contain_text("<b>yes</b>")
