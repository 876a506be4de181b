"""Displays and alarms in a real browser: shown as routed, and gone when routed no more."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.roles import Role
from engine.lang.streamsql import Output
from tests.browser.alive import Alive
from tests.web_parts import running_site

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)>"
LOBBY, ALARM = Output("display", "lobby"), Output("alarm", "too dark")


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Alive]:
    with running_site(tmp_path) as site:
        alive = Alive(site)
        yield alive
        alive.end()


def test_a_display_shows_what_is_routed_to_it_for_as_long_as_it_is(alive: Alive, page: Page) -> None:
    alive.open(page, Role.KIOSK)
    page.goto(f"{alive.site.url}/display/lobby")
    expect(page.locator("#nothing")).to_be_visible()
    router = alive.site.web.outlets.router
    router.follow("reserved_rooms", (LOBBY,))
    alive.paused.set()
    now = alive.site.clock.now()
    alive.site.engine.replace(now, reserved_rooms=[("1.09", HOSTILE, now), ("1.02", None, now)])
    cells = page.locator(".rows tbody tr")
    expect(cells).to_have_count(2)
    expect(cells.nth(0)).to_contain_text("1.02")
    expect(cells.nth(1)).to_contain_text(HOSTILE)
    alive.site.engine.replace(now, reserved_rooms=[("1.02", None, now)])
    expect(cells).to_have_count(1)
    router.leave("reserved_rooms")
    expect(page.locator("#nothing")).to_be_visible()
    expect(page.locator(".panel-view")).to_have_count(0)
    assert page.problems == []  # type: ignore[attr-defined]


def test_a_display_says_since_when_it_is_not_the_present(alive: Alive, page: Page) -> None:
    alive.site.web.outlets.router.follow("dark_rooms", (LOBBY,))
    alive.open(page, Role.KIOSK)
    page.goto(f"{alive.site.url}/display/lobby")
    expect(page.locator(".panel-view")).to_have_count(1)
    alive.paused.set()
    expect(page.locator("#banner")).to_contain_text("Feed lost since")
    expect(page.locator("#banner")).to_contain_text("the display shows the state of then")


def test_a_display_says_which_sites_its_rows_are_without_while_they_are(alive: Alive, page: Page) -> None:
    alive.site.web.outlets.router.follow("dark_rooms", (LOBBY,))
    alive.site.engine.without = {"dark_rooms": ("floor-2",), "people": ("database:facts",)}
    alive.open(page, Role.KIOSK)
    page.goto(f"{alive.site.url}/display/lobby")
    expect(page.locator(".lacks")).to_have_text("without floor-2")
    expect(page.locator("#banner-text")).to_contain_text("Without floor-2 — the display shows")
    alive.site.engine.without = {}
    expect(page.locator(".lacks")).to_have_text("")
    expect(page.locator("#banner")).to_be_hidden()


def test_an_alarm_is_counted_on_the_map_and_listed_until_it_ends(alive: Alive, page: Page) -> None:
    alive.paused.set()
    alive.site.engine.replace(alive.site.clock.now(), dark_rooms=[])
    alive.site.web.outlets.router.follow("dark_rooms", (ALARM,))
    alive.open(page, Role.OPERATOR)
    expect(page.locator("#alarms")).to_have_text("No alarms")
    alive.site.tick(dark_rooms=[(("1.09", 2.0), 1)])
    expect(page.locator("#alarms")).to_have_text("1 alarm")
    expect(page.locator("path.room[data-room='1.09']")).to_have_attribute("data-alarm", "true")
    expect(page.locator("path.room[data-room='1.09']")).to_have_attribute(
        "aria-label", re.compile("alarm: too dark")
    )
    page.locator("#alarms").click()
    expect(page.locator("#standing li")).to_contain_text("too dark")
    expect(page.locator("#standing li")).to_contain_text("room 1.09 · lux 2")
    alive.site.tick(dark_rooms=[(("1.09", 2.0), -1)])
    expect(page.locator("#standing li")).to_have_count(0)
    expect(page.locator("#ended li")).to_have_count(1)
    assert page.problems == []  # type: ignore[attr-defined]
