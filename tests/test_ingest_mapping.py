"""Mapping without code: paths, elements, units, encodings and rules make typed rows, or say why not."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.model.relation import REJECTS
from ingest.decoding.decoder import Decoder
from ingest.log import Record
from ingest.sources import Sources, parse_sources
from ingest.sources.units import OTHER_NAMES, TABLE, UNITS

AT = 1_769_851_815_000_000
KEY = b"k" * 32


def sources(stream: str) -> Sources:
    found = parse_sources(f"mqtt: {{s: {{{stream}}}}}", {})
    return Sources(found.streams, pseudonym_key=KEY)


def decode(stream: str, payload: object, topic: str = "t") -> list[Reading]:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return Decoder(sources(stream)).decode(Record(7, AT, "mqtt", topic, None, body))


def rows(stream: str, payload: object, topic: str = "t") -> list[Any]:
    """The rows, or the reasons why there are none."""
    found = decode(stream, payload, topic)
    assert [reading.ordinal for reading in found] == list(range(len(found)))
    return [reading.row[2] if reading.relation == REJECTS.name else reading.row for reading in found]


def column(spec: str, sent: object, kind: str = "double") -> Any:
    (found,) = rows(f"topic: t, columns: {{x: {{type: {kind}, {spec}}}}}", {"x": sent})
    return found[0] if isinstance(found, tuple) else found


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b", 1),
        ("$.a.b", 1),
        ("list[0].b", 2),
        ("list[-1][1]", 4),
        ('["odd.key"]', 5),
        ('a["odd.key"][0]', 6),
        ("a.missing", None),
        ("list[9]", None),
        ("list.b", None),
        ("a[0]", None),
    ],
)
def test_a_path_leads_to_one_value(path: str, expected: object) -> None:
    payload = {"a": {"b": 1, "odd.key": [6]}, "list": [{"b": 2}, [3, 4]], "odd.key": 5}
    assert rows(f"topic: t, columns: {{x: {{type: bigint, optional: true, path: '{path}'}}}}", payload) == [
        (expected,)
    ]


EACH = """
    topic: 't/{station}', each: readings,
    columns: {station: text, n: {type: text, path: '#', from: number}, device: {type: text, path: $.device},
              c: {type: double, path: value}}
