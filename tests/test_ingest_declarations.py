"""Relations that are declared in the log: each entry is decoded by what was declared when it came."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from ingest.declarations import WRITTEN_SOURCE, dropping, entry_of, in_force, read_declaration, rows_of
from ingest.log import Entry, Log
from ingest.reader import LogReader
from ingest.sources import Sources, parse_sources

OTHER = "mqtt: {seats: {topic: 'seat/{desk}', columns: {desk: text, pressed: boolean}}}"
HUMIDITY = {"topic": "air/{room}", "columns": {"room": "text", "value": "double"}}
NOTED = {"topic": "air/{room}", "columns": {"room": "text", "note": "text"}}
OWNERS = Relation(
    "owners",
    RelationKind.TABLE,
    (Column("room", Type.TEXT, nullable=False), Column("person", Type.TEXT)),
    ("room",),
)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log(f"sqlite:///{tmp_path / 'log.db'}") as made:
        yield made


def stream(spec: dict[str, Any]) -> Entry:
    return entry_of({"name": "humidity", "kind": "stream", "wrapper": "mqtt", "spec": spec})


def said(room: str, **payload: object) -> Entry:
    return Entry("mqtt", f"air/{room}", json.dumps(payload).encode())


def decoded(
    log: Log, tmp_path: Path, start: int = 0, sources: Sources | None = None
) -> list[tuple[str, Row]]:
    reader = LogReader(f"sqlite:///{tmp_path / 'log.db'}", sources or parse_sources(OTHER, {}))
    found = []
    while (batch := reader.read(start)).end > start:
        found += [(reading.relation, reading.row) for reading in batch.readings]
        start = batch.end
    return found


def rows(found: list[tuple[str, Row]], relation: str = "humidity") -> list[Row]:
    return [row for name, row in found if name == relation]


def test_a_message_is_decoded_by_a_declaration_before_it_and_rejected_without_one(
    log: Log, tmp_path: Path
) -> None:
    log.append([said("1.01", value=1.0), stream(HUMIDITY), said("1.02", value=2.0)])
    found = decoded(log, tmp_path)
    assert rows(found) == [("1.02", 2.0)]
    assert [row[1:3] for row in rows(found, "rejects")] == [("air/1.01", "no source declares topic air/1.01")]


def test_a_name_that_is_declared_again_has_the_rows_of_the_later_one_only(log: Log, tmp_path: Path) -> None:
    log.append([stream(HUMIDITY), said("1.01", value=1.0), dropping("humidity"), said("1.01", value=2.0)])
    log.append([stream(NOTED), said("1.01", note="damp")])
    found = decoded(log, tmp_path)
    assert rows(found) == [("1.01", "damp")]
    assert len(rows(found, "rejects")) == 1, "what came while nothing was declared"


def test_a_reader_that_begins_behind_a_declaration_knows_it_though_its_entry_was_trimmed(
    log: Log, tmp_path: Path
) -> None:
    log.append([stream(HUMIDITY), said("1.01", value=1.0), said("1.01", value=2.0)])
    with log._engine.begin() as connection:
        connection.exec_driver_sql('DELETE FROM log WHERE "offset" < 3')
    assert rows(decoded(log, tmp_path, start=2)) == [("1.01", 2.0)]


def test_a_reader_that_is_open_learns_what_is_declared_later(log: Log, tmp_path: Path) -> None:
    reader = LogReader(f"sqlite:///{tmp_path / 'log.db'}", Sources())
    log.append([said("1.01", value=1.0)])
    assert reader.read(0).declared == ()
    log.append([stream(HUMIDITY), said("1.01", value=2.0)])
    batch = reader.read(1)
    assert [relation.name for relation in batch.declared] == ["humidity"]
    assert [reading.row for reading in batch.readings] == [("1.01", 2.0)]
    assert reader.since("humidity") == 2


def test_rows_that_people_write_come_and_go(log: Log, tmp_path: Path) -> None:
    columns = [[column.name, str(column.type), column.nullable] for column in OWNERS.columns]
    body = {"name": "owners", "kind": "table", "wrapper": "", "columns": columns, "key": ["room"]}
    log.append([entry_of(body), rows_of(OWNERS, 1, [("1.01", "ann"), ("1.02", None)])])
    log.append([rows_of(OWNERS, -1, [("1.02", None)])])
    reader = LogReader(f"sqlite:///{tmp_path / 'log.db'}", Sources())
    found = [(reading.sign, reading.row) for reading in reader.read(0).readings]
    assert found == [(1, ("1.01", "ann")), (1, ("1.02", None)), (-1, ("1.02", None))]
    (declaration,) = in_force(read_declaration(*each) for each in log.declared())
    assert declaration.relation == Relation(**{**_fields(OWNERS), "source": WRITTEN_SOURCE})


def test_a_name_that_the_building_has_itself_is_the_buildings(log: Log, tmp_path: Path) -> None:
    sources = parse_sources("mqtt: {humidity: {topic: 'own/{room}', columns: {room: text}}}", {})
    log.append([stream(HUMIDITY), said("1.01", value=1.0), Entry("mqtt", "own/1.02", b"{}")])
    assert rows(decoded(log, tmp_path, sources=sources)) == [("1.02",)]


def _fields(relation: Relation) -> dict[str, Any]:
    return {name: getattr(relation, name) for name in Relation.__dataclass_fields__}
