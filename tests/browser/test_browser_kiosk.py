"""The kiosk and the phone over the real engine: re-routed on the way, by keyboard, without a network."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.handover import Handed, Handovers
from app.roles import Role
from ingest.building.design import the_building
from tests.browser.alive import watch_for_problems
from tests.browser.walking import Walking, walking_site
from tests.environment.waiting import slowness
from tests.web_parts import Site

pytestmark = pytest.mark.browser
HOUR = 3_600_000_000
MACHINES = {machine.id: machine for machine in the_building().machines}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Walking, Site]]:
    with walking_site(tmp_path_factory.mktemp("kiosk"), public_url=None) as scene:
        yield scene


@pytest.fixture
def walking(scene: tuple[Walking, Site]) -> Walking:
    return scene[0]


@pytest.fixture
def context(scene: tuple[Walking, Site], browser: Browser) -> Iterator[BrowserContext]:
    """A kiosk's browser, signed in by its own link."""
    _, site = scene
    token = site.web.auth.kiosks.make("lobby", "kiosk-1")
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        page.goto(f"{site.url}/kiosk/enter?token={token}")
        page.close()
        yield context


def kiosk(context: BrowserContext, site: Site) -> Page:
    page = context.new_page()
    page.problems = watch_for_problems(page)  # type: ignore[attr-defined]
    page.goto(site.url + "/kiosk")
    expect(page.locator("html[data-ready=true][data-feed=live]")).to_be_attached()
    expect(page.locator("path.way").first).to_be_attached()
    return page


def goal(page: Page) -> str:
    return page.locator("#way-goal").inner_text().removesuffix(".cs")


def changes(page: Page, before: str) -> float:
    """How long it took until the way led elsewhere, in seconds of a quiet machine."""
    slow, begun = slowness(), time.monotonic()
    expect(page.locator("#way-goal")).not_to_have_text(f"{before}.cs")
    return (time.monotonic() - begun) / max(slow, slowness())


def test_the_way_changes_within_a_second_when_its_target_is_taken_and_that_is_said(
    scene: tuple[Walking, Site], context: BrowserContext
) -> None:
    walking, site = scene
    page = kiosk(context, site)
    expect(page.locator("#way-from")).to_have_text("From the kiosk lobby")
    first = goal(page)
    desk = MACHINES[first].desk
    walking.say("seats", (desk, True))
    assert changes(page, first) < 1.0
    expect(page.locator("#way-news")).to_have_text(f"Somebody sat down at desk {desk}.")
    expect(page.locator("#way-said")).to_contain_text(f"Somebody sat down at desk {desk}. {goal(page)}")
    walking.say("seats", (desk, False))
    expect(page.locator("#way-goal")).to_have_text(f"{first}.cs")
    assert page.problems == []  # type: ignore[attr-defined]


def test_a_reservation_that_starts_leads_elsewhere(
    scene: tuple[Walking, Site], context: BrowserContext
) -> None:
    walking, site = scene
    page = kiosk(context, site)
    first = goal(page)
    room = MACHINES[first].room
    row = booking(walking, room)
    walking.say("reserved", row)
    assert changes(page, first) < 1.0
    expect(page.locator("#way-news")).to_contain_text("is reserved for Databases II.")
    walking.say("reserved", row, sign=-1)
    expect(page.locator("#way-goal")).to_have_text(f"{first}.cs")


def booking(walking: Walking, room: str) -> tuple[object, ...]:
    """A row of the calendar's relation."""
    names = [column.name for column in walking.catalog["reserved"].columns]
    said = {"room": room, "title": "Databases II", "ends": walking.now() + HOUR, "starts": walking.now()}
    return tuple(said.get(name, f"{name}-1") for name in names)


def test_a_closed_door_is_walked_round(scene: tuple[Walking, Site], context: BrowserContext) -> None:
    walking, site = scene
    page = kiosk(context, site)
    page.locator("path.room[data-room='1.09']").click()
    expect(page.locator("#way-title")).to_have_text("The way to")
    expect(page.locator("#way-goal")).to_have_text("Lab Lovelace, 1.09")
    drawn = page.locator("path.way").get_attribute("d")
    walking.say("door_states", ("door-1.09", False))
    expect(page.locator("path.way")).not_to_have_attribute("d", drawn or "")
    expect(page.locator("#way-news")).to_contain_text("is closed.")
    walking.say("door_states", ("door-1.09b", False))
    expect(page.locator("#way-words")).to_have_text("Every way to 1.09 is closed.")
    walking.say("door_states", ("door-1.09", True), ("door-1.09b", True))
    expect(page.locator("path.way")).to_have_attribute("d", drawn or "")


