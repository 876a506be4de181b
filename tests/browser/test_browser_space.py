"""The use of space, a machine and its tasks, the system itself: in a real browser, over a real past."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.history.past import Past
from app.roles import Role
from engine.model.clock import SECOND, SystemClock
from engine.model.values import Type
from engine.views.history import HOUR
from tests.browser.alive import Alive, watch_for_problems
from tests.environment.waiting import until
from tests.memory_engine import MAP_SHAPES, MemoryEngine
from tests.space_parts import Said, UsedBuilding
from tests.web_parts import running_site

pytestmark = pytest.mark.browser
BIGINT, DOUBLE, TEXT, BOOLEAN, TIMESTAMP = (
    Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.BOOLEAN, Type.TIMESTAMP,
)  # fmt: skip
DESK, MACHINE, HOST = "1.09-d01", "lovelace-01", "lovelace-01.cs"
FOLLOWED = {
    "machine_facts": {
        "machine": TEXT, "desk": TEXT, "room": TEXT, "host": TEXT, "cpu_type": TEXT, "cores": BIGINT,
        "memory_gb": BIGINT, "gpu": TEXT,
    },
    "machine_state": {"machine": TEXT, "cpu": DOUBLE, "task": TEXT, "logged_in": BOOLEAN},
    "machine_tasks_now": {"machine": TEXT, "task": TEXT, "cpu": DOUBLE},
    "machine_software": {"machine": TEXT, "package": TEXT, "version": TEXT},
    "room_equipment": {"room": TEXT, "item": TEXT, "pieces": BIGINT},
}  # fmt: skip
SYSTEM = {
    "system_queries": {
        "query": TEXT, "text": TEXT, "plan": TEXT, "state": TEXT, "since": TIMESTAMP, "problem": TEXT,
        "rows": BIGINT, "load": DOUBLE, "bytes": BIGINT,
    },
    "system_operators": {
        "operator": TEXT, "does": TEXT, "came": BIGINT, "went": BIGINT, "held": BIGINT, "seconds": DOUBLE,
    },
    "system_parts": {"query": TEXT, "operator": TEXT},
    "system_sites": {"site": TEXT, "state": TEXT, "since": TIMESTAMP, "problem": TEXT},
}  # fmt: skip


class Following(MemoryEngine):
    """Knows the queries of a machine by a view of the first word that they read."""

    def __init__(self) -> None:
        super().__init__({**MAP_SHAPES, **FOLLOWED, **SYSTEM})

    def query(self, sql: str, parameters: object = None) -> str:
        from app.machines.followed import QUERIES

        return next((name for name, text in QUERIES.items() if text == sql), sql)


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Alive]:
    now = SystemClock().now() // HOUR * HOUR
    used = UsedBuilding(tmp_path, now - 49 * HOUR)
    record(used, used.start, now)
    past = Past(used.store.database, lambda: "ok")
    with running_site(tmp_path, engine=Following(), past=past) as site:
        alive = Alive(site)
        site.engine.replace(
            site.clock.now(),
            machine_facts=[(MACHINE, DESK, "1.09", HOST, "Ryzen 7", 8, 32, None)],
            machine_state=[(MACHINE, 0.62, "matlab", True)],
            machine_tasks_now=[(MACHINE, "matlab", 0.46), (MACHINE, "system", 0.16)],
            machine_software=[(MACHINE, "MATLAB", "R2026a"), (MACHINE, "<b>Word</b>", "16")],
            room_equipment=[("1.09", "projector", 1), ("1.09", "whiteboard", 2)],
        )
        yield alive
        alive.end()
    used.close()


def record(used: UsedBuilding, start: int, end: int) -> None:
    """Two days: a room that is taken by the hour, one that was reserved and stayed empty, a stuck cushion."""
    hours = range(start, end, HOUR)
    rooms = [
        Said(at, (room, 1), (n % 5, n % 5 > 0, room == "1.02", room == "1.02" and n % 5 == 0))
        for n, at in enumerate(hours)
        for room in ("1.02", "1.09")
    ]
    used.record("room_use", rooms, end)
    whole = [Said(at, ("building",), (2 * (n % 5), n % 3, 1, 0)) for n, at in enumerate(hours)]
    used.record("building_use", whole, end)
    used.record("floor_use", [Said(each.at, (1,), each.rest) for each in whole], end)
    used.record("room_power", [Said(at, ("1.09",), (100.0 + n,)) for n, at in enumerate(hours)], end)
    used.record("machine_power", [Said(at, (MACHINE,), (80.0 + n,)) for n, at in enumerate(hours)], end)
    used.record("machine_load", [Said(at, (MACHINE,), (n % 10 / 10,)) for n, at in enumerate(hours)], end)
    used.record("room_temperature", [Said(at, ("1.09",), (20.0 + n % 4,)) for n, at in enumerate(hours)], end)
    tasks = [
        Said(at, (MACHINE, task), (0.2 + n % 3 / 10,))
        for n, at in enumerate(hours)
        for task in ("matlab", "system")
    ]
    used.record("task_load", tasks, end)
    used.record("desk_states", [Said(start, (DESK,), (True,))], end)
    used.record("lamp_states", [Said(start, ("1.09",), (True,))], end)


def open_page(alive: Alive, page: Page, path: str, role: Role = Role.OPERATOR) -> None:
    page.problems = watch_for_problems(page)  # type: ignore[attr-defined]
    page.goto(alive.site.url + alive.site.web.auth.issue_link(role))
    page.goto(alive.site.url + path)
    expect(page.locator("html[data-ready=true]")).to_be_attached()


def test_the_use_of_a_place_is_drawn_and_stands_in_tables(alive: Alive, page: Page) -> None:
    open_page(alive, page, "/space", Role.VIEWER)
    page.get_by_text("30 days", exact=True).click()
    expect(page.locator("#hours-words")).to_contain_text("At most 8 desks taken")
    expect(page.locator("#hours-chart canvas")).to_be_visible()
    expect(page.locator("#rooms-table tbody tr")).to_have_count(2)
    expect(page.locator("#rooms-table tbody tr").first).to_contain_text("1.02")  # most hours empty
    expect(page.locator("table.week tbody tr")).to_have_count(7)
    expect(page.locator("#energy-words")).to_contain_text("EUR a kWh")
    expect(page.locator("#stuck [data-sensor='1.09-d01']")).to_contain_text("seat cushion 1.09-d01")
    page.locator("#rooms-table").get_by_role("button", name="1.09 Lab Lovelace").click()
    expect(page.locator("#hours-place")).to_have_text("1.09 Lab Lovelace")
    expect(page.locator("#hours-words")).to_contain_text("At most 4 desks taken")
    assert "room=1.09&period=30" in page.url
    page.reload()
    expect(page.locator("#hours-place")).to_have_text("1.09 Lab Lovelace")
    with page.expect_download() as begun:
        page.locator("#rooms-csv").click()
    assert "1.02" in Path(begun.value.path()).read_text()
    assert page.problems == []  # type: ignore[attr-defined]


def test_the_use_of_space_by_keyboard_alone(alive: Alive, page: Page) -> None:
    open_page(alive, page, "/space", Role.VIEWER)
    page.locator("input[name=period][value=today]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("input[name=period][value='7']")).to_be_checked()
    expect(page.locator("#rooms-table tbody tr")).to_have_count(2)
    page.locator("#rooms-table button[data-sort=room]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#rooms-table th[aria-sort=ascending]")).to_contain_text("Room")
    expect(page.locator("#rooms-table button[data-sort=room]")).to_be_focused()
    page.locator("#energy-machines").focus()
    page.keyboard.press("Space")
    expect(page.locator("#energy-table tbody tr")).to_contain_text(HOST)


def test_a_stretch_that_cannot_be_is_said(alive: Alive, page: Page) -> None:
    open_page(alive, page, "/space#period=custom&from=2099-01-01&to=2099-01-02", Role.VIEWER)
    expect(page.locator("#banner")).to_contain_text("has not begun yet")


def followed(alive: Alive) -> set[str]:
    return {subscription.snapshot.view for subscription in alive.site.engine.subscriptions}


def test_a_click_on_a_machine_follows_it_and_its_tasks(alive: Alive, page: Page) -> None:
    alive.open(page, Role.VIEWER)
    page.locator("#rooms").get_by_role("button", name="1.09 Lab Lovelace").click()
    pane = page.locator("#pane")
    expect(pane.locator(".stuck-sensors")).to_contain_text("seat cushion 1.09-d01")
    pane.get_by_role("button", name=f"Desk {DESK}").click()
    expect(pane).to_contain_text("Ryzen 7, 8 cores, 32 GB")
    expect(pane.locator(".machine-facts")).to_contain_text("Processor62 %")
    expect(pane).to_contain_text("<b>Word</b> 16")
    expect(pane).to_contain_text("whiteboard")
    expect(pane.locator("[data-chart=machine_load] .note")).to_contain_text("mean")
    expect(pane.locator("[data-chart=machine_power] canvas")).to_be_visible()
    alive.site.tick(
        machine_state=[((MACHINE, 0.62, "matlab", True), -1), ((MACHINE, 0.08, "system", True), 1)]
    )
    expect(pane.locator(".machine-facts")).to_contain_text("Processor8 %")
    pane.get_by_role("button", name="Energy of each task").click()
    dialog = page.locator("#machine-tasks")
    expect(dialog.locator(".tasks-now")).to_contain_text("matlab")
    expect(dialog.locator(".tasks-past tbody tr")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(pane.locator("h2")).to_have_text(f"Desk {DESK}")
    assert "machine_state" in followed(alive)
    pane.get_by_role("button", name="Close").click()
    until(lambda: not followed(alive) & {"machine_facts", "machine_state", "machine_tasks_now"}, 5, "its end")
    assert page.problems == []  # type: ignore[attr-defined]


def test_the_system_shows_what_runs_and_who_feeds_it(alive: Alive, page: Page) -> None:
    now = alive.site.clock.now()
    alive.site.engine.replace(
        now,
        system_queries=[
            (
                "taken_desks",
                "CREATE VIEW taken_desks AS SELECT …",
                "o1",
                "running",
                now - 60 * SECOND,
                None,
                12,
                0.031,
                9000,
            ),
            ("slow", "CREATE VIEW slow AS SELECT …", None, "suspended", now, "too many rows", None, None, 0),
        ],
        system_operators=[
            ("o1", "join s.desk = d.desk", 5200, 130, 276, 0.42),
            ("o2", "window seats", 9, 9, 3, 0.1),
        ],
        system_parts=[("taken_desks", "o1"), ("slow", "o2")],
        system_sites=[("floor-1", "gone", now - 3600 * SECOND, "it does not answer")],
    )
    open_page(alive, page, "/system")
    expect(page.locator("#queries tbody tr")).to_have_count(2)
    expect(page.locator("#queries tbody tr").first).to_contain_text("3.1 %")
    expect(page.locator("#total-queries")).to_have_text("2, 1 suspended")
    expect(page.locator("#sites li")).to_contain_text("gone: it does not answer")
    page.locator("#queries").get_by_role("button", name="taken_desks").click()
    expect(page.locator("#plan")).to_contain_text("scan taken_desks")
    page.locator("#shared").check()
    expect(page.locator("#operators tbody tr")).to_have_count(1)
    alive.site.tick(
        system_operators=[(("o1", "join s.desk = d.desk", 5200, 130, 276, 0.42), -1),
                          (("o1", "join s.desk = d.desk", 6300, 140, 276, 0.5), 1)]
    )  # fmt: skip
    expect(page.locator("#operators tbody tr")).to_contain_text("6.3k")
    assert page.problems == []  # type: ignore[attr-defined]
