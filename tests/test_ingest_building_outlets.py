"""The power units of the simulated lab: their pages, from a real floor, read as sources.yaml says."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.building.design import FOLDER, the_building
from ingest.building.outlets import LAB, outlets
from ingest.building.simulate import _pages
from ingest.building.web_pages import WebPages
from ingest.decoding.pages import PageRows
from ingest.sources import load_sources
from ingest.wrappers.fetching import Address, FetchError, fetch
from ingest.wrappers.pages.rows import rows_of
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import free_port, until

ROOT = Path(__file__).parent.parent


def test_every_machine_of_the_lab_hangs_on_one_outlet():
    building = the_building()
    (lab,) = [room.id for room in building.rooms if room.name == LAB]
    found = list(outlets(building))
    assert {outlet.machine.id for outlet in found} == {m.id for m in building.machines if m.room == lab}
    assert len({(outlet.unit, outlet.number) for outlet in found}) == len(found)


def test_a_floor_shows_pages_that_the_sources_read(mosquitto: Mosquitto, tmp_path: Path):
    port = free_port()
    environment = {
        "SMARTCIS_PDU_URL": f"http://127.0.0.1:{port}",
        "SMARTCIS_DATABASE_URL": "sqlite://",
        "SMARTCIS_STATE": str(tmp_path),
    }
    (source,) = load_sources(FOLDER / "sources.yaml", environment).pages
    command = (
        "-m",
        "ingest.building.simulate",
        "--mqtt",
        mosquitto.url,
        "--part",
        "floor-1",
        "--pages",
        str(port),
    )
    floor = subprocess.Popen([sys.executable, *command], cwd=ROOT, stdin=subprocess.PIPE, env={**os.environ})
    try:
        found = {}
        for one in source.pages:
            until(lambda page=one: is_shown(page.address), 20, "the page of a unit")
            fetched = fetch(one.address)
            for raw in rows_of(source, one, fetched):
                unit, outlet, watts, kwh, at = PageRows(source).decode(raw, 7)
                found[unit, outlet] = watts, kwh, at
        assert set(found) == {(outlet.unit, outlet.number) for outlet in outlets(the_building())}
        assert all(watts >= 3 and kwh >= 900 and at == 7 for watts, kwh, at in found.values())
    finally:
        floor.stdin.close()
        floor.wait(120)


def is_shown(address: Address) -> bool:
    try:
        return fetch(address).body is not None
    except FetchError:
        return False


def test_a_page_that_is_known_is_not_sent_again():
    pages = WebPages(0)
    pages.start()
    try:
        pages.show("/a", "<p>1")
        url = f"http://127.0.0.1:{pages.port}/a"
        first = fetch(Address(url))
        assert first.body == b"<p>1"
        assert fetch(Address(url), first.validators).body is None
        pages.show("/a", "<p>2")
        assert fetch(Address(url), first.validators).body == b"<p>2"
        with pytest.raises(FetchError, match="404"):
            fetch(Address(f"{url}b"))
    finally:
        pages.close()


def test_a_port_that_is_taken_costs_the_pages_alone(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert _pages(taken.getsockname()[1]) is None
    assert "power units: no pages at port" in capsys.readouterr().err
