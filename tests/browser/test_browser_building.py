"""The page of a building of one's own: things are put onto the plan by keys and pointer, a file imported."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.roles import Role
from ingest.importing.folder import write_folder
from ingest.importing.importer import import_building
from ingest.importing.seeding import prepare
from tests.browser.alive import watch_for_problems
from tests.memory_engine import MemoryEngine
from tests.osm_buildings import HOSTILE, station
from tests.web_parts import Site, running_site

pytestmark = pytest.mark.browser
SHOTS = Path(__file__).resolve().parents[2] / "build" / "screens"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_folder(import_building(json.dumps(station()).encode(), "station.geojson"), tmp_path / "station")
    return tmp_path / "station"


@pytest.fixture
def site(tmp_path: Path, folder: Path) -> Iterator[Site]:
    url = f"sqlite:///{tmp_path / 'facts.db'}"
    prepare(url, folder)
    engine = MemoryEngine()
    engine.replace(
        1, known_devices=[("d/1", HOSTILE, "Acme", "K2", "x", None, None, None, False, "online", 5)]
    )
    with running_site(tmp_path / "state", building=folder, facts_url=url, engine=engine) as running:
        yield running


def opened(page: Page, site: Site) -> list[str]:
    problems = watch_for_problems(page)
    page.goto(site.url + site.web.auth.issue_link(Role.ADMIN))
    page.goto(site.url + "/building")
    expect(page.locator("html[data-ready]")).to_be_attached()
    problems.clear()  # the map, which comes first, speaks of views that this site lacks
    return problems


def test_a_desk_is_placed_by_keys_and_moved_by_the_pointer(page: Page, site: Site, folder: Path) -> None:
    problems = opened(page, site)
    page.locator("#floor").select_option("0")
    page.locator("#add-desk").focus()
    page.keyboard.press("Enter")
    desk = page.locator("#things button")
    expect(desk).to_be_focused()
    before = desk.inner_text()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#saved")).to_have_text("Saved")
    first = json.loads((folder / "placed.geojson").read_text())["features"][0]
    assert before.startswith("desk desk-1: Hall")
    box = page.locator(".thing-mark").bounding_box()
    assert box
    page.mouse.move(box["x"] + 12, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 72, box["y"] + 12, steps=4)
    page.mouse.up()
    expect(page.locator("#saved")).to_have_text("Saved")
    page.wait_for_function(
        "fetch('/api/building/placed').then((a) => a.json()).then((a) => a.things.length === 1)"
    )
    second = json.loads((folder / "placed.geojson").read_text())["features"][0]
    assert second["geometry"] != first["geometry"]
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "building-1440.png")
    page.keyboard.press("Tab")
    desk.focus()
    page.keyboard.press("Delete")
    expect(page.locator("#things button")).to_have_count(0)
    assert problems == []


def test_a_file_is_imported_and_its_report_is_text(page: Page, site: Site, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    problems = opened(page, site)
    file = tmp_path / "tower.geojson"
    file.write_text(json.dumps(station()))
    page.locator("#import-file").set_input_files(file)
    page.locator("#import-name").fill(HOSTILE)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#import-report")).to_contain_text("rooms can be reached")
    expect(page.locator("#import-report")).to_contain_text("its level 7 is not connected")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "building-390.png", full_page=True)
    assert problems == []
