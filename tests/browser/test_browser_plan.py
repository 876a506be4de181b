"""A view's plan in a real browser: drawn, alive, walked by keys, as a table; also of what does not run."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.roles import Role
from tests.browser.alive import watch_for_problems
from tests.three_sites_alive import ThreeSites, three_sites_alive
from tests.web_parts import Site, running_site

pytestmark = pytest.mark.browser
Running = tuple[ThreeSites, Site]
SLOW = 60_000


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    ended = threading.Event()
    with three_sites_alive() as three, running_site(tmp_path, engine=three.engine) as site:

        def go_on() -> None:
            while not ended.wait(0.2):
                three.tick()

        ticking = threading.Thread(target=go_on, daemon=True)
        ticking.start()
        yield three, site
        ended.set()
        ticking.join()


def opened(site: Site, page: Page, address: str, role: Role = Role.ANALYST) -> Page:
    page.problems = watch_for_problems(page)  # type: ignore[attr-defined]
    page.set_default_timeout(SLOW)
    page.goto(site.url + site.web.auth.issue_link(role))
    page.goto(site.url + address)
    expect(page.locator("html[data-ready]")).to_be_attached(timeout=SLOW)
    return page


def test_the_plan_is_drawn_with_its_sites_and_changes_its_numbers_in_place(
    running: Running, page: Page
) -> None:
    _, site = running
    opened(site, page, "/plans/word_rooms")
    boxes = page.locator(".plan-frame [data-box]")
    expect(boxes).to_have_count(7 + 2)
    expect(page.locator(".plan-legend li")).to_have_text(
        ["stream engine (7)", "Spark, the driver's pass (2)"]
    )
    first = boxes.first.element_handle()
    lines = page.locator(".plan-frame .graph-label")
    before = lines.all_text_contents()
    page.wait_for_function(
        "before => [...document.querySelectorAll('.graph-label')]"
        ".some((each, at) => each.textContent !== before[at])",
        arg=before,
        timeout=SLOW,
    )
    assert first.evaluate("box => box.isConnected")
    assert any("rows/" in text for text in lines.all_text_contents())
    assert page.problems == []  # type: ignore[attr-defined]


def test_keys_walk_along_the_lines_and_what_is_chosen_is_told(running: Running, page: Page) -> None:
    _, site = running
    opened(site, page, "/plans/word_rooms")
    root = page.locator(".plan-frame [data-box][tabindex='0']")
    expect(root).to_have_count(1)
    root.focus()
    expect(page.locator(".plan-said code")).to_have_text("project room, count(*) as n")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".plan-said code")).to_have_text("aggregate count(*) by l.room")
    expect(page.locator(".plan-said p")).to_contain_text("expected")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".plan-said code")).to_have_text("project room, count(*) as n")
    page.get_by_role("button", name="Larger").click()
    width = page.locator(".plan-frame svg.graph").get_attribute("width")
    page.get_by_role("button", name="The whole plan").click()
    assert int(page.locator(".plan-frame svg.graph").get_attribute("width") or 0) < int(width or 0)


def test_the_table_has_every_box_and_why_not_otherwise_every_order(running: Running, page: Page) -> None:
    _, site = running
    opened(site, page, "/plans/word_rooms")
    page.locator(".plan-list summary").click()
    expect(page.locator(".plan-list tbody tr")).to_have_count(9)
    expect(page.locator("#lost tr.runs")).to_contain_text("(l ⋈ s) ⋈ m")
    expect(page.locator("#lost tbody tr").nth(1)).to_contain_text("times the rows handled")
    expect(page.locator("#turns")).to_contain_text("as it was planned first")


def test_a_plan_over_several_sites_groups_what_each_computes(running: Running, page: Page) -> None:
    _, site = running
    opened(site, page, "/plans/lit_seats")
    expect(page.locator(".graph-group text")).to_have_text(["gateways", "database hall"])
    expect(page.locator("#plan-problem")).to_contain_text("Without")
    page.locator(".plan-frame .graph-node.site-database").first.click()
    expect(page.locator(".plan-said p")).to_contain_text("to stream engine")


def test_a_text_that_does_not_run_is_drawn_with_estimates_only(running: Running, page: Page) -> None:
    _, site = running
    opened(site, page, "/console#ask=EXPLAIN+SELECT+room+FROM+loads+WHERE+cpu+%3E+0.5")
    page.locator("#once").click()
    boxes = page.locator("#outcomes [data-box]")
    expect(boxes.first).to_be_visible(timeout=SLOW)
    assert all("rows/" not in text for text in boxes.all_text_contents())
    expect(page.locator("#outcomes pre")).to_contain_text("stream: Spark")


def test_views_and_answers_lead_to_their_plan(running: Running, page: Page) -> None:
    _, site = running
    opened(site, page, "/console#ask=SELECT+room+FROM+loads")
    page.locator("#schema summary", has_text="word_rooms").click()
    expect(page.locator("#schema a[href='/plans/word_rooms']")).to_have_text("Plan")
    page.locator("#watch").click()
    link = page.locator("#plan-page")
    expect(link).to_be_visible(timeout=SLOW)
    with page.context.expect_page() as opening:
        link.click()
    expect(opening.value.locator("h1")).to_contain_text("Plan of query_")
    expect(opening.value.locator("[data-box]").first).to_be_visible(timeout=SLOW)


def test_a_view_that_is_not_there_is_told(running: Running, page: Page) -> None:
    _, site = running
    opened(site, page, "/plans/no_such_view")
    expect(page.locator("#plan-problem")).to_contain_text("unknown view no_such_view")
    expect(page.locator("#pressure")).to_have_text("There is no plan to show.")
    expect(page.locator("main > section:visible")).to_have_count(0)


def test_a_plan_that_is_no_longer_told_is_said_to_be_old(running: Running, page: Page) -> None:
    _, site = running
    opened(site, page, "/plans/word_rooms")
    expect(page.locator("#pressure")).not_to_contain_text("as of")
    page.evaluate("fetch('/logout', {method: 'POST'})")
    expect(page.locator("#plan-problem")).to_contain_text("You are not signed in", timeout=SLOW)
    expect(page.locator("#plan-problem a")).to_have_attribute("href", "/login")
    expect(page.locator("#pressure")).to_contain_text("The plan is shown as of ")
    expect(page.locator("#pressure")).to_have_attribute("data-state", "unknown")
    expect(page.locator("[data-box]").first).to_be_visible()