def test_by_keyboard_alone_one_finds_a_desk_without_steps(
    scene: tuple[Walking, Site], context: BrowserContext
) -> None:
    page = kiosk(context, scene[1])
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "wish-kind":
            break
    page.keyboard.press("ArrowRight")
    expect(page.locator("#way-title")).to_have_text("Nearest free desk")
    expect(page.locator("#way-goal")).to_contain_text("desk ")
    while page.evaluate("document.activeElement.dataset.choice") != "step_free":
        page.keyboard.press("Tab")
    with page.expect_response("**/api/ways"):
        page.keyboard.press("Space")
    expect(page.locator("[data-choice=step_free]")).to_be_checked()
    expect(page.locator("[data-choice=step_free]")).to_be_focused()
    expect(page.locator("#way-goal")).to_contain_text("desk ")
    while page.evaluate("document.activeElement.id") != "way-phone":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#hand")).to_contain_text("Only this computer can reach SmartCIS")
    page.keyboard.press("Escape")
    expect(page.locator("#hand")).to_be_hidden()
    expect(page.locator("#way-phone")).to_be_focused()


def test_left_alone_for_a_minute_it_begins_again(
    scene: tuple[Walking, Site], context: BrowserContext
) -> None:
    page = kiosk(context, scene[1])
    page.evaluate(
        "() => { const now = performance.now.bind(performance);"
        " performance.now = () => now() + (window.ahead ?? 0); }"
    )
    page.locator("path.room[data-room='1.09']").click()
    expect(page.locator("#way-title")).to_have_text("The way to")
    page.evaluate("window.ahead = 52_000")
    expect(page.locator("#left")).to_contain_text("This begins again in")
    page.evaluate("window.ahead = 61_000")
    expect(page.locator("#way-title")).to_have_text("Nearest free machine")
    expect(page.locator("#left")).to_be_hidden()


def test_without_a_network_it_shows_what_it_had_and_since_when(
    scene: tuple[Walking, Site], context: BrowserContext
) -> None:
    page = kiosk(context, scene[1])
    shown = goal(page)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    context.set_offline(True)
    for socket in list(scene[1].web.socketio.server.eio.sockets.values()):
        socket.close(wait=False)
    expect(page.locator("#banner")).to_contain_text("the kiosk shows the state of")
    assert goal(page) == shown
    expect(page.locator("path.way").first).to_be_attached()
    context.set_offline(False)
    expect(page.locator("html[data-feed=live]")).to_be_attached()
    expect(page.locator("#banner")).to_be_hidden()
    context.set_offline(True)
    page.reload()
    expect(page.locator("h1")).to_have_text("SmartCIS cannot be reached")
    expect(page.locator("#again")).to_contain_text("No connection since")
    expect(page.locator(".card")).to_have_css("display", "grid")
    context.set_offline(False)
    expect(page.locator("#way-title")).to_be_attached()


def test_a_kiosk_whose_link_is_taken_back_says_so(
    scene: tuple[Walking, Site], context: BrowserContext
) -> None:
    page = kiosk(context, scene[1])
    scene[1].web.auth.kiosks.remove("lobby")
    expect(page.locator("html[data-feed=out]")).to_be_attached()
    expect(page.locator("#banner")).to_contain_text("You are signed out")


def test_a_phone_picks_up_the_way_and_goes_on_with_it(scene: tuple[Walking, Site], browser: Browser) -> None:
    walking, site = scene
    token = Handovers(site.web.auth.secret_key, site.clock).sign(Handed({"kind": "machine"}, "kiosk-1"))
    with browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    ) as context:
        page = context.new_page()
        problems = watch_for_problems(page)
        page.goto(f"{site.url}/way/{token}")
        expect(page.locator("#now")).to_contain_text("Walk")
        first, steps = goal(page), page.locator("#way-steps li").count()
        page.locator("#next").tap()
        expect(page.locator("#way-steps li")).to_have_count(steps - 1)
        expect(page.locator("#way-from")).to_have_text("From where you are")
        desk = MACHINES[first].desk
        walking.say("seats", (desk, True))
        assert changes(page, first) < 1.0
        expect(page.locator("#way-news")).to_have_text(f"{first}.cs is not free any longer.")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        walking.say("seats", (desk, False))
        assert problems == []


def test_staff_sees_a_kiosk_as_if_it_stood_elsewhere(scene: tuple[Walking, Site], browser: Browser) -> None:
    _, site = scene
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(site.url + site.web.auth.issue_link(Role.VIEWER))
        page.goto(site.url + "/kiosk")
        expect(page.locator("#way-from")).to_have_text("From the kiosk")
        before = page.locator("#way-words").inner_text()
        page.locator("#place").select_option("x-north")
        expect(page.locator("#way-from")).to_have_text("From this kiosk")
        expect(page.locator("#way-words")).not_to_have_text(before)
