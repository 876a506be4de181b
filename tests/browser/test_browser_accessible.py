"""No page and no state of one has what axe calls serious or critical, in neither theme; the map included."""

from collections.abc import Iterable, Iterator

import pytest
from playwright.sync_api import Browser

from app.accounts.accounts import ADMIN
from app.roles import Role
from tests.browser.furnished import furnished
from tests.browser.looking import DESKTOP, PHONE, THEMES, Size, findings, in_theme, is_page, opened
from tests.browser.states import State, every_state, without_state
from tests.web_parts import Site, running_site

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


class Here:
    """The site of the tests, as a place to look at."""

    def __init__(self, site: Site) -> None:
        self.url, self.app, self._auth = site.url, site.web.app, site.web.auth

    def link(self, role: Role) -> str:
        """Sign in as the account admin, which has more on its page than who came by a role's link."""
        return self._auth.issue_link(role, ADMIN if role is Role.ADMIN else "")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    with (
        running_site(tmp_path_factory.mktemp("state"), admin_password="correct horse") as site,
        furnished(site),
    ):
        yield Here(site)


def first_of_each_page(states: Iterable[State]) -> list[State]:
    return list({state.endpoint: state for state in reversed(list(states))}.values())


def look(browser: Browser, here: Here, states: Iterable[State], size: Size = DESKTOP) -> list[str]:
    found = []
    for state in states:
        with opened(browser, here, state, size) as page:
            for theme in THEMES if is_page(page) else ():
                in_theme(page, theme)
                found += [f"{state.name}, {theme}: {finding}" for finding in findings(page)]
    return found


def test_every_page_that_needs_more_than_its_address_has_a_state(here: Here) -> None:
    assert without_state(here.app) == set()


@pytest.mark.slow
def test_no_page_has_a_serious_finding(browser: Browser, here: Here) -> None:
    assert look(browser, here, first_of_each_page(every_state(here.app))) == []


@pytest.mark.slow
def test_no_state_has_a_serious_finding(browser: Browser, here: Here) -> None:
    states = every_state(here.app)
    first = first_of_each_page(states)
    assert look(browser, here, [state for state in states if state not in first]) == []


@pytest.mark.slow
def test_no_page_has_a_serious_finding_on_a_phone(browser: Browser, here: Here) -> None:
    assert look(browser, here, every_state(here.app), PHONE) == []
