"""Layers, detail by zoom, search, addresses, colours: what the map can be asked to show."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.roles import Role
from tests.browser.alive import SECOND, Alive
from tests.web_parts import running_site

pytestmark = pytest.mark.browser
ROOM = "path.room[data-room='1.09']"
DESK_IN_SIGHT = """() => {
  const places = [...document.querySelectorAll("path.desk")].map((desk) => desk.getBoundingClientRect());
  const middles = places.map(({ x, y, width, height }) => [x + width / 2, y + height / 2]);
  return middles.find((place) => document.elementFromPoint(...place)?.closest(".leaflet-map-pane"));
}"""


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Alive]:
    with running_site(tmp_path) as site:
        alive = Alive(site)
        alive.paused.set()
        now = site.clock.now()
        site.engine.replace(
            now,
            room_temperature=[("1.09", 26.4), ("1.01", 17.0)],
            room_light=[("1.09", 420.0), ("1.01", 3.0)],
            room_power=[("1.09", 3400.0)],
            reserved_rooms=[("2.01", "Compilers", now + 1800 * SECOND)],
            coming_bookings=[("1.09", "Databases", now + 600 * SECOND, now + 4000 * SECOND)],
            machine_software=[("lovelace-01", "LaTeX", "2025"), ("knuth-01", "LaTeX", "2025")],
            room_equipment=[("1.09", "projector", 1), ("1.09", "whiteboard", 2)],
            free_desks=[("1.09", 16), ("3.02", 16)],
            taken_desks=[("1.09-d01", "1.09")],
        )
        yield alive
        alive.end()


def choose(page: Page, layer: str) -> None:
    page.locator(f"#layers input[value={layer}]").check(force=True)
    expect(page.locator(f"html[data-layer={layer}]")).to_be_attached()


def fill(page: Page, selector: str) -> str:
    return page.locator(selector).evaluate("shape => getComputedStyle(shape).fill")


def test_each_layer_colours_rooms_says_values_and_has_its_legend(alive: Alive, page: Page) -> None:
    alive.open(page)
    plain = fill(page, ROOM)
    for layer, shade, said, legend in (
        ("temperature", "5", "26.4 °C", "26 °C and more"),
        ("light", "3", "420 lx", "700 lx"),
        ("energy", "4", "3.4 kW", "3000 W and more"),
        ("reservations", "1", "from ", "reserved within the hour"),
    ):
        choose(page, layer)
        room = page.locator(ROOM)
        expect(room).to_have_attribute("data-shade", shade)
        expect(room).to_have_attribute("aria-label", re.compile(f"^1.09, Lab Lovelace, {said}"))
        assert fill(page, ROOM) != plain
        expect(page.locator("#legend-scale")).to_contain_text(legend)
        expect(page.locator(".room-label span", has_text="Lab Lovelace")).to_contain_text(said)
        expect(page.locator("#rooms").get_by_role("button", name="1.09 Lab Lovelace")).to_contain_text(said)
    choose(page, "energy")
    expect(page.locator("path.room[data-room='1.01']")).to_have_attribute(
        "aria-label", "1.01, Lab Hopper, no reading"
    )
    choose(page, "occupancy")
    expect(page.locator("#legend-plain")).to_be_visible()
    assert page.problems == []  # type: ignore[attr-defined]


def test_the_legend_covers_nothing_of_the_plan_before_somebody_opens_it_there(
    alive: Alive, page: Page
) -> None:
    for width, height, is_open in ((1440, 900, True), (1180, 820, False), (1280, 720, False)):
        page.set_viewport_size({"width": width, "height": height})
        alive.open(page)
        page.reload()
        expect(page.locator("html[data-ready=true]")).to_be_attached()
        assert page.locator("#legend").evaluate("legend => legend.open") == is_open
        plan, legend = page.locator("path.floor").bounding_box(), page.locator("#legend").bounding_box()
        assert plan
        assert legend
        assert plan["y"] + plan["height"] <= legend["y"]
        floors = page.locator("#floors").bounding_box()
        assert floors
        assert not is_open or floors["y"] + floors["height"] <= plan["y"]


def zoom_until(page: Page, there: str) -> None:
    """Zoom in on a desk, a step at a time, until something is there."""
    for _ in range(12):
        if page.locator(there).count():
            return
        page.mouse.move(*page.evaluate(DESK_IN_SIGHT))
        page.mouse.wheel(0, -120)
        page.wait_for_timeout(300)
    expect(page.locator(there).first).to_be_attached()


def test_detail_grows_with_zoom(alive: Alive, page: Page) -> None:
    page.set_viewport_size({"width": 1000, "height": 640})
    alive.open(page)
    expect(page.locator("path.machine")).to_have_count(0)
    zoom_until(page, "path.machine")
    zoom_until(page, ".machine-label")
    expect(page.locator(".place-label").first).to_be_attached()


def test_a_machine_is_found_by_keyboard_alone_and_revealed(alive: Alive, page: Page) -> None:
    alive.open(page)
    page.keyboard.press("/")
    search = page.get_by_role("combobox", name="Find a room")
    expect(search).to_be_focused()
    page.keyboard.type("knuth-0")
    expect(page.locator("#search-list li").first).to_contain_text("knuth-01.cs")
    page.keyboard.press("ArrowDown")
    active = search.get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("#floor-name")).to_have_text("Second floor")
    expect(page.locator("#pane h2")).to_have_text("Desk 3.02-d01")
    assert page.url.endswith("#3/3.02?desk=3.02-d01")
    page.keyboard.press("/")
    page.keyboard.type("zzz")
    expect(page.locator("#search-list")).to_contain_text("Nothing here is called “zzz”.")
    page.keyboard.press("Escape")
    expect(page.locator("#search-list")).to_be_hidden()
    assert page.problems == []  # type: ignore[attr-defined]


def test_programs_and_equipment_are_marked_where_they_are_and_people_are_not_found(
    alive: Alive, page: Page
) -> None:
    alive.site.engine.replace(alive.site.clock.now(), people=[("p-ann", 1, 10.0, 8.75)])
    alive.open(page)
    page.keyboard.press("/")
    page.keyboard.type("latex")
    expect(page.locator("#search-list li")).to_contain_text("on 2 machines")
    page.keyboard.press("Enter")
    expect(page.locator("#found-words")).to_have_text("LaTeX: on 2 machines, 1 free")
    expect(page.locator("path.desk[data-found=true]")).to_have_count(1)
    page.reload()
    expect(page.locator("#found-words")).to_have_text("LaTeX: on 2 machines, 1 free")
    page.keyboard.press("/")
    page.keyboard.type("projector")
    page.keyboard.press("Enter")
    expect(page.locator("path.room[data-found=true]")).to_have_count(1)
    page.get_by_role("button", name="Mark nothing").click()
    expect(page.locator("path.room[data-found=true]")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("p-ann")
    expect(page.locator("#search-list")).to_contain_text("Nothing here")


def test_an_address_shows_the_same_to_whoever_may_see_it(alive: Alive, page: Page, browser: Browser) -> None:
    alive.open(page)
    choose(page, "temperature")
    page.locator("#floors label:has(input[value='3'])").click()
    page.locator("path.room[data-room='3.02']").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Desk 3.02-d02").click()
    address = page.url
    assert address.endswith("#3/3.02?desk=3.02-d02&layer=temperature")
    other = browser.new_context().new_page()
    alive.open(other, Role.VIEWER)
    other.goto(address)
    for _ in range(2):
        expect(other.locator("#pane h2")).to_have_text("Desk 3.02-d02")
        expect(other.locator("html[data-layer=temperature]")).to_be_attached()
        expect(other.locator("#floor-name")).to_have_text("Second floor")
        other.reload()
    other.goto(f"{alive.site.url}/#1/1.09")
    expect(other.locator("#pane h2")).to_have_text("Lab Lovelace")
    other.context.close()


@pytest.mark.parametrize(
    "hash", ["#9/9.99?layer=smell&desk=x&at=never&find=:", "#%", "#1/%E0%A4%A?desk=%", "#"]
)
def test_an_address_of_nothing_shows_the_map(alive: Alive, page: Page, hash: str) -> None:
    alive.open(page)
    page.goto(alive.site.url + "/" + hash)
    page.reload()
    expect(page.locator("html[data-ready=true][data-layer=occupancy]")).to_be_attached()
    expect(page.locator("#floor-name")).to_have_text("Ground floor")
    assert page.problems == []  # type: ignore[attr-defined]


def test_the_list_has_desks_ways_in_and_people(alive: Alive, page: Page) -> None:
    alive.site.engine.replace(
        alive.site.clock.now(), people=[("a", 1, 10.0, 8.75), ("b", 1, 12.0, 8.75), ("c", 2, 12.0, 8.75)]
    )
    alive.open(page)
    expect(page.locator("#floor-people")).to_have_text("2 people on this floor, 3 people in the building")
    toggle = page.get_by_role("button", name="16 desks in 1.09")
    toggle.focus()
    page.keyboard.press("Enter")
    expect(toggle).to_have_attribute("aria-expanded", "true")
    line = page.get_by_role("button", name="1.09-d01 lovelace-01.cs")
    expect(line).to_contain_text("taken")
    alive.site.tick(busy_machines=[(("lovelace-01", 0.9, "matlab"), 1)])
    expect(line).to_contain_text("taken, machine busy")
    line.press("Enter")
    expect(page.locator("#pane h2")).to_have_text("Desk 1.09-d01")
    page.locator("#rooms summary", has_text="Entrances").click()
    page.locator("#rooms").get_by_role("button", name="Main Elevator").click()
    expect(page.locator("path.ring")).to_have_count(1)


def test_colours_are_chosen_kept_and_of_every_page(alive: Alive, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    alive.open(page)
    expect(page.locator("html[data-theme=dark]")).to_be_attached()
    dark = page.evaluate("getComputedStyle(document.body).color")
    page.get_by_label("Colours").select_option("light")
    expect(page.locator("html[data-theme=light]")).to_be_attached()
    assert page.evaluate("getComputedStyle(document.body).color") != dark
    page.goto(f"{alive.site.url}/devices")
    expect(page.locator("html[data-theme=light]")).to_be_attached()
    page.get_by_label("Colours").select_option("system")
    expect(page.locator("html[data-theme=dark]")).to_be_attached()
    page.emulate_media(color_scheme="light")
    expect(page.locator("html[data-theme=light]")).to_be_attached()


def test_a_viewer_is_told_of_people_only_where_several_are_together(alive: Alive, page: Page) -> None:
    together = [("a", 1, 10.0, 8.75), ("b", 1, 12.0, 8.75), ("c", 1, 14.0, 8.75)]
    now = alive.site.clock.now()
    alive.site.engine.replace(
        now, people_together=together, floors_with_few=[(2, 3)], people=[("d", 2, 1.0, 1.0)]
    )
    alive.open(page, Role.VIEWER)
    expect(page.locator("#floor-people")).to_have_text(
        "3 people on this floor, over 3 people in the building"
    )
    expect(page.locator("#count-people")).to_have_text("over 3")
    expect(page.locator("path.person")).to_have_count(3)
    alive.site.engine.replace(now + 1, people_together=[], floors_with_few=[(1, 3), (2, 3)])
    expect(page.locator("#floor-people")).to_have_text(
        "under 3 people on this floor, under 5 people in the building"
    )
    alive.site.engine.replace(now + 2, floors_with_few=[(2, 3)])
    expect(page.locator("#floor-people")).to_have_text(
        "0 people on this floor, under 3 people in the building"
    )


def test_people_jump_where_motion_is_unwanted(alive: Alive, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    alive.site.engine.replace(alive.site.clock.now(), people=[("ann", 1, 10.0, 8.75)])
    alive.open(page)
    alive.site.engine.replace(alive.site.clock.now(), people=[("ann", 1, 18.0, 8.75)])
    seen = page.evaluate(
        """async () => {
          const seen = new Set();
          for (let i = 0; i < 30; i++) {
            await new Promise(requestAnimationFrame);
            seen.add(Math.round(document.querySelector("path.person").getBoundingClientRect().x));
          }
          return seen.size;
        }"""
    )
    assert seen <= 2
