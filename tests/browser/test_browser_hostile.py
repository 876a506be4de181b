"""Every text from outside, on every page that shows it: nothing runs, is fetched, or is made of it.

All payloads stand at once in each place: a building's names, what devices say, calendars, alarms, accounts,
saved queries, answers and their reasons, displays, addresses, and errors that quote what they got.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.roles import Role
from engine.lang.streamsql import Output
from tests.browser.furnished import furnished
from tests.browser.states import pressed
from tests.hostile_texts import HOOK, MADE, PAYLOADS, PRINTABLE, SAID
from tests.memory_engine import MemoryEngine
from tests.web_parts import BUILDING, ORIGIN, AtOurAddress, Site, running_site

pytestmark = pytest.mark.browser
ALARM = Output("alarm", PAYLOADS[4], None, (("notify", PRINTABLE[0]),))
NAMED = "<svg onload=__ran(8)>"  # without a slash, so that it is one part of an address
ADDRESS = quote(NAMED, safe="")
Do = Callable[[Page], None]


class Place(NamedTuple):
    """A page, what is done there to show outside texts, and how many payloads must be seen, if any."""

    name: str
    path: str
    do: Do = lambda _: None
    seen: int = 1
    is_live: bool = False


def hostile_building(folder: Path) -> Path:
    """The demo's plans, in which everything that has a name is called by a payload."""
    shutil.copytree(BUILDING, folder, ignore=shutil.ignore_patterns("*.py", "migrations", "__pycache__"))
    names = cycle(PAYLOADS)
    for plan in sorted(folder.glob("floor-*.geojson")):
        features = json.loads(plan.read_text())
        for feature in features["features"]:
            if feature["properties"]["kind"] not in ("floor", "corridor"):
                feature["properties"]["name"] = next(names)
        plan.write_text(json.dumps(features))
    said = json.loads((folder / "building.json").read_text())
    said["name"] = PAYLOADS[4]
    for floor, name in zip(said["floors"], names, strict=False):
        floor["label"] = name
    (folder / "building.json").write_text(json.dumps(said))
    return folder


def fill(engine: MemoryEngine, now: int) -> None:
    """Put a payload wherever a view has a text that is no key of the plan."""
    one = list(enumerate(PAYLOADS))
    online = (None, "1.01", None, False, "online", now)
    engine.replace(
        now,
        known_devices=[(f"{n}{text}", text, text, text, text, *online) for n, text in one],
        device_values=[(f"{n}/e", f"{n}{text}", text, text, text, None, None, text, now) for n, text in one],
        room_devices=[
            (f"{n}/e", "1.01", None, f"{n}{text}", text, text, text, text, text, None, None, text, now)
            for n, text in one
        ],
        reserved_rooms=[("1.01", text, now + 10**10) for text in PAYLOADS],
        coming_bookings=[("1.01", text, now + 10**9, now + 10**10) for text in PAYLOADS],
        busy_machines=[("hopper-01", 0.5, text) for text in PAYLOADS],
        machine_software=[("hopper-01", text, text) for text in PAYLOADS],
        room_equipment=[("1.01", text, 1) for text in PAYLOADS],
        people=[(text, 1, 10.0 + n, 10.0) for n, text in one],
        doors_now=[(text, text, text, 1, 10.0, 8.0, 11.0, 8.0, False) for text in PAYLOADS],
        dark_rooms=[(text, 1.0) for text in PAYLOADS],
        rejected=[(text, text, text, text) for text in PAYLOADS],
        free_word_machines=[(text, text) for text in PAYLOADS],
    )


def people_say(site: Site) -> None:
    """What comes by our own API: accounts, saved queries, channels, kiosks; failed tries are audited."""
    client = AtOurAddress(site.web.app)
    root = f"http://127.0.0.1:{site.port}"
    admin = site.web.auth.accounts.find("admin")
    client.get(site.web.auth.issue_link(Role.ADMIN, admin.name if admin else ""), base_url=root)
    origin = ORIGIN | {"Origin": root}

    def post(path: str, body: dict[str, Any], method: str = "POST") -> int:
        return client.open(path, method=method, json=body, headers=origin, base_url=root).status_code

    for text in (text for text in PRINTABLE if len(text) <= 60):
        post("/api/accounts", {"name": text, "role": "viewer"})
        post("/api/kiosks", {"name": text, "point": "kiosk-1"})
        post("/api/saved", {"name": text, "text": text, "shared": True})
        post(f"/api/doors/{quote(text, safe='')}", {"state": text})
        settings = {"url": f"http://127.0.0.1:9/{quote(text)}"}
        post(f"/api/alarm-channels/{quote(text, safe='')}", {"kind": "webhook", "settings": settings}, "PUT")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hostile")
    building = hostile_building(folder / "building")
    engine = MemoryEngine()
    engine.replace(1, walking_points=[("kiosk-1", 1, 43.2, 4.4, "kiosk")])
    with running_site(folder / "state", engine=engine, building=building) as running:
        people_say(running)
        with furnished(running):
            fill(running.engine, running.clock.now())
            running.web.outlets.router.follow("reserved_rooms", (Output("display", NAMED),))
            running.web.outlets.router.follow("rejected", (ALARM, Output("display", "hall")))
            yield running