"""


def test_each_element_of_an_array_is_a_row_or_a_reject_of_its_own() -> None:
    payload = {"device": "d", "readings": [{"value": 1}, {"value": "x"}, 5, {"value": 2}]}
    assert rows(EACH, payload, "t/a") == [
        ("a", "0", "d", 1.0),
        "stream s: column c: found 'x'; expected a finite number",
        "stream s: element 2 is a number; expected an object",
        ("a", "3", "d", 2.0),
    ]


def test_each_member_of_an_object_is_a_row_and_its_name_the_place() -> None:
    payload = {"device": "d", "readings": {"in": {"value": 1}, "out": {"value": 2}}}
    assert rows(EACH, payload, "t/a") == [("a", "in", "d", 1.0), ("a", "out", "d", 2.0)]
    plain = "topic: t, each: '@', columns: {x: {type: bigint, path: '@'}}"
    assert rows(plain, [3, 4]) == [(3,), (4,)]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"device": "d"}, "at readings the payload has nothing; expected an array or an object"),
        ({"readings": 5}, "at readings the payload has a number; expected an array or an object"),
        ({"readings": [0] * 10_001}, "has 10001 elements; at most 10000 are decoded"),
    ],
)
def test_a_payload_without_the_array_is_a_reject(payload: object, expected: str) -> None:
    (reason,) = rows(EACH, payload, "t/a")
    assert expected in reason


def test_of_no_elements_there_are_no_rows() -> None:
    assert rows(EACH, {"readings": []}, "t/a") == []


@pytest.mark.parametrize(
    ("kind", "sent", "expected"),
    [
        ("double", b" 21.50\n", 21.5),
        ("bigint", b"-3", -3),
        ("boolean", b"true", True),
        ("text", b" hello \r\n", "hello"),
        ("timestamp", b"2026-01-31T09:30:15Z", AT),
        ("timestamp", str(AT).encode(), AT),
        ("double", b"1e999", "column x: found inf; expected a finite number"),
        ("double", b"nan", "column x: found 'nan'; expected a finite number, sent as text"),
        ("double", b"\xd9\xa1", "expected a finite number, sent as text"),
        ("bigint", b"1_000", "column x: found '1_000'; expected an integer of 64 bits"),
        ("boolean", b"TRUE", "column x: found 'TRUE'; expected one of 'true', true, 'false', false"),
        ("text", b"\xff", "payload is not UTF-8 at byte 0"),
        ("text", b"", "column x: the payload is empty"),
    ],
)
def test_a_plain_payload_is_the_value(kind: str, sent: bytes, expected: object) -> None:
    (found,) = rows(f"topic: 't/{{d}}', format: plain, columns: {{d: text, x: {kind}}}", sent, "t/a")
    assert found == ("a", expected) if isinstance(found, tuple) else str(expected) in found


@pytest.mark.parametrize(
    ("spec", "sent", "expected"),
    [
        ("unit: °F, as: °C", 70.7, 21.5),
        ("unit: F, as: Cel", -40, -40.0),
        ("unit: K, as: °C", 273.15, 0.0),
        ("unit: kW, as: W", 0.1, 100.0),
        ("unit: mW, as: W", 1500, 1.5),
        ("unit: J, as: kWh", 3_600_000, 1.0),
        ("unit: Pa, as: hPa", 101_325, 1013.25),
        ("unit: ppm, as: '%'", 400, 0.04),
        ("unit: °C", 21.5, 21.5),
        ("scale: 0.1", 215, 21.5),
        ("scale: 0.1, unit: °F, as: °C", 707, 21.5),
        ("scale: 1e300", 1e300, "beyond a double once scaled; expected less"),
        ("from: text", " 21.5", 21.5),
        ("from: text", 21.5, 21.5),
        ("from: text", "21,5", "found '21,5'; expected a finite number, sent as text"),
        ("min: 0, max: 30", 30, 30.0),
        ("min: 0, max: 30", 30.5, "column x: found 30.5; expected at most 30"),
        ("min: 0, max: 30", -1, "column x: found -1.0; expected at least 0"),
        ("unit: °F, as: °C, max: 30", 70.7, 21.5),
        ("one_of: [1, 2]", 2, 2.0),
        ("one_of: [1, 2]", 3, "found 3.0; expected one of 1, 2"),
        ("max: 30, else: null", 31, None),
        ("else: null", "unavailable", None),
        ("else: null", None, "the payload has no x"),
        ("optional: true", None, None),
    ],
)
def test_a_number_is_converted_and_judged(spec: str, sent: object, expected: object) -> None:
    found = column(spec, sent)
    assert found == expected or (isinstance(expected, str) and expected in found)


@pytest.mark.parametrize(
    ("kind", "spec", "sent", "expected"),
    [
        ("boolean", "true: [on, 1], false: [off, 0]", "on", True),
        ("boolean", "true: [on, 1], false: [off, 0]", 0, False),
        ("boolean", "true: [on, 1], false: [off, 0]", True, "found true; expected one of 'on', 1, 'off', 0"),
        ("boolean", "true: ON, false: OFF", "on", "found 'on'; expected one of 'ON', 'OFF'"),
        ("boolean", "from: text", "false", False),
        ("boolean", "from: text", True, True),
        ("bigint", "from: text", "17", 17),
        ("bigint", "from: text", "17.5", "found '17.5'; expected an integer of 64 bits, sent as text"),
        ("bigint", "from: text", "9223372036854775808", "an integer beyond 64 bits"),
        ("bigint", "from: number", 3.0, 3),
        ("bigint", "from: number", 3.5, "found 3.5; expected an integer"),
        ("text", "from: number", 17, "17"),
        ("text", "from: number", "a", "a"),
        ("text", "from: number", True, "found true; expected text"),
        ("text", "one_of: [idle, busy]", "idle", "idle"),
        ("text", "one_of: [idle, busy]", "gone", "found 'gone'; expected one of idle, busy"),
        ("timestamp", "from: seconds", AT // 1_000_000, AT),
        ("timestamp", "from: seconds", 1_769_851_815.000001, AT + 1),
        ("timestamp", "from: seconds", "1769851815.5", AT + 500_000),
        ("timestamp", "from: milliseconds", AT // 1_000, AT),
        ("timestamp", "from: nanoseconds", AT * 1_000, AT),
        ("timestamp", "from: seconds", 1e13, "sent as seconds"),
        ("timestamp", "from: seconds", "1e999999999", "sent as seconds"),
        ("timestamp", "from: seconds", "1e-999999999", 0),
        ("timestamp", "from: seconds", "2026-01-31", "sent as seconds"),
        ("timestamp", "from: text", str(AT), AT),
    ],
)
def test_other_types_are_converted_as_declared(kind: str, spec: str, sent: object, expected: object) -> None:
    found = column(spec, sent, kind)
    assert found == expected or (isinstance(expected, str) and expected in found)


def test_a_part_of_the_topic_is_converted_and_judged_too() -> None:
    columns = "{on: {type: boolean, true: [on], false: [off]}, n: {type: double, max: 3}}"
    stream = f"topic: 't/{{on}}/{{n}}', columns: {columns}"
    assert rows(stream, {}, "t/on/2") == [(True, 2.0)]
    assert rows(stream, {}, "t/up/2") == ["stream s: column on: found 'up'; expected one of 'on', 'off'"]
    assert rows(stream, {}, "t/off/4") == ["stream s: column n: found 4.0; expected at most 3"]


def test_a_pseudonym_is_always_the_same_and_nothing_else_of_the_person_is_shown() -> None:
    stream = "topic: 't/{who}', columns: {who: {type: text, pseudonym: true}, x: bigint}"
    first, second = rows(stream, {"x": 1}, "t/ann"), rows(stream, {"x": 2}, "t/ann")
    assert first[0][0] == second[0][0] != rows(stream, {"x": 1}, "t/bob")[0][0]
    assert first[0][0].startswith("p-")
    assert len(first[0][0]) == 18
    for payload in ({"x": "ann was here"}, b"ann"):
        (reading,) = decode(stream, payload, "t/ann")
        assert reading.relation == REJECTS.name
        assert reading.row[1] == "t/{who}"
        assert "ann" not in f"{reading.row[3]}"
    (reading,) = decode("topic: t, columns: {who: {type: text, pseudonym: true}}", {"who": 17})
    assert "17" not in str(reading.row)


def test_without_a_key_there_are_no_pseudonyms() -> None:
    found = parse_sources("mqtt: {s: {topic: t, columns: {who: {type: text, pseudonym: true}}}}", {})
    with pytest.raises(SourceError, match="stream s has pseudonyms; expected a key"):
        Decoder(found)


def test_records_of_a_senml_pack_are_rows() -> None:
    stream = (
        "topic: 'm/{site}', format: senml, event_time: at, skew: 1 hour, columns: {site: text, n: text, "
        "at: {type: timestamp, path: t, from: seconds}, v: {type: double, optional: true}, "
        "device: {type: text, path: base}, what: {type: text, path: name}}"
    )
    pack = [{"bn": "dev:1:", "n": "c", "v": 1.5}, {"n": "on", "vb": True, "t": -10.5}]
    assert rows(stream, pack, "m/x") == [
        ("x", "dev:1:c", AT, 1.5, "dev:1", "c"),
        ("x", "dev:1:on", AT - 10_500_000, None, "dev:1", "on"),
    ]
    assert rows(stream, [{"v": 1}], "m/x")[0].startswith("stream s: SenML record 1: the name is ''")


units = st.sampled_from(sorted({unit.symbol for unit in UNITS.values()}))


@given(units, st.data(), st.floats(-1e9, 1e9))
def test_a_conversion_there_and_back_is_the_value(sent: str, data: st.DataObject, value: float) -> None:
    alike = sorted({u.symbol for u in UNITS.values() if u.dimension == UNITS[sent].dimension})
    wanted = data.draw(st.sampled_from(alike))
    there = column(f"unit: '{sent}', as: '{wanted}'", value)
    back = column(f"unit: '{wanted}', as: '{sent}'", there)
    scale = Fraction(UNITS[sent].factor) / UNITS[wanted].factor
    assert back == pytest.approx(value, rel=1e-12, abs=float(max(1, 1 / scale)) * 1e-10)


def test_every_other_name_is_of_a_unit_that_there_is() -> None:
    assert set(OTHER_NAMES) <= set(UNITS)
    symbols = [entry.split(" ")[0] for row in TABLE.values() for entry in row.split(", ")]
    assert len(symbols) == len(set(symbols))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("double, path: 'a..b'", "path of column x of stream s is 'a..b'; expected one like reading.value"),
        ("double, path: 'a[b]'", "path of column x of stream s is 'a[b]'"),
        ("double, path: '#'", "has the path #, a place among many"),
        ("double, unit: C°", "unit of column x of stream s is C°, which is unknown; docs/sensors.md lists"),
        ("double, as: °C", "column x of stream s has as: °C and no unit"),
        ("double, unit: W, as: °C", "is sent in W and cannot be °C; W is of power: W, mW, kW, MW"),
        ("text, unit: W", "column x of stream s is a text and has unit; expected type: double, or no unit"),
        ("text, true: [on]", "is a text and has true; expected type: boolean"),
        ("boolean, true: [on], false: [on]", "has str on in both true and false"),
        ("boolean, true: []", "expected a list of values, like [on, 1]"),
        (
            "double, from: seconds",
            "from of column x of stream s is str seconds; a double may be sent as text",
        ),
        ("double, scale: 0", "scale of column x of stream s is int 0; expected a number other than 0"),
        ("double, min: 3, max: 2", "min of column x of stream s is 3, above its max 2"),
        ("double, min: a", "min of column x of stream s is str a; expected a number"),
        ("text, min: 3", "is a text and has min; expected type: double or type: bigint"),
        ("double, one_of: [a]", "one_of of column x of stream s has str a; expected values of type double"),
        ("double, else: 0", "else of column x of stream s is int 0; expected null"),
        ("double, pseudonym: true", "is a double and cannot be a pseudonym; expected type: text"),
        ("double, optional: yes", "optional of column x of stream s is str yes; expected true or false"),
    ],
)
def test_a_column_that_cannot_be_is_one_line(spec: str, expected: str) -> None:
    assert expected in refusal(f"topic: t, columns: {{x: {{type: {spec}}}}}")


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("columns: {x: double, y: double}, format: plain", "payload is one value; expected one column"),
        ("columns: {x: double}, format: csv", "format of stream s is str csv; expected json, plain, senml"),
        ("columns: {x: double}, format: senml, each: a", "stream s is senml and has each: a; expected"),
        ("columns: {x: double}, sequence: x", "sequence of stream s names x, which is no column of type"),
        ("each: a, columns: {x: bigint}, sequence: x", "that a message has one of; there are none"),
        ("columns: {x: double}, priority: 5", "is int 5; expected low, normal, high"),
        ("columns: {x: double}, retention: long", "retention of stream s is str long; expected a number"),
        ("columns: {x: double}, measures: {device: y}", "device of measures of stream s names y"),
        ("columns: {x: double}, measures: x", "a device and a room are columns of type text"),
        ("columns: {d: text, x: double}, measures: [d, y]", "device of measures of stream s names y"),
        ("columns: {d: text, x: double}, measures: []", "device of measures of stream s is empty"),
        ("columns: {d: text, t: timestamp}, measures: {device: d, values: {t: at}}", "names t, a timestamp"),
        ("columns: {d: text}, measures: d", "measures of stream s names no value; expected values:"),
        ("columns: {d: text, x: double}, measures: {device: d, values: {x: 5}}", "has int 5 for x"),
        ("columns: {d: text, x: double}, measures: {device: d, value: x}", "quantity of measures of"),
        ("columns: {d: text, x: double}, measures: {device: d, unit: d}", "give a column its own unit"),
        ("columns: {x: double}, columns: {}", "is not YAML at line 1: columns stands there twice"),
    ],
)
def test_a_stream_that_cannot_be_is_one_line(stream: str, expected: str) -> None:
    assert expected in refusal(f"topic: t, {stream}")


@pytest.mark.parametrize("more", ["measures: d", "x: 0"])
def test_what_only_gateways_decode_has_no_pseudonyms_and_no_measurements(more: str) -> None:
    hides = "true" if more == "x: 0" else "false"
    columns = f"{{d: {{type: text, pseudonym: {hides}}}, v: double}}"
    text = f"field: field/+/s, columns: {columns}" + (f", {more}" if more != "x: 0" else "")
    assert "and no topic, so only gateways decode it; give it a topic" in refusal(text)


def refusal(stream: str) -> str:
    with pytest.raises(SourceError) as caught:
        sources(stream)
    assert "\n" not in caught.value.message
    return caught.value.message


def test_what_is_asked_of_a_stream_besides_is_kept_with_it() -> None:
    found = (
        "topic: t, columns: {d: text, n: bigint, x: double}, sequence: n, priority: low, retention: 2 days"
    )
    (stream,) = sources(f"{found}, measures: {{device: d, expire_after: 5 minutes}}").streams
    assert (stream.sequence, stream.priority, stream.retention) == ("n", "low", 172_800_000_000)
    assert stream.measures is not None
    assert [each.column for each in stream.measures.values] == ["x"]
    assert stream.measures.expire_after == 300_000_000
