"""A building of one's own on the command line, on its page, and its facts in the database."""

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from app.building import read_building
from app.building_views import building_views
from app.cli import main
from app.roles import Role
from app.settings import read_settings
from app.wayfinding import VIEWS, binder
from engine.lang.streamsql import CreateView
from engine.model.catalog import Catalog
from engine.model.errors import SourceError
from ingest.building import facts
from ingest.importing.folder import write_folder
from ingest.importing.importer import import_building
from ingest.importing.seeding import prepare
from ingest.sources import load_sources
from ingest.wrappers.database.schema import reflect
from tests.memory_engine import MemoryEngine
from tests.osm_buildings import HOSTILE, station
from tests.web_parts import ORIGIN, client_of, web_over

DESK = {"kind": "desk", "id": "d1", "floor": 0, "x": 12.0, "y": 7.0, "machine": "host-1"}
DETECTOR = {"kind": "detector", "id": "rfid-1", "floor": 1, "x": 5.0, "y": 28.0}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["building", *arguments])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "station.geojson"
    path.write_text(json.dumps(station()))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_folder(import_building(json.dumps(station()).encode(), "station.geojson"), tmp_path / "station")
    return tmp_path / "station"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'facts.db'}"


def rows(url: str, question: str) -> list[Any]:
    engine = sa.create_engine(url)
    try:
        with engine.begin() as connection:
            found = connection.exec_driver_sql(question)
            return [tuple(row) for row in found] if found.returns_rows else []
    finally:
        engine.dispose()


def test_an_import_makes_a_folder_that_can_be_started_checked_and_exported(
    file: Path, tmp_path: Path
) -> None:
    into, out = tmp_path / "into", tmp_path / "out.geojson"
    done = run("import", str(file), "--into", str(into), "--name", HOSTILE)
    assert done.exit_code == 0, done.output
    assert "tower, level 7: its level 7 is not connected" in done.output
    assert read_building(into).name == HOSTILE
    assert read_settings({"SMARTCIS_BUILDING": str(into)}).building == into
    found = load_sources(
        into / "sources.yaml", {"SMARTCIS_BUILDING": str(into), "SMARTCIS_DATABASE_URL": "sqlite://"}
    )
    assert {"seats", "door_states", "outlet_power"} <= {stream.name for stream in found.streams}
    checked = run("check", str(into))
    assert checked.exit_code == 3
    assert "no way leads from an entrance to room tower" in checked.output
    assert run("export", str(into), str(out)).exit_code == 0
    exported = {each["id"]: each["properties"] for each in json.loads(out.read_text())["features"]}
    for feature in station()["features"]:
        if feature["id"] in exported:
            assert exported[feature["id"]] == feature["properties"]


def test_every_view_of_the_map_and_every_way_can_be_made_of_an_import(folder: Path, url: str) -> None:
    prepare(url, folder)
    environment = {"SMARTCIS_BUILDING": str(folder), "SMARTCIS_DATABASE_URL": url}
    sources = load_sources(folder / "sources.yaml", environment)
    catalog = Catalog((*sources.relations(), *reflect(url, facts.TABLES)))
    script = building_views(folder)
    bind = binder(catalog, script)
    made = [each.name for each in script if isinstance(each, CreateView)]
    assert {"taken_desks", "reserved_rooms", "machine_power", "room_points"} <= set(made)
    for name in made:
        assert bind(f"SELECT * FROM {name}").columns
    for plan in VIEWS.values():
        assert plan(bind).columns


