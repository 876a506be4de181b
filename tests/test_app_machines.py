"""A machine that is looked at: its queries begin and end with whoever watches; its tasks share its energy."""

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest

from app.building import read_building
from app.history.past import Past
from app.machines.followed import QUERIES, followed_in
from app.machines.tasks import taken
from app.roles import Role, role_for_view
from app.wayfinding import binder
from engine.lang.streamsql import parse_script
from engine.model.clock import ManualClock
from engine.model.errors import QueryError
from engine.model.values import Row
from engine.views.history import HOUR
from ingest.building.design import FOLDER
from tests.demo_building import catalog_of
from tests.environment.waiting import until
from tests.memory_engine import DOUBLE, TEXT, MemoryEngine
from tests.space_parts import MINUTE, START, Said, UsedBuilding, random_turns
from tests.web_parts import BUILDING, client_of, running_site, web_over

END = START + 3 * HOUR
TASKS = ("matlab", "firefox", "system")


@pytest.fixture(scope="module")
def machine() -> str:
    return next(iter(read_building(BUILDING).machines))


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory, machine: str) -> Iterator[UsedBuilding]:
    kept = UsedBuilding(tmp_path_factory.mktemp("tasks"))
    watts = random_turns(1, [(machine,), ("other",)], END, 30, lambda chosen, _: (chosen.uniform(20, 200),))
    keys: list[Row] = [(machine, task) for task in TASKS]
    load = random_turns(
        2, keys, END, 30, lambda chosen, _: (chosen.random(),) if chosen.random() < 0.8 else None
    )
    kept.record("machine_power", watts, END)
    kept.record("task_load", load, END)
    yield kept
    kept.close()


def minute_by_minute(past: UsedBuilding, machine: str, start: int, end: int) -> dict[str, float]:
    """Share the energy of each minute by what the tasks took in it."""
    found = dict.fromkeys((*TASKS, ""), 0.0)
    for at in range(start, end, MINUTE):
        joules = sum(
            row[0] * (b - a) / 1e6 for a, b, row in past.stays("machine_power", (machine,), at, at + MINUTE)
        )
        areas = {
            task: sum(
                row[0] * (b - a) for a, b, row in past.stays("task_load", (machine, task), at, at + MINUTE)
            )
            for task in TASKS
        }
        whole = sum(areas.values())
        for task, area in (areas if whole else {"": 1.0}).items():
            found[task] += joules * area / (whole or 1.0) / 3.6e6
    return found


def test_each_task_takes_its_share_of_what_was_drawn_while_it_ran(past: UsedBuilding, machine: str) -> None:
    found = taken(past.store.database, machine, END - HOUR, END)
    truth = minute_by_minute(past, machine, END - HOUR, END)
    assert {task.task: task.kwh for task in found.tasks} == pytest.approx(
        {task: truth[task] for task in TASKS}, rel=1e-6
    )
    assert found.nobodys == pytest.approx(truth[""], abs=1e-9)
    assert found.kwh == pytest.approx(sum(truth.values()), rel=1e-6)
    assert sum(task.share for task in found.tasks) == pytest.approx(1.0)
    assert [task.kwh for task in found.tasks] == sorted((task.kwh for task in found.tasks), reverse=True)


def test_tasks_are_told_with_their_cost(past: UsedBuilding, machine: str, tmp_path: Path) -> None:
    kept = Past(past.store.database, lambda: "ok")
    client = client_of(web_over(MemoryEngine(), tmp_path, past=kept, feed=ManualClock(END)), Role.VIEWER)
    found = client.get(f"/api/machines/{machine}/tasks").json
    assert (found["currency"], len(found["tasks"])) == ("EUR", 3)
    assert found["tasks"][0]["cost"] == pytest.approx(found["tasks"][0]["kwh"] * 0.31, abs=1e-4)
    for path, problem in (
        ("nobody/tasks", "unknown machine nobody"),
        (f"{machine}/tasks?from={END}", "begins before it ends"),
        (f"{machine}/tasks?from=0", "at most 31 days"),
    ):
        answer = client.get(f"/api/machines/{path}")
        assert answer.status_code == 400
        assert problem in answer.json["error"]


