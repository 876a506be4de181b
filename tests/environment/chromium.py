"""A chromium driven by Playwright: the machine's, else the one Playwright installed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Error, expect, sync_playwright

from scripts.tools import TOOLS
from tests.environment.absence import lacking

EXPECTED_WITHIN = 120_000  # milliseconds: what a page of a busy machine may take
CHROMIUM = next(tool for tool in TOOLS if tool.name == "chromium")


def executable() -> str | None:
    """The browser to start; None leaves the choice to Playwright."""
    named = os.environ.get("SMARTCIS_CHROMIUM")
    return named or next((found for name in CHROMIUM.commands if (found := shutil.which(name))), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """A running browser; skips the test where none can be had."""
    # Chromium's sandbox does not run as root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=EXPECTED_WITHIN)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=executable(), args=arguments)
        except Error as error:
            if "Executable doesn't exist" not in error.message:
                raise
            lacking("chromium", CHROMIUM.without_root)
        browser.on("context", lambda context: context.set_default_timeout(EXPECTED_WITHIN))
        yield browser
        browser.close()