def test_an_import_overwrites_nothing_of_anybody_else(file: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused = run("import", str(file), "--into", str(tmp_path))
    assert refused.exit_code == 2
    assert "has something else in it" in refused.output
    into = tmp_path / "into"
    run("import", str(file), "--into", str(into))
    (into / "views.sql").write_text("-- mine\n")
    again = run("import", str(file), "--into", str(into))
    assert "kept as people have them: sources.yaml, views.sql" in again.output
    assert (into / "views.sql").read_text() == "-- mine\n"


@pytest.mark.parametrize("body", ["", "[]", '{"type": "FeatureCollection", "features": [{}]}'])
def test_a_wrong_file_is_one_line_and_exit_code_2(body: str, tmp_path: Path) -> None:
    (tmp_path / "bad.geojson").write_text(body)
    refused = run("import", str(tmp_path / "bad.geojson"), "--into", str(tmp_path / "into"))
    assert refused.exit_code == 2
    assert len(refused.output.strip().splitlines()) == 1
    assert not (tmp_path / "into").exists()


def test_what_people_changed_in_the_facts_stays_through_another_import(folder: Path, url: str) -> None:
    prepare(url, folder)
    assert rows(url, "SELECT name FROM rooms WHERE room = 'office'") == [("office",)]
    rows(url, "UPDATE rooms SET name = 'Lost and found' WHERE room = 'office'")
    rows(url, "DELETE FROM doors WHERE door = (SELECT min(door) FROM doors)")
    before = rows(url, "SELECT count(*) FROM doors")
    changed = station()
    for feature in changed["features"]:
        if feature["properties"].get("ref") in ("office", "attic"):
            feature["properties"]["name"] = "Renamed"
    changed["features"] = [f for f in changed["features"] if f["properties"].get("ref") != "tower"]
    write_folder(import_building(json.dumps(changed).encode(), "station.geojson"), folder)
    told = prepare(url, folder)
    assert told.kept >= 2
    named = dict(rows(url, "SELECT room, name FROM rooms"))
    assert named["office"] == "Lost and found"
    assert named["attic"] == "Renamed"
    assert "tower" not in named
    assert rows(url, "SELECT count(*) FROM doors") <= before
    assert prepare(url, folder) == (0, 0)


def test_the_facts_of_another_building_are_not_mixed_with_these(folder: Path, url: str) -> None:
    facts.prepare(url)
    with pytest.raises(SourceError, match="facts of another building"):
        prepare(url, folder)


def test_what_is_placed_is_on_the_map_and_in_the_facts(folder: Path, url: str, tmp_path: Path) -> None:
    prepare(url, folder)
    web = web_over(MemoryEngine(), tmp_path / "state", building=folder, facts_url=url)
    client = client_of(web, Role.ADMIN)
    said = client.post("/api/building/placed", json={"things": [DESK, DETECTOR]}, headers=ORIGIN)
    assert said.status_code == 200, said.get_json()
    assert client.get("/api/building/placed").get_json()["things"] == [DESK, {**DETECTOR, "machine": None}]
    drawn = {
        f["properties"]["id"] for p in client.get("/api/building").get_json()["plans"] for f in p["features"]
    }
    assert {"d1", "host-1", "rfid-1"} <= drawn
    assert rows(url, "SELECT desk, room, point FROM desks") == [("d1", "kiosk", "rkiosk")]
    assert rows(url, "SELECT machine, desk, room FROM machines") == [("host-1", "d1", "kiosk")]
    assert rows(url, "SELECT detector, floor FROM detectors") == [("rfid-1", 1)]
    client.post("/api/building/placed", json={"things": []}, headers=ORIGIN)
    assert rows(url, "SELECT * FROM desks") == []


@pytest.mark.parametrize(
    ("things", "problem"),
    [
        ([{**DESK, "x": 300}], "is in no room"),
        ([DESK, DESK], "stands there twice"),
        ([{**DESK, "id": "a/b#"}], "is no name"),
        ([{**DESK, "floor": 99}], "which the building does not have"),
        ([{**DESK, "x": "12"}], "has no place"),
        ([{"kind": "cat"}], "of kind desk or detector"),
        ("none", "things is no list"),
    ],
)
def test_what_cannot_be_placed_is_said(
    things: Any, problem: str, folder: Path, url: str, tmp_path: Path
) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path / "s", building=folder, facts_url=url), Role.ADMIN)
    said = client.post("/api/building/placed", json={"things": things}, headers=ORIGIN)
    assert said.status_code == 400
    assert problem in said.get_json()["error"]
    assert not (folder / "placed.geojson").exists()


def test_a_file_is_imported_on_the_page(file: Path, tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path / "state"), Role.ADMIN)
    address = "/api/building/imports?name=--help&frame=metres"
    said = client.post(address, data=file.read_bytes(), headers=ORIGIN)
    assert said.status_code == 201, said.get_json()
    answer = said.get_json()
    assert answer["report"]["name"] == "--help"
    assert Path(answer["folder"]).parent == tmp_path / "state" / "buildings"
    assert {each["room"] for each in answer["report"]["unreachable"]} == {"tower", "store"}
    bad = client.post("/api/building/imports", data=b"[", headers=ORIGIN)
    assert bad.status_code == 400
    assert "it is no JSON" in bad.get_json()["error"]
    assert client.post("/api/building/imports?frame=feet", data=b"", headers=ORIGIN).status_code == 400
    assert "not imported" in client.get("/api/building/placed").get_json()["fixed"]
    assert client.get("/building").status_code == 200


def test_only_an_admin_brings_buildings(tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.OPERATOR)
    assert client.post("/api/building/imports", data=b"{}", headers=ORIGIN).status_code == 403
    assert client.get("/api/building/placed").status_code == 403
