"""Looking at a state: on a site of the tests, or on the running product; by axe, or by a picture."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Protocol

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from app.roles import Role
from tests.browser.states import State

Size = tuple[int, int]
DESKTOP, PHONE = (1440, 900), (390, 844)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
GRAVE = ("serious", "critical")
SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Place(Protocol):
    """Where pages are."""

    url: str

    def link(self, role: Role) -> str: ...


@contextmanager
def opened(browser: Browser, place: Place, state: State, size: Size = DESKTOP) -> Iterator[Page]:
    """A page in a context of its own that has reached the state."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", has_touch=size == PHONE
    )
    page = context.new_page()
    state.before(page)
    if state.role is not None:
        page.goto(place.url + place.link(state.role))
    page.goto(place.url + state.path)
    if state.is_live:
        expect(page.locator("html[data-feed=live]")).to_be_attached()
    state.reach(page)
    try:
        yield page
    finally:
        context.close()


def in_theme(page: Page, theme: Literal["light", "dark"]) -> None:
    """Show the page in a theme, without motion, painted."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.wait_for_function("theme => (document.documentElement.dataset.theme ?? theme) === theme", arg=theme)
    page.evaluate(SETTLED)


def is_page(page: Page) -> bool:
    """Tell whether the address showed HTML of ours rather than a file."""
    return bool(page.evaluate("document.contentType === 'text/html'"))


def findings(page: Page) -> list[str]:
    """Return what axe finds that is serious or critical, each with the first elements it is about."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"][:3]
    ]
