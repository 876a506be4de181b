"""A device from its announcement at a real broker to the map's card in a browser, and out of it all again."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.devices import prepare_building
from app.settings import read_settings
from engine.model.clock import SystemClock
from tests.announcing_devices import Devices
from tests.browser.alive import watch_for_problems
from tests.environment.mosquitto import Mosquitto
from tests.environment.product import Demo, demo
from tests.environment.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.browser]
NAME = "<script>alert(1)</script> Kettle"
CONFIG = {
    "dev": {"ids": ["kettle"], "name": NAME, "mf": "Acme", "mdl": "K-2"},
    "o": {"name": "test"},
    "stat_t": "kitchen/kettle/state",
    "avty_t": "kitchen/kettle/lwt",
    "cmps": {
        "water": {
            "p": "sensor",
            "uniq_id": "kettle_t",
            "name": "Water",
            "dev_cla": "temperature",
            "unit_of_meas": "°C",
            "val_tpl": "{{ value_json.t }}",
            "exp_aft": 6,
        }
    },
}


@pytest.fixture
def product(tmp_path: Path, mosquitto: Mosquitto) -> Iterator[Demo]:
    state = tmp_path / "state"
    state.mkdir()
    settings = read_settings({"SMARTCIS_STATE": str(state)})
    prepare_building(replace(settings, simulate=True), SystemClock())
    with demo(state, SMARTCIS_SIMULATE="0", SMARTCIS_MQTT_URL=mosquitto.url) as running:
        yield running


@pytest.fixture
def devices(mosquitto: Mosquitto) -> Iterator[Devices]:
    made = Devices(mosquitto.port)
    made.configs = {"homeassistant/device/kettle/config": json.dumps(CONFIG).encode()}
    yield made
    made.close()


def test_a_discovered_device_is_seen_placed_measured_stale_and_forgotten(
    product: Demo, devices: Devices, page: Page
) -> None:
    page.problems = watch_for_problems(page)  # type: ignore[attr-defined]
    page.goto(product.link())
    page.goto(f"{product.url}/devices")
    expect(page.locator("#nothing")).to_be_visible()
    devices.say("kitchen/kettle/state", json.dumps({"t": 20.5}), retain=True)
    devices.say("kitchen/kettle/lwt", "online", retain=True)
    devices.announce()
    row = page.locator("[data-device='kettle']")
    expect(row).to_contain_text(NAME)
    expect(row).to_contain_text("20.5 °C")
    expect(row).to_have_attribute("data-state", "online")
    row.get_by_role("button", name="Change").click()
    page.locator("#device [name=room]").select_option("1.02")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("1.02")
    page.goto(f"{product.url}/#1/1.02")
    card = page.locator("#pane [data-device='kettle']")
    expect(card).to_contain_text(NAME)
    devices.say("kitchen/kettle/state", json.dumps({"t": 98}))
    expect(card).to_contain_text("98 °C")
    expect(card.locator(".chip")).to_have_text("stale")
    expect(card.locator("[data-overdue=true]")).to_be_visible()
    devices.say("kitchen/kettle/lwt", "offline", retain=True)
    expect(card.locator(".chip")).to_have_text("offline")
    page.goto(f"{product.url}/devices")
    row.get_by_role("button", name="Change").click()
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Really forget it").click()
    expect(page.locator("#nothing")).to_be_visible()
    until(lambda: product.get("/api/devices") == {"devices": []}, 20, "nobody to know it")
    assert page.problems == []  # type: ignore[attr-defined]
