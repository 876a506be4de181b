"""sources.yaml: what it declares, and the one line that says what is wrong with it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.errors import SourceError
from engine.model.itself import ITSELF
from engine.model.relation import DEFAULT_SKEW, LOSSES, REJECTS, SITES, Column, Relation, RelationKind
from engine.model.values import Type
from ingest.discovery.relations import DISCOVERED
from ingest.holds import HOLDS
from ingest.sources import load_sources, parse_sources
from ingest.topics import TopicPattern, covering_filters

GOOD = """
mqtt:
  seats:
    topic: building/seat/{desk}
    columns:
      desk: text
      pressed: boolean
      celsius: {type: double, path: reading.value}
    key: [desk]
    window: PARTITION BY desk ROWS 1
databases:
  facts: {url: "${FACTS}", poll_seconds: 0.5, tables: [rooms, desks]}
calendars:
  timetable: {file: "${STATE}/reservations.ics", relation: reserved}
"""


def test_a_declaration_becomes_relations() -> None:
    sources = parse_sources(GOOD, {"FACTS": "sqlite:///f.db", "STATE": "/s"})
    seats, reserved, rejects, sites, *told = sources.relations()
    assert seats == Relation(
        "seats",
        RelationKind.STREAM,
        (
            Column("desk", Type.TEXT, nullable=False),
            Column("pressed", Type.BOOLEAN, nullable=False),
            Column("celsius", Type.DOUBLE, nullable=False),
        ),
        ("desk",),
        "PARTITION BY desk ROWS 1",
        "mqtt",
    )
    assert (reserved.name, reserved.kind, reserved.key) == ("reserved", RelationKind.TABLE, ("event",))
    assert (rejects, sites, *told) == (REJECTS, SITES, LOSSES, *ITSELF, *DISCOVERED, HOLDS)
    (database,) = sources.databases
    assert (database.source, database.url, database.poll_seconds) == ("db:facts", "sqlite:///f.db", 0.5)
    assert sources.calendars[0].file == Path("/s/reservations.ics")
    assert sources.filters() == ("building/seat/+",)


TIMED = "columns: {k: text, at: timestamp, n: bigint}"


def test_a_stream_may_say_when_its_rows_happened_and_what_feeds_it() -> None:
    said = f"topic: a, {TIMED}, event_time: at, lateness: 2.5 SECONDS, skew: 1 hour, device: badge"
    relation = parse_sources(f"mqtt: {{s: {{{said}}}}}", {}).relations()[0]
    assert (relation.event_time, relation.time_position) == ("at", 1)
    assert (relation.skew, relation.lateness, relation.device) == (3_600_000_000, 2_500_000, "badge")
    plain = parse_sources(f"mqtt: {{s: {{topic: a, {TIMED}, event_time: at}}}}", {}).relations()[0]
    assert (plain.skew, plain.lateness, plain.device) == (DEFAULT_SKEW, 0, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"mqtt: {{s: {{topic: a, {TIMED}, event_time: n}}}}",
            "event_time of stream s names n, which is no column of type timestamp; there are at",
        ),
        (
            "mqtt: {s: {topic: a, columns: {k: text}, event_time: at}}",
            "names at, which is no column of type timestamp; there are none",
        ),
        (
            f"mqtt: {{s: {{topic: a, {TIMED}, skew: 1 minute}}}}",
            "skew of stream s needs event_time: the column that says when a row happened",
        ),
        (
            f"mqtt: {{s: {{topic: a, {TIMED}, event_time: at, skew: 5}}}}",
            "skew of stream s is int 5; expected a number and one of microseconds, milliseconds, seconds",
        ),
        (
            f"mqtt: {{s: {{topic: a, {TIMED}, event_time: at, lateness: 5 fortnights}}}}",
            "lateness of stream s is str 5 fortnights; expected a number and one of",
        ),
        (
            f"mqtt: {{s: {{topic: a, {TIMED}, event_time: at, lateness: 600 weeks}}}}",
            "at most a year",
        ),
        ("[1", "sources.yaml is not YAML"),
        ("mqtt: {s: {topic: a, columns: {b: {type: text, path: c[0].d}}}}", "is quoted, as path: 'a[0].b'"),
        ("mqtt: &a {s: *a}", "or one within itself, once its aliases are followed"),
        ("mqtt: {s: {topic: 'a/{b}/{b}', columns: {b: text}}}", "has {b} twice; name each part once"),
        ("mqtt: {s: {topic: a, columns: {'': text}}}", "stream s has a column without a name"),
        ("5", "sources.yaml is int 5; expected names, each with a value"),
        (
            "mqt: {}",
            "unknown key mqt in sources.yaml; expected calendars, databases, gateways, mqtt",
        ),
        ("mqtt: {s: {columns: {a: text}}}", "topic of stream s is empty; expected text"),
        ("mqtt: {s: {topic: a, columns: [a]}}", "columns of stream s is list ['a']; expected names"),
        (
            "mqtt: {s: {topic: a, columns: {a: txt}}}",
            "type of column a of stream s is txt; expected one of bigint",
        ),
        (
            "mqtt: {s: {topic: 'a/{b}', columns: {c: text}}}",
            "names b, no column; declare it or write + instead",
        ),
        ("mqtt: {s: {topic: 'a/#/b', columns: {c: text}}}", "has the level #; expected a word, {name} or +"),
        ("mqtt: {s: {topic: 'a/x{b}', columns: {b: text}}}", "has the level x{b}"),
        (
            "mqtt: {s: {topic: a, columns: {room: text}, key: [rom]}}",
            "no column; there are room; did you mean room?",
        ),
        (
            "mqtt: {s: {topic: a, columns: {a: text}, key: a}}",
            "key of stream s is str a; expected a list of names",
        ),
        (
            "databases: {f: {url: 'sqlite://', poll_seconds: 0.01}}",
            "poll_seconds of database f is float 0.01; expected seconds",
        ),
        (
            "databases: {f: {url: 'sqlite://', poll_seconds: 0, on_demand: [a]}}",
            "poll_seconds of database f is 0, and it has on_demand, which is asked again and again",
        ),
        (
            "databases: {f: {url: 'sqlite://', static: [a, b], on_demand: [b]}}",
            "database f has b both in static and in on_demand; take it out of one of them",
        ),
        ("databases: {f: {url: '${NOWHERE}'}}", "names ${NOWHERE}, which is not set in the environment"),
        ("calendars: {c: {file: x}}", "relation of calendar c is empty; expected text"),
        (
            "{mqtt: {rooms: {topic: a, columns: {a: text}}}, databases: {f: {url: u, tables: [rooms]}}}",
            "two sources declare the relation rooms; rename one of them",
        ),
        ("mqtt: {rejects: {topic: a, columns: {a: text}}}", "two sources declare the relation rejects"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, expected: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_sources(text, {})
    assert expected in caught.value.message
    assert "\n" not in caught.value.message


def test_aliases_that_multiply_are_refused_at_once() -> None:
    levels = [f"z{n}: &z{n} [{', '.join([f'*z{n - 1}' if n else 'x'] * 9)}]" for n in range(10)]
    with pytest.raises(SourceError, match="has over 100,000 values"):
        parse_sources("\n".join(levels), {})


def test_a_missing_file_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError, match=r"No such file or directory; expected the building's sources\.yaml"
    ):
        load_sources(tmp_path / "none.yaml", {})


def test_filters_covered_by_others_are_not_subscribed_to() -> None:
    patterns = [TopicPattern(text) for text in ("a/{x}", "a/b", "a/+", "c/#", "c/d/{e}", "f/{g}/h")]
    assert covering_filters(patterns) == ("a/+", "c/#", "f/+/h")


levels = st.lists(st.sampled_from(["a", "b", "+", "{x}"]), min_size=1, max_size=4)
filters = st.builds(lambda front, tail: "/".join(front + tail), levels, st.sampled_from([[], ["#"]]))
topics = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=5).map("/".join)


@given(st.lists(filters, max_size=5), topics)
def test_the_covering_filters_match_exactly_the_topics_of_the_patterns(texts: list[str], topic: str) -> None:
    patterns = [TopicPattern(text) for text in texts]
    covering = [TopicPattern(one) for one in covering_filters(patterns)]
    assert any(one.matches(topic) for one in covering) == any(one.matches(topic) for one in patterns)
