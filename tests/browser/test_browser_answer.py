"""An answer in the console as a chart, on the plan, and explained, in a real browser over the demo."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_browser_console import opened, write
from tests.browser.walking import Walking, walking_site
from tests.web_parts import Site

pytestmark = pytest.mark.browser
TAKEN = """SELECT d.room, count(*) AS taken FROM seats s, desks d
WHERE s.desk = d.desk AND s.pressed GROUP BY d.room"""
DESKS = "SELECT s.desk, s.pressed FROM seats s WHERE s.desk LIKE '1.01%'"
SLOW = 30_000  # milliseconds


@pytest.fixture
def building(tmp_path: Path) -> Iterator[tuple[Walking, Site]]:
    with walking_site(tmp_path) as parts:
        yield parts


@pytest.fixture
def walking(building: tuple[Walking, Site]) -> Walking:
    return building[0]


@pytest.fixture
def console(building: tuple[Walking, Site], page: Page) -> Page:
    page.set_default_timeout(SLOW)
    return opened(building[1], page)


def watch(page: Page, sql: str, form: str) -> None:
    write(page, sql)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_contain_text("Watching", timeout=SLOW)
    page.locator(f"[name=form][value={form}]").focus()
    page.keyboard.press("Space")


def words(page: Page, form: str) -> str:
    return page.locator(f"#answer-{form} .chart-words").first.inner_text()


def test_bars_follow_the_rows(console: Page, walking: Walking) -> None:
    walking.say("seats", ("1.01-d01", True), ("1.01-d02", True), ("1.09-d01", True))
    watch(console, TAKEN, "chart")
    bars = console.locator("#answer-chart .bars tbody tr")
    expect(bars).to_have_text(["1.012", "1.091"], timeout=SLOW)
    wide = [bar.bounding_box() for bar in console.locator(".bars .bar").all()]
    assert wide[0]["width"] == pytest.approx(2 * wide[1]["width"], rel=0.05)  # type: ignore[index]
    walking.say("seats", ("1.09-d01", False))
    expect(bars).to_have_text(["1.012"], timeout=SLOW)
    assert console.problems == []  # type: ignore[attr-defined]


def test_a_line_goes_on_while_the_answer_is_watched(console: Page, walking: Walking) -> None:
    walking.say("seats", ("1.01-d01", True))
    watch(console, TAKEN, "chart")
    console.locator("#answer-chart [name=x]").select_option("-1")
    expect(console.locator("#answer-chart canvas")).to_be_visible(timeout=SLOW)
    walking.say("seats", ("1.01-d02", True), ("1.01-d03", True))
    figures = console.locator("#answer-chart .figures tbody td")
    expect(figures).to_have_text(["3", "1", "3"], timeout=SLOW)
    console.locator("#answer-chart [name=y]").select_option("-1")
    expect(figures).to_have_text(["1", "1", "1"], timeout=SLOW)
    assert "number of rows while it is watched" in words(console, "chart")
    assert console.problems == []  # type: ignore[attr-defined]


def test_what_a_chart_leaves_out_is_said(console: Page) -> None:
    watch(console, "SELECT desk, floor FROM desks", "chart")
    expect(console.locator("#answer-chart .bars tbody tr")).to_have_count(40, timeout=SLOW)
    assert "Left out: 236 more bars." in words(console, "chart")
    console.locator("#answer-chart [name=x]").select_option("-1")
    console.locator("#answer-chart [name=series]").select_option("0")
    expect(console.locator("#answer-chart .figures tbody tr")).to_have_count(8, timeout=SLOW)
    assert "Left out: 268 more lines." in words(console, "chart")


def test_rooms_are_coloured_by_a_count_and_follow_it(console: Page, walking: Walking) -> None:
    walking.say("seats", ("1.01-d01", True), ("1.01-d02", True), ("1.09-d01", True))
    watch(console, TAKEN, "map")
    room = console.locator("#answer-map path[data-spot='1.01']")
    expect(room).to_have_attribute("aria-label", "1.01 Lab Hopper: 2", timeout=SLOW)
    assert words(console, "map") == "2 places among the rooms."
    colour = room.evaluate("shape => getComputedStyle(shape).fill")
    other = console.locator("#answer-map path[data-spot='1.09']")
    assert colour != other.evaluate("shape => getComputedStyle(shape).fill")
    walking.say("seats", ("1.09-d01", False))
    expect(other).to_have_attribute("data-class", "empty", timeout=SLOW)
    room.focus()
    console.keyboard.press("Enter")
    expect(console.locator(".place-told")).to_have_text("1.01: room 1.01, taken 2.")
    assert console.problems == []  # type: ignore[attr-defined]


def test_desks_doors_and_points_are_known_by_their_values(console: Page, walking: Walking) -> None:
    watch(console, DESKS, "map")
    kind, value = (console.locator(f"#answer-map [name={name}]") for name in ("kind", "value"))
    expect(kind).to_have_value("desk", timeout=SLOW)
    expect(value).to_have_value("1")
    expect(console.locator(".answer-legend li").first).to_have_text("no")
    for sql, named in (
        ("SELECT door, open FROM doors_now", "door"),
        ("SELECT point, x FROM walking_points WHERE floor = 2", "point"),
    ):
        write(console, sql)
        console.keyboard.press("Control+Enter")
        expect(kind).to_have_value(named, timeout=SLOW)
        assert "none of the building's" not in words(console, "map")
    console.locator("[name=answer-floor][value='2']").check(force=True)
    expect(console.locator("#answer-map path.spot-point").first).to_be_visible()


def test_rows_that_name_no_place_are_counted(console: Page, walking: Walking) -> None:
    walking.say("seats", ("9.99-d01", True), ("1.01-d01", True))
    watch(console, "SELECT desk, pressed FROM seats WHERE pressed", "map")
    told = "1 place among the desks. 1 row names none of the building's: 9.99-d01."
    expect(console.locator("#answer-map .chart-words").first).to_have_text(told, timeout=SLOW)


def test_the_picture_ends_in_nodes_that_bring_more(console: Page) -> None:
    watch(
        console,
        "SELECT DISTINCT d.floor FROM desks d, rooms r WHERE r.room = d.room AND d.floor = 1",
        "table",
    )
    console.locator("#rows .why").first.click()
    more = console.locator("#why .graph-node.more[tabindex]")
    expect(more).to_have_count(1, timeout=SLOW)
    before = console.locator("#why .graph-node.way").count()
    more.focus()
    console.keyboard.press("Enter")
    expect(console.locator("#why .graph-node.way")).not_to_have_count(before, timeout=SLOW)
    expect(console.locator("#why :focus")).to_have_count(1)


def test_a_row_says_how_probable_it_is_and_remembers_the_rates(console: Page, walking: Walking) -> None:
    walking.say("seats", ("1.01-d01", True))
    watch(console, "SELECT s.desk, d.room FROM seats s, desks d WHERE s.desk = d.desk AND s.pressed", "table")
    console.locator("#rows .why").first.click()
    console.locator(".why-chances summary").click()
    console.locator(".why-rates label", has_text="seats").locator("input").fill("10")
    console.locator(".why-rates label", has_text="desks").locator("input").fill("50")
    console.keyboard.press("Enter")
    told = console.locator(".why-probability")
    expect(told).to_have_text("It is there with a probability of 45 %.", timeout=SLOW)
    console.keyboard.press("Escape")
    console.locator("#rows .why").first.click()
    expect(told).to_have_text("It is there with a probability of 45 %.", timeout=SLOW)


def test_the_picture_and_prov_are_saved_as_files(console: Page) -> None:
    watch(console, "SELECT desk FROM desks WHERE desk = '1.01-d01'", "table")
    console.locator("#rows .why").first.click()
    with console.expect_download() as saved:
        console.get_by_role("button", name="SVG").click()
    picture = ET.fromstring(saved.value.path().read_text())
    texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "this row" in texts
    shapes = picture.iter("{http://www.w3.org/2000/svg}path")
    assert {shape.get("fill") for shape in shapes} == {"none"}
    with console.expect_download() as saved:
        console.get_by_role("button", name="PROV-JSON").click()
    made = json.loads(saved.value.path().read_text())
    assert len(made["activity"]) == 1
    assert len(made["used"]) == 1
    assert console.problems == []  # type: ignore[attr-defined]
