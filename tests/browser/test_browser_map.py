"""The whole path: a cushion is pressed over MQTT, the desk turns on the map."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import paho.mqtt.client as mqtt
import pytest
from playwright.sync_api import Page, expect

from app.devices import prepare_building
from app.settings import read_settings
from engine.model.clock import SystemClock
from tests.environment.product import Demo, demo

pytestmark = [pytest.mark.browser, pytest.mark.integration]


class Devices:
    """Whoever publishes for the building's cushions."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("mqtt://").partition(":")
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="cushions")
        self.client.connect(host, int(port))
        self.client.loop_start()
        self.sent = 0

    def publish(self, topic: str, payload: object) -> None:
        self.client.publish(topic, json.dumps(payload), qos=1).wait_for_publish(120)

    def press(self, desk: str, pressed: bool) -> None:
        self.sent += 1
        self.publish(f"building/seat/{desk}", {"pressed": pressed, "seq": self.sent})

    def turn(self, door: str, is_open: bool) -> None:
        self.publish(f"building/door/{door}", {"open": is_open})

    def obey(self) -> None:
        """Be doors that do what they are told."""

        def answer(client: mqtt.Client, _userdata: object, message: mqtt.MQTTMessage) -> None:
            client.publish(message.topic.removesuffix("/set"), message.payload, qos=1)

        self.client.on_message = answer
        self.client.subscribe("building/door/+/set", 1)

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
    expect(page.locator("html[data-feed=live]")).to_be_attached()
    desk = page.locator("path[data-desk='1.01-d01']")
    expect(desk).to_have_attribute("data-state", "unknown")
    for pressed, state in ((False, "free"), (True, "taken"), (False, "free")):
        devices.press("1.01-d01", pressed)
        expect(desk).to_have_attribute("data-state", state)


def test_a_lamp_that_goes_out_greys_its_room(product: Demo, devices: Devices, page: Page) -> None:
    page.goto(product.link())
    room = page.locator("path.room[data-room='1.09']")
    for lux, dark in ((2.0, "true"), (420.0, "false")):
        devices.publish("building/light/1.09", {"lux": lux, "seq": int(lux)})
        expect(room).to_have_attribute("data-dark", dark)


def test_a_room_greys_when_a_calendar_entry_starts(product: Demo, page: Page) -> None:
    """It greys without a word from anyone but the calendar, at the time that it says."""
    page.goto(product.link())
    expect(page.locator("html[data-feed=live]")).to_be_attached()
    page.locator("#floors label:has(input[value='2'])").click()
    room = page.locator("path.room[data-room='2.01']")
    expect(room).to_have_attribute("data-reserved", "false")
    starts = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=10)  # calendars have whole seconds
    book(product, "2.01", "Compilers", starts, starts + timedelta(hours=1))
    expect(room).to_have_attribute("data-reserved", "true")
    assert datetime.now(UTC) >= starts
    expect(room).to_have_attribute("aria-label", re.compile("reserved"))


def book(product: Demo, room: str, title: str, starts: datetime, ends: datetime) -> None:
    """Put one event into the timetable in place of all that it had."""
    times = [f"{name}:{at:%Y%m%dT%H%M%SZ}" for name, at in (("DTSTART", starts), ("DTEND", ends))]
    event = ["BEGIN:VEVENT", "UID:1@test", *times, f"SUMMARY:{title}", f"LOCATION:{room}", "END:VEVENT"]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//", *event, "END:VCALENDAR", ""]
    fresh = product.state / "fresh.ics"
    fresh.write_text("\r\n".join(lines))
    fresh.replace(product.state / "reservations.ics")


def test_the_way_leads_to_another_machine_when_somebody_sits_down_at_the_nearest(
    product: Demo, devices: Devices, page: Page
) -> None:
    page.goto(product.link())
    for desk in ("1.09-d08", "1.01-d14"):
        devices.press(desk, pressed=False)
    expect(page.locator("#way-goal")).to_have_text("lovelace-08.cs")
    expect(page.locator("path.way")).to_have_count(1)
    before = page.locator("path.way").get_attribute("d")
    devices.press("1.09-d08", pressed=True)
    expect(page.locator("#way-goal")).to_have_text("hopper-14.cs")
    assert page.locator("path.way").get_attribute("d") != before


def test_the_way_goes_round_a_door_that_closes_and_what_it_cuts_off_is_marked(
    product: Demo, devices: Devices, page: Page
) -> None:
    page.goto(product.link())
    devices.press("1.01-d14", pressed=True)
    devices.press("1.09-d08", pressed=False)
    words, room = page.locator("#way-words"), page.locator("path.room[data-room='1.09']")
    expect(words).to_have_text("47 m · under a minute · Lab Lovelace, 1.09, floor 1")
    devices.turn("door-1.09", is_open=False)
    expect(words).to_have_text("49 m · under a minute · Lab Lovelace, 1.09, floor 1")
    devices.obey()
    page.locator("#doors summary").click()
    devices.turn("door-1.09b", is_open=True)
    page.get_by_role("button", name="Lab Lovelace, second door").click()
    page.get_by_role("button", name="Close this door").click()
    expect(room).to_have_attribute("data-cut-off", "true")
    expect(words).not_to_contain_text("Lovelace")
    page.get_by_role("button", name="Open this door").click()
    expect(room).to_have_attribute("data-cut-off", "false")
    expect(words).to_contain_text("Lovelace")


def test_a_message_that_cannot_be_read_is_shown_to_the_operator(
    product: Demo, devices: Devices, page: Page
) -> None:
    page.goto(product.link())
    devices.publish("building/seat/1.01-d02", {"pressed": "<b>yes</b>", "seq": 1})
    expect(page.locator("#rejects-list")).to_contain_text("building/seat/1.01-d02")
    expect(page.locator("#rejects-list code").first).to_contain_text("<b>yes</b>")
