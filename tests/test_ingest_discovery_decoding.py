"""Announcements and states in the log become rows, from wherever the log is read."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from engine.model.reading import Reading
from ingest.decoding.decoder import Decoder
from ingest.discovery import forms, homeassistant
from ingest.discovery.known import Announcement
from ingest.discovery.registry import REGISTRY_SOURCE
from ingest.log import Entry, Log, Record
from ingest.reader import LogReader
from ingest.sources import Sources, parse_sources
from tests.discovery_fuzz import is_sound, messages

CONFIG = "homeassistant/sensor/{}/config"
DECLARED = parse_sources(
    "mqtt: {climate: {topic: 's/{device}', columns: {device: text, t: {type: double, optional: true}}}}", {}
)


def sensor(name: str, device: str = "d1", **more: Any) -> bytes:
    found = {"uniq_id": name, "stat_t": f"s/{device}", "dev": {"ids": [device]}, **more}
    return json.dumps(found).encode()


def templated(name: str, template: str, **more: Any) -> bytes:
    return sensor(name, val_tpl=template, **more)


class House:
    """Decodes one entry after the other."""

    def __init__(self, sources: Sources = Sources()) -> None:  # noqa: B008
        self._decoder, self._offset = Decoder(sources), 0

    def hear(self, topic: str, body: bytes | str, source: str = "mqtt") -> list[Reading]:
        self._offset += 1
        payload = body.encode() if isinstance(body, str) else body
        readings = self._decoder.decode(Record(self._offset, 99, source, topic, None, payload))
        assert [each.ordinal for each in readings] == list(range(len(readings)))
        return readings

    def measured(self, body: bytes | str, topic: str = "s/d1") -> list[tuple[Any, ...]]:
        return [(r.row[0], *r.row[3:6]) for r in self.hear(topic, body) if r.relation == "measurements"]

    def reasons(self, topic: str, body: bytes | str) -> list[str]:
        return [str(r.row[2]) for r in self.hear(topic, body) if r.relation == "rejects"]


def test_one_message_measures_all_the_entities_that_it_speaks_of() -> None:
    house = House()
    house.hear(
        CONFIG.format("t"), templated("t", "{{ value_json.t }}", unit_of_meas="°C", dev_cla="temperature")
    )
    house.hear(CONFIG.format("m"), templated("m", "{{ value_json.mode }}"))
    (reading, other) = house.hear("s/d1", '{"t": 21.5, "mode": "eco"}')
    assert reading == ("measurements", 1, ("sensor.t", "d1", "temperature", 21.5, None, "°C", 99), 3, 0, 99)
    assert other.row == ("sensor.m", "d1", "mode", None, "eco", None, 99)


@pytest.mark.parametrize(
    ("body", "value", "text"),
    [
        ("21.5", 21.5, None), (" 7 ", 7.0, None), ("-1e3", -1000.0, None), ("nan", None, None),
        ("None", None, None), ("unknown", None, None),
    ],
)  # fmt: skip
def test_what_has_a_unit_is_a_number_or_nothing(body: str, value: float | None, text: str | None) -> None:
    house = House()
    house.hear(CONFIG.format("t"), sensor("t", unit_of_meas="W"))
    assert house.measured(body) == [("sensor.t", value, text, "W")]


@pytest.mark.parametrize(
    ("body", "value", "text"), [("1.10", 1.1, "1.10"), ("heating", None, "heating"), ("1_0", None, "1_0")]
)
def test_what_has_no_unit_keeps_its_text(body: str, value: float | None, text: str | None) -> None:
    house = House()
    house.hear(CONFIG.format("t"), sensor("t"))
    assert house.measured(body) == [("sensor.t", value, text, None)]


def test_an_empty_state_says_nothing() -> None:
    house = House()
    house.hear(CONFIG.format("t"), sensor("t", unit_of_meas="W"))
    assert house.hear("s/d1", "") == house.hear("s/d1", "  ") == []


def test_on_and_off_are_one_and_zero_by_the_words_that_the_device_names() -> None:
    house = House()
    contact = templated("c", "{{ value_json.contact }}", pl_on=False, pl_off=True, dev_cla="door")
    house.hear("homeassistant/binary_sensor/c/config", contact)
    house.hear("homeassistant/switch/s/config", sensor("s", "d2", stat_on="1", pl_on="an"))
    assert house.measured('{"contact": true}') == [("binary_sensor.c", 0.0, "True", None)]
    assert house.measured('{"contact": false}') == [("binary_sensor.c", 1.0, "False", None)]
    assert house.measured("1", "s/d2") == [("switch.s", 1.0, "1", None)]
    assert house.measured("OFF", "s/d2") == [("switch.s", 0.0, "OFF", None)]
    assert house.reasons("s/d2", "an") == ["entity switch.s: found 'an'; expected '1' or 'OFF'"]


def test_what_cannot_be_read_is_a_reject_that_names_the_entity() -> None:
    house = House()
    house.hear(CONFIG.format("t"), templated("t", "{{ value_json.a.t }}", unit_of_meas="W"))
    assert house.reasons("s/d1", "{") == [
        "entity sensor.t: payload is not JSON: Expecting property name enclosed in double quotes: "
        "line 1 column 2 (char 1)"
    ]
    assert house.reasons("s/d1", '{"b": 1}') == [
        "entity sensor.t: the payload has no a, which the template needs for a.t"
    ]
    assert house.reasons("s/d1", '{"a": {"t": "x"}}') == ["entity sensor.t: found 'x'; expected a number"]
    assert house.reasons("s/d1", b'"' + b"x" * 100_001) == [
        "a state of 100002 bytes; at most 100000 are read"
    ]
    assert house.reasons("s/d1", '{"a": {"t": [1]}}') == ["entity sensor.t: found an array; expected a value"]
    assert house.reasons("s/d1", '{"a": {"t": 1' + "0" * 400 + "}}")[0].endswith("expected a finite number")


def test_a_message_that_speaks_of_one_entity_is_no_reject_for_the_others() -> None:
    house = House()
    house.hear(CONFIG.format("t"), templated("t", "{{ value_json.a.t }}"))
    house.hear(CONFIG.format("u"), templated("u", "{{ value_json.u }}"))
    assert house.measured('{"u": 1}') == [("sensor.u", 1.0, None, None)]
    assert house.reasons("s/d1", '{"u": 1}') == []


def test_a_template_that_is_not_understood_is_told_when_it_is_announced_and_its_entity_is_known() -> None:
    house = House()
    said = house.hear(CONFIG.format("t"), templated("t", "{{ states('sensor.x') }}"))
    assert [r.relation for r in said] == ["devices", "entities", "rejects"]
    reason = "the template's states asks other entities; it may ask value and value_json alone"
    assert said[2].row[2] == f"state_topic: {reason}"
    assert house.hear("s/d1", "1") == []


def test_a_disabled_device_measures_nothing_and_is_no_reject() -> None:
    house = House()
    house.hear(CONFIG.format("t"), sensor("t"))
    (device,) = house.hear("d1", '{"disabled": true, "room": "1.01"}', REGISTRY_SOURCE)
    assert device.row == ("d1", None, None, None, "1.01", None, None, None, True)
    assert house.hear("s/d1", "1") == []


def test_a_declared_stream_and_an_announced_entity_may_share_a_topic() -> None:
    house = House(DECLARED)
    house.hear(CONFIG.format("t"), templated("t", "{{ value_json.t }}"))
    assert [r.relation for r in house.hear("s/d1", '{"t": 1}')] == ["climate", "measurements"]


def test_an_entry_that_we_fail_at_is_a_reject_and_the_next_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house, fails = House(), iter((True, True, False))
    read = homeassistant.read

    def failing(topic: str, body: bytes) -> Announcement:
        if next(fails):
            raise ZeroDivisionError
        return read(topic, body)

    monkeypatch.setitem(forms._FORMS, "homeassistant", failing)
    assert house.reasons(CONFIG.format("t"), sensor("t")) == ["internal: ZeroDivisionError:"]
    monkeypatch.setattr(house._decoder._discovered, "take", lambda *_: failing("", b""))
    assert house.reasons(CONFIG.format("t"), sensor("t")) == ["internal: ZeroDivisionError:"]
    monkeypatch.undo()
    house.hear(CONFIG.format("t"), sensor("t"))
    assert house.measured("1") == [("sensor.t", 1.0, "1", None)]


def random_log(log: Log, chance: random.Random) -> None:
    for _ in range(60):
        device, name = f"d{chance.randrange(3)}", f"n{chance.randrange(3)}"
        body = sensor(name, device, unit_of_meas=chance.choice(("W", "V")))
        log.append([Entry("mqtt", CONFIG.format(name), chance.choice((body, body, b"")))])
        log.append([Entry("mqtt", f"s/{device}", str(chance.random()).encode())] * chance.randrange(3))
        if chance.random() < 0.2:
            said = {"disabled": chance.random() < 0.5, "forgotten": chance.random() < 0.2}
            log.append([Entry(REGISTRY_SOURCE, device, json.dumps(said).encode())])


@pytest.mark.parametrize("seed", range(5))
def test_wherever_reading_starts_and_however_it_is_cut_each_entry_is_decoded_as_ever(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    url = f"sqlite:///{tmp_path / 'log.db'}"
    with Log(url) as log:
        random_log(log, chance)
        end = log.last().offset
    whole = LogReader(url, Sources()).read(0).readings
    assert {reading.relation for reading in whole} >= {"devices", "entities", "measurements"}
    reader = LogReader(url, Sources(), max_rows=7)
    for _ in range(12):
        start = chance.randrange(end)
        batch = reader.read(start)
        assert batch.readings == [r for r in whole if start < r.offset <= batch.end]


def decode_hostile(seed: int, count: int) -> dict[str, int]:
    decoder = Decoder(Sources())
    seen = dict.fromkeys(("devices", "entities", "measurements", "rejects"), 0)
    for record in messages(random.Random(seed), count):
        readings = decoder.decode(record)
        assert [each.ordinal for each in readings] == list(range(len(readings)))
        assert all(map(is_sound, readings)), (record, readings)
        for each in readings:
            seen[each.relation] += 1
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_whatever_devices_send_becomes_sound_rows_or_a_reject(seed: int) -> None:
    assert min(decode_hostile(seed, 1_000).values()) > 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 105))
def test_a_hundred_thousand_hostile_messages_become_sound_rows_or_rejects(seed: int) -> None:
    assert min(decode_hostile(seed, 20_000).values()) > 1_000