@pytest.fixture(scope="module")
def context(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1440, "height": 900})
    made.add_init_script(HOOK)
    admin = site.web.auth.accounts.find("admin")
    page = made.new_page()
    page.goto(site.url + site.web.auth.issue_link(Role.ADMIN, admin.name if admin else ""))
    page.close()
    yield made
    made.close()


def everything_open(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.wait_for_timeout(300)


def searched(page: Page) -> None:
    page.locator("#search").fill("<")
    expect(page.locator("#search-list li").first).to_be_visible()
    everything_open(page)


def layered(page: Page) -> None:
    everything_open(page)
    for each in page.locator("#layers input").all():
        each.dispatch_event("click")
    page.wait_for_timeout(300)


def asked_why(page: Page) -> None:
    """Rows of payloads, then one of them explained: its picture and its words are labels from outside."""
    pressed("#watch")(page)
    expect(page.locator("#rows .why").first).to_be_visible()
    pressed("#rows .why")(page)
    expect(page.locator("#why svg")).to_be_visible()


def wrong(page: Page) -> None:
    expect(page.locator("#problem")).to_be_visible()


def alarm_opened(page: Page) -> None:
    expect(page.locator("#standing li").first).to_be_visible()
    page.locator("#standing").get_by_role("button", name="More").first.click()
    expect(page.locator("#why")).to_be_visible()


def device_opened(page: Page) -> None:
    pressed(".device-edit")(page)
    page.wait_for_timeout(200)


MANY = len(PAYLOADS) // 2
PLACES = (
    Place("rooms, people, doors, rejects", "/", everything_open, MANY, is_live=True),
    Place("search", "/", searched, MANY, is_live=True),
    Place("a room, its events and devices", "/#1/1.01", everything_open, MANY, is_live=True),
    Place("a machine, its tasks and software", "/#1/1.01?desk=1.01-d01", everything_open, 3, is_live=True),
    Place("layers", "/#1/1.01", layered, MANY, is_live=True),
    Place("devices", "/devices", device_opened, MANY, is_live=True),
    Place("alarms", "/alarms", alarm_opened, MANY, is_live=True),
    Place("channels", "/alarms/channels", seen=10),
    Place("rules", "/alarms/new", seen=0),
    Place("accounts", "/accounts", seen=10),
    Place("audit", "/audit", seen=10),
    Place("account", "/me", seen=0),
    Place("displays", "/display"),
    Place("a display", "/display/hall", seen=MANY, is_live=True),
    Place("a display of such a name", f"/display/{ADDRESS}", seen=MANY, is_live=True),
    Place("kiosks", "/kiosks", seen=10),
    Place("kiosk", "/kiosk", is_live=True),
    Place("building", "/building", seen=0),
    Place("space", "/space", seen=0),
    Place("system", "/system", seen=0),
    Place("saved queries", "/console", everything_open, 10),
    Place("rows and why", "/console#ask=SELECT+*+FROM+rejected", asked_why, MANY),
    Place("an error that quotes", f"/console#ask=SELECT+*+FROM+{ADDRESS}", wrong),
    Place("an address that is not there", f"/{ADDRESS}", seen=0),
    Place("a chapter that is not there", f"/docs/{ADDRESS}", seen=0),
    Place("a link that is none", f"/enter?token={ADDRESS}", seen=0),
    Place("an invitation that is none", f"/welcome?token={ADDRESS}", seen=0),
    Place("a way that is none", f"/way/{ADDRESS}", seen=0),
    Place(
        "an address of the map", f"/#1/{ADDRESS}?find=program:{ADDRESS}&layer={ADDRESS}&at={ADDRESS}", seen=0
    ),
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_what_comes_from_outside_stays_text(context: BrowserContext, site: Site, place: Place) -> None:
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda line: said.append(line.text) if "Content Security" in line.text else None)
    page.goto(site.url + place.path)
    if place.is_live:
        expect(page.locator("html[data-feed=live]")).to_be_attached()
    page.wait_for_load_state("load")
    place.do(page)
    shown = until_shown(page, place.seen)
    outside = [url for url in asked if not url.startswith((f"{site.url}/", "data:", "blob:"))]
    stolen = [
        url for url in asked if "/stolen" in url.split("#")[0] and not url.startswith(site.url + place.path)
    ]
    assert (page.evaluate("window.__runs"), said, outside, stolen, page.evaluate(MADE)) == (
        [],
        [],
        [],
        [],
        [],
    )
    assert shown >= place.seen, f"only {shown} payloads are shown at all"
    page.close()


def test_a_page_that_took_one_for_markup_would_be_found(context: BrowserContext) -> None:
    page = context.new_page()
    found = []
    for text in PAYLOADS:
        page.goto("about:blank")
        page.evaluate("text => { document.body.innerHTML = text; }", text)
        page.wait_for_timeout(50)
        found.append(bool(page.evaluate(MADE) or page.evaluate("window.__runs")))
    assert sum(found) >= len(PAYLOADS) // 2
    page.close()


def until_shown(page: Page, wanted: int) -> int:
    """How many of the payloads stand in the page as text, once as many as are wanted do, or after a while."""
    page.wait_for_timeout(300)  # for what a page does of itself once it stands
    found = 0
    for _ in range(100):
        text = page.evaluate(SAID)
        found = sum(payload in text for payload in PAYLOADS)
        if found >= wanted:
            break
        page.wait_for_timeout(100)
    return found
