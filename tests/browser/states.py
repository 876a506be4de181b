"""Every page and its main states, in one table: what axe looks at, and what `make screens` takes.

    page of the app's own url map  →  at least one state; where the address is enough, it makes its own

A state is reached by what a person does, on whatever building is served.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from flask import Flask
from playwright.sync_api import Page, expect
from werkzeug.routing import Rule

from app.roles import Role

Reach = Callable[[Page], None]
NEITHER_PAGE_NOR_STATE = frozenset({"static", "state.healthz", "state.readyz", "state.metrics"}) | {
    "pages.enter", "pages.docs_search", "kiosks.enter", "install.worker", "install.manifest"
}  # fmt: skip
"""Files, what machines read, and ways in that lead elsewhere."""


class State(NamedTuple):
    """One thing to look at: where it is, who is there, and what that person does then."""

    name: str
    endpoint: str
    path: str
    role: Role | None = Role.ADMIN
    reach: Reach = lambda _: None
    is_live: bool = False
    """Wait for the feed before anything else."""
    before: Reach = lambda _: None
    """What happens before the address is opened."""


def pressed(selector: str) -> Reach:
    """Press a button by what it does, wherever it has moved meanwhile."""
    return lambda page: page.locator(selector).first.dispatch_event("click")


def _desk(page: Page) -> None:
    pressed("#pane [data-focus*='-d']")(page)


def _everything_open(page: Page) -> None:
    page.evaluate("document.querySelectorAll('#side details').forEach(each => { each.open = true; })")


def _cut_off(page: Page) -> None:
    """The network goes away."""
    page.context.set_offline(True)
    expect(page.locator("#banner")).to_be_visible()


def _no_feed(page: Page) -> None:
    """Pages come, and nothing comes through sockets."""
    page.route_web_socket("**/socket.io/**", lambda _: None)
    page.route("**/socket.io/**", lambda route: route.abort())


def _told(page: Page) -> None:
    expect(page.locator("#banner")).to_be_visible()


def _failed(page: Page) -> None:
    expect(page.locator("#map-note[data-state=failed]")).to_be_visible()


def _searched(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("lovelace")
    expect(page.locator("#search-list").get_by_role("option").first).to_be_visible()


def _no_building(page: Page) -> None:
    page.route("**/api/building", lambda route: route.fulfill(status=500, json={"error": "out of order"}))


def _typed(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("restore")
    expect(page.locator("#docs-found").get_by_role("option").first).to_be_visible()


def _words_marked(page: Page) -> None:
    expect(page.locator(".docs-text mark").first).to_be_attached()


def _nothing_found(page: Page) -> None:
    page.locator("#search").fill("no such device")
    expect(page.locator("#nothing")).to_be_visible()


def _wrong_password(page: Page) -> None:
    page.locator("#name").fill("maria")
    page.locator("#password").fill("a guess")
    page.keyboard.press("Enter")
    expect(page.locator("#wrong")).to_be_visible()


def _watched(page: Page) -> None:
    pressed("#watch")(page)
    expect(page.locator("#rows .why").first).to_be_visible()


def _asked_why(page: Page) -> None:
    _watched(page)
    pressed("#rows .why")(page)
    expect(page.locator("#why svg")).to_be_visible()


def _explained(page: Page) -> None:
    pressed("#once")(page)
    expect(page.locator(".plan-frame svg")).to_be_visible()


def _planned(page: Page) -> None:
    expect(page.locator(".plan-frame [data-box]").first).to_be_visible()
    page.locator(".plan-frame [data-box]").last.focus()


def _as_table(page: Page) -> None:
    _planned(page)
    page.locator(".plan-list summary").click()


def _no_plan(page: Page) -> None:
    expect(page.locator("#plan-problem")).to_be_visible()


def _charted(page: Page) -> None:
    _shown_as(page, "chart")
    expect(page.locator("#answer-chart .bars tbody tr").first).to_be_visible()


def _lined(page: Page) -> None:
    _charted(page)
    page.locator("#answer-chart [name=x]").select_option("-1")
    expect(page.locator("#answer-chart canvas")).to_be_visible()


def _mapped(page: Page) -> None:
    _shown_as(page, "map")
    expect(page.locator("#answer-map path.spot").first).to_be_visible()


def _shown_as(page: Page, form: str) -> None:
    _watched(page)
    page.locator(f"[name=form][value={form}]").check(force=True)


def _asked_how_probable(page: Page) -> None:
    _asked_why(page)
    page.locator(".why-chances summary").click()
    page.locator(".why-rates input").first.fill("5")
    pressed(".why-rates button")(page)
    expect(page.locator(".why-probability")).to_contain_text("probability of")


def _read(page: Page) -> None:
    expect(page.locator("html[data-ready] > body:not([aria-busy])")).to_be_attached()


def _mistyped(page: Page) -> None:
    expect(page.locator("#problem")).to_be_visible()


WATCHED, MISTYPED = "/console#ask=SELECT+*+FROM+taken_desks", "/console#ask=SELECT+*+FROM+taken_deks"
EXPLAINED = "/console#ask=EXPLAIN+SELECT+*+FROM+taken_desks"
STATES = (
    State("map", "pages.map_page", "/", is_live=True),
    State("map-kiosk", "pages.map_page", "/", Role.KIOSK, is_live=True),
    State("map-upstairs", "pages.map_page", "/#3", is_live=True),
    State("map-room", "pages.map_page", "/#1/1.09", is_live=True),
    State("map-desk", "pages.map_page", "/#1/1.09", reach=_desk, is_live=True),
    State("map-temperature", "pages.map_page", "/#1?layer=temperature", is_live=True),
    State("map-light", "pages.map_page", "/#1?layer=light", is_live=True),
    State("map-reservations", "pages.map_page", "/#2?layer=reservations", is_live=True),
    State("map-energy", "pages.map_page", "/#3?layer=energy", is_live=True),
    State("map-search", "pages.map_page", "/", reach=_searched, is_live=True),
    State("map-past", "pages.map_page", "/", reach=pressed("#past-open"), is_live=True),
    State("map-all-open", "pages.map_page", "/", reach=_everything_open, is_live=True),
    State("map-offline", "pages.map_page", "/", reach=_cut_off, is_live=True),
    State("map-no-feed", "pages.map_page", "/", reach=_told, before=_no_feed),
    State("map-no-building", "pages.map_page", "/", reach=_failed, before=_no_building),
    State("kiosk", "kiosks.kiosk_page", "/kiosk", Role.KIOSK, is_live=True),
    State("kiosk-code", "kiosks.kiosk_page", "/kiosk", Role.KIOSK, pressed("#way-phone"), is_live=True),
    State("kiosk-place", "kiosks.kiosk_page", "/kiosk", is_live=True),
    State("way-too-old", "handover.way_page", "/way/of-yesterday", None),
    State("devices", "devices.devices_page", "/devices", is_live=True),
    State("devices-change", "devices.devices_page", "/devices", reach=pressed(".device-edit"), is_live=True),
    State("devices-none-found", "devices.devices_page", "/devices", reach=_nothing_found, is_live=True),
    State("accounts", "accounts.accounts_page", "/accounts"),
    State("audit", "accounts.audit_page", "/audit"),
    State("me", "accounts.own_page", "/me"),
    State("alarms", "outlets.alarms_page", "/alarms", is_live=True),
    State("displays", "outlets.displays_page", "/display"),
    State("display", "outlets.display_page", "/display/lobby", Role.KIOSK, is_live=True),
    State("display-empty", "outlets.display_page", "/display/attic", Role.KIOSK, is_live=True),
    State("display-offline", "outlets.display_page", "/display/lobby", reach=_cut_off, is_live=True),
    State("console", "console.console_page", "/console"),
    State("console-watching", "console.console_page", WATCHED, reach=_watched),
    State("console-why", "console.console_page", WATCHED, reach=_asked_why),
    State("console-chart", "console.console_page", WATCHED, reach=_charted),
    State("console-line", "console.console_page", WATCHED, reach=_lined),
    State("console-map", "console.console_page", WATCHED, reach=_mapped),
    State("console-probable", "console.console_page", WATCHED, reach=_asked_how_probable),
    State("console-wrong", "console.console_page", MISTYPED, reach=_mistyped),
    State("console-explain", "console.console_page", EXPLAINED, reach=_explained),
    State("plan", "plans.plan_page", "/plans/taken_desks", reach=_planned),
    State("plan-table", "plans.plan_page", "/plans/taken_desks", reach=_as_table),
    State("plan-none", "plans.plan_page", "/plans/no_such_view", reach=_no_plan),
    State("space", "space.space_page", "/space", reach=_read),
    State("docs", "pages.docs", "/docs", None),
    State("docs-places", "pages.docs", "/docs?words=back+up", None),
    State("docs-typed", "pages.docs", "/docs", None, _typed),
    State("docs-nothing", "pages.docs", "/docs?words=qqqq", None),
    State("docs-guide", "pages.docs_page", "/docs/operator", None),
    State(
        "docs-marked",
        "pages.docs_page",
        "/docs/operator?words=restore#back-up-and-restore",
        None,
        _words_marked,
    ),
    State("docs-web", "pages.docs_page", "/docs/web", None),
    State("docs-streamsql", "pages.docs_page", "/docs/streamsql", None),
    State("docs-datalog", "pages.docs_page", "/docs/datalog", None),
    State("login", "pages.login_page", "/login", None),
    State("login-wrong", "pages.login_page", "/login", None, _wrong_password),
    State("error-401", "pages.map_page", "/", None),
    State("error-403", "outlets.alarms_page", "/alarms", Role.KIOSK),
    State("error-404", "", "/nowhere"),
)


def pages(app: Flask) -> Iterator[Rule]:
    """Return the addresses that people open; whether one answers HTML shows when it is opened."""
    for rule in app.url_map.iter_rules():
        is_asked = "GET" in (rule.methods or ()) and not rule.rule.startswith("/api/")
        is_file = "." in rule.rule
        if is_asked and not is_file and rule.endpoint not in NEITHER_PAGE_NOR_STATE:
            yield rule


def every_state(app: Flask) -> list[State]:
    """Return the table, and a state for each other page for which its address is enough."""
    known = {state.endpoint for state in STATES}
    others = [rule for rule in pages(app) if rule.endpoint not in known and not rule.arguments]
    return [*STATES, *(State(_name(rule), rule.endpoint, rule.rule) for rule in others)]


def without_state(app: Flask) -> set[str]:
    """Return the pages that need a value in their address and have no state in the table."""
    known = {state.endpoint for state in STATES}
    return {rule.endpoint for rule in pages(app) if rule.arguments and rule.endpoint not in known}


def _name(rule: Rule) -> str:
    return rule.rule.strip("/").replace("/", "-") or "root"
