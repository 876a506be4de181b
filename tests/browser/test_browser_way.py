"""The way to the nearest free machine, and doors, on the page: drawn, said in words, and never markup."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.roles import Role
from engine.model.values import Row
from tests.browser.alive import Alive
from tests.memory_engine import MemoryEngine
from tests.web_parts import running_site

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)>"
POINTS: list[Row] = [
    ("kiosk-1", 1, 43.2, 4.4, "kiosk"), ("a", 1, 46.0, 8.75, "corridor"), ("up", 1, 50.0, 19.0, "elevator"),
    ("mid", 2, 50.0, 19.0, "elevator"), ("top", 3, 50.0, 19.0, "elevator"), ("b", 3, 20.0, 8.75, "corridor"),
    ("lab", 1, 83.0, 5.0, "room"),
]  # fmt: skip
ABOVE: list[Row] = [
    ("kiosk-1", "a", "knuth-01", 6000), ("a", "up", "knuth-01", 5500), ("up", "mid", "knuth-01", 4000),
    ("mid", "top", "knuth-01", 3600), ("top", "b", "knuth-01", 3200), ("b", "b", "knuth-01", 200),
    ("lab", "a", "knuth-01", 9000),
]  # fmt: skip
NEAR: list[Row] = [
    ("kiosk-1", "a", "lovelace-01", 4470),
    ("a", "lab", "lovelace-01", 4000),
    ("lab", "lab", "lovelace-01", 300),
]
ROOMS: list[Row] = [("1.09", "lab")]


def door(name: str = "Lab Lovelace, first door", is_open: bool = True) -> Row:
    return ("door-1.09", name, "lab", 1, 76.8, 7.5, 78.4, 7.5, is_open)


class Obedient:
    """A door that is turned as soon as it is told."""

    def __init__(self) -> None:
        self.engine = MemoryEngine()

    def tell(self, _door: str, is_open: bool) -> None:
        self.engine.replace(self.engine.at + 1, doors_now=[door(is_open=is_open)])


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Alive]:
    obedient = Obedient()
    with running_site(tmp_path, engine=obedient.engine, tell_door=obedient.tell) as site:
        alive = Alive(site)
        alive.paused.set()
        show(alive, NEAR)
        yield alive
        alive.end()


def show(alive: Alive, nearest: list[Row], doors: list[Row] | None = None, **more: list[Row]) -> None:
    engine = alive.site.engine
    still = {"walking_points": POINTS, "room_points": ROOMS, "doors_now": doors or [door()]}
    engine.replace(alive.site.clock.now(), nearest_machines=nearest, **still, **more)


def way(page: Page) -> Locator:
    return page.locator("path.way")


def test_the_way_is_drawn_and_said_with_its_length(alive: Alive, page: Page) -> None:
    alive.open(page)
    expect(way(page)).to_have_count(1)
    expect(page.locator("#way-words")).to_have_text("45 m · under a minute · Lab Lovelace, 1.09, floor 1")
    expect(page.locator("#way-from")).to_have_text("From the kiosk")
    expect(page.locator(".way-goal-label")).to_have_text("lovelace-01.cs · 45 m")
    page.locator("#way-goal").click()
    expect(page.locator("#pane h2")).to_have_text("Desk 1.09-d01")
    assert page.problems == []  # type: ignore[attr-defined]


def test_another_machine_redraws_the_way_and_over_floors_it_can_be_followed(alive: Alive, page: Page) -> None:
    alive.open(page)
    before = way(page).get_attribute("d")
    show(alive, ABOVE)
    expect(page.locator("#way-words")).to_have_text("60 m · 1 min · Lab Knuth, 3.02, floor 3")
    assert way(page).get_attribute("d") != before
    expect(page.locator("#way-steps .step-text")).to_have_text(
        [
            "Walk 20 m, past Foyer on your right",
            "Take the elevator up to floor 3, Second floor",
            "Walk 30 m, past Lab Knuth on your left",
            "knuth-01.cs, desk 3.02-d01, is straight ahead",
        ]
    )
    page.get_by_role("button", name="The way goes on floor 3; show floor 3").click()
    expect(page.locator("#floor-name")).to_have_text("Second floor")
    expect(way(page)).to_have_count(1)
    expect(page.get_by_role("button", name="The way comes from floor 1; show floor 1")).to_be_visible()
    page.locator("#floors label:has(input[value='2'])").click()
    expect(way(page)).to_have_count(0)


def test_it_is_said_when_nothing_is_free_and_when_every_way_is_closed(alive: Alive, page: Page) -> None:
    alive.open(page)
    show(alive, [("lab", "lab", "lovelace-01", 300)])
    expect(page.locator("#way-words")).to_have_text("Every way to a free machine is closed.")
    show(alive, [])
    expect(page.locator("#way-words")).to_have_text("No machine is free.")
    expect(way(page)).to_have_count(0)


def test_the_way_starts_at_a_chosen_room_and_again_at_the_kiosk(alive: Alive, page: Page) -> None:
    alive.open(page)
    page.locator("path.room[data-room='1.09']").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Way from here to a free machine").click()
    expect(page.locator("#way-from")).to_have_text("From Lab Lovelace, 1.09")
    expect(page.locator("#way-words")).to_have_text("3 m · under a minute · Lab Lovelace, 1.09, floor 1")
    page.get_by_role("button", name="Start at the kiosk").click()
    expect(page.locator("#way-from")).to_have_text("From the kiosk")


def test_a_room_that_is_cut_off_looks_so_and_says_so(alive: Alive, page: Page) -> None:
    alive.open(page)
    show(alive, ABOVE, [door(is_open=False)], cut_off_rooms=[("1.09",)])
    room = page.locator("path.room[data-room='1.09']")
    expect(room).to_have_attribute("aria-label", "1.09, Lab Lovelace, cut off")
    assert "cut-off" in room.evaluate("shape => getComputedStyle(shape).fill")
    row = page.locator("#rooms").get_by_role("button", name="1.09 Lab Lovelace")
    expect(row).to_contain_text("cut off")
    expect(page.locator("path.leaf[data-door='door-1.09']")).to_have_attribute("data-open", "false")
    expect(page.locator("#doors-count")).to_have_text("1 of 1 closed")
    for key in ("cut off by closed doors", "door closed", "the way that is asked for"):
        expect(page.locator("#legend")).to_contain_text(key)


def test_an_operator_turns_a_door_by_keyboard_and_a_viewer_cannot(alive: Alive, page: Page) -> None:
    for role, buttons in ((Role.VIEWER, 0), (Role.OPERATOR, 1)):
        alive.open(page, role)
        page.locator("#doors summary").click()
        page.locator("#doors-list button").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#pane h2")).to_have_text("Lab Lovelace, first door")
        expect(page.locator("#pane .act")).to_have_count(buttons)
    page.locator("#pane .act").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#pane .chip")).to_have_text("closed")
    page.get_by_role("button", name="Open this door").click()
    expect(page.locator("#pane .chip")).to_have_text("open")
    assert page.problems == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(("role", "name"), [(Role.OPERATOR, "Close this door"), (Role.VIEWER, "Close")])
def test_the_focus_goes_with_a_door_into_the_pane_and_back(
    alive: Alive, page: Page, role: Role, name: str
) -> None:
    alive.open(page, role)
    page.locator("#doors summary").click()
    line = page.locator("#doors-list button")
    for _ in range(2):
        line.focus()
        page.keyboard.down("Enter")
        page.keyboard.down("Enter")
        page.keyboard.up("Enter")
        expect(page.locator("#pane").get_by_role("button", name=name, exact=True)).to_be_focused()
        expect(page.locator("#pane .chip")).to_have_text("open")
        page.locator("#pane .close").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#pane")).to_be_hidden()
        expect(line).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        expect(line).to_be_focused()
    assert page.problems == []  # type: ignore[attr-defined]


def test_a_phone_says_the_way_first(alive: Alive, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    alive.open(page)
    expect(page.locator("#way-words")).to_be_in_viewport()
    label = page.locator(".way-goal-label").bounding_box()
    assert label
    assert label["x"] >= 0
    assert label["x"] + label["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_door_is_found_on_the_plan_and_hostile_names_stay_text(alive: Alive, page: Page) -> None:
    attack: list[Row] = [("kiosk-1", "kiosk-1", HOSTILE, 300)]
    show(alive, attack, [door(HOSTILE)])
    alive.open(page)
    expect(page.locator("#way-goal")).to_have_text(HOSTILE)
    expect(page.locator(".way-goal-label")).to_have_text(f"{HOSTILE} · 3 m")
    page.locator("path.leaf-target").hover(force=True)
    page.locator("path.leaf-target").click(force=True)
    expect(page.locator("#pane h2")).to_have_text(HOSTILE)
    expect(page.locator("path.leaf")).to_have_attribute("data-selected", "true")
    assert page.locator("body :is(img, [onerror])").count() == 0
    assert page.problems == []  # type: ignore[attr-defined]
