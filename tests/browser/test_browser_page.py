"""The map page in a real browser: every floor, never stale in silence, hostile strings stay text."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.roles import Role
from tests.browser.alive import Alive, watch_for_problems
from tests.memory_engine import MemoryEngine
from tests.web_parts import BUILDING, running_site

pytestmark = pytest.mark.browser
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "{{7*7}}${7*7}",
    "</title><b>bold</b>",
    "&lt;i&gt;",
    "\u202eright to left",
)


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Alive]:
    with running_site(tmp_path) as site:
        alive = Alive(site)
        yield alive
        alive.end()


def features(floor: int, kind: str) -> int:
    plan = json.loads((BUILDING / f"floor-{floor}.geojson").read_text())
    return sum(feature["properties"]["kind"] == kind for feature in plan["features"])


def test_every_floor_is_drawn_whole(alive: Alive, page: Page) -> None:
    alive.open(page)
    for floor in (1, 2, 3):
        page.locator(f"#floors label:has(input[value='{floor}'])").click()
        expect(page.locator("path.room")).to_have_count(features(floor, "room"))
        expect(page.locator("path.desk")).to_have_count(features(floor, "desk"))
        expect(page.locator("path.person")).to_have_count(16)
        expect(page.locator(".room-label span", has_text=re.compile("^Lab "))).to_have_count(2)
    assert page.problems == []  # type: ignore[attr-defined]


def test_a_desk_turns_when_somebody_sits_down(alive: Alive, page: Page) -> None:
    alive.paused.set()
    alive.site.engine.replace(alive.site.clock.now(), taken_desks=[], free_desks=[("1.01", 20)])
    alive.open(page)
    desk = page.locator("[data-desk='1.01-d01']").first
    expect(desk).to_have_attribute("data-state", "free")
    alive.site.tick(taken_desks=[(("1.01-d01", "1.01"), 1)])
    expect(desk).to_have_attribute("data-state", "taken")
    alive.site.tick(taken_desks=[(("1.01-d01", "1.01"), -1)])
    expect(desk).to_have_attribute("data-state", "free")


def test_a_desk_that_was_never_heard_of_is_not_free(alive: Alive, page: Page) -> None:
    alive.paused.set()
    alive.site.engine.replace(alive.site.clock.now(), taken_desks=[], free_desks=[("1.09", 16)])
    alive.open(page)
    expect(page.locator("[data-desk='1.01-d01']").first).to_have_attribute("data-state", "unknown")
    expect(page.locator("#count-desks")).to_have_text("16")
    alive.site.tick(free_desks=[(("1.01", 20), 1)])
    expect(page.locator("[data-desk='1.01-d01']").first).to_have_attribute("data-state", "free")


def test_a_room_is_greyed_while_reserved_or_dark(alive: Alive, page: Page) -> None:
    alive.paused.set()
    alive.site.engine.replace(alive.site.clock.now(), reserved_rooms=[], dark_rooms=[])
    alive.open(page)
    room = page.locator("path.room[data-room='1.09']")
    lit = room.evaluate("shape => getComputedStyle(shape).fill")
    alive.site.tick(dark_rooms=[(("1.09", 2.0), 1)])
    expect(room).to_have_attribute("aria-label", "1.09, Lab Lovelace, dark")
    assert room.evaluate("shape => getComputedStyle(shape).fill") != lit
    alive.site.tick(dark_rooms=[(("1.09", 2.0), -1)], reserved_rooms=[(("1.09", "Compilers", 0), 1)])
    expect(room).to_have_attribute("aria-label", "1.09, Lab Lovelace, reserved")
    assert "hatch" in room.evaluate("shape => getComputedStyle(shape).fill")


def test_people_glide(alive: Alive, page: Page) -> None:
    alive.paused.set()
    alive.site.engine.replace(alive.site.clock.now(), people=[("ann", 1, 10.0, 8.75)])
    alive.open(page)
    alive.site.engine.replace(alive.site.clock.now(), people=[("ann", 1, 18.0, 8.75)])
    places = page.evaluate(
        """async () => {
          const seen = new Set();
          for (let i = 0; i < 60; i++) {
            await new Promise(requestAnimationFrame);
            seen.add(Math.round(document.querySelector("path.person").getBoundingClientRect().x));
          }
          return [...seen];
        }"""
    )
    assert len(places) > 5
    assert places == sorted(places)


def test_the_banner_says_since_when_the_feed_stands_still_and_goes_when_it_moves(
    alive: Alive, page: Page
) -> None:
    alive.open(page)
    expect(page.locator("#banner")).to_be_hidden()
    alive.paused.set()
    banner = page.locator("#banner")
    expect(banner).to_be_visible()
    then = page.locator("#clock").inner_text()
    expect(banner).to_contain_text(f"Feed lost since {then} — the map shows the state of then")
    expect(page.locator("#map")).to_have_css("filter", "grayscale(1) opacity(0.72)")
    alive.paused.clear()
    expect(banner).to_be_hidden()
    expect(page.locator("#map")).to_have_css("filter", "none")


def test_the_page_comes_back_by_itself_when_the_server_does(tmp_path: Path, page: Page) -> None:
    with running_site(tmp_path) as site:
        alive = Alive(site)
        alive.open(page)
        alive.end()
    expect(page.locator("#banner")).to_be_visible()
    engine = MemoryEngine(run="run-2")
    with running_site(tmp_path, port=site.port, engine=engine) as again:
        alive = Alive(again)
        engine.replace(again.clock.now(), dark_rooms=[("1.09", 1.0)])
        expect(page.locator("#banner")).to_be_hidden()
        expect(page.locator("path.room[data-room='1.09']")).to_have_attribute("data-dark", "true")
        alive.end()


def test_signing_out_elsewhere_says_so_and_leads_back(alive: Alive, page: Page, browser: Browser) -> None:
    alive.open(page)
    other = page.context.new_page()
    other.goto(alive.site.url)
    other.get_by_role("button", name="Sign out").click()
    expect(page.locator("#banner")).to_contain_text("You are signed out")
    expect(page.get_by_role("link", name="Sign in again")).to_be_visible()


def test_everything_can_be_reached_by_keyboard(alive: Alive, page: Page) -> None:
    alive.open(page)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.locator("path.room[data-room='1.09']").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#pane h2")).to_have_text("Lab Lovelace")
    page.keyboard.press("Escape")
    expect(page.locator("#pane")).to_be_hidden()
    page.locator("#floors input[value='1']").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#floor-name")).to_have_text("First floor")


def test_a_room_and_a_desk_open_their_pane(alive: Alive, page: Page) -> None:
    alive.open(page)
    page.locator("#rooms").get_by_role("button", name="1.09 Lab Lovelace").click()
    pane = page.locator("#pane")
    expect(pane.locator(".facts")).to_contain_text("Temperature")
    pane.get_by_role("button", name="Desk 1.09-d01").click()
    expect(pane.locator("h2")).to_have_text("Desk 1.09-d01")
    expect(pane.locator(".facts")).to_contain_text("Power86 W")
    expect(pane.locator(".facts")).to_contain_text("Last hour0.07 kWh")
    expect(pane).to_contain_text("lovelace-01")
    pane.locator(".pane-back button").click()
    expect(pane.locator("h2")).to_have_text("Lab Lovelace")


def test_only_operators_see_rejected_messages(alive: Alive, page: Page) -> None:
    alive.open(page, Role.VIEWER)
    expect(page.locator("#rejects")).to_be_hidden()
    alive.open(page, Role.OPERATOR)
    expect(page.locator("#rejects-count")).to_have_text("2 messages")


def test_operators_see_which_sources_have_something_to_say(alive: Alive, page: Page) -> None:
    told = {"mqtt": "ok, at mqtt://h:1", "db:facts": f"ok, but {HOSTILE[0]}", "db:more": "table rooms stands"}
    page.route("**/api/sources", lambda route: route.fulfill(json=told))
    alive.open(page, Role.VIEWER)
    expect(page.locator("#sources")).to_have_count(0)
    alive.open(page, Role.OPERATOR)
    expect(page.locator("#sources-count")).to_have_text("2 of 3 to look at")
    page.locator("#sources summary").click()
    expect(page.locator("#sources-list li")).to_have_text(
        [f"db:factsok, but {HOSTILE[0]}", "db:moretable rooms stands"]
    )
    page.unroute("**/api/sources")
    alive.open(page, Role.OPERATOR)
    expect(page.locator("#sources-count")).to_contain_text("all well")


def test_a_phone_shows_the_whole_plan_and_a_sheet(alive: Alive, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    alive.open(page)
    plan = page.locator("path.floor").bounding_box()
    assert plan
    assert plan["x"] >= 0
    assert plan["x"] + plan["width"] <= 390
    assert plan["height"] > 450
    page.locator("path.room[data-room='1.13']").tap()
    expect(page.locator("#side")).to_have_attribute("data-sheet", "half")
    expect(page.locator("#pane h2")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1180, 820), (834, 1112)])
def test_beside_a_plan_the_buildings_name_is_shown_whole(
    alive: Alive, page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    alive.open(page)
    expect(page.locator("#alarms")).to_be_visible()
    shown, whole = page.locator("h1").evaluate("name => [name.clientWidth, name.scrollWidth]")
    assert shown == whole > 100
    for part in (".counts", ".links", ".out"):
        place = page.locator(f".top {part}").bounding_box()
        assert place
        assert place["x"] + place["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture
def hostile_building(tmp_path: Path) -> Path:
    """The building with every name in it replaced by an attack."""
    folder = tmp_path / "hostile"
    shutil.copytree(BUILDING, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__", "migrations"))
    for file in folder.glob("*.geojson"):
        plan = json.loads(file.read_text())
        for i, feature in enumerate(plan["features"]):
            feature["properties"]["name"] = HOSTILE[i % len(HOSTILE)]
        file.write_text(json.dumps(plan))
    described = json.loads((folder / "building.json").read_text())
    described["name"] = HOSTILE[0]
    (folder / "building.json").write_text(json.dumps(described))
    return folder


def test_hostile_strings_stay_text(tmp_path: Path, hostile_building: Path, page: Page) -> None:
    with running_site(tmp_path / "state", building=hostile_building) as site:
        alive = Alive(site)
        attack = [(f"{text}{i}", 1, 10.0 + i, 8.75) for i, text in enumerate(HOSTILE)]
        rejects = [(text, text, text, text) for text in HOSTILE]
        bookings = [("1.09", text, 0) for text in HOSTILE]
        alive.paused.set()
        busy = [("lovelace-01", 0.9, HOSTILE[0])]
        site.engine.replace(
            site.clock.now(), people=attack, rejected=rejects, reserved_rooms=bookings, busy_machines=busy
        )
        alive.open(page)
        page.locator("path.room[data-room='1.09']").click(position={"x": 4, "y": 4})
        for text in HOSTILE:
            expect(page.locator("#pane .booking strong").get_by_text(text, exact=True)).to_be_visible()
        page.locator("#rejects summary").click()
        expect(page.locator("#rejects-list")).to_contain_text(HOSTILE[0])
        page.locator("path.person").first.hover(force=True)
        page.locator("#pane [data-focus='1.09-d01']").click()
        expect(page.locator("#pane h2")).to_have_text("Desk 1.09-d01")
        expect(page.locator("h1")).to_have_text(HOSTILE[0])
        markup = "img, script:not([src]), b, i, svg svg, [onerror], [onload]"
        assert page.locator(f":is(body) :is({markup})").count() == 0
        assert page.problems == []  # type: ignore[attr-defined]
        alive.end()


def test_the_sign_in_pages_break_no_rule(alive: Alive, page: Page) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{alive.site.url}/login")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert problems == []
