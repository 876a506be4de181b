"""The building's facts in a database: the tables' migrations, and their rows from the design.

`prepare(url)` brings the schema up to date and fills the tables that were not there before. Rows that
somebody has changed since are left alone. The tables are meant to be polled and joined; they have no
foreign keys, so an operator may correct one table after another. Nothing else of SmartCIS knows these
tables but by their reflected names.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from ingest.building.design import the_building
from ingest.building.elements import Building
from ingest.building.outlets import outlets

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "building_version"
TABLES = (
    "rooms", "desks", "machines", "software", "equipment",
    "detectors", "routing_points", "routing_segments", "entrances", "doors", "outlines",
    "outlets",
)  # fmt: skip
metadata = sa.MetaData()
Fact = dict[str, Any]


def prepare(url: str) -> None:
    """Migrate, and seed the tables that this makes, in one transaction."""
    engine = sa.create_engine(url)
    try:
        with engine.begin() as connection:
            only_one(connection)
            before = sa.inspect(connection).get_table_names()
            migrate(connection)
            seed(connection, the_building(), [name for name in TABLES if name not in before])
    finally:
        engine.dispose()


def migrate(connection: sa.Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def seed(connection: sa.Connection, building: Building, names: Sequence[str]) -> None:
    tables = sa.MetaData()
    tables.reflect(connection, only=names)
    for name in names:
        connection.execute(sa.insert(tables.tables[name]), list(rows(building, name)))


def rows(building: Building, table: str) -> Iterator[Fact]:
    """The rows of one table, as the design has them."""
    yield from _ROWS[table](building)


def only_one(connection: sa.Connection) -> None:
    """Two starts at once wait for each other; on SQLite the write lock does it."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('smartcis building facts'))"))
    elif connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _rooms(building: Building) -> Iterator[Fact]:
    for room in building.rooms:
        x, y = room.middle
        yield {
            "room": room.id, "name": room.name, "kind": room.kind, "floor": room.floor,
            "open_lab": room.open_lab, "area": room.area, "x": x, "y": y, "point": f"r{room.id}",
        }  # fmt: skip


def _outlines(building: Building) -> Iterator[Fact]:
    for room in building.rooms:
        corners = ", ".join(f"{x} {y}" for x, y in (*room.outline, room.outline[0]))
        yield {"room": room.id, "floor": room.floor, "outline": f"POLYGON(({corners}))"}


def _desks(building: Building) -> Iterator[Fact]:
    for desk in building.desks:
        x, y = desk.middle
        yield {"desk": desk.id, "room": desk.room, "floor": desk.floor, "x": x, "y": y, "point": desk.point}


def _machines(building: Building) -> Iterator[Fact]:
    for machine in building.machines:
        yield {
            "machine": machine.id, "desk": machine.desk, "room": machine.room, "floor": machine.floor,
            "host": machine.host, "cpu_type": machine.cpu_type, "cores": machine.cores,
            "memory_gb": machine.memory_gb, "gpu": machine.gpu,
        }  # fmt: skip


def _software(building: Building) -> Iterator[Fact]:
    for machine in building.machines:
        for package, version in machine.packages:
            yield {"machine": machine.id, "package": package, "version": version}


def _equipment(building: Building) -> Iterator[Fact]:
    for found in building.equipment:
        yield {"room": found.room, "item": found.item, "pieces": found.pieces}


def _detectors(building: Building) -> Iterator[Fact]:
    for detector in building.detectors:
        x, y = detector.place
        yield {"detector": detector.id, "floor": detector.floor, "x": x, "y": y}


def _points(building: Building) -> Iterator[Fact]:
    for point in building.points:
        x, y = point.place
        yield {
            "point": point.id,
            "floor": point.floor,
            "x": x,
            "y": y,
            "kind": point.kind,
            "room": point.room,
        }


def _segments(building: Building) -> Iterator[Fact]:
    for way in building.segments:
        yield {
            "segment": way.id, "a": way.a, "b": way.b,
            "metres": way.metres, "seconds": way.seconds, "way": way.way,
        }  # fmt: skip


def _entrances(building: Building) -> Iterator[Fact]:
    for found in building.entrances:
        x, y = found.place
        yield {
            "entrance": found.id, "name": found.name, "floor": found.floor, "x": x, "y": y,
            "point": found.point, "step_free": found.step_free,
        }  # fmt: skip


def _doors(building: Building) -> Iterator[Fact]:
    for door in building.contacts:
        (x1, y1), (x2, y2) = door.ends
        yield {
            "door": door.id, "name": door.name, "kind": door.kind, "floor": door.floor,
            "x1": x1, "y1": y1, "x2": x2, "y2": y2, "segment": door.segment,
        }  # fmt: skip


def _outlets(building: Building) -> Iterator[Fact]:
    for found in outlets(building):
        yield {"unit": found.unit, "outlet": found.number, "machine": found.machine.id}


_ROWS = {
    "rooms": _rooms, "desks": _desks, "machines": _machines, "software": _software,
    "equipment": _equipment, "detectors": _detectors, "routing_points": _points,
    "routing_segments": _segments, "entrances": _entrances, "doors": _doors,
    "outlines": _outlines, "outlets": _outlets,
}  # fmt: skip
