"""The console in a real browser over the demo building: ask, watch, ask why, be told what is wrong."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from app.roles import Role
from tests.browser.alive import watch_for_problems
from tests.browser.walking import Walking, walking_site
from tests.web_parts import Site

pytestmark = pytest.mark.browser
TAKEN = "SELECT s.desk, d.room FROM seats s, desks d WHERE s.desk = d.desk AND s.pressed"
REACHED = """WITH RECURSIVE steps(a, b) AS (
  SELECT w.a, w.b FROM walking_ways w
  WHERE NOT EXISTS (SELECT 1 FROM doors_now d WHERE d.door = w.door AND NOT d.open)
), reached(point) AS (
  SELECT point FROM walking_points WHERE kind = 'entrance'
  UNION SELECT s.b FROM reached r, steps s WHERE s.a = r.point
  UNION SELECT s.a FROM reached r, steps s WHERE s.b = r.point
)
SELECT r.room FROM reached p, room_points r WHERE r.point = p.point"""
DATALOG = """.decl room_points(room: symbol, point: symbol)
.input room_points
.decl here(room: symbol)
here(r) :- room_points(r, _).
?- here(room)."""
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def building(tmp_path: Path) -> Iterator[tuple[Walking, Site]]:
    with walking_site(tmp_path) as parts:
        yield parts


@pytest.fixture
def walking(building: tuple[Walking, Site]) -> Walking:
    return building[0]


@pytest.fixture
def console(building: tuple[Walking, Site], page: Page) -> Page:
    return opened(building[1], page)


def opened(site: Site, page: Page, role: Role = Role.ADMIN, address: str = "/console") -> Page:
    page.problems = watch_for_problems(page)  # type: ignore[attr-defined]
    page.goto(site.url + site.web.auth.issue_link(role))
    page.goto(site.url + address)
    expect(page.locator("html[data-ready]")).to_be_attached()
    return page


def write(page: Page, text: str) -> None:
    """Type a text in place of what is there, by the keyboard alone, as it would be pasted."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def rows(page: Page) -> list[list[str]]:
    found = page.locator("#rows tbody tr:not(.gap)")
    return [
        cells[1:-1]
        for cells in found.evaluate_all("all => all.map(r => [...r.cells].map(c => c.textContent))")
    ]


def test_a_watched_query_changes_as_the_building_does(console: Page, walking: Walking) -> None:
    write(console, TAKEN)
    console.keyboard.press("Control+Enter")
    expect(console.locator("#state")).to_have_text("Watching · 0 rows")
    walking.say("seats", ("1.01-d01", True))
    expect(console.locator("#rows tr[data-mark=new]")).to_have_count(1)
    assert rows(console) == [["1.01-d01", "1.01"]]
    walking.say("seats", ("1.01-d01", False))
    expect(console.locator("#rows tr[data-mark=gone]")).to_have_count(1)
    expect(console.locator("#rows tbody tr:not(.gap)")).to_have_count(0)
    console.locator("summary", has_text="Changes").click()
    assert [line[0] for line in console.locator("#changes li b").all_text_contents()] == ["\u2212", "+"]
    assert console.problems == []  # type: ignore[attr-defined]


def test_a_recursive_query_follows_the_doors_and_says_why(console: Page, walking: Walking) -> None:
    write(console, REACHED)
    console.get_by_role("button", name="Watch").click()
    expect(console.locator("#state")).to_contain_text(re.compile(r"Watching · \d\d+ rows"))
    whole = len(walking.engine.snapshot("room_points").rows)
    expect(console.locator("#state")).to_have_text(f"Watching · {whole} rows")
    walking.say("door_states", *((door, False) for door in doors_of(walking)))
    expect(console.locator("#state")).not_to_have_text(f"Watching · {whole} rows")
    walking.say("door_states", *((door, True) for door in doors_of(walking)))
    expect(console.locator("#state")).to_have_text(f"Watching · {whole} rows")
    console.locator("#rows .why").first.click()
    dialog = console.get_by_role("dialog")
    expect(dialog.locator("svg .graph-node.asked")).to_have_count(1)
    expect(dialog.locator("svg .graph-node.base").first).to_be_visible()
    expect(dialog.locator(".why-list").first).to_contain_text("point")
    console.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert console.problems == []  # type: ignore[attr-defined]


def doors_of(walking: Walking) -> list[str]:
    return [row[0] for row, _ in walking.engine.snapshot("doors_now").rows]


