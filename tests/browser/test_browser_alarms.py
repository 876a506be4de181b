"""Alarms in a real browser: raised, told, known, shelved, cleared, over; a rule is written by a form."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.outputs import ALARM
from app.roles import Role
from engine.contracts import ViewInfo
from engine.lang.streamsql import Output
from tests.browser.looking import THEMES, findings, in_theme
from tests.environment.waiting import until
from tests.memory_engine import MemoryEngine
from tests.web_parts import Site, running_site

pytestmark = pytest.mark.browser
RULE = (("severity", "critical"), ("key", "room"), ("notify", "nobody"))
DARK = Output(ALARM, "too dark", None, RULE)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path, engine=MemoryEngine()) as running:
        running.web.outlets.router.follow("dark_rooms", (DARK,))
        yield running


def opened(site: Site, page: Page, path: str, role: Role = Role.ADMIN) -> None:
    page.goto(site.url + site.web.auth.issue_link(role))
    page.goto(site.url + path)
    expect(page.locator("html[data-ready]")).to_be_attached()


def test_an_alarm_is_raised_known_shelved_cleared_and_over(site: Site, page: Page) -> None:
    opened(site, page, "/alarms", Role.OPERATOR)
    expect(page.locator("#nothing")).to_be_visible()
    site.tick(dark_rooms=[(("1.01", 3.0), 1), (("1.02", 4.0), 1)])
    standing = page.locator("#standing li")
    expect(standing).to_have_count(2)
    expect(page.locator("#standing-count")).to_have_text("2 alarms, 2 not acknowledged")
    expect(standing.first.locator(".severity")).to_have_text("critical")
    page.get_by_role("button", name="Acknowledge too dark, room 1.02").click()
    expect(page.locator("#standing-count")).to_have_text("2 alarms, 1 not acknowledged")
    dialog = page.locator("#why")
    page.get_by_role("button", name="More of too dark, room 1.01").click()
    dialog.get_by_label("note").fill("on my way <b>now</b>")
    page.keyboard.press("Enter")
    expect(page.locator("#standing")).to_contain_text("“on my way <b>now</b>”")
    expect(page.locator("#standing-count")).to_have_text("2 alarms, none not acknowledged")
    page.get_by_role("button", name="More of too dark, room 1.01").click()
    dialog.get_by_label("How long").select_option("for 1 hour")
    dialog.get_by_label("reason").fill("the lamp is on order")
    dialog.get_by_role("button", name="Shelve").click()
    expect(page.locator("#shelved")).to_contain_text("the lamp is on order")
    page.get_by_role("button", name="Take too dark, room 1.01").click()
    expect(page.locator("#shelved-part")).to_be_hidden()
    page.get_by_role("button", name="More of too dark, room 1.02").click()
    dialog.get_by_role("button", name="Clear").click()
    expect(page.locator("#ended")).to_contain_text("cleared by a link of role operator")
    site.tick(dark_rooms=[(("1.01", 3.0), -1)])
    expect(page.locator("#nothing")).to_be_visible()
    expect(page.locator("#ended li")).to_have_count(2)


def test_an_alarm_holds_is_escalated_and_ends_when_its_row_is_gone_for_long_enough(
    tmp_path: Path, page: Page
) -> None:
    rule = {"hold": "1 second", "linger": "1 second", "escalate": "2 seconds", "escalate_to": "chief"}
    held = Output(ALARM, "cold", None, (("key", "room"), *rule.items()))
    with running_site(tmp_path, engine=MemoryEngine()) as site:
        site.web.outlets.router.follow("dark_rooms", (held,))
        opened(site, page, "/alarms", Role.OPERATOR)
        site.tick(dark_rooms=[(("1.01", 3.0), 1), (("1.02", 3.0), 1)])
        site.tick(dark_rooms=[(("1.02", 3.0), -1)])
        standing = page.locator("#standing li")
        expect(standing).to_have_count(1)
        expect(standing).to_contain_text("room 1.01")
        expect(standing).to_contain_text("escalated")
        page.get_by_role("button", name="Acknowledge cold, room 1.01").press("Enter")
        expect(page.locator("#standing-count")).to_have_text("1 alarm, none not acknowledged")
        site.tick(dark_rooms=[(("1.01", 3.0), -1)])
        expect(page.locator("#ended li")).to_have_count(1)
        expect(page.locator("#nothing")).to_be_visible()


def test_a_new_alarm_is_a_notice_of_the_computer_where_that_is_chosen(site: Site, page: Page) -> None:
    page.context.grant_permissions(["notifications"])
    page.add_init_script(
        """const real = Notification; window.told = [];
        window.Notification = class extends real {
          constructor(title, how) { super(title, how); window.told.push([title, how.body]); } };"""
    )
    opened(site, page, "/alarms", Role.OPERATOR)
    site.tick(dark_rooms=[(("1.01", 3.0), 1)])
    expect(page.locator("#standing li")).to_have_count(1)
    page.get_by_label("Notices").check()
    expect(page.get_by_label("Notices")).to_be_checked()
    site.tick(dark_rooms=[(("1.02", 4.0), 1)])
    until(lambda: page.evaluate("window.told.length"), 5, "a notice")
    assert page.evaluate("window.told") == [["critical: too dark", "1.02 · 4"]]


def test_who_could_not_be_told_is_shown_and_an_alarm_tells_why(site: Site, page: Page) -> None:
    opened(site, page, "/alarms", Role.OPERATOR)
    site.tick(dark_rooms=[(("1.01", 3.0), 1)])
    expect(page.locator("#standing li")).to_have_count(1)
    page.get_by_role("button", name="More of too dark, room 1.01").press("Enter")
    dialog = page.locator("#why")
    expect(dialog).to_contain_text("nobody, raised")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.wait_for_timeout(1_500)
    page.reload()
    expect(page.locator("#untold")).to_contain_text("there is no channel nobody; there are: none yet")


def test_a_channel_that_a_view_names_and_that_is_not_there_is_listed(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "CREATE VIEW dim AS SELECT room FROM dark_rooms OUTPUT TO ALARM 'too dark' WITH (notify = 'nobody')"
    )
    there = site.engine.views()
    monkeypatch.setattr(site.engine, "views", lambda: (*there, ViewInfo("dim", (), text, 0)))
    opened(site, page, "/alarms", Role.OPERATOR)
    expect(page.locator("#lacking li")).to_have_text("nobodynamed by the alarm too dark of dim")
    monkeypatch.undo()
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.locator("#lacking-part")).to_be_hidden()


def test_a_channel_is_made_tried_changed_and_removed(site: Site, page: Page) -> None:
    opened(site, page, "/alarms/channels")
    form = page.locator("#make")
    form.locator("[name=name]").fill("desk")
    form.locator("[name=kind]").select_option("webhook")
    form.locator("[name=url]").fill("http://127.0.0.1:9/alarm")
    form.locator("[name=header]").fill("X-Secret")
    form.locator("[name=value]").fill("s3cret")
    page.keyboard.press("Enter")
    expect(page.locator("#done")).to_have_text("desk is kept. Try it.")
    page.get_by_role("button", name="Try desk").click()
    expect(page.locator("#problem")).to_contain_text("webhook desk: ")
    page.get_by_role("button", name="Change desk").click()
    expect(form.locator("[name=url]")).to_have_value("http://127.0.0.1:9/alarm")
    form.locator("[name=url]").fill("ftp://x")
    form.get_by_role("button", name="Keep it").click()
    expect(page.locator("#problem")).to_contain_text("begins with https://")
    assert "s3cret" not in page.content()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove desk").click()
    expect(page.locator("#nothing")).to_be_visible()


def test_a_rule_is_written_by_a_form(site: Site, page: Page) -> None:
    opened(site, page, "/alarms/new")
    form = page.locator("#rule")
    form.locator("[name=view]").select_option("room_temperature")
    form.locator("[name=column]").select_option("celsius")
    form.locator("[name=value]").fill("26")
    form.locator("[name=key]").select_option("room")
    form.locator("[name=name]").fill("too warm")
    form.locator("[name=hold]").fill("soon")
    expect(page.locator("#problem")).to_contain_text("hold of an alarm is a time")
    form.locator("[name=hold]").fill("1 minute")
    expect(page.locator("#sql")).to_contain_text("WHERE celsius > 26")
    expect(page.locator("#problem")).to_have_text("")
    form.locator("[name=until]").fill("24")
    expect(page.locator("#sql")).to_contain_text(
        "celsius > 26 AS raises FROM room_temperature WHERE celsius > 24"
    )
    form.locator("[name=until]").fill("")
    expect(page.locator("#sql")).to_contain_text(
        "WITH (severity = 'medium', hold = '1 minute', key = 'room')"
    )


def test_the_list_fits_a_phone(site: Site, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(site, page, "/alarms")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    title = page.locator("h1").bounding_box()
    assert title
    assert title["height"] < 40


def test_what_is_done_while_the_server_is_away_is_told(site: Site, page: Page) -> None:
    opened(site, page, "/alarms/channels")
    page.context.set_offline(True)
    page.locator("#make [name=name]").fill("desk")
    page.locator("#make [name=kind]").select_option("mqtt")
    page.locator("#make [name=topic]").fill("desk/alarms")
    page.locator("#make button").click()
    expect(page.locator("#problem")).to_have_text(
        "SmartCIS cannot be reached; wait until it can, and try again."
    )
    page.context.set_offline(False)


def test_an_address_of_an_alarm_that_is_not_kept_is_told(site: Site, page: Page) -> None:
    opened(site, page, "/alarms#77", Role.OPERATOR)
    expect(page.locator("#why")).to_contain_text("there is no alarm 77; /alarms lists those that are known")


def test_a_button_is_the_same_from_press_to_release_however_much_changes(site: Site, page: Page) -> None:
    opened(site, page, "/alarms", Role.OPERATOR)
    site.tick(dark_rooms=[(("1.01", 3.0), 1)])
    page.locator("[id^=known]").hover()
    page.mouse.down()
    for lux in (3.0, 4.0, 5.0):
        site.tick(dark_rooms=[(("1.01", lux), -1), (("1.01", lux + 1), 1)])
        page.wait_for_timeout(600)
    page.mouse.up()
    expect(page.locator("#standing-count")).to_have_text("1 alarm, none not acknowledged")
    expect(page.locator("#standing")).to_contain_text("lux 6")


def test_what_changes_all_the_time_is_still_shown(site: Site, page: Page) -> None:
    opened(site, page, "/alarms", Role.OPERATOR)
    site.tick(dark_rooms=[(("1.01", 0.0), 1)])
    for lux in range(30):
        site.tick(dark_rooms=[(("1.01", float(lux)), -1), (("1.01", lux + 1.0), 1)])
        page.wait_for_timeout(100)
    assert page.locator("#standing li").count() == 1


@pytest.mark.parametrize("severity", ["low", "medium", "high", "critical"])
def test_how_bad_an_alarm_is_can_be_read_in_every_theme(tmp_path: Path, page: Page, severity: str) -> None:
    with running_site(tmp_path, engine=MemoryEngine()) as site:
        output = Output(ALARM, "too dark", None, (("severity", severity), ("key", "room")))
        site.web.outlets.router.follow("dark_rooms", (output,))
        opened(site, page, "/alarms", Role.OPERATOR)
        site.tick(dark_rooms=[(("1.01", 3.0), 1)])
        expect(page.locator("#standing .severity")).to_have_text(severity)
        for theme in THEMES:
            in_theme(page, theme)
            assert findings(page) == []
