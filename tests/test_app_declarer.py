"""CREATE STREAM and TABLE, INSERT and DELETE at run time: over a real log, read as Spark reads it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.lang.streamsql import parse
from engine.model.errors import QueryError, SmartCISError
from engine.model.relation import Relation, RelationKind
from engine.outcomes import Changed, Written
from tests.declared_house import House

HUMIDITY = (
    "CREATE STREAM humidity (room text, value double) WITH (wrapper = 'mqtt', topic = 'air/{room}', "
    "path_value = 'reading.value', window = 'PARTITION BY room ROWS 1')"
)
OWNERS = "CREATE TABLE owners (room text PRIMARY KEY, person text, since bigint)"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.stop()


def test_a_stream_that_is_declared_has_the_messages_from_then_on(house: House) -> None:
    house.hears("air/1.01", b'{"reading": {"value": 1.0}}')
    assert house.do(HUMIDITY) == [Changed("created", "stream", ("humidity",))]
    house.hears("air/1.01", b'{"reading": {"value": 2.0}}')
    house.hears("air/1.02", b"{}")
    assert house.rows("SELECT * FROM humidity") == [("1.01", 2.0), ("1.02", None)]


def test_a_table_without_a_source_is_written_by_people(house: House) -> None:
    made, inserted = house.do(
        f"{OWNERS}; INSERT INTO owners VALUES ('1.01', 'ann', 3), ('1.02', NULL, 1 + 1)"
    )
    assert (made, inserted) == (Changed("created", "table", ("owners",)), Written("inserted", "owners", 2))
    house.do("INSERT INTO owners (person, room) VALUES ('bob', '1.01')")
    assert house.rows("SELECT * FROM owners") == [("1.01", "bob", None), ("1.02", None, 2)]
    assert house.do("DELETE FROM owners WHERE person IS NULL") == [Written("deleted", "owners", 1)]
    assert house.do("DELETE FROM owners WHERE person = 'nobody'") == [Written("deleted", "owners", 0)]
    assert house.rows("SELECT room FROM owners") == [("1.01",)]
    assert house.do("DELETE FROM owners") == [Written("deleted", "owners", 1)]
    assert house.rows("SELECT room FROM owners") == []


def test_what_a_view_reads_stays_and_says_who_reads_it(house: House) -> None:
    house.do(
        f"{OWNERS}; CREATE VIEW owned AS SELECT room FROM owners; "
        "CREATE VIEW many AS SELECT count(*) AS n FROM owned"
    )
    with pytest.raises(QueryError, match="owners is read by owned, many; drop what reads it first"):
        house.do("DROP TABLE owners")
    house.do("DROP VIEW many; DROP VIEW owned; DROP TABLE owners")
    with pytest.raises(QueryError, match="unknown relation owners"):
        house.do("SELECT room FROM owners")


def test_a_name_may_be_declared_again_with_other_columns(house: House) -> None:
    house.do(HUMIDITY)
    house.hears("air/1.01", b'{"reading": {"value": 1.0}}')
    house.do(
        "DROP STREAM humidity; CREATE STREAM humidity (room text, note text) "
        "WITH (wrapper = 'mqtt', topic = 'air/{room}', window = 'ROWS 5')"
    )
    assert house.rows("SELECT * FROM humidity") == []
    house.hears("air/1.01", b'{"note": "damp"}')
    assert house.rows("SELECT * FROM humidity") == [("1.01", "damp")]


def test_what_was_declared_and_written_is_there_after_a_restart(house: House, tmp_path: Path) -> None:
    house.do(f"{HUMIDITY}; {OWNERS}")
    early = house.engine.image()
    house.do("INSERT INTO owners VALUES ('1.01', 'ann', 3); CREATE VIEW owned AS SELECT room FROM owners")
    late = house.stop()
    for image in (early, late, None):
        again = House(tmp_path, image)
        again.hears("air/1.01", b'{"reading": {"value": 2.0}}')
        assert again.rows("SELECT * FROM owners") == [("1.01", "ann", 3)]
        assert again.rows("SELECT * FROM humidity") == [("1.01", 2.0)]
        again.stop()
    assert [name for name, _ in late.views] == ["owned"]


def test_columns_of_a_database_table_are_the_tables(house: House, tmp_path: Path) -> None:
    facts = sa.create_engine(f"sqlite:///{tmp_path}/facts.db")
    with facts.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE printers (id INTEGER PRIMARY KEY, room TEXT, pages INTEGER)")
    house.do(
        "CREATE TABLE printers (id bigint, room text) "
        "WITH (wrapper = 'database', url = '${FACTS}', table = 'printers')"
    )
    relation = house.session.relations.get("printers")
    assert [column.name for column in relation.columns] == ["id", "room"]
    assert relation.key == ("id",)
    with pytest.raises(QueryError, match="printers is fed by database"):
        house.do("INSERT INTO printers VALUES (1, 'x')")


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("CREATE STREAM x (a text) WITH (wraper = 'mqtt')", "unknown option wraper of x; .* mean wrapper"),
        ("CREATE STREAM x (a text) WITH (wrapper = 'mqqt')", "wrapper of x is mqqt; .* did you mean mqtt"),
        ("CREATE TABLE x (a text) WITH (wrapper = 'mqtt', topic = 'a')", "of a table it may be database"),
        ("CREATE STREAM x (a text) WITH (wrapper = 'mqtt', topic = 'a/{b}')", "names b, no column"),
        ("CREATE STREAM x (a text) WITH (wrapper = 'mqtt', topic = 'a/#/b')", "has the level #"),
        ("CREATE STREAM x (a text) WITH (wrapper = 'mqtt')", "topic of stream x is empty"),
        ("CREATE STREAM x (a text) WITH (window = 'ROWZ 3')", "unknown window ROWZ"),
        ("CREATE STREAM x (a text) WITH (event_time = 'a')", "no column of type timestamp"),
        ("CREATE STREAM x (a text) WITH (skew = '1 minute')", "skew of stream x needs event_time"),
        ("CREATE STREAM x", "x has no columns"),
        ("CREATE STREAM seats (a text)", "seats is a stream that comes with the building"),
        ("CREATE TABLE x WITH (wrapper = 'database', url = 'sqlite://')", "has no option table"),
        ("CREATE TABLE x WITH (wrapper = 'database', url = 'sqlite://', table = 't')", "no table t in"),
        ("CREATE TABLE x (a text PRIMARY KEY, b text PRIMARY KEY)", r"x has 2 primary keys; .*\(a, b\)"),
        ("CREATE TABLE x (a text PRIMARY KEY, b text, PRIMARY KEY (b))", r"2 primary .* KEY \(a, b\)"),
        ("CREATE TABLE x (a text, PRIMARY KEY (a), PRIMARY KEY (a))", r"2 primary .* KEY \(a\)"),
        ("CREATE TABLE x (a text, PRIMARY KEY (b))", "unknown column b in primary key; there are a"),
        ("CREATE TABLE x WITH (wrapper = 'database', url = 'sqlite:///no', table = 't')", "no database file"),
        ("DROP STREAM seats", "seats comes with the building"),
        ("DROP TABLE seats", "seats is a stream; expected DROP STREAM"),
        ("CREATE VIEW v AS SELECT desk FROM seats; DROP TABLE v", "v is a view: .* DROP VIEW v ends it"),
        ("DROP VIEW seats", "seats is a stream, not a view"),
        ("DROP STREAM nowhere", "unknown relation nowhere"),
        ("INSERT INTO seats VALUES ('a', true)", "seats is fed by mqtt"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line_and_leaves_the_log_alone(
    house: House, sql: str, problem: str
) -> None:
    with pytest.raises(SmartCISError, match=problem) as refused:
        house.do(sql)
    assert "\n" not in refused.value.message
    assert house.log.declared() == []


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("INSERT INTO owners VALUES ('1.01')", "a row for owners has 3 values, found 1"),
        ("INSERT INTO owners VALUES (1, 'ann', 2)", "room is a text, found 1"),
        ("INSERT INTO owners VALUES ('1.01', person, 2)", "expected a value"),
        ("INSERT INTO owners (rom) VALUES ('1.01')", "unknown column rom in insert; .* did you mean room"),
        ("INSERT INTO owners (person) VALUES ('ann')", "room of owners may not be NULL"),
        ("DELETE FROM owners WHERE rom = 'a'", "unknown column rom"),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_is_refused(house: House, sql: str, problem: str) -> None:
    house.do(OWNERS)
    with pytest.raises(QueryError, match=problem):
        house.do(sql)


def test_if_not_exists_and_if_exists_pass_over(house: House) -> None:
    optional = OWNERS.replace("TABLE", "TABLE IF NOT EXISTS")
    assert [each.done for each in house.do(f"{optional}; {optional}")] == ["created", "kept"]  # type: ignore[union-attr]
    assert house.do("DROP TABLE IF EXISTS owners, nobody") == [Changed("dropped", "table", ("owners",))]


def test_both_statements_of_writing_are_read_as_written() -> None:
    inserted, deleted = (
        parse('INSERT INTO "T" (a) VALUES (1), (:b)'),
        parse("DELETE FROM t WHERE a = 1"),
    )
    assert (inserted.name, inserted.columns, len(inserted.rows)) == ("t", ("a",), 2)  # type: ignore[union-attr]
    assert deleted.select.sql() == "SELECT * FROM t WHERE a = 1"  # type: ignore[union-attr]


def test_what_feeds_a_relation_is_called_as_people_call_it() -> None:
    assert Relation("t", RelationKind.TABLE, (), source="db:t@27927").fed_by == "db:t"


@pytest.mark.parametrize(
    ("row", "covered"), [("('a', 'b')", "('a', 'b')"), ("(NULL, 'b', 1)", "(NULL, 'b', 1)"), ("()", "owners")]
)
def test_a_row_that_cannot_be_written_has_its_place(house: House, row: str, covered: str) -> None:
    house.do(OWNERS)
    text = f"INSERT INTO owners VALUES ('x', 'y', 1), {row}"
    with pytest.raises(QueryError) as refused:
        house.do(text)
    span = refused.value.span
    assert span is not None
    assert text[span.start : span.end] == covered


SENSORS = (
    "CREATE STREAM sensors (room text, sensor text, c double) WITH (wrapper = 'mqtt', "
    "topic = 'sensors/{room}/{sensor}', column_c = '{unit: °F, as: °C}', "
    "measures = '{device: sensor, room: room}')"
)


def test_a_mapped_device_can_be_disabled_and_forgotten_after_a_restart_though_it_is_silent(
    house: House, tmp_path: Path
) -> None:
    house.do(SENSORS)
    for sensor in ("a", "b"):
        house.hears(f"sensors/1.01/{sensor}", b'{"c": 70.7}')
    assert house.rows("SELECT device, room FROM devices") == [("a", "1.01"), ("b", "1.01")]
    assert house.rows("SELECT entity, value, unit FROM measurements")[0] == ("a/c", 21.5, "°C")
    again = House(tmp_path, house.stop())
    try:
        again.hears("a", b'{"disabled": true, "room": "1.02"}', "registry")
        again.hears("b", b'{"forgotten": true}', "registry")
        assert again.rows("SELECT device, room, disabled FROM devices") == [("a", "1.02", True)]
        assert again.rows("SELECT entity FROM entities") == [("a/c",)]
        again.hears("sensors/1.01/b", b'{"c": 70.7}')
        assert again.rows("SELECT device, room FROM devices WHERE NOT disabled") == [("b", "1.01")]
    finally:
        again.stop()