def test_why_not_names_what_is_missing(console: Page) -> None:
    write(console, TAKEN)
    console.keyboard.press("Control+Enter")
    expect(console.locator("#why-not")).to_be_enabled()
    console.locator("#why-not").click()
    dialog = console.get_by_role("dialog")
    dialog.get_by_label("desk").fill("1.01-d01")
    dialog.get_by_label("room").fill("1.01")
    dialog.get_by_role("button", name="Why not?").click()
    expect(dialog.locator(".why-list")).to_contain_text("pressed")


def test_an_error_is_underlined_while_it_is_typed(console: Page) -> None:
    write(console, "SELECT desk, rom FROM desks")
    expect(console.locator("#problem")).to_contain_text("unknown column rom")
    expect(console.locator(".cm-lintRange-error")).to_have_text("rom")
    write(console, "SELECT desk, room FROM desks")
    expect(console.locator("#problem")).to_be_hidden()
    expect(console.locator(".cm-lintRange-error")).to_have_count(0)


def test_names_are_completed_from_what_there_is(console: Page) -> None:
    write(console, "SELECT d. FROM desks d")
    for _ in range(len(" FROM desks d")):
        console.keyboard.press("ArrowLeft")
    console.keyboard.press("Control+Space")
    options = console.locator(".cm-tooltip-autocomplete li")
    expect(options.filter(has_text="room")).to_have_count(1)
    console.keyboard.type("ro")
    expect(console.locator(".cm-tooltip-autocomplete li[aria-selected]")).to_contain_text("room")
    console.wait_for_timeout(150)  # a key that comes at once is not meant for a list that has just come
    console.keyboard.press("Enter")
    expect(console.locator(".cm-content")).to_have_text("SELECT d.room FROM desks d")
    write(console, "SELECT * FROM walk")
    expect(options.filter(has_text="walking_ways")).to_have_count(1)


def test_datalog_is_asked_beside_streamsql(console: Page) -> None:
    console.get_by_text("Datalog", exact=True).click()
    write(console, DATALOG)
    console.keyboard.press("Control+Enter")
    expect(console.locator("#state")).to_contain_text(re.compile(r"Watching · \d\d+ rows"))
    write(console, DATALOG.replace("- room_points", "- romm_points"))
    expect(console.locator("#problem")).to_contain_text("did you mean room_points?")
    expect(console.locator(".cm-lintRange-error")).to_contain_text("romm_points")


def test_statements_are_run_once(console: Page) -> None:
    write(console, "SELECT desk FROM desks ORDER BY desk DESC; EXPLAIN SELECT desk FROM desks; SHOW VIEWS")
    console.keyboard.press("Control+Shift+Enter")
    expect(console.locator("#outcomes .listing")).to_have_count(2)
    expect(console.locator("#outcomes pre")).to_contain_text("desks")
    first = console.locator("#outcomes .listing").first.locator("tbody tr:not(.gap)").first
    expect(first).to_have_text(re.compile(r"^3\."))


def test_pausing_holds_the_rows_and_going_on_brings_them(console: Page, walking: Walking) -> None:
    write(console, TAKEN)
    console.keyboard.press("Control+Enter")
    expect(console.locator("#state")).to_have_text("Watching · 0 rows")
    console.get_by_role("button", name="Pause").click()
    walking.say("seats", ("1.01-d01", True))
    expect(console.locator("#state")).to_have_text("Paused · 0 rows · 1 change waiting")
    assert rows(console) == []
    console.get_by_role("button", name="Go on").click()
    expect(console.locator("#rows tbody tr:not(.gap)")).to_have_count(1)
    console.get_by_role("button", name="Stop").click()
    expect(console.locator("#state")).to_contain_text("Stopped · 1 row")


def test_a_large_answer_leaves_the_page_at_ease_and_says_what_it_left_out(console: Page) -> None:
    write(console, "SELECT a.desk AS a, b.desk AS b FROM desks a, desks b WHERE a.floor < b.floor + 9")
    console.keyboard.press("Control+Enter")
    expect(console.locator("#state")).to_contain_text("5,000 rows, and")
    assert console.locator("#rows tbody tr").count() < 120
    console.locator("#rows").evaluate("frame => { frame.scrollTop = 34 * 4000; }")
    expect(console.locator("#rows tr[aria-rowindex='4002']")).to_be_visible()


