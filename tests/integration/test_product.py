"""The product as a user meets it: the command line on a running building, expiry, what a restart keeps."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from playwright.sync_api import Page, expect

from ingest.building import facts
from scripts.places import ROOT
from tests.environment.product import Demo, demo
from tests.environment.waiting import free_port, slowness, until
from tests.followed_page import Follower, blocks

pytestmark = [pytest.mark.integration]

CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//smartcis//tests//EN\r\nEND:VCALENDAR\r\n"
EXPIRY_SECONDS, ALLOWED_SECONDS = 3.0, 2.0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """A building without simulated devices."""
    state = tmp_path_factory.mktemp("product") / "state"
    prepare(state)
    with demo(state, SMARTCIS_SIMULATE="0") as product:
        yield product


@pytest.fixture
def device(running: Demo) -> Iterator[Client]:
    client = Client(CallbackAPIVersion.VERSION2, client_id="device")
    client.connect("127.0.0.1", int(running.mqtt_url.rpartition(":")[2]))
    client.loop_start()
    yield client
    client.loop_stop()


def prepare(state: Path) -> None:
    state.mkdir()
    facts.prepare(f"sqlite:///{state / 'facts.db'}")
    (state / "reservations.ics").write_text(CALENDAR)


def smartcis(running: Demo, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "SMARTCIS_STATE": str(running.state)}
    command = [sys.executable, "-m", "app.cli", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


def test_a_query_prints_its_rows_and_then_every_change_until_interrupted(
    running: Demo, device: Client
) -> None:
    environment = {**os.environ, "SMARTCIS_STATE": str(running.state), "PYTHONUNBUFFERED": "1"}
    sql = "SELECT s.desk FROM seats s WHERE s.pressed AND s.desk LIKE 'cli-%'"
    command = [sys.executable, "-m", "app.cli", "query", sql]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as asked:
        assert asked.stdout is not None
        assert asked.stdout.readline() == "desk\n"
        device.publish("building/seat/cli-1", json.dumps({"pressed": True}), qos=1)
        assert asked.stdout.readline() == "+\tcli-1\n"
        device.publish("building/seat/cli-1", json.dumps({"pressed": False}), qos=1)
        assert asked.stdout.readline() == "-\tcli-1\n"
        asked.send_signal(2)
        asked.wait(120)
    assert asked.returncode == 0


def test_explain_prints_sites_rows_and_costs(running: Demo) -> None:
    answer = smartcis(running, "explain", "SELECT machine FROM free_word_machines f")
    assert answer.returncode == 0
    for word in ("stream: Spark", "stream: operators", "table software by machine, package", "cost"):
        assert word in answer.stdout


def test_a_door_is_closed_from_the_command_line_and_says_so(running: Demo, device: Client) -> None:
    def obey(client: Client, _userdata: object, message: MQTTMessage) -> None:
        client.publish(message.topic.removesuffix("/set"), message.payload, qos=1)

    device.on_message = obey
    device.subscribe("building/door/+/set", 1)
    device.publish("building/door/door-1.09", json.dumps({"open": True}), qos=1)
    until(lambda: running.rows("doors_now"), 10, "the door's first word")
    answer = smartcis(running, "door", "door-1.09", "closed")
    assert (answer.returncode, answer.stdout) == (0, "door-1.09 is closed\n"), answer.stderr
    assert [row[-1] for row in running.rows("doors_now")] == [False]
    unknown = smartcis(running, "door", "door-1.08", "closed")
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("unknown door door-1.08")


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT d.rom FROM desks d", "unknown column d.rom in select, line 1; d has desk, room"),
        ("SELECT a FROM dsks", "unknown relation dsks in from, line 1; there are"),
        ("SELECT desk FORM desks", "syntax error at 'desks'"),
    ],
)
def test_a_wrong_query_is_underlined_and_gets_one_line(running: Demo, sql: str, message: str) -> None:
    for verb in ("query", "explain", "sql"):
        answer = smartcis(running, verb, sql)
        assert answer.returncode == 2
        text, underline, told = answer.stderr.splitlines()
        assert text == sql
        assert set(underline.strip()) == {"^"}
        assert told.startswith(message)


def test_without_a_server_the_command_line_says_how_to_start_one(tmp_path: Path) -> None:
    environment = {**os.environ, "SMARTCIS_STATE": str(tmp_path), "SMARTCIS_PORT": str(free_port())}
    command = [sys.executable, "-m", "app.cli", "status"]
    answer = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert answer.returncode == 1
    assert "start it with `make run`" in answer.stderr


def test_a_second_start_says_where_the_first_one_runs(running: Demo) -> None:
    answer = smartcis(running, "run")
    assert answer.returncode == 0
    assert f"runs here already: {running.url}" in answer.stdout


def test_when_all_devices_stop_every_windowed_row_is_gone_in_time(running: Demo, device: Client) -> None:
    ending = time.monotonic() + 2
    pause = threading.Event()
    while time.monotonic() < ending:
        for person in ("ann", "bob"):
            device.publish(f"building/sighting/d-1-01/{person}", '{"rssi": -60.0}', qos=1)
        pause.wait(0.2)
    sql = {"sql": "SELECT person FROM sightings [RANGE 3 SECONDS] s GROUP BY person"}
    last = time.monotonic()
    with running.open("/api/query", sql) as answer:
        lines = (json.loads(line) for line in answer if line.strip())
        held = len(next(lines)["rows"])
        assert held == 2
        while held:
            held += sum(count for count, _ in next(lines).get("changes", []))
    assert time.monotonic() - last < EXPIRY_SECONDS + ALLOWED_SECONDS * slowness()


def test_a_machine_with_an_agent_is_a_device_until_it_is_killed(running: Demo) -> None:
    command = [sys.executable, "-m", "app.cli", "agent", "--broker", running.mqtt_url, "--interval", "1"]
    agent = subprocess.Popen([*command, "--name", "lab-7", "--room", "1.01"], cwd=ROOT)
    try:
        until(
            lambda: asked(running, "SELECT name, room FROM devices") == [["lab-7", "1.01"]], 30, "the device"
        )
        until(lambda: measured(running, "cpu"), 30, "what it measures")
        assert asked(running, STATES) == [["online"]]
        assert 0 < measured(running, "memory")[0][0] <= 100
    finally:
        agent.kill()
        agent.wait()
    until(lambda: asked(running, STATES) == [["offline"]], 30, "its last will")


STATES = "SELECT state FROM device_states"


def measured(running: Demo, quantity: str) -> list[list[float]]:
    return asked(running, f"SELECT value FROM measurements WHERE quantity = '{quantity}'")


def asked(running: Demo, sql: str) -> list[list[Any]]:
    """The rows of a query that is asked once."""
    return list(running.get("/api/statements", {"sql": sql})["outcomes"][0]["rows"])


def test_what_runs_is_in_tables_that_queries_read(running: Demo) -> None:
    costs = "SELECT q.query, q.state FROM queries q JOIN query_costs c ON c.query = q.query"
    until(lambda: ["taken_desks", "running"] in asked(running, costs), 30, "the queries to be told")
    assert asked(running, "SELECT count(*) AS n FROM operators WHERE held > 0")[0][0] > 0


def test_a_killed_parent_leaves_no_process_and_a_view_outlives_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "state"
    prepare(state)
    with demo(state, SMARTCIS_SIMULATE="0") as product:
        created = product.get(
            "/api/views", {"sql": "CREATE VIEW big_rooms AS SELECT room FROM rooms WHERE area > 80.0"}
        )
        assert created == {"view": "big_rooms"}
        rows = sorted(product.rows("big_rooms"))
        assert rows
        family = product.processes()
        product.process.kill()
        until(lambda: not any(alive(process) for process in family), 15, "every process to end")
    with demo(state, SMARTCIS_SIMULATE="0") as product:
        assert sorted(product.rows("big_rooms")) == rows
        assert product.get("/api/views", {"sql": "DROP VIEW big_rooms"}) == {"dropped": "big_rooms"}
        assert "big_rooms" not in [view["name"] for view in product.get("/api/views")]


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def test_whoever_follows_the_page_of_sensors_has_a_new_one_on_the_map(
    running: Demo, tmp_path: Path, page: Page
) -> None:
    """docs/sensors.md, its commands and blocks as they stand: no line of Python."""
    newcomer, done = Follower(tmp_path, running), blocks("sensors")
    for block, (following, _, expected) in zip(done, [*done[1:], ("", "", "")], strict=True):
        newcomer.does(*block)
        if following == "text":
            until(partial(newcomer.is_told, block, expected), 30, f"{expected!r} to be said by {block}")
    assert ["air-17", "1.01"] in [[row[0], row[4]] for row in running.rows("devices")]
    page.goto(running.link())
    page.goto(f"{running.url}/devices")
    expect(page.locator("[data-device='air-17']")).to_contain_text("21.5 °C")
    page.goto(f"{running.url}/#1/1.01")
    card = page.locator("#pane [data-device='air-17']")
    for said in ("21.5 °C", "41.5 %", "on"):
        expect(card).to_contain_text(said)
