"""A site whose ticks go on, and a page that looks at it."""

import threading
from time import monotonic

from playwright.sync_api import Page, expect

from app.roles import Role
from tests.browser.scene import Scene
from tests.web_parts import Site

SECOND = 1_000_000
OPENING_SECONDS = 60


class Alive:
    """A site whose ticks go on until told to pause."""

    def __init__(self, site: Site) -> None:
        self.site, self.scene = site, Scene(site.engine)
        self.paused, self.ended = threading.Event(), threading.Event()
        self.scene.open(site.clock.now())
        self.thread = threading.Thread(target=self._go, daemon=True)
        self.thread.start()

    def _go(self) -> None:
        start = self.site.clock.now()
        while not self.ended.wait(0.1):
            if not self.paused.is_set():
                self.scene.step(self.site.clock.now(), (self.site.clock.now() - start) / SECOND)

    def open(self, page: Page, role: Role = Role.ADMIN) -> None:
        page.problems = watch_for_problems(page)  # type: ignore[attr-defined]
        page.goto(self.site.url + self.site.web.auth.issue_link(role))
        self._go_on_until_live(page)

    def _go_on_until_live(self, page: Page) -> None:
        """While paused, close empty ticks; else a page that opens slowly finds the feed lost."""
        live = page.locator("html[data-feed=live]")
        deadline = monotonic() + OPENING_SECONDS
        while not live.count() and monotonic() < deadline:
            if self.paused.is_set():
                self.site.tick()
            page.wait_for_timeout(100)
        expect(live).to_be_attached()

    def end(self) -> None:
        self.ended.set()
        self.thread.join()


def watch_for_problems(page: Page) -> list[str]:
    """Collect what the console calls an error, a dialog, a broken rule of the content policy."""
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: (problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
    return problems
