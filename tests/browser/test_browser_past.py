"""The map taken back in time, over a real store of the past; by keyboard too, and said to be the past."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.roles import Role
from engine.model.clock import SystemClock
from tests.browser.alive import SECOND, Alive
from tests.browser.recorded import RecordedMap
from tests.web_parts import running_site

pytestmark = pytest.mark.browser
HOUR = 3600 * SECOND
SLIDE = """(slider, at) => {
  slider.value = at;
  for (const event of ["input", "change"]) slider.dispatchEvent(new Event(event));
}"""
ROOM = "path.room[data-room='1.09']"


class Then(Alive):
    """A site with a past of three hours: of each what was, and in the middle a gap."""

    now: int


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Then]:
    now = SystemClock().now()
    views = ("dark_rooms", "taken_desks", "free_desks", "people", "room_temperature")
    recorded = RecordedMap(tmp_path, now - 3 * HOUR, *views)
    recorded.say(
        now - 3 * HOUR,
        dark_rooms=[("1.09", 2.0)],
        taken_desks=[("1.01-d01", "1.01")],
        free_desks=[("1.01", 19)],
        people=[("ann", 1, 10.0, 8.75)],
        room_temperature=[("1.09", 17.25)],
    )
    recorded.miss(now - 2 * HOUR)
    recorded.say(
        now - HOUR, dark_rooms=[], people=[("ann", 1, 60.0, 8.75)], room_temperature=[("1.09", 22.5)]
    )
    recorded.at = now
    with running_site(tmp_path / "state", past=recorded.past()) as site:
        alive = Then(site)
        alive.now = now
        alive.paused.set()
        site.engine.replace(
            now, dark_rooms=[], taken_desks=[], free_desks=[("1.01", 20)], people=[("ann", 1, 80.0, 8.75)]
        )
        yield alive
        alive.end()
    recorded.close()


def opened(alive: Then, page: Page) -> None:
    alive.paused.clear()
    alive.scene.step = lambda at, _seconds: alive.site.engine.close_tick(at)  # type: ignore[method-assign]
    alive.open(page)
    page.get_by_role("button", name="The past").click()
    expect(page.get_by_role("slider", name="Moment")).to_be_enabled()


def go_to(page: Page, at: int) -> None:
    page.get_by_role("slider", name="Moment").evaluate(SLIDE, at // SECOND)


def test_the_whole_map_shows_a_moment_and_says_so_and_comes_back(alive: Then, page: Page) -> None:
    opened(alive, page)
    go_to(page, alive.now - 170 * 60 * SECOND)
    expect(page.locator(ROOM)).to_have_attribute("data-dark", "true")
    expect(page.locator("#past-mark")).to_contain_text(re.compile(r"\d\d:\d\d.*, 2 hours ago"))
    expect(page.locator("[data-desk='1.01-d01']").first).to_have_attribute("data-state", "taken")
    expect(page.locator("#count-desks")).to_have_text("19")
    page.locator(ROOM).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#pane .facts")).to_contain_text("17.3 °C")
    assert "&at=" in page.url or "?at=" in page.url
    expect(page.locator("#past-note")).to_contain_text("Nothing was recorded from")
    page.locator("#past-mark-now").click()
    expect(page.locator("#past-mark")).to_be_hidden()
    expect(page.locator(ROOM)).to_have_attribute("data-dark", "false")
    expect(page.locator("#count-desks")).to_have_text("20")
    assert "at=" not in page.url
    assert page.problems == []  # type: ignore[attr-defined]


def test_what_happens_meanwhile_is_shown_on_the_way_back_only(alive: Then, page: Page) -> None:
    opened(alive, page)
    go_to(page, alive.now - 30 * 60 * SECOND)
    expect(page.locator("#past-mark")).to_be_visible()
    alive.site.tick(dark_rooms=[(("1.09", 1.0), 1)])
    page.wait_for_timeout(300)
    expect(page.locator(ROOM)).to_have_attribute("data-dark", "false")
    page.locator("#past-now").click()
    expect(page.locator(ROOM)).to_have_attribute("data-dark", "true")


def test_the_slider_goes_by_keyboard_and_its_end_is_now(alive: Then, page: Page) -> None:
    opened(alive, page)
    slider = page.get_by_role("slider", name="Moment")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("(minute|second)s? ago"))
    expect(page.locator("html[data-past]")).to_be_attached()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "now")
    page.keyboard.press("Home")
    expect(page.locator(ROOM)).to_have_attribute("data-dark", "true")


def test_it_plays_and_pauses(alive: Then, page: Page) -> None:
    opened(alive, page)
    go_to(page, alive.now - 60 * 60 * SECOND - 30 * SECOND)
    expect(page.locator("html[data-past]")).to_be_attached()
    before = page.locator("path.person").get_attribute("d")
    page.get_by_label("Speed").select_option("600")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#past-mark")).to_contain_text(re.compile(r"5\d minutes ago"))
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("path.person")).not_to_have_attribute("d", before or "")
    assert "at=" in page.url


def test_a_moment_in_the_address_is_shown_and_gaps_are_drawn(alive: Then, page: Page) -> None:
    opened(alive, page)
    expect(page.locator(".gap-mark")).to_have_count(1)
    go_to(page, alive.now - 170 * 60 * SECOND)
    expect(page.locator(ROOM)).to_have_attribute("data-dark", "true")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#past-mark")).to_contain_text("2 hours ago")
    expect(page.locator(ROOM)).to_have_attribute("data-dark", "true")


def test_a_kiosk_has_no_past_and_a_server_without_one_says_so(
    alive: Then, page: Page, tmp_path: Path
) -> None:
    alive.paused.clear()
    alive.open(page, Role.KIOSK)
    expect(page.locator("#past-open")).to_be_hidden()
    with running_site(tmp_path / "bare") as site:
        bare = Alive(site)
        bare.open(page)
        page.get_by_role("button", name="The past").click()
        expect(page.locator("#past-note")).to_have_text("No past of what the map shows is kept here.")
        expect(page.get_by_role("slider", name="Moment")).to_be_disabled()
        bare.end()
