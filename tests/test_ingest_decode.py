"""Decoding: typed rows, or a reject that says why; never an exception."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.topic_rows import dumped, named_rows
from engine.model.reading import Reading
from engine.model.relation import REJECTS, Column, Relation, RelationKind
from engine.model.values import Type
from ingest.decoding.decoder import Decoder
from ingest.log import CLOCK_SOURCE, Entry, Log, Record
from ingest.reader import LogReader
from ingest.sources import parse_sources

SOURCES = parse_sources(
    """
mqtt:
  seats: {topic: "building/seat/{desk}", columns: {desk: text, pressed: boolean}, key: [desk]}
  weather:
    topic: "weather/{station}/now"
    columns:
      station: bigint
      celsius: {type: double, path: reading.value}
      note: {type: text, optional: true}
      at: {type: timestamp, optional: true}
  everything: {topic: "building/#", columns: {seq: bigint}}
  badges:
    topic: "badge/{who}"
    columns: {who: text, at: {type: timestamp, optional: true}}
    event_time: at
    skew: 2 seconds
calendars:
  timetable: {file: x.ics, relation: reserved}
""",
    {},
)
ROOMS = Relation(
    "rooms",
    RelationKind.TABLE,
    (Column("room", Type.TEXT, nullable=False), Column("floor", Type.BIGINT), Column("area", Type.DOUBLE)),
    ("room",),
)


def decode(topic: str, payload: object, source: str = "mqtt") -> list[Reading]:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return Decoder(SOURCES, [ROOMS]).decode(Record(7, 99, source, topic, None, body))


def reason(topic: str, payload: object) -> str:
    (reading,) = decode(topic, payload)
    assert reading.relation == REJECTS.name
    return str(reading.row[2])


def test_topic_parts_paths_and_optional_columns_become_a_row() -> None:
    found = decode("weather/12/now", {"reading": {"value": 3}, "ignored": []})
    assert found == [Reading("weather", 1, (12, 3.0, None, None), 7, 0, 99)]
    assert type(found[0].row[1]) is float


def test_every_stream_whose_pattern_matches_gets_its_own_ordinal() -> None:
    found = decode("building/seat/d1", {"pressed": True, "seq": 4})
    assert found == [
        Reading("seats", 1, ("d1", True), 7, 0, 99),
        Reading("everything", 1, (4,), 7, 1, 99),
    ]


def test_one_stream_may_reject_what_another_takes() -> None:
    first, second = decode("building/seat/d1", {"pressed": 1, "seq": 4})
    assert first.row == (
        "mqtt",
        "building/seat/d1",
        "stream seats: column pressed: found 1; expected true or false",
        '{"pressed": 1, "seq": 4}',
    )
    assert second.relation == "everything"


@pytest.mark.parametrize(
    ("topic", "payload", "expected"),
    [
        ("elsewhere", {}, "no source declares topic elsewhere"),
        ("weather/12/now", b"\xff", "payload is not UTF-8 at byte 0"),
        ("weather/12/now", b"{", "payload is not JSON"),
        ("weather/12/now", b"", "payload is empty; expected JSON"),
        (
            "weather/12/now",
            b"\xef\xbb\xbf{}",
            "payload begins with a byte order mark; expected JSON without one",
        ),
        ("weather/12/now", b'{"reading": {"value": NaN}}', "NaN is no number"),
        ("weather/12/now", b'{"reading": {"value": -Infinity}}', "-Infinity is no number"),
        ("weather/12/now", b'{"reading": {"value": 1e999}}', "found inf; expected a finite number"),
        ("weather/12/now", {"reading": {"value": 1 << 70}}, "an integer beyond 64 bits"),
        ("weather/12/now", {"reading": {"value": True}}, "found true; expected a finite number"),
        ("weather/12/now", {"reading": {"value": "3"}}, "found '3'; expected a finite number"),
        ("weather/12/now", {"reading": {"value": None}}, "the payload has no reading.value"),
        ("weather/12/now", {"reading": []}, "the payload has no reading.value"),
        ("weather/12/now", [1], "payload is an array; expected an object"),
        ("weather/12/now", None, "payload is null; expected an object"),
        ("weather/x/now", {"reading": {"value": 1}}, "the topic has 'x'; expected an integer of 64 bits"),
        ("weather/1/now", b'{"reading": {"value": 1}, "note": "\\ud800"}', "expected text"),
        ("weather/1/now", {"reading": {"value": 1}, "note": "x" * 20_000}, "expected text"),
        ("weather/1/now", {"reading": {"value": 1}, "at": 1.5}, "microseconds since 1970"),
        ("weather/1/now", b"[" * 100_000, "payload is nested too deeply"),
        ("weather/1/now", b"9" * 10_000, "payload has a number of more than 4300 digits"),
        ("weather/1/now", b" " * 1_000_001, "payload of 1000001 bytes; at most 1000000 are decoded"),
    ],
)
def test_what_does_not_fit_is_a_reject_that_says_why(topic: str, payload: object, expected: str) -> None:
    assert expected in reason(topic, payload)


def test_a_row_may_have_happened_long_ago_or_up_to_the_skew_after_its_arrival() -> None:
    for at in (-(1 << 63), 0, 99, 99 + 2_000_000):
        assert decode("badge/ann", {"at": at}) == [Reading("badges", 1, ("ann", at), 7, 0, 99)]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            {"at": 100 + 2_000_000},
            "stream badges: event time at lies 2.000001 s ahead of its arrival; it may lie 2 s ahead",
        ),
        (
            {"at": 3_600_000_099},
            "stream badges: event time at lies 3600.0 s ahead of its arrival; it may lie 2 s ahead",
        ),
        ({}, "stream badges: event time at is NULL; expected when it happened"),
        ({"at": "now"}, "stream badges: column at: found 'now'; expected microseconds since 1970"),
    ],
)
def test_a_row_from_beyond_the_skew_or_from_no_time_is_a_reject(payload: object, expected: str) -> None:
    assert expected in reason("badge/ann", payload)


AT = 1_769_851_815_000_000


@pytest.mark.parametrize(
    ("written", "at"),
    [
        (AT, AT),
        ("2026-01-31T09:30:15Z", AT),
        ("2026-01-31T09:30:15", AT),
        ("2026-01-31 09:30:15.000000", AT),
        ("2026-01-31T10:30:15.000001+01:00", AT + 1),
        ("2026-01-30T23:30:15.5-10:00", AT + 500_000),
        ("2026-01-31T09:30:15.123456789Z", AT + 123_456),
        ("1969-12-31T23:59:59Z", -1_000_000),
        (AT // 1_000_000, AT // 1_000_000),
    ],
)
def test_a_timestamp_is_microseconds_or_iso_8601(written: object, at: int) -> None:
    (reading,) = decode("weather/1/now", {"reading": {"value": 1}, "at": written})
    assert reading.row[-1] == at


@pytest.mark.parametrize(
    "written",
    [
        *("now", "", "1769851815", "20260131", "31.01.2026", "2026-02-30", "2026-01-31T25:00Z"),
        *("2026-01-31" + " " * 100_000 + "x", "2026-01-31T09:30:15Z\ud800", 1.5, True, {}, []),
    ],
)
def test_any_other_timestamp_is_a_reject_that_says_both_forms(written: object) -> None:
    found = reason("weather/1/now", {"reading": {"value": 1}, "at": written})
    assert found.endswith(
        "expected microseconds since 1970 as an integer, or ISO 8601 as in 2026-01-31T09:30:15Z"
    )


@given(at=st.integers(min_value=-62_135_596_800_000_000, max_value=253_402_300_799_999_999))
def test_a_row_that_is_published_is_read_back_by_a_stream(at: int) -> None:
    columns = [Column("value", Type.DOUBLE), Column("at", Type.TIMESTAMP)]
    text = dumped(named_rows(columns)((1.5, at)))
    sources = parse_sources('mqtt: {copy: {topic: "out/x", columns: {value: double, at: timestamp}}}', {})
    (reading,) = Decoder(sources).decode(Record(7, 99, "mqtt", "out/x", None, text.encode()))
    assert reading.row == (1.5, at)


def test_a_reject_is_short_and_one_line() -> None:
    (reading,) = decode("weather/1/now", b"line\nline " * 5_000)
    assert all(isinstance(value, str) and len(value) <= 400 and "\n" not in value for value in reading.row)


def test_changes_of_a_table_each_have_their_ordinal() -> None:
    row = {"room": "r1", "floor": 1, "area": 5}
    found = decode(
        "changes", {"changes": [[-1, "rooms", row], [1, "rooms", {**row, "floor": None}]]}, "db:facts"
    )
    assert found == [
        Reading("rooms", -1, ("r1", 1, 5.0), 7, 0, 99),
        Reading("rooms", 1, ("r1", None, 5.0), 7, 1, 99),
    ]


@pytest.mark.parametrize(
    "change",
    [[1, "nowhere", {}], [2, "rooms", {}], [1, "rooms", {"floor": 1}], [1, ["rooms"], {}], 5, [], {"a": 1}],
)
def test_a_change_that_fits_no_table_is_a_reject(change: object) -> None:
    (reading,) = decode("changes", {"changes": [change]}, "db:facts")
    assert reading.relation == REJECTS.name


def test_what_a_wrapper_could_not_read_is_a_reject() -> None:
    (reading,) = decode("reject", {"reject": {"reason": "no calendar", "sample": "x"}}, "calendar:timetable")
    assert reading.row == ("calendar:timetable", "reject", "no calendar", "x")


def test_clock_rows_and_new_sessions_decode_to_nothing() -> None:
    assert decode("", b"", CLOCK_SOURCE) == []
    assert decode("", b"") == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["seq", "pressed", "reading", "value", "changes"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
payloads = st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode())
topics = st.sampled_from(
    ["building/seat/a", "weather/1/now", "weather/é/now", "building", "", "changes"]
) | st.text(max_size=9)


@given(st.sampled_from(["mqtt", "db:facts", "calendar:timetable", "clock", ""]), topics, payloads)
def test_decoding_never_raises_and_yields_rows_of_the_declared_types(
    source: str, topic: str, payload: bytes
) -> None:
    known = {relation.name: relation for relation in (*SOURCES.relations(), ROOMS)}
    for ordinal, reading in enumerate(
        Decoder(SOURCES, [ROOMS]).decode(Record(1, 2, source, topic, None, payload))
    ):
        columns = known[reading.relation].columns
        assert (reading.offset, reading.ordinal, reading.at, len(reading.row)) == (
            1,
            ordinal,
            2,
            len(columns),
        )
        for value, column in zip(reading.row, columns, strict=True):
            assert value is None or type(value) is {
                Type.TEXT: str, Type.BIGINT: int, Type.TIMESTAMP: int, Type.DOUBLE: float, Type.BOOLEAN: bool
            }[column.type]  # fmt: skip
            assert not isinstance(value, float) or math.isfinite(value)


def test_a_reader_travels_by_pickle_and_reads_bounded_pieces(tmp_path: Path) -> None:
    from pyspark import cloudpickle

    url = f"sqlite:///{tmp_path}/log.db"
    with Log(url) as log:
        log.append([Entry("mqtt", "building/seat/d1", b'{"pressed": true, "seq": 1}', 1)] * 5)
        log.append([Entry(CLOCK_SOURCE, "", b"")])
        last = log.last()
    reader = LogReader(url, SOURCES, [ROOMS], max_rows=4)
    first = reader.read(0)
    assert (first.end, len(first.readings)) == (4, 8)
    reader = cloudpickle.loads(cloudpickle.dumps(reader))
    second = reader.read(first.end)
    assert (second.end, second.at, len(second.readings)) == (*last, 2)
    assert reader.read(second.end).end == second.end
