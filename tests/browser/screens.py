"""A picture of every page and state of the running demo, wide and narrow, light and dark, in build/screens/.

    python -m tests.browser.screens [BEGINNING OF A STATE'S NAME ...]

The states are those of `tests.browser.states`; a demo is started for it, on ports and in a folder of its own.
"""

import os
import sys
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import Browser, Error

from app.config import WebConfig
from app.create_app import create_app
from app.roles import Role
from tests.browser.looking import DESKTOP, PHONE, THEMES, Size, in_theme, is_page, opened
from tests.browser.states import State, every_state
from tests.environment import chromium
from tests.environment.product import Demo, demo
from tests.memory_engine import MemoryEngine
from tests.web_parts import BUILDING

FOLDER = Path(__file__).resolve().parents[2] / "build" / "screens"
PASSWORD = "a long password for pictures"
WARM_UP = float(os.environ.get("SMARTCIS_SCREENS_SECONDS", "20"))
VIEWS = (
    "CREATE VIEW machines_busy_now AS SELECT b.machine, b.cpu, b.task FROM busy_machines b "
    "ORDER BY b.cpu DESC OUTPUT TO DISPLAY 'lobby'",
    "CREATE VIEW rooms_reserved_now AS SELECT r.room, r.title, r.ends FROM reserved_rooms r "
    "OUTPUT TO DISPLAY 'lobby'",
    "CREATE VIEW labs_in_the_dark AS SELECT d.room FROM dark_rooms d WHERE d.room LIKE '1.%' "
    "OUTPUT TO ALARM 'a dark room downstairs'",
)


class Product:
    """The running demo, as a place to look at."""

    def __init__(self, running: Demo) -> None:
        self._running, self.url = running, running.url

    def link(self, role: Role) -> str:
        return str(self._running.get("/api/links", {"role": role.label})["link"])

    def furnish(self) -> None:
        """Give the displays and the list of alarms something to show."""
        for sql in VIEWS:
            self._running.get("/api/views", {"sql": sql})
        threading.Event().wait(WARM_UP)


def picture(browser: Browser, place: Product, state: State, size: Size) -> list[Path]:
    """Take one state at one size in every theme."""
    taken = []
    with opened(browser, place, state, size) as page:
        if not is_page(page):
            return []
        for theme in THEMES:
            in_theme(page, theme)
            taken.append(FOLDER / f"{state.name}-{size[0]}x{size[1]}-{theme}.png")
            page.screenshot(path=taken[-1])
    return taken


def wanted(beginnings: list[str]) -> list[State]:
    """Return the states whose names begin so; all where nothing is said."""
    with tempfile.TemporaryDirectory() as state:
        app = create_app(MemoryEngine(), WebConfig(state=Path(state), building=BUILDING)).app
        states = every_state(app)
    return [state for state in states if not beginnings or state.name.startswith(tuple(beginnings))]


def main(beginnings: list[str]) -> int:
    """Take them all; return 1 where a state could not be reached, each of which is told."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    missed = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        demo(Path(folder), SMARTCIS_ADMIN_PASSWORD=PASSWORD) as running,
        chromium.launched() as browser,
    ):
        product = Product(running)
        product.furnish()
        for state in wanted(beginnings):
            for size in (DESKTOP, PHONE):
                try:
                    taken = picture(browser, product, state, size)
                except (Error, AssertionError) as error:
                    missed += 1
                    sys.stdout.write(f"{state.name} {size}: not reached: {str(error).splitlines()[0]}\n")
                else:
                    sys.stdout.write("".join(f"{path.relative_to(FOLDER.parents[1])}\n" for path in taken))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
