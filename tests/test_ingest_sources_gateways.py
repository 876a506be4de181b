"""sources.yaml: devices behind gateways, the gateways, and tables that are asked on demand."""

import pytest

from engine.model.errors import SourceError
from engine.model.relation import SENSOR_SITE, STREAM_SITE
from ingest.sources import Gateway, parse_sources

GOOD = """
mqtt:
  seats:
    topic: building/seat/{desk}
    field: field/+/seat/{desk}
    columns: {desk: text, pressed: boolean}
  radiators:
    field: field/+/radiator/{room}
    columns: {room: text, valve: double}
    key: [room]
gateways:
  floor-1: {links: [base, floor-2]}
  floor-2: {}
databases:
  facts:
    url: "sqlite:///f.db"
    tables: [rooms]
    on_demand: [costs, people]
    change_column: {rooms: updated}
    notify: facts_changed
    full_every: 10
    statement_seconds: 2
"""
GATEWAYS = "gateways: {g: {links: [base]}}"


def test_what_gateways_hand_on_is_a_stream_and_what_they_are_asked_for_is_held_by_them() -> None:
    sources = parse_sources(GOOD, {})
    seats, radiators, *_ = sources.relations()
    assert (seats.site, radiators.site) == (STREAM_SITE, SENSOR_SITE)
    assert [relation.comes_by_itself for relation in (seats, radiators)] == [True, False]
    assert sources.filters() == ("building/seat/+",)


def test_a_link_carries_both_ways() -> None:
    sources = parse_sources(GOOD, {})
    assert sources.gateways == (Gateway("floor-1", ("base", "floor-2")), Gateway("floor-2", ("floor-1",)))


def test_a_gateway_hands_a_message_on_under_the_topic_of_its_stream() -> None:
    seats, radiators = parse_sources(GOOD, {}).streams
    assert seats.forwarded("field/floor-1/seat/d17") == "building/seat/d17"
    heard = radiators.on_bus()
    assert heard.topic is not None
    assert heard.topic.matches("field/floor-2/radiator/1.01")
    assert [field.level for field in heard.fields] == [3, None]


def test_a_database_says_what_is_asked_and_how_changes_are_found() -> None:
    (facts,) = parse_sources(GOOD, {}).databases
    assert facts.statement_seconds == 2.0
    assert (facts.tables, facts.on_demand, facts.site) == (("rooms",), ("costs", "people"), "database:facts")
    assert (facts.change_columns, facts.notify, facts.full_every) == (
        (("rooms", "updated"),),
        "facts_changed",
        10,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "mqtt: {s: {field: field/+/a, columns: {k: text}}}",
            "stream s is heard by gateways, on field/+/a, but there are no gateways; add gateways:",
        ),
        (
            f"{{mqtt: {{s: {{field: field/h/a, columns: {{k: text}}}}}}, {GATEWAYS}}}",
            "field of stream s names the gateway h; there are g",
        ),
        (
            f"{{mqtt: {{s: {{field: bus/+/a, columns: {{k: text}}}}}}, {GATEWAYS}}}",
            "field of stream s is bus/+/a; expected field/+/…, where + is the gateway",
        ),
        (
            f"{{mqtt: {{s: {{field: 'field/#', columns: {{k: text}}}}}}, {GATEWAYS}}}",
            "field of stream s is field/#; expected field/+/…",
        ),
        (
            f"{{mqtt: {{s: {{field: 'field/+/{{k}}', topic: 'a/+', columns: {{k: text}}}}}}, {GATEWAYS}}}",
            "topic a/+ of stream s, which has a field, has + or #; expected words and {names} alone",
        ),
        (
            f"{{mqtt: {{s: {{field: field/+/a, topic: 'a/{{k}}', columns: {{k: text}}}}}}, {GATEWAYS}}}",
            "topic a/{k} of stream s names k, which a gateway does not hear; field field/+/a has none",
        ),
        (
            f"{{mqtt: {{s: {{field: 'field/+/{{k}}', columns: {{room: text}}}}}}, {GATEWAYS}}}",
            "topic field/+/{k} of stream s names k, no column",
        ),
        (
            "mqtt: {s: {topic: 'gateway/a/state', columns: {k: text}}}",
            "topic gateway/a/state of stream s begins with gateway/; fragment/, fragments/, gateway/, mesh/,",
        ),
        ("mqtt: {s: {topic: field/g/a, columns: {k: text}}}", "write field: instead"),
        ("gateways: {g: {links: [bse]}}", "links of gateway g name bse; there are base; did you mean base?"),
        ("gateways: {g: {links: base}}", "links of gateway g is str base; expected a list of names"),
        ("gateways: {g: {link: [base]}}", "unknown key link in gateway g; expected links"),
        ("gateways: {g: {links: [g]}}", "links of gateway g name g; there are base"),
        ("gateways: {g/h: {links: [base]}}", "gateway g/h cannot be called so; expected a word without"),
        ("gateways: {base: {links: [base]}}", "gateway base cannot be called so"),
        (
            "gateways: {g: {links: [base]}, h: {links: []}}",
            "no links lead from gateway h to base, where its rows are waited for; add one",
        ),
        (
            "databases: {f: {url: u, tables: [a], on_demand: [a]}}",
            "database f has a both in tables and in on_demand; take it out of one of them",
        ),
        (
            "databases: {f: {url: u, tables: [a], change_column: {b: c}}}",
            "change_column of database f names b, which is not polled; of tables there are a",
        ),
        (
            "databases: {f: {url: u, tables: [a], on_demand: [b], change_column: {b: c}}}",
            "change_column of database f names b, which is not polled; of tables there are a",
        ),
        ("databases: {f: {url: u, change_column: at}}", "change_column of database f is str at; expected"),
        ("databases: {f: {url: u, notify: 5}}", "notify of database f is int 5; expected text"),
        (
            "databases: {f: {url: u, statement_seconds: 0}}",
            "statement_seconds of database f is int 0; expected seconds, from 0.05 to 86400",
        ),
        (
            "databases: {f: {url: u, full_every: 0}}",
            "full_every of database f is int 0; expected a number of polls, from 1 to 100000",
        ),
        (
            "{mqtt: {a: {topic: a, columns: {k: text}}}, databases: {f: {url: u, on_demand: [a]}}}",
            "two sources declare the relation a",
        ),
    ],
)
def test_what_is_wrong_with_gateways_is_one_line(text: str, expected: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_sources(text, {})
    assert expected in caught.value.message
    assert "\n" not in caught.value.message
