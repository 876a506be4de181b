"""The page of devices and the map's card in a real browser: live, changed there, hostile names stay text."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.roles import Role
from engine.model.values import Row
from tests.browser.alive import SECOND, Alive
from tests.web_parts import running_site

pytestmark = pytest.mark.browser
NOWHERE = ("via", "room", "desk")
HOSTILE = "<img src=x onerror=alert(1)>"
SHOTS = Path(__file__).resolve().parents[2] / "build" / "screens"


class Building:
    """Devices of a site as its views have them; what people say of one is done at once."""

    def __init__(self) -> None:
        self.alive: Alive | None = None
        self.devices: dict[str, dict[str, Any]] = {}
        self.values: dict[str, tuple[Any, ...]] = {}

    def announce(self, device: str, name: str, *entities: tuple[Any, ...], **more: Any) -> None:
        about = {"maker": "Acme", "model": "T-2", "origin": "zigbee2mqtt"} | dict.fromkeys(NOWHERE)
        self.devices[device] = {"name": name, **about, "disabled": False, "state": "online", **more}
        for entity, quantity, unit, expire in entities:
            self.values[entity] = (device, None, quantity, unit, expire, None, None, None)

    def measure(self, entity: str, value: float | None, text: str | None = None, ago: float = 0) -> None:
        at = self.now - int(ago * SECOND)
        self.values[entity] = (*self.values[entity][:5], value, text, at)

    def say(self, device: str, words: Mapping[str, Any]) -> None:
        if words.get("forgotten"):
            del self.devices[device]
            self.values = {key: of for key, of in self.values.items() if of[0] != device}
        else:
            self.devices[device].update(words)
        self.show()

    @property
    def now(self) -> int:
        assert self.alive is not None
        return self.alive.site.clock.now()

    def show(self) -> None:
        assert self.alive is not None
        self.alive.site.engine.replace(
            self.now,
            known_devices=[self._known(device) for device in self.devices],
            device_values=[(entity, *of) for entity, of in self.values.items()],
            room_devices=[self._in_room(*each) for each in self._placed()],
        )

    def _known(self, device: str) -> Row:
        of = self.devices[device]
        names = ("name", "maker", "model", "origin", "via", "room", "desk", "disabled", "state")
        return (device, *(of[name] for name in names), 1_700_000_000_000_000)

    def _placed(self) -> list[tuple[str, tuple[Any, ...]]]:
        placed = {key for key, of in self.devices.items() if of["room"] and not of["disabled"]}
        return [(entity, of) for entity, of in self.values.items() if of[0] in placed]

    def _in_room(self, entity: str, of: tuple[Any, ...]) -> Row:
        about = self.devices[of[0]]
        return (entity, about["room"], about["desk"], of[0], about["name"], about["state"], *of[1:])


@pytest.fixture
def building(tmp_path: Path) -> Iterator[Building]:
    building = Building()
    with running_site(tmp_path, say_of_device=building.say) as site:
        building.alive = alive = Alive(site)
        yield building
        alive.end()


def opened(building: Building, page: Page, path: str = "/devices") -> None:
    assert building.alive is not None
    building.alive.open(page, Role.OPERATOR)
    page.goto(building.alive.site.url + path)
    expect(page.locator("html[data-ready=true][data-feed=live]")).to_be_attached()


def shoot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")


def test_a_device_appears_is_placed_shown_on_the_map_goes_stale_and_is_forgotten(
    building: Building, page: Page
) -> None:
    opened(building, page)
    expect(page.locator("#nothing")).to_be_visible()
    building.announce("kettle/1", HOSTILE, ("kettle.t", "temperature", "°C", 60.0))
    building.measure("kettle.t", 21.5)
    building.show()
    row = page.locator("[data-device='kettle/1']")
    expect(row).to_contain_text(HOSTILE)
    expect(row.locator(".device-values")).to_contain_text("21.5 °C")
    expect(row).to_contain_text("no room")
    row.get_by_role("button", name="Change").click()
    page.locator("#device [name=room]").select_option("1.01")
    page.locator("#device [name=desk]").select_option("1.01-d07")
    page.locator("#device [name=name]").fill("Kettle </b>")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("desk 1.01-d07")
    expect(row).to_contain_text("Kettle </b>")
    assert building.alive is not None
    page.goto(f"{building.alive.site.url}/#1/1.01")
    card = page.locator("#pane [data-device='kettle/1']")
    expect(card).to_contain_text("21.5 °C")
    building.measure("kettle.t", 98.0)
    building.show()
    expect(card).to_contain_text("98 °C")
    building.measure("kettle.t", 98.0, ago=61)
    building.devices["kettle/1"]["state"] = "stale"
    building.show()
    expect(card.locator("[data-overdue=true]")).to_contain_text("1 min ago")
    expect(card.locator(".chip")).to_have_text("stale")
    page.locator("#devices").click()
    expect(row).to_have_attribute("data-state", "stale")
    row.get_by_role("button", name="Change").click()
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Really forget it").click()
    expect(page.locator("#nothing")).to_be_visible()
    assert page.problems == []  # type: ignore[attr-defined]


def test_the_map_says_that_a_device_without_a_room_appeared(building: Building, page: Page) -> None:
    opened(building, page, "/")
    expect(page.locator("#devices")).to_have_text("Devices")
    building.announce("d", "Lamp")
    building.show()
    expect(page.locator("#devices")).to_have_text("Devices · 1")
    expect(page.locator("#devices")).to_have_attribute("title", "1 device without a room")
    building.say("d", {"room": "1.02"})
    expect(page.locator("#devices")).to_have_text("Devices")


def test_what_the_server_refuses_is_said_in_the_form(building: Building, page: Page) -> None:
    opened(building, page)
    building.announce("d", "Lamp", room="Kitchen")
    building.show()
    page.get_by_role("button", name="Change Lamp").click()
    building.devices.clear()
    building.show()
    page.locator("#device [name=room]").select_option("1.01")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="unknown device d")).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="SmartCIS cannot be reached")).to_be_visible()
    page.context.set_offline(False)
    page.keyboard.press("Escape")
    expect(page.locator("#device")).not_to_be_visible()


def many(building: Building) -> None:
    kinds = [("Climate", "temperature", "°C"), ("Plug", "power", "W"), ("Contact", "door", None)]
    for n in range(60):
        kind, quantity, unit = kinds[n % 3]
        name = f"{kind} sensor {n:02d} " + ("with a long name that goes on and on" if n == 4 else "")
        entities = [
            (f"e{n}.{k}", q, u, 120.0) for k, (q, u) in enumerate([(quantity, unit), ("battery", "%")])
        ]
        entities += [(f"e{n}.x{k}", f"channel_{k}", "V", None) for k in range(9 if n == 7 else 0)]
        room = f"1.{1 + n % 20:02d}" if n % 4 else None
        state = ["online", "online", "online", "offline", "stale", "unknown"][n % 6]
        building.announce(f"0x00{n:04d}", name, *entities, room=room, state=state, disabled=n == 9)
        value, text = (None, "open") if unit is None else (20.25 + n, None)
        building.measure(f"e{n}.0", value, text, ago=n * 3)
        building.measure(f"e{n}.1", 100.0 - n, ago=n * 300)
    building.show()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_many_devices_are_found_and_fit_the_screen(
    building: Building, page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    opened(building, page)
    many(building)
    expect(page.locator("#devices > li")).to_have_count(60)
    shoot(page, f"devices-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_text(re.compile("^Without a room")).click()
    expect(page.locator("#devices-count")).to_have_text("15 of 60 devices")
    page.get_by_text(re.compile("^All")).click()
    page.locator("#search").fill("plug 1.08")
    expect(page.locator("#devices-count")).to_have_text("1 of 60 devices")
    page.locator("#search").fill("sensor 07")
    page.get_by_role("button", name="and 5 more").click()
    expect(page.locator("[data-device='0x000007'] .device-values > li")).to_have_count(12)
    page.locator("[data-device='0x000007']").get_by_role("button", name="Change").click()
    shoot(page, f"devices-form-{width}")
    page.keyboard.press("Escape")
    assert building.alive is not None
    page.goto(f"{building.alive.site.url}/#1/1.08")
    expect(page.locator("#pane .room-devices > ul > li")).to_have_count(3)
    shoot(page, f"devices-card-{width}")
    assert page.problems == []  # type: ignore[attr-defined]
