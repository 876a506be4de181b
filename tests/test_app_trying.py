"""`smartcis sources check` and `try`: a file of sources before it is used."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from paho.mqtt.publish import single

from app.book.rendering import FOLDER
from app.cli import main
from ingest.log import Entry, Log
from ingest.sources.columns import KEYS as COLUMN_KEYS
from ingest.sources.places import line_of
from ingest.sources.streams import KEYS as STREAM_KEYS
from ingest.sources.units import TABLE
from tests.environment.mosquitto import Mosquitto
from tests.followed_page import blocks

CLIMATE = """\
topic: climate/{room}/{sensor}
columns:
  room: text
  sensor: text
  celsius: {type: double, path: temp, unit: °F, as: °C, min: -40, max: 60}
key: [room, sensor]
window: PARTITION BY room, sensor ROWS 1
"""
WHOLE = """\
# a building
mqtt:
  climate:
    topic: climate/{room}
    columns:
      room: text
      celsius:
        type: duble
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SMARTCIS_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("SMARTCIS_MQTT_URL", raising=False)
    return tmp_path


def smartcis(*words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, ["sources", *words], input=given)


def written(folder: Path, text: str, name: str = "sources.yaml") -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


def test_a_whole_file_a_section_and_one_stream_are_each_checked(folder: Path) -> None:
    one = written(folder, CLIMATE)
    assert "right, 1 stream" in smartcis("check", one).stdout
    section = "climate:\n" + "\n".join(f"  {line}" for line in CLIMATE.splitlines())
    assert "right, 1 stream" in smartcis("check", "-", given=section).stdout
    repository = Path(__file__).parents[1] / "ingest" / "building" / "sources.yaml"
    assert "11 streams, 1 database, 1 calendar, 3 gateways" in smartcis("check", str(repository)).stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WHOLE, "sources.yaml, line 8: type of column celsius of stream climate is duble; expected one of"),
        (CLIMATE.replace("°F", "°G"), "sources.yaml, line 5: unit of column celsius of stream sources is °G"),
        (CLIMATE.replace("[room, sensor]", "[rom]"), "line 6: key of stream sources names rom, which is no"),
        (
            CLIMATE.replace("PARTITION BY room, sensor", "PARTITION BY rom"),
            "line 7: window of stream",
        ),
        (
            CLIMATE.replace("  room: text\n", ""),
            "line 1: topic climate/{room}/{sensor} of stream sources names",
        ),
        (CLIMATE + "windw: ROWS 1\n", "line 8: unknown key windw in stream sources; expected"),
        (WHOLE.replace("topic", "topik"), "line 4: unknown key topik in stream climate; expected"),
        (WHOLE + "  : 5\n - x", "sources.yaml is not YAML at line 9"),
        ("a: ${NOWHERE}", "names ${NOWHERE}, which is not set in the environment"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line_with_its_place(folder: Path, text: str, expected: str) -> None:
    found = smartcis("check", written(folder, text))
    assert expected in found.stderr
    assert found.stderr.count("\n") == 1
    assert found.exit_code == 2
    assert smartcis("try", written(folder, text)).exit_code == 2


def test_a_file_that_is_not_there_is_said(folder: Path) -> None:
    found = smartcis("check", str(folder / "none.yaml"))
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert "cannot be read" in found.stderr


def test_the_longest_name_in_an_error_is_its_place() -> None:
    text = "mqtt:\n  a: {topic: x}\n  a b:\n    topic: y\n"
    assert line_of(text, "topic of stream a b is wrong") == 4
    assert line_of(text, "stream a is wrong") == 2
    assert line_of(text, "nothing is wrong") is None


def test_what_a_broker_keeps_is_tried_and_told(folder: Path, mosquitto: Mosquitto) -> None:
    messages = {
        "climate/1.01/a": b'{"temp": 70.7}',
        "climate/1.01/b": b'{"temp": 1000}',
        "climate/1.02/c": b"\xff",
        "lamp/7": b"on \x1b[31m",
        "homeassistant/sensor/x/config": b"{}",
        "building/seat/1.01-d01": b'{"pressed": true}',
    }
    for topic, payload in messages.items():
        single(topic, payload, qos=1, retain=True, port=mosquitto.port)
    found = smartcis(
        "try", written(folder, CLIMATE, "climate.yaml"), "--mqtt", mosquitto.url, "--seconds", "0.3"
    )
    assert found.stdout.splitlines() == [
        "climate: 1 rows and 2 rejects of 3 messages",
        "  climate/1.01/a  room=1.01  sensor=a  celsius=21.5",
        "  rejected: column celsius: found 537.7777777777778; expected at most 60",
        '    climate/1.01/b  {"temp": 1000}',
        "  rejected: payload is not UTF-8 at byte 0",
        "    climate/1.02/c  \N{REPLACEMENT CHARACTER}",
        "announced by devices themselves: 1 messages",
        "not mapped: 1 topics",
        "  lamp/7  on \\u001b[31m",
    ]
    assert found.exit_code == 3


def test_a_person_is_not_shown_by_a_trial_either(folder: Path, mosquitto: Mosquitto) -> None:
    single("badge/ann", b'{"at": 1}', qos=1, retain=True, port=mosquitto.port)
    single("badge/bob", b'{"at": "bob"}', qos=1, retain=True, port=mosquitto.port)
    text = "topic: 'badge/{who}'\ncolumns: {who: {type: text, pseudonym: true}, at: bigint}"
    found = smartcis("try", "-", "--mqtt", mosquitto.url, "--seconds", "0.3", given=text)
    assert "stream: 1 rows and 1 rejects of 2 messages" in found.stdout
    assert "badge/{who}  who=p-" in found.stdout
    assert "ann" not in found.stdout


def test_the_log_of_what_runs_here_can_be_tried_instead(folder: Path) -> None:
    file = written(folder, CLIMATE)
    (folder / "state").mkdir()
    with Log(f"sqlite:///{folder / 'state' / 'log.db'}") as log:
        log.append([Entry("clock", "", b"")])
        assert smartcis("try", file, "--log").exit_code == 1
        log.append([Entry("mqtt", "climate/1.01/a", b'{"temp": 32}', 1)])
    found = smartcis("try", file, "--log")
    assert "celsius=0.0" in found.stdout
    assert found.exit_code == 0


def test_without_a_broker_it_is_said_what_to_do(folder: Path) -> None:
    file = written(folder, CLIMATE)
    found = smartcis("try", file)
    assert (found.exit_code, "name a broker with --mqtt" in found.stderr) == (1, True)
    found = smartcis("try", file, "--mqtt", "mqtt://127.0.0.1:1")
    assert found.exit_code == 1
    assert "nothing can be heard from the broker at mqtt://127.0.0.1:1: " in found.stderr


def test_the_page_has_every_unit_and_every_key_of_a_stream_and_a_column() -> None:
    page = (FOLDER / "sensors.md").read_text("utf-8")
    for row in TABLE.values():
        assert all(f"`{each.split(' ')[0]}`" in page for each in row.split(", "))
    for key in STREAM_KEYS | COLUMN_KEYS - {"type"}:
        assert re.search(rf"`{key}[`:]", page), key


def test_what_the_page_puts_into_sources_yaml_is_right(folder: Path) -> None:
    named = {name: text for _, name, text in blocks("sensors")}
    for name in ("sources.yaml", "climate.yaml", "several.yaml"):
        assert smartcis("check", written(folder, named[name], name)).exit_code == 0
