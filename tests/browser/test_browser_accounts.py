"""Accounts in a real browser: an admin invites, a person comes in, and may what the role may."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.roles import Role
from tests.browser.looking import THEMES, findings, in_theme
from tests.memory_engine import MemoryEngine
from tests.web_parts import Site, running_site

pytestmark = pytest.mark.browser
PASSWORD = "three blue herons"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path, engine=MemoryEngine()) as running:
        yield running


@pytest.fixture
def admin(site: Site, page: Page) -> Page:
    page.goto(site.url + site.web.auth.issue_link(Role.ADMIN, "admin"))
    page.goto(f"{site.url}/accounts")
    expect(page.locator("html[data-ready]")).to_be_attached()
    return page


def invited(admin: Page, name: str, role: str) -> str:
    admin.get_by_label("Name").fill(name)
    admin.locator("#role").select_option(role)
    admin.get_by_role("button", name="Make an invitation", exact=True).click()
    link = admin.locator("#changed code")
    expect(link).to_be_visible()
    return link.inner_text()


def test_somebody_is_invited_comes_in_and_is_kept_out(site: Site, admin: Page, browser: Browser) -> None:
    link = invited(admin, "maria", "viewer")
    person = browser.new_context().new_page()
    person.goto(link)
    person.get_by_label("Password, 10 signs or more").fill(PASSWORD)
    person.get_by_label("The same again").fill(PASSWORD)
    person.get_by_role("button", name="Choose it and go in").click()
    expect(person).to_have_url(f"{site.url}/")
    assert person.goto(f"{site.url}/console").status == 403
    admin.get_by_label("Role of maria").select_option("analyst")
    expect(admin.locator("#changed")).to_contain_text("another role")
    assert person.goto(f"{site.url}/console").status == 200
    admin.get_by_role("button", name="Keep out maria").click()
    expect(admin.locator("#accounts [data-state=disabled]")).to_contain_text("maria")
    assert person.goto(f"{site.url}/console").status == 401
    person.context.close()


def test_one_signs_in_by_name_and_changes_the_password(site: Site, admin: Page, browser: Browser) -> None:
    invited(admin, "maria", "viewer")
    site.web.auth.accounts.choose("maria", PASSWORD)
    person = browser.new_context().new_page()
    person.goto(f"{site.url}/login")
    person.get_by_label("Name").fill("Maria")
    person.get_by_label("Password").fill("a wrong one of mine")
    person.keyboard.press("Enter")
    expect(person.get_by_role("alert")).to_contain_text("not the password")
    person.get_by_label("Password").fill(PASSWORD)
    person.keyboard.press("Enter")
    expect(person).to_have_url(f"{site.url}/")
    person.goto(f"{site.url}/me")
    person.get_by_label("Old password").fill(PASSWORD)
    person.get_by_label("New password").fill("four grey herons")
    person.get_by_role("button", name="Change it").click()
    expect(person.locator("#done")).to_contain_text("The password is changed")
    person.context.close()


def test_an_invitation_that_was_told_stays_when_the_same_is_asked_again(site: Site, admin: Page) -> None:
    link = invited(admin, "maria", "viewer")
    admin.get_by_role("button", name="Make an invitation", exact=True).click()
    expect(admin.locator("#problem")).to_contain_text("there is an account maria already")
    expect(admin.locator("#changed code")).to_have_text(link)


def test_what_was_done_is_listed_and_found(site: Site, admin: Page) -> None:
    invited(admin, "<img src=x onerror=alert(1)>", "viewer")
    admin.goto(f"{site.url}/audit")
    first = admin.locator("#rows tr").first
    expect(first).to_contain_text("made an account")
    expect(first).to_contain_text("<img src=x onerror=alert(1)>, viewer")
    admin.get_by_placeholder("Find by name").fill("signed in")
    expect(admin.locator("#rows tr")).to_have_count(1)


def test_a_token_is_made_shown_once_and_taken_back(site: Site, admin: Page) -> None:
    admin.on("dialog", lambda dialog: dialog.accept())
    admin.goto(f"{site.url}/me")
    expect(admin.locator("html[data-tokens]")).to_be_attached()
    admin.get_by_label("Name").fill("<b>sync</b>")
    admin.get_by_label("May do").select_option("analyst")
    admin.get_by_label("Good for, in days").fill("7")
    admin.get_by_role("button", name="Make a token").click()
    secret = admin.locator("#token-made code").inner_text()
    admin.get_by_label("Name").fill("<b>sync</b>")
    admin.get_by_role("button", name="Make a token").click()
    refused = "admin has a token <b>sync</b> already; take that back, or take another name"
    expect(admin.locator("#token-problem")).to_have_text(refused)
    expect(admin.locator("#token-made code")).to_have_text(secret)
    asked = admin.context.browser.new_context().request if admin.context.browser else admin.request
    headers = {"Authorization": f"Bearer {secret}"}
    assert asked.get(f"{site.url}/api/schema", headers=headers).status == 200
    assert asked.get(f"{site.url}/api/sources", headers=headers).status == 403
    for theme in THEMES:
        in_theme(admin, theme)
        assert findings(admin) == []
    admin.goto(f"{site.url}/accounts")
    line = admin.locator("#tokens li")
    expect(line).to_contain_text("<b>sync</b> of admin")
    expect(line).to_contain_text("analyst, reads only")
    assert secret not in admin.content()
    for theme in THEMES:
        in_theme(admin, theme)
        assert findings(admin) == []
    admin.get_by_role("button", name="Take back <b>sync</b> of admin").click()
    expect(admin.locator("#token-made")).to_contain_text("was taken back")
    assert asked.get(f"{site.url}/api/schema", headers=headers).status == 401