def test_every_query_of_a_machine_is_one_over_the_building(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path)
    bind = binder(catalog, parse_script((FOLDER / "views.sql").read_text("utf-8")))
    for sql in QUERIES.values():
        assert bind(sql.replace(":of", "'x'")).columns


def test_only_what_stands_on_the_plan_is_asked_of(machine: str) -> None:
    building = read_building(BUILDING)
    assert followed_in(building, "taken_desks") is None
    assert followed_in(building, "people(x)") is None
    found = followed_in(building, f"machine_state({machine})")
    assert found is not None
    assert found.given == {"of": machine}
    assert followed_in(building, "room_equipment(1.01)") is not None
    for view in ("machine_state(nobody)", "room_equipment(9.99)"):
        with pytest.raises(QueryError, match="the plan has no such one"):
            followed_in(building, view)
    assert role_for_view(f"machine_state({machine})") == Role.KIOSK
    assert role_for_view("secrets(x)") == Role.ANALYST


class Followable(MemoryEngine):
    """Knows one query, by the value that it is given, and counts who asks for it."""

    def __init__(self) -> None:
        super().__init__({"query_1": {"machine": TEXT, "cpu": DOUBLE}})
        self.asked: list[tuple[str, object]] = []

    def query(self, sql: str, parameters: object = None) -> str:
        self.asked.append((sql, parameters))
        return "query_1"


def test_a_click_starts_a_query_that_two_share_and_the_last_ends(tmp_path: Path, machine: str) -> None:
    engine, view = Followable(), f"machine_state({machine})"
    with running_site(tmp_path, engine=engine) as site:
        first, second = site.socket(Role.KIOSK), site.socket(Role.KIOSK)
        for socket in (first, second):
            assert socket.emit("watch", {"view": view}) is None
            name, message = socket.next("snapshot")
            assert (name, message["view"]) == ("snapshot", view)
        assert engine.asked == [(QUERIES["machine_state"], {"of": machine})]
        site.tick(query_1=[((machine, 0.5), 1)])
        _, delta = second.next("delta")
        assert (delta["view"], delta["changes"]) == (view, [[1, [machine, 0.5]]])
        engine.without = {"query_1": ("floor-1",)}
        until(lambda: second.next("pulse")[1]["missing"] == {view: ["floor-1"]}, 5, "what it is without")
        for socket in (first, second):
            socket.emit("unwatch", {"view": view})
        until(lambda: not engine.subscriptions, 5, "the query to end")
        for other in list(read_building(BUILDING).machines)[:21]:
            first.emit("watch", {"view": f"machine_state({other})"})
        _, refused = first.next("refused")
        assert "20 queries are followed by this page already" in refused["error"]
        second.emit("watch", {"view": "machine_state(nobody)"})
        _, refused = second.next("refused")
        assert "unknown machine nobody" in refused["error"]


def test_a_day_of_a_machine_at_a_hertz_takes_under_half_a_second_of_computing(
    tmp_path: Path, machine: str
) -> None:
    kept = UsedBuilding(tmp_path)
    day = START + 24 * HOUR
    turns = [Said(START + n * 1_000_000, (machine,), (float(n * 7919 % 1000) / 1000,)) for n in range(86_400)]
    kept.record("machine_load", turns, day)
    past = Past(kept.store.database, lambda: "ok")
    client = client_of(web_over(MemoryEngine(), tmp_path, past=past, feed=ManualClock(day)), Role.VIEWER)
    path = f"/api/views/machine_load/history?key=machine={machine}&from=24 hours&points=400&column=cpu"
    computing = []
    for _ in range(3):
        began = process_time()
        found = client.get(path).json
        computing.append(process_time() - began)
    (figures,) = found["series"][0]["columns"]
    assert sum(figures["count"]) == 86_400
    assert len(found["at"]) <= 400
    assert min(computing) < 0.5
    kept.close()
