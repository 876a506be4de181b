"""Whatever is killed, whenever: what was acknowledged is in the log exactly once, and the views are right."""

import json
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import psutil
import pytest

from engine.model.clock import SystemClock
from ingest.building import facts
from ingest.log import Log
from tests.environment.mosquitto import Mosquitto
from tests.environment.numbered import NumberedPublisher, logged_numbers
from tests.environment.product import Demo, demo, name_of
from tests.environment.recompute import View, recompute
from tests.environment.spark_cluster import SparkCluster
from tests.environment.waiting import until

pytestmark = [pytest.mark.integration]

DESKS = [f"1.01-d{n:02}" for n in range(1, 21)]
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//smartcis//tests//EN\r\nEND:VCALENDAR\r\n"
RATE = 200
VICTIMS = ("app.cli run", "worker", "ingest.acquisition", "Spark's JVM")


@pytest.fixture
def settings(tmp_path: Path, mosquitto: Mosquitto) -> dict[str, str]:
    state = tmp_path / "state"
    state.mkdir()
    facts.prepare(f"sqlite:///{state / 'facts.db'}")
    (state / "reservations.ics").write_text(CALENDAR)
    return {"SMARTCIS_SIMULATE": "0", "SMARTCIS_MQTT_URL": mosquitto.url, "state": str(state)}


def test_nothing_is_lost_or_doubled_when_processes_are_killed(settings: dict[str, str]) -> None:
    crash(settings, VICTIMS, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_kills_at_random_moments(settings: dict[str, str]) -> None:
    draw = random.Random(11)
    crash(settings, [draw.choice(VICTIMS) for _ in range(10)], seed=2)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_kills_with_a_separate_worker_and_a_postgresql_log(
    settings: dict[str, str], postgres: str
) -> None:
    draw = random.Random(12)
    with SparkCluster(Path(settings["state"])) as cluster:
        settings |= {"SMARTCIS_SPARK_MASTER": cluster.url, "SMARTCIS_LOG_URL": postgres}
        crash(settings, [draw.choice(VICTIMS) for _ in range(10)], seed=3)


IN_SHARES = {"SMARTCIS_PARTITIONS": "2", "SMARTCIS_PARTITION_ROWS": "50"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_building_runs_on_two_workers_in_shares_and_an_executor_may_be_killed(
    settings: dict[str, str],
) -> None:
    with SparkCluster(Path(settings["state"]), workers=2, cores=1) as cluster:
        settings |= {"SMARTCIS_SPARK_MASTER": cluster.url, **IN_SHARES}
        crash(settings, ["executor"], seed=4, cluster=cluster)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_kills_with_views_in_shares_on_two_workers(settings: dict[str, str]) -> None:
    draw = random.Random(13)
    victims = ["executor", "executor", "executor", "worker", "Spark's JVM"]
    with SparkCluster(Path(settings["state"]), workers=2, cores=1) as cluster:
        settings |= {"SMARTCIS_SPARK_MASTER": cluster.url, **IN_SHARES}
        crash(settings, [draw.choice(victims) for _ in range(10)], seed=5, cluster=cluster)


def crash(
    settings: dict[str, str],
    victims: Sequence[str],
    seed: int,
    cluster: SparkCluster | None = None,
) -> None:
    """Kill each victim under load; after every recovery compare views and log."""
    state, draw = Path(settings["state"]), random.Random(seed)
    chosen = {name: value for name, value in settings.items() if name != "state"}
    log_url = settings.get("SMARTCIS_LOG_URL", f"sqlite:///{state / 'log.db'}")
    runs = Restarting(lambda: demo(state, **chosen))
    moments: list[tuple[int, dict[str, View]]] = []
    with runs, Log(log_url) as log:
        publisher = NumberedPublisher(settings["SMARTCIS_MQTT_URL"], DESKS, RATE, seed)
        for victim in victims:
            threading.Event().wait(draw.uniform(0.5, 3.0))
            if cluster is None or victim != "executor":
                kill(runs.running, victim)
            else:
                until(lambda: in_shares(runs.running), 60, "views to be in shares")
                draw.choice(cluster.executors()).kill()
            if victim == "app.cli run":
                runs.restart()
            until(runs.running.is_alive, 120, f"ticks to flow again after {victim} was killed")
            publisher.pause()
            until(lambda: publisher.acknowledged() <= logged_numbers(log).keys(), 60, "all to be logged")
            views = assert_views_right(runs.running, log, log_url)
            moments.append((SystemClock().now(), views))
            publisher.resume()
        publisher.stop()
        acknowledged = publisher.acknowledged()
        assert acknowledged
        until(lambda: acknowledged <= logged_numbers(log).keys(), 60, "the log to hold what was acknowledged")
        doubled = {number: n for number, n in logged_numbers(log).items() if n > 1}
        assert not doubled
        assert_views_right(runs.running, log, log_url)
        for at, views in moments:
            assert_past_right(runs.running, at, views)


def in_shares(running: Demo) -> bool:
    """Tell whether some view runs in shares."""
    names = [view["name"] for view in running.get("/api/views")][:12]
    plans = (running.get(f"/api/views/{name}/plan?weighs=no") for name in names)
    return any("stream: shares" in json.dumps(plan) for plan in plans)


def assert_past_right(running: Demo, at: int, views: dict[str, View]) -> None:
    """A view as it was, whatever was killed since, is what the log up to then gave."""
    for name in ("taken_desks", "free_desks"):
        found = running.get(f"/api/views/{name}/at?t={at}")
        assert Counter(tuple(row) for row in found["rows"]) == views[name], (name, at)


def assert_views_right(running: Demo, log: Log, log_url: str) -> dict[str, View]:
    end = log.last().offset
    until(lambda: offset_of(running) >= end, 120, "the views to catch up")
    wanted = recompute(log_url, f"sqlite:///{running.state / 'facts.db'}", running.state)
    for name, rows in wanted.items():
        assert Counter(tuple(row) for row in running.rows(name)) == rows, name
    return wanted


def offset_of(running: Demo) -> int:
    """How far the views are; a worker that just died or started has closed no tick."""
    try:
        ticks = running.get("/api/ticks")["ticks"]
    except OSError:
        return 0
    return int(ticks[-1]["offset"]) if ticks else 0


def kill(running: Demo, victim: str) -> None:
    """Kill a part without warning; the JVM may be between two lives."""
    processes = running.processes()
    named = {name_of(process): process for process in processes}
    if victim == "worker":
        found: psutil.Process | None = psutil.Process(running.process.pid).children()[0]
    elif victim == "app.cli run":
        found = processes[0]
    else:
        found = next((process for name, process in named.items() if name.startswith(victim)), None)
    if found is not None:
        found.send_signal(signal.SIGKILL)


class Restarting:
    """A product that is started again where it stopped."""

    def __init__(self, start: Callable[[], AbstractContextManager[Demo]]) -> None:
        self._start = start
        self._stack = ExitStack()

    def __enter__(self) -> None:
        self.running = self._stack.enter_context(self._start())

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def restart(self) -> None:
        self._stack.close()
        self.running = self._stack.enter_context(self._start())
