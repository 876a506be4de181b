"""The book in a browser: found by keyboard, marked where it stands, and readable on a phone and on paper."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from app.book.chapters import CHAPTERS
from tests.browser.alive import watch_for_problems
from tests.web_parts import Site, running_site

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
IN_VIEW = """each => {
    const { top, bottom } = each.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("state")) as running:
        yield running


def test_a_place_is_found_and_opened_by_keyboard_alone_with_its_words_marked(site: Site, page: Page) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{site.url}/docs")
    page.keyboard.press("/")
    page.keyboard.type("back up resto")
    options = page.locator("#docs-found").get_by_role("option")
    expect(options.first).to_contain_text("Back up and restore")
    expect(page.locator("#words")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/operator?words=back+up+resto#back-up-and-restore")
    first = page.locator("#back-up-and-restore mark").first
    expect(first).to_have_text("Back")
    assert first.evaluate(IN_VIEW)
    assert problems == []


def test_enter_without_a_choice_opens_a_page_of_places_and_escape_closes_the_list(
    site: Site, page: Page
) -> None:
    page.goto(f"{site.url}/docs/user")
    page.keyboard.press("/")
    page.keyboard.type("kiosk")
    expect(page.locator("#docs-found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#docs-found")).to_be_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs?words=kiosk")
    expect(page.locator(".docs-places mark").first).to_be_visible()


def test_a_heading_gives_its_address(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/docs/operator")
    page.get_by_role("link", name="Link to Add a user").click()
    assert page.url.endswith("/docs/operator#add-a-user")
    assert page.locator("#add-a-user").evaluate(IN_VIEW)


@pytest.mark.parametrize("width", [390, 900, 1440])
def test_no_chapter_is_wider_than_its_window(site: Site, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    for name in CHAPTERS:
        page.goto(f"{site.url}/docs/{name}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_on_paper_there_is_the_text_alone(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/docs/operator")
    page.emulate_media(media="print")
    for gone in (".docs-top", ".docs-chapters", ".docs-contents", ".docs-onward", ".docs-anchor >> nth=0"):
        expect(page.locator(gone)).to_be_hidden()
    expect(page.locator(".docs-text h1")).to_be_visible()
