"""smartcis record and smartcis replay, as people use them; where the whole is shown, slowly."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from app.cli import main
from app.settings import read_settings
from engine.model.errors import SourceError
from ingest.log import Entry, Log, Record
from ingest.recordings.file import read_recording, write_recording
from tests.environment.mosquitto import Mosquitto
from tests.environment.product import demo
from tests.environment.recompute import recompute
from tests.environment.waiting import until

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "tests" / "recordings" / "demo.jsonl.gz"
SECOND = 1_000_000


def run(*arguments: str, **environment: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, arguments, env=environment)
    return found.exit_code, found.output.strip()


def test_what_comes_is_recorded_until_it_is_told_to_end(tmp_path: Path) -> None:
    log = Log(f"sqlite:///{tmp_path}/log.db")
    log.append([Entry("mqtt", "before", b"1")])
    file = tmp_path / "r.jsonl"
    environment = {**os.environ, "SMARTCIS_STATE": str(tmp_path)}
    command = [sys.executable, "-m", "app.cli", "record", str(file), "--source", "mqtt"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    until(file.exists, 20, "the recording to begin")

    def is_recorded() -> bool:
        log.append([Entry("mqtt", "after", b"2"), Entry("db:x", "changes", b"{}")])
        return file.stat().st_size > 0

    until(is_recorded, 20, "an entry to be recorded")
    process.send_signal(signal.SIGINT)
    assert b"entries in" in process.communicate(timeout=240)[0]
    assert {each.topic for each in read_recording(file)} == {"after"}


def test_what_was_is_recorded_too(tmp_path: Path) -> None:
    Log(f"sqlite:///{tmp_path}/log.db").append([Entry("mqtt", "before", b"1")])
    file = tmp_path / "r.jsonl.gz"
    said = run("record", str(file), "--past", "60", "--for", "0", SMARTCIS_STATE=str(tmp_path))
    assert said == (0, f"1 entries in {file}")
    assert [each.topic for each in read_recording(file)] == ["before"]


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    code, said = run("record", str(file), "--for", "0", SMARTCIS_STATE=str(tmp_path / "none"))
    assert (code, said.startswith("Error: there is no log at")) == (1, True)
    assert run("replay", str(file)) == (1, f"Error: cannot open {file}: No such file or directory")
    assert "speed is fast; expected a number above 0" in run("replay", str(DEMO), "--speed", "fast")[1]
    Log(f"sqlite:///{tmp_path}/log.db").append([Entry("mqtt", "before", b"1")])
    code, said = run("replay", str(DEMO), SMARTCIS_STATE=str(tmp_path))
    assert (code, "holds what was received; name an empty folder" in said) == (1, True)
    with pytest.raises(SourceError, match="goes with no simulation"):
        read_settings({"SMARTCIS_RECORDING": str(DEMO), "SMARTCIS_SIMULATE": "1"})
    with pytest.raises(SourceError, match="is no file"):
        read_settings({"SMARTCIS_RECORDING": "/no/where"})


def test_its_messages_go_to_a_broker_as_if_devices_spoke(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    heard: list[tuple[str, bytes]] = []
    client = Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: heard.append((message.topic, message.payload))
    client.connect("127.0.0.1", broker.port)
    client.subscribe("#", 1)
    client.loop_start()
    until(client.is_connected, 10, "a listener")
    file = tmp_path / "r.jsonl"
    topics = [("mqtt", f"seat/d{n}") for n in range(700)]
    others = [("mqtt", "gateway/floor-1/state"), ("db:facts", "changes"), ("clock", "")]
    records = [Record(n, n, *each, None, b"%d" % n) for n, each in enumerate([*topics, *others], 1)]
    write_recording(file, records)
    assert run("replay", str(file), "--speed", "max", "--mqtt", broker.url) == (0, "700 messages sent")
    until(lambda: len(heard) == 700, 10, "all messages to arrive")
    assert heard == [(each.topic, each.payload) for each in records[:700]]
    client.loop_stop()
    broker.stop()
    code, said = run("replay", str(file), "--mqtt", broker.url)
    assert (code, said.startswith(f"Error: cannot connect to {broker.url}")) == (1, True)


@pytest.mark.slow
@pytest.mark.parametrize("speed", ["30", "1000000000"])
def test_a_replayed_demo_shows_what_was(tmp_path: Path, speed: str) -> None:
    settings = {"SMARTCIS_RECORDING": str(DEMO), "SMARTCIS_SPEED": speed}
    with demo(tmp_path, **settings) as running:
        last = list(read_recording(DEMO))[-1].received
        log = Log(f"sqlite:///{tmp_path}/log.db")
        until(lambda: log.last().received >= last, 120, "the recording to end")
        expected = recompute(f"sqlite:///{tmp_path}/log.db", f"sqlite:///{tmp_path}/facts.db", tmp_path)
        for view in ("taken_desks", "free_word_machines", "reserved_rooms", "dark_rooms", "people"):
            rows = sorted(repr(row[:2]) for row in expected[view].elements())  # times are said otherwise

            def is_shown(name: str = view, rows: list[str] = rows) -> bool:
                threading.Event().wait(0.5)  # a query that was left keeps its place for a while
                return sorted(repr(tuple(row[:2])) for row in running.rows(name)) == rows

            until(is_shown, 60, f"{view} to be what it was")
