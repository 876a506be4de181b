"""Pages polled from a real web server: JSON and HTML tables become rows, what cannot be read is a reject."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import main
from engine.model.clock import ManualClock
from engine.model.relation import RelationKind
from engine.model.values import Row
from ingest.decoding.decoder import Decoder
from ingest.log import Log, Record
from ingest.log.writer import LogWriter
from ingest.sources import parse_sources
from ingest.wrapper import SourceState
from ingest.wrappers.pages.wrapper import PageWrapper
from tests.environment.waiting import until
from tests.environment.web_server import WebServer, web_server

HTML = """
pages:
  units:
    url: {url}/status
    headers: {{X-Token: "${{TOKEN}}"}}
    table: {{caption: outlets}}
    key: [outlet]
    columns:
      outlet: bigint
      watts: {{type: double, header: Power, unit: W}}
      kwh: {{type: double, header: Energy, optional: true, unit: kWh}}
      state: {{type: boolean, "true": [ON], "false": [OFF], optional: true}}
      unit: {{type: text, from: page}}
      site: {{type: text, value: cellar}}
"""
JSON = """
pages:
  meters:
    urls: {{a: "{url}/a", b: "{url}/b"}}
    each: outlets
    as: stream
    key: [unit, name]
    columns:
      unit: {{type: text, from: page}}
      name: text
      watts: {{type: double, path: power.now, scale: 0.1}}
      room: {{type: text, path: $.room}}
      at: {{type: timestamp, from: arrival}}
