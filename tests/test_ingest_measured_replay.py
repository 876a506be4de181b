"""However the log is cut, read again, or read on after a restart: mapped devices are the same, row by row."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.model.reading import Reading
from engine.model.relation import REJECTS
from ingest.discovery.acquainted import acquainted
from ingest.discovery.relations import DEVICES, ENTITIES, MEASUREMENTS
from ingest.log import Entry, Log
from ingest.reader import LogReader
from ingest.sources import parse_sources

SOURCES = parse_sources(
    """
mqtt:
  climate:
    topic: climate/{room}/{sensor}
    columns: {room: text, sensor: text, c: {type: double, unit: °C}, wet: {type: boolean, optional: true}}
    measures: {device: sensor, room: room, values: {c: temperature, wet: moisture}}
  meters:
    topic: meters
    each: meters
    columns: {meter: {type: text, path: "#"}, watts: {type: double, path: "@", unit: W}}
    measures: {device: meter}
""",
    {},
)
KEYED = {DEVICES.name: 1, ENTITIES.name: 1}


def entries(random: Random) -> list[Entry]:
    found = []
    for _ in range(60):
        sensor = random.choice("abc")
        match random.randrange(4):
            case 0:
                words: dict[str, Any] = {"room": "1.09", "disabled": random.random() < 0.3}
                if random.random() < 0.4:
                    words = {"forgotten": True}
                found.append(Entry("registry", random.choice((sensor, "m1")), json.dumps(words).encode()))
            case 1:
                watts = {f"m{n}": random.randrange(9) for n in range(random.randrange(3))}
                found.append(Entry("mqtt", "meters", json.dumps({"meters": watts}).encode(), 1))
            case _:
                said = {"c": random.choice((20, 21.5, "warm"))} | (
                    {"wet": True} if random.random() < 0.3 else {}
                )
                found.append(
                    Entry("mqtt", f"climate/1.0{ord(sensor) - 96}/{sensor}", json.dumps(said).encode(), 1)
                )
    return found


class Tables:
    """What the readings come to: rows by key, and all measurements."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, Any], Any] = {}
        self.measured: list[Reading] = []

    def of(self, table: str) -> list[Any]:
        return [row for (name, _), row in self.rows.items() if name == table]

    def take(self, readings: Any) -> None:
        for reading in readings:
            if reading.relation == MEASUREMENTS.name:
                self.measured.append(reading)
            elif reading.relation in KEYED:
                place = (reading.relation, reading.row[0])
                if reading.sign > 0:
                    self.rows[place] = reading.row
                elif self.rows.get(place) == reading.row:
                    del self.rows[place]


@pytest.mark.parametrize("seed", range(25))
def test_mapped_devices_are_a_function_of_the_logs_prefix(seed: int, tmp_path: Path) -> None:
    random, url = Random(seed), f"sqlite:///{tmp_path}/log.db"
    with Log(url) as log:
        for entry in entries(random):
            log.append([entry])
        end = log.last().offset
    whole, cut = Tables(), Tables()
    whole.take(LogReader(url, SOURCES).read(0).readings)
    at, reader = 0, LogReader(url, SOURCES, max_rows=3)
    while at < end:
        if random.random() < 0.2:
            reader = LogReader(url, SOURCES, max_rows=random.randrange(1, 9))
            reader.before = acquainted(at, cut.of(DEVICES.name), cut.of(ENTITIES.name))
        batch = reader.read(at)
        if random.random() < 0.3:
            batch = reader.read(at)
        cut.take(batch.readings)
        at = batch.end
    assert cut.measured == whole.measured
    assert cut.rows == whole.rows


@pytest.mark.parametrize("relation", ["climate", "meters", MEASUREMENTS.name, REJECTS.name])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_read_back_for_one_relation_is_what_was_read_of_it(
    relation: str, seed: int, tmp_path: Path
) -> None:
    random, url = Random(seed), f"sqlite:///{tmp_path}/log.db"
    announced = {"~": "state", "stat_t": "~/x", "uniq_id": "x", "dev": {"ids": ["x"]}}
    with Log(url) as log:
        log.append([Entry("mqtt", "homeassistant/sensor/x/config", json.dumps(announced).encode(), 1)])
        log.append([*entries(random), *[Entry("mqtt", f"state/{name}", b"5", 1) for name in "xy"]])
    whole = [each for each in LogReader(url, SOURCES).read(0).readings if each.relation == relation]
    assert whole
    reader = LogReader(url, SOURCES)
    for _ in range(5):
        start = random.randrange(60)
        found = [each for each in reader.read(start, relation).readings if each.relation == relation]
        assert found == [each for each in whole if each.offset > start]
