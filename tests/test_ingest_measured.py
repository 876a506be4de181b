"""Rows of mapped streams are measurements, as those of discovered devices are."""

import json

import pytest

from engine.model.reading import Reading
from engine.model.relation import REJECTS
from ingest.decoding.decoder import Decoder
from ingest.decoding.measured import met_under
from ingest.decoding.messages import Messages
from ingest.discovery.known import Met
from ingest.discovery.registry import Registry
from ingest.discovery.relations import DEVICES, ENTITIES, MEASUREMENTS
from ingest.log import Record
from ingest.sources import Sources, parse_sources

AT = 1_769_851_815_000_000
CLIMATE = """
mqtt:
  climate:
    topic: climate/{room}/{sensor}
    columns:
      room: text
      sensor: text
      fahrenheit: {type: double, unit: °F, as: °C, optional: true}
      motion: {type: boolean, true: [yes], false: [no], optional: true}
      mode: {type: text, optional: true}
    measures:
      device: sensor
      room: room
      values: {fahrenheit: temperature, motion: motion, mode: mode}
      expire_after: 10 minutes
"""


def decoder(text: str = CLIMATE) -> Decoder:
    return Decoder(Sources(parse_sources(text, {}).streams))


def said(made: Decoder | Messages, topic: str, payload: object, relation: str | None = None) -> list[Reading]:
    found = made.decode(Record(7, AT, "mqtt", topic, None, json.dumps(payload).encode()))
    assert [reading.ordinal for reading in found] == list(range(len(found)))
    return [reading for reading in found if relation in (None, reading.relation)]


def test_each_declared_value_of_a_row_is_a_measurement_in_the_columns_unit() -> None:
    payload = {"fahrenheit": 70.7, "motion": "yes", "mode": "auto"}
    found = said(decoder(), "climate/1.01/a7", payload)
    assert found[0].relation == "climate"
    assert [reading.row for reading in found if reading.relation == MEASUREMENTS.name] == [
        ("a7/temperature", "a7", "temperature", 21.5, None, "°C", AT),
        ("a7/motion", "a7", "motion", 1.0, "on", None, AT),
        ("a7/mode", "a7", "mode", None, "auto", None, AT),
    ]


def test_what_a_row_lacks_or_has_wrong_is_no_measurement() -> None:
    made = decoder()
    assert len(said(made, "climate/1.01/a7", {"motion": "no"}, MEASUREMENTS.name)) == 1
    (reading,) = said(made, "climate/1.01/a7", {"fahrenheit": "hot"})
    assert reading.relation == REJECTS.name


def test_a_device_is_known_from_its_first_measurement_on_and_told_once() -> None:
    made = decoder()
    first = said(made, "climate/1.01/a7", {"fahrenheit": 70.7})
    again = said(made, "climate/1.01/a7", {"fahrenheit": 71.6})
    devices = [r.row for r in first if r.relation == DEVICES.name and r.sign == 1]
    assert [(row[0], row[4]) for row in devices] == [("a7", "1.01")]
    (entity,) = [r.row for r in first if r.relation == ENTITIES.name and r.sign == 1]
    assert entity[:2] == ("a7/temperature", "a7")
    assert entity[-3:] == ("°C", "climate/1.01/a7", 600.0)
    assert {reading.relation for reading in again} == {"climate", MEASUREMENTS.name}


def test_a_disabled_device_measures_nothing_and_its_rows_stay() -> None:
    registry = Registry()
    made = Messages(parse_sources(CLIMATE, {}).streams, registry=registry)
    said(made, "climate/1.01/a7", {"fahrenheit": 70.7})
    registry.take(8, "registry", "a7", b'{"disabled": true}')
    assert {each.relation for each in said(made, "climate/1.01/a7", {"fahrenheit": 71.6})} == {"climate"}


SENML = """
mqtt:
  packs:
    topic: packs/{site}
    format: senml
    event_time: t
    columns:
      site: text
      t: {type: timestamp, from: seconds}
      device: {type: text, path: base}
      quantity: {type: text, path: name, optional: true}
      v: {type: double, optional: true}
      u: {type: text, optional: true}
    measures: {device: device, quantity: quantity, value: v, unit: u}
"""


def test_records_say_themselves_what_they_measure_and_when() -> None:
    pack = [{"bn": "d1:", "n": "temp", "u": "Cel", "v": 20, "t": -2}, {"n": "door", "vb": True}, {"v": 3}]
    assert [r.row for r in said(decoder(SENML), "packs/x", pack, MEASUREMENTS.name)] == [
        ("d1/temp", "d1", "temp", 20.0, None, "°C", AT - 2_000_000),
        ("d1/value", "d1", "value", 3.0, None, None, AT),
    ]


@pytest.mark.parametrize(
    ("text", "topic", "expected"),
    [
        (CLIMATE, "climate/1.01/a7", ["temperature", "motion", "mode"]),
        (SENML, "packs/x", []),
    ],
)
def test_a_topic_alone_tells_what_is_measured_where_nothing_of_it_is_in_the_payload(
    text: str, topic: str, expected: list[str]
) -> None:
    (stream,) = parse_sources(text, {}).streams
    met = met_under(stream, topic)
    assert [each.quantity for each in met] == expected
    if met:
        assert met[0] == Met("a7", "1.01", "a7/temperature", "temperature", "°C", topic, 600.0)


def test_several_columns_name_a_device_where_one_is_its_own_in_a_room_alone() -> None:
    text = CLIMATE.replace("device: sensor", "device: [room, sensor]")
    found = said(decoder(text), "climate/1.01/window", {"fahrenheit": 70.7}, MEASUREMENTS.name)
    assert [reading.row[:3] for reading in found] == [
        ("1.01/window/temperature", "1.01/window", "temperature")
    ]
    (stream,) = parse_sources(text, {}).streams
    assert {each.device for each in met_under(stream, "climate/1.01/window")} == {"1.01/window"}