def test_hostile_values_stay_text(console: Page, walking: Walking) -> None:
    write(console, "SELECT desk, pressed FROM seats")
    console.keyboard.press("Control+Enter")
    expect(console.locator("#state")).to_contain_text("Watching")
    walking.say("seats", (HOSTILE, True))
    cell = console.locator("#rows td", has_text=HOSTILE)
    expect(cell).to_have_count(1)
    cell.locator("xpath=..").locator(".why").click()
    expect(console.get_by_role("dialog").locator("svg")).to_contain_text("img src=x")
    assert console.problems == []  # type: ignore[attr-defined]


def test_a_link_brings_the_text_and_what_was_asked_is_remembered(
    building: tuple[Walking, Site], page: Page
) -> None:
    site = building[1]
    opened(site, page)
    write(page, TAKEN)
    page.keyboard.press("Control+Enter")
    page.locator("#share").click()
    address = page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".cm-content")).to_contain_text("WHERE s.desk = d.desk")
    page.locator("summary", has_text="Asked before").click()
    expect(page.locator("#asked button")).to_have_count(1)


def test_an_answer_is_saved_as_csv(console: Page, walking: Walking) -> None:
    walking.say("seats", ("=cmd()", True))
    write(console, "SELECT desk FROM seats WHERE pressed")
    console.keyboard.press("Control+Enter")
    expect(console.locator("#state")).to_have_text("Watching · 1 row")
    with console.expect_download() as saved:
        console.get_by_role("button", name="CSV").click()
    assert saved.value.path().read_bytes() == b"desk\r\n'=cmd()\r\n"


def test_a_saved_query_is_replaced_when_that_is_agreed_to_and_stays_shared(
    building: tuple[Walking, Site], page: Page
) -> None:
    page.goto(building[1].url + building[1].web.auth.issue_link(Role.ADMIN, "admin"))
    page.goto(building[1].url + "/console")
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("summary", has_text="Saved").click()
    name, save = (
        page.get_by_placeholder("Save the text as"),
        page.get_by_role("button", name="Save", exact=True),
    )
    write(page, "SELECT 1")
    name.fill("   ")
    save.click()
    expect(page.locator("#save-problem")).to_have_text(
        "Give the query a name that can be seen, then save it."
    )
    name.fill("taken")
    page.get_by_label("for everybody who may ask").check()
    save.click()
    kept = page.locator("#saved button.asked")
    expect(page.locator("#saved small")).to_have_text("shared")
    asked = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        (dialog.accept if len(asked) > 1 else dialog.dismiss)()

    page.on("dialog", answer)
    write(page, TAKEN)
    name.fill(" taken ")
    save.click()
    expect(kept).to_have_attribute("title", "SELECT 1")
    save.click()
    expect(kept).to_have_attribute("title", TAKEN)
    assert asked == ["You keep a query taken already, which others see. Replace it?"] * 2
    expect(page.locator("#saved small")).to_have_text("shared")


def test_a_query_that_is_refused_or_ends_says_so(console: Page, walking: Walking) -> None:
    write(console, "SHOW VIEWS")
    console.keyboard.press("Control+Enter")
    expect(console.locator("#problem")).to_contain_text("expected a query")
    expect(console.locator("#watched")).to_be_hidden()


def test_without_the_bundle_there_is_a_plain_text_area(building: tuple[Walking, Site], page: Page) -> None:
    page.route("**/vendor/editor-*/editor.js", lambda route: route.abort())
    opened(building[1], page)
    page.get_by_label("Query").fill(TAKEN)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_have_text("Watching · 0 rows")


def test_the_schema_lists_what_there_is_with_a_sample(console: Page) -> None:
    console.locator("#schema-search").fill("routing_points")
    found = console.locator("#schema li summary code", has_text="routing_points")
    expect(found).to_have_count(1)
    found.click()
    console.get_by_role("button", name="Look").click()
    expect(console.locator(".schema-sample")).to_contain_text("·")
    console.get_by_role("button", name="Ask", exact=True).click()
    expect(console.locator(".cm-content")).to_contain_text("FROM routing_points")


def test_everything_by_keyboard(console: Page, walking: Walking) -> None:
    walking.say("seats", ("1.01-d01", True))
    console.locator(".cm-content").focus()
    console.keyboard.insert_text(TAKEN)
    console.keyboard.press("Control+Enter")
    expect(console.locator("#state")).to_have_text("Watching · 1 row")
    for _ in range(60):
        console.keyboard.press("Tab")
        if console.evaluate("document.activeElement.className") == "why":
            break
    console.keyboard.press("Enter")
    expect(console.get_by_role("dialog").locator("svg")).to_be_visible()
    said = json.dumps(console.get_by_role("dialog").inner_text())
    assert "1.01-d01" in said
