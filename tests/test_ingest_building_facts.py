"""The facts database: migrated, seeded once, joined by the views."""

import os
from pathlib import Path

import sqlalchemy as sa

from engine.plan.functions.geometry import area, contains, region_of
from ingest.building.design import FOLDER, the_building
from ingest.building.facts import TABLES, prepare, rows
from ingest.sources import load_sources


def counts(url: str) -> dict[str, int]:
    engine = sa.create_engine(url)
    tables = sa.MetaData()
    with engine.connect() as connection:
        tables.reflect(connection, only=TABLES)
        return {
            name: connection.scalar(sa.select(sa.func.count()).select_from(tables.tables[name]))
            for name in TABLES
        }


def check_prepared_twice(url: str) -> None:
    wanted = {name: len(list(rows(the_building(), name))) for name in TABLES}
    prepare(url)
    assert counts(url) == wanted
    prepare(url)
    assert counts(url) == wanted


def test_sqlite_is_migrated_and_seeded_and_a_second_start_changes_nothing(tmp_path: Path):
    check_prepared_twice(f"sqlite:///{tmp_path / 'facts.db'}")


def test_postgresql_is_migrated_and_seeded_and_a_second_start_changes_nothing(postgres: str):
    check_prepared_twice(postgres)


def test_what_somebody_has_changed_stays(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'facts.db'}"
    prepare(url)
    with sa.create_engine(url).begin() as connection:
        connection.execute(sa.text("DELETE FROM software WHERE package = 'Word'"))
        connection.execute(sa.text("UPDATE rooms SET name = 'Lab Perlman' WHERE room = '1.01'"))
    prepare(url)
    with sa.create_engine(url).connect() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM software WHERE package = 'Word'")) == 0
        assert connection.scalar(sa.text("SELECT name FROM rooms WHERE room = '1.01'")) == "Lab Perlman"


def test_an_older_database_gets_the_tables_it_lacks_and_nothing_else(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'facts.db'}"
    prepare(url)
    with sa.create_engine(url).begin() as connection:
        connection.execute(sa.text("DROP TABLE doors"))
        connection.execute(sa.text("DROP TABLE outlines"))
        connection.execute(sa.text("DROP TABLE outlets"))
        connection.execute(sa.text("UPDATE building_version SET version_num = '0001'"))
        connection.execute(sa.text("DELETE FROM software"))
    prepare(url)
    assert counts(url)["doors"] == len(the_building().contacts)
    assert counts(url)["software"] == 0


def test_the_polled_tables_have_the_keys_and_columns_the_views_use(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'facts.db'}"
    prepare(url)
    tables = sa.MetaData()
    tables.reflect(sa.create_engine(url))
    keys = {name: [column.name for column in tables.tables[name].primary_key] for name in TABLES}
    assert keys["software"] == ["machine", "package"]
    assert keys["routing_segments"] == ["segment"]
    assert {"room", "name", "kind", "floor", "open_lab"} <= set(tables.tables["rooms"].columns.keys())
    assert {"machine", "desk", "room", "host", "cpu_type"} <= set(tables.tables["machines"].columns.keys())


def test_the_sources_declare_every_table_and_stream():
    environment = {**os.environ, "SMARTCIS_DATABASE_URL": "sqlite://", "SMARTCIS_STATE": "/state"}
    sources = load_sources(FOLDER / "sources.yaml", environment)
    streams = {relation.name for relation in sources.relations()}
    assert {
        "seats",
        "lights",
        "temperatures",
        "energy",
        "sightings",
        "machine_states",
        "door_states",
    } <= streams
    assert {"recorded", "reserved"} <= streams
    assert set(sources.databases[0].tables) == set(TABLES)


def test_every_machine_stands_inside_the_outline_of_its_room():
    building = the_building()
    outlines = {row["room"]: region_of(row["outline"]) for row in rows(building, "outlines")}
    areas = {row["room"]: row["area"] for row in rows(building, "rooms")}
    assert all(outlines.values())
    for room, outline in outlines.items():
        assert abs(area(outline) - areas[room]) < 1
    for desk in rows(building, "desks"):
        inside = [
            room
            for room, outline in outlines.items()
            if room.split(".")[0] == desk["room"].split(".")[0] and contains(outline, (desk["x"], desk["y"]))
        ]
        assert inside == [desk["room"]]


def test_some_open_lab_has_machines_with_word_and_no_machine_has_a_package_twice():
    building = the_building()
    open_labs = {room.id for room in building.rooms if room.open_lab}
    with_word = [m for m in building.machines if m.room in open_labs and "Word" in dict(m.packages)]
    assert len(with_word) >= 20
    assert all(len(m.packages) == len(dict(m.packages)) for m in building.machines)