"""
HEAD = "<table><tr><th>x</table><table><caption>Outlets</caption><tr><th>Outlet<th>Power<th>Energy<th>State"


def page(*rows: str) -> bytes:
    lines = ["<tr><td>" + row.replace("|", "<td>") for row in rows]
    return f"{HEAD}{''.join(lines)}</table>".encode()


class Polled:
    """The wrappers of a section, their log, and what its entries decode to."""

    def __init__(self, text: str, folder: Path, served: WebServer) -> None:
        self.sources = parse_sources(text.format(url=served.url), {"TOKEN": "secret"})
        self.log = Log(f"sqlite:///{folder}/log.db", ManualClock(1_000))
        (source,) = self.sources.pages
        self.wrappers = [PageWrapper(source, one, ManualClock()) for one in source.pages]
        self.writer = LogWriter(self.log)
        self.writer.start()
        for wrapper in self.wrappers:
            wrapper._ending.set()
            wrapper.open(self.writer, self.log)
        self.at = self.log.last().offset

    def step(self) -> list[tuple[int, Row]]:
        """Poll each once; what came of it, rejects with the sign 0."""
        for wrapper in self.wrappers:
            wrapper.step()
        self.writer.close()
        self.writer = LogWriter(self.log)
        self.writer.start()
        for wrapper in self.wrappers:
            wrapper._writer = self.writer
        decoder, records = Decoder(self.sources), self.log.read(self.at)
        self.at = self.log.last().offset
        readings = [reading for record in records for reading in decoder.decode(record)]
        return [(0 if r.relation == "rejects" else r.sign, r.row) for r in readings]

    def close(self) -> None:
        self.writer.close()
        self.log.close()


@pytest.fixture
def served() -> Iterator[WebServer]:
    with web_server() as found:
        yield found


def test_a_table_is_kept_by_its_key(served: WebServer, tmp_path: Path) -> None:
    polled = Polled(HTML, tmp_path, served)
    served.says(200, page("1|12.3 W|1,234.56 kWh|ON", "2|1.2 kW||OFF", "|||"))
    first, second = (1, 12.3, 1234.56, True, "units", "cellar"), (2, 1200.0, None, False, "units", "cellar")
    assert polled.step() == [(1, first), (1, second)]
    assert served.asked[0].headers["x-token"] == "secret"
    assert polled.step() == []
    served.says(200, page("2|7 W||OFF"))
    changed = (2, 7.0, None, False, "units", "cellar")
    assert polled.step() == [(-1, first), (-1, second), (1, changed)]
    assert polled.sources.pages[0].relation().kind is RelationKind.TABLE
    polled.close()
    again = Polled(HTML, tmp_path, served)
    assert again.step() == [], "a start knows what was logged"
    again.close()


def test_a_page_that_did_not_change_is_not_sent_again(served: WebServer, tmp_path: Path) -> None:
    polled = Polled(HTML, tmp_path, served)
    served.says(200, page("1|5 W||"), ETag='"v1"')
    assert len(polled.step()) == 1
    served.says(304)
    assert polled.step() == []
    assert served.asked[1].headers["if-none-match"] == '"v1"'
    assert polled.wrappers[0].health().state is SourceState.LIVE
    polled.close()


def test_a_row_that_cannot_be_read_is_a_reject_and_the_others_stand(
    served: WebServer, tmp_path: Path
) -> None:
    polled = Polled(HTML, tmp_path, served)
    served.says(200, page("1|n/a||", "2|3 V||", "3|1,23 W||", "4|8 W||"))
    *rejects, (sign, row) = polled.step()
    assert (sign, row[:2]) == (1, (4, 8.0))
    reasons = [row[2] for _, row in rejects]
    assert reasons[0] == "table units: column watts: found 'n/a'; expected a finite number, sent as text"
    assert reasons[1] == "table units: column watts: found the unit V; expected W"
    assert "found '1,23 W'" in reasons[2]
    assert json.loads(str(rejects[0][1][3]))["outlet"] == "1"
    served.says(200, page("4|8 W||"))
    assert polled.step() == [], "what was rejected when it came is not told again when it goes"
    polled.close()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<p>login", "the page has no table of caption outlets; there are none"),
        (b"<table id=a><tr><th>x</table>", "there are 1 (id a; x)"),
        (
            b"<table><caption>OUTLETS</caption><tr><th>Outlet<th>Watt</table>",
            "no header Power for column watts",
        ),
        (
            b"<table><caption>outlets</caption><tr><th>Power<th>Power<th>Outlet</table>",
            "the table has 2 headers Power for column watts; there are Power, Power, Outlet",
        ),
    ],
)
def test_a_page_that_is_another_keeps_the_last_rows_and_says_so_once(
    served: WebServer, tmp_path: Path, body: bytes, reason: str
) -> None:
    polled = Polled(HTML, tmp_path, served)
    served.says(200, page("1|5 W||"))
    assert len(polled.step()) == 1
    served.says(200, body)
    ((sign, row),) = polled.step()
    assert sign == 0
    assert reason in str(row[2])
    assert str(row[3]).startswith("<")
    assert polled.step() == []
    assert polled.wrappers[0].health().state is SourceState.FAILING
    polled.close()


def test_rows_of_one_key_are_told(served: WebServer, tmp_path: Path) -> None:
    polled = Polled(HTML, tmp_path, served)
    served.says(200, page("1|5 W||", "1|6 W||"))
    (sign, row), (_, reject) = polled.step()
    assert (sign, row[1]) == (1, 6.0)
    assert "a row has the key of another" in str(reject[2])
    polled.close()


def test_a_server_that_fails_is_left_alone_for_longer(served: WebServer, tmp_path: Path) -> None:
    polled = Polled(HTML, tmp_path, served)
    served.says(503, retry_after="77")
    assert polled.step() == []
    health = polled.wrappers[0].health()
    assert (health.state, "503" in health.problem) == (SourceState.FAILING, True)
    assert polled.wrappers[0].pause() == 77
    served.says(200, page("1|5 W||"))
    polled.step()
    assert polled.wrappers[0].pause() == 10
    polled.close()


def test_a_poll_comes_when_the_server_wants_it_or_is_hastened(served: WebServer, tmp_path: Path) -> None:
    served.says(503, retry_after="60")
    text = HTML.replace("    key: [outlet]", "    key: [outlet]\n    poll_seconds: 0.05")
    (source,) = parse_sources(text.format(url=served.url), {"TOKEN": "secret"}).pages
    log = Log(f"sqlite:///{tmp_path}/log.db")
    writer, wrapper = LogWriter(log), PageWrapper(source, source.pages[0], ManualClock())
    writer.start()
    wrapper.open(writer, log)
    until(lambda: wrapper.health().state is SourceState.FAILING, 5, "the first poll")
    threading.Event().wait(0.4)
    assert len(served.asked) == 1
    served.says(200, page("1|5 W||"))
    wrapper.hasten()
    until(lambda: wrapper.health().state is SourceState.LIVE, 5, "the next poll")
    wrapper.close()
    writer.close()
    log.close()


def test_a_stream_of_json_has_what_is_new_or_changed(served: WebServer, tmp_path: Path) -> None:
    polled = Polled(JSON, tmp_path, served)

    def says(*outlets: tuple[str, object]) -> None:
        found = [{"name": name, "power": {"now": now}} for name, now in outlets]
        served.says(200, json.dumps({"room": "1.01", "outlets": found}).encode())

    says(("o1", 123), ("o2", 10))
    first = polled.step()
    assert first[:2] == [(1, ("a", "o1", 12.3, "1.01", 1_000)), (1, ("a", "o2", 1.0, "1.01", 1_000))]
    assert [row[0] for _, row in first] == ["a", "a", "b", "b"]
    says(("o2", 20), ("o3", None))
    found = polled.step()[:2]
    assert found[0] == (1, ("a", "o2", 2.0, "1.01", 1_000))
    assert found[1][0] == 0
    assert polled.sources.pages[0].relation().kind is RelationKind.STREAM
    polled.close()


def test_a_stream_without_a_key_has_all_rows_of_every_answer(served: WebServer, tmp_path: Path) -> None:
    text = 'pages: {{t: {{url: "{url}", format: json, columns: {{n: bigint}}}}}}'
    polled = Polled(text, tmp_path, served)
    served.says(200, b'{"n": 5}')
    assert [polled.step(), polled.step()] == [[(1, (5,))]] * 2
    served.says(304)
    assert polled.step() == []
    served.says(200, b'{"n": "5"}')
    assert polled.step()[0][0] == 0
    served.says(200, b'{"n": 5')
    assert "page is not JSON" in str(polled.step()[0][1][2])
    polled.close()


def test_what_a_page_measures_is_of_devices_as_any_other(served: WebServer, tmp_path: Path) -> None:
    measures = "    measures: {{device: unit, room: site, values: {{watts: power}}}}\n    columns:"
    polled = Polled(HTML.replace("    columns:", measures, 1), tmp_path, served)
    served.says(200, page("1|5 W||"))
    row, measurement, device, entity = polled.step()
    assert row[1][:2] == (1, 5.0)
    assert (device[1][0], entity[1][:2]) == ("units", ("units/power", "units"))
    assert measurement == (1, ("units/power", "units", "power", 5.0, None, "W", 1_000))
    served.says(200, page())
    assert [sign for sign, _ in polled.step()] == [-1], "a row that goes measures nothing"
    polled.close()


def test_the_example_of_the_docs_is_read():
    text = (Path(__file__).parent.parent / "docs" / "meters.md").read_text("utf-8")
    pages, beacons = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    units, heat = parse_sources(pages, {"PDU_PASSWORD": "p"}).pages
    assert [page.source for page in units.pages] == ["page:power_units/pdu-1", "page:power_units/pdu-2"]
    assert (units.is_stream, heat.is_stream, heat.is_json) == (True, False, True)
    decoder = Decoder(replace(parse_sources(beacons, {}), pseudonym_key=b"k"))
    heard = Record(1, 77, "mqtt", "home/hall/BTtoMQTT/A4C138", None, b'{"id": "A4:C1:38", "rssi": -61}')
    (reading,) = decoder.decode(heard)
    assert (reading.row[0], reading.row[2:]) == ("hall", (-61.0, 77))
    assert str(reading.row[1]).startswith("p-")


def test_pages_are_tried_before_they_are_used(served: WebServer, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("SMARTCIS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("TOKEN", "secret")
    file = tmp_path / "sources.yaml"
    file.write_text(HTML.format(url=served.url), "utf-8")

    def tried() -> tuple[int, list[str]]:
        done = CliRunner().invoke(main, ["sources", "try", str(file)])
        return done.exit_code, done.stdout.splitlines()

    served.says(200, page("1|12.3 W||ON"))
    row = "  outlet=1  watts=12.3  kwh=NULL  state=true  unit=units  site=cellar"
    assert tried() == (0, ["units: 1 rows and 0 rejects", row])
    served.says(200, page("1|12.3 V||"))
    code, lines = tried()
    assert (code, lines[0]) == (3, "units: 0 rows and 1 rejects")
    assert lines[1] == "  rejected: column watts: found the unit V; expected W"
    assert "watts=12.3 V" in lines[2]
    served.says(200, b"<p>")
    assert tried() == (3, ["units: the page has no table of caption outlets; there are none"])
    served.says(404)
    assert "answers 404" in tried()[1][0]
    assert "right, 1 page" in CliRunner().invoke(main, ["sources", "check", str(file)]).stdout
