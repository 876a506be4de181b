"""A fragment's columns have the values that polling the whole table gives, whatever their type there."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.model.errors import SourceError
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.leaves import StreamFragment, Table
from engine.plan.physical import Filter, Map, Physical, Unique
from ingest.wrappers.database.columns import FactTable
from ingest.wrappers.database.connecting import open_facts
from ingest.wrappers.database.fragments import answer
from ingest.wrappers.database.rows import all_rows
from ingest.wrappers.database.schema import look_at
from ingest.wrappers.database.sql import question_of
from tests.fact_tables import empty_sqlite

POSTGRESQL = {
    "smallint": ["-32768", "32767"],
    "bigint": ["-9223372036854775808", "9223372036854775807"],
    "real": ["0.1", "16777217", "3.4028235e38", "'NaN'", "'-Infinity'", "-0.0"],
    "double precision": ["0.1", "5e-324", "1.7976931348623157e308", "'NaN'", "'Infinity'", "-0.0"],
    "numeric": ["0.1", "1e400", "-1e400", "'NaN'", "123456789012345678901234567890.5", "9007199254740993"],
    "numeric(8, 2)": ["12.50", "-0.01"],
    "boolean": ["TRUE", "FALSE"],
    "date": ["'2024-03-31'", "'0001-01-01'", "'infinity'"],
    "timestamp": ["'2024-03-31 02:30:00.123456'", "'9999-12-30 00:00:00'", "'-infinity'"],
    "timestamptz": [
        "'2024-03-31 03:00:00+02'",
        "'2024-10-27 02:30:00+01'",
        "'1890-01-01 00:00:00Z'",
        "'infinity'",
    ],
    "text": ["'a '", "''", "'ß'", "E'\\\\'"],
    "varchar(5)": ["'a '", "'A'"],
    "uuid": ["'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"],
    "mood": ["'glad'"],
    "char(4)": ["'a'", "'a  b'"],
    "json": ["'[1, 2]'"],
    "integer[]": ["'{1,2}'"],
    "bytea": ["'\\x00ff'"],
    "interval": ["'1 day'"],
}
FETCHED_ONLY = ("char(4)", "json", "integer[]", "bytea", "interval")
SQLITE = {
    "INTEGER": ["-9223372036854775808", "9223372036854775807", "'12'", "3.0"],
    "REAL": ["0.1", "7", "9e999", "-9e999", "-0.0", "'2.5'"],
    "NUMERIC(8, 2)": ["12.5", "7"],
    "BOOLEAN": ["TRUE", "FALSE", "0", "1"],
    "DATE": ["'2024-03-31'"],
    "DATETIME": ["'2024-03-31 02:30:00.123456'", "'2024-03-31T03:00:00+02:00'", "'2024-03-31 01:00'"],
    "TEXT": ["'a '", "12", "'ß'", "x'00ff'", "''"],
    "VARCHAR(5) COLLATE NOCASE": ["'a'", "'A'", "'longer than five'"],
    "JSON": ["'[1]'", "7"],
    "": ["'a'", "7", "x'00'"],
}
UNFIT = {
    "INTEGER": ("'ground'", "2.5", "x'01'"),
    "REAL": ("'warm'", "x'01'"),
    "BOOLEAN": ("'yes'", "2", "0.5"),
    "DATETIME": ("'tomorrow'", "12", "2024.5"),
}


class Database:
    """One table ``t`` of a key and a column ``v``."""

    def __init__(self, url: str) -> None:
        self.engine = open_facts(url)

    def run(self, *statements: str) -> None:
        with self.engine.begin() as connection:
            for statement in statements:
                connection.execution_options(no_parameters=True).exec_driver_sql(statement)

    def table(self, kind: str, values: list[str]) -> FactTable:
        rows = [f"INSERT INTO t VALUES ({n}, {value})" for n, value in enumerate([*values, "NULL"])]
        self.run("DROP TABLE IF EXISTS t", f"CREATE TABLE t (n INTEGER PRIMARY KEY, v {kind})", *rows)
        (found,) = look_at(self.engine, ["t"], "db:facts")
        return found

    def ask(self, table: FactTable, plan: Physical) -> Counter:
        question = question_of(plan, {"t": table}, self.engine.dialect.name)
        with self.engine.connect() as connection, connection.begin():
            return Counter(question.rows(connection))

    def answer(self, table: FactTable, plan: Physical) -> Counter:
        with self.engine.connect() as connection, connection.begin():
            return answer(plan, connection, {"t": table})

    def polled(self, table: FactTable) -> Counter:
        with self.engine.connect() as connection, connection.begin():
            return Counter(tuple(row.values()) for row in all_rows(connection, table.relation).values())


def leaf_of(table: FactTable) -> Table:
    return Table(table.relation, StreamFragment("t", table.relation.columns))


def itself(table: FactTable) -> Expr:
    """An expression that computes the column's value from itself."""
    column = table.relation.columns[1]
    return Call("coalesce", (Field(1, column.type), Literal(None, column.type)), column.type)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    database = Database(empty_sqlite(tmp_path))
    yield database
    database.engine.dispose()


@pytest.fixture
def postgresql(postgres: str) -> Iterator[Database]:
    database = Database(postgres)
    name = database.engine.url.database
    database.run(
        f"ALTER DATABASE {name} SET timezone = 'Europe/Berlin'", "CREATE TYPE mood AS ENUM ('sad', 'glad')"
    )
    database.engine.dispose()
    yield database
    database.engine.dispose()


def assert_as_polled(database: Database, kind: str, values: list[str], is_computed: bool) -> None:
    table = database.table(kind, values)
    leaf, polled = leaf_of(table), database.polled(table)
    assert database.ask(table, leaf) == polled, kind
    if not is_computed:
        with pytest.raises(SourceError, match="column v has a type of the database's own"):
            database.ask(table, Unique(leaf))
        assert database.answer(table, Unique(leaf)) == polled, kind
    computed = Map(leaf, (Field(0, Type.BIGINT), itself(table)), table.relation.columns)
    assert database.answer(table, computed) == polled, kind
    for _, value in polled:
        same = Filter(
            leaf,
            Call(
                "=",
                (Field(1, table.relation.columns[1].type), Literal(value, table.relation.columns[1].type)),
                Type.BOOLEAN,
            ),
        )
        assert database.answer(table, same) == Counter(
            row for row in polled if value is not None and row[1] == value
        )


@pytest.mark.integration
def test_a_fragment_has_the_values_of_every_type_of_postgresql(postgresql):
    for kind, values in POSTGRESQL.items():
        assert_as_polled(postgresql, kind, values, kind not in FETCHED_ONLY)


@pytest.mark.integration
def test_a_moment_before_all_years_is_refused_with_its_column(postgresql):
    table = postgresql.table("timestamptz", ["'0044-03-15 00:00:00Z BC'"])
    with pytest.raises(SourceError, match=r"column v holds '0044-03-15 .* BC'; expected timestamp"):
        postgresql.polled(table)


def test_a_fragment_has_the_values_of_every_type_of_sqlite(sqlite):
    for kind, values in SQLITE.items():
        assert_as_polled(sqlite, kind, values, is_computed=True)


def test_what_a_column_of_sqlite_cannot_hold_is_an_error_to_a_fragment_as_to_a_poll(sqlite):
    for kind, values in UNFIT.items():
        for value in values:
            table = sqlite.table(kind, [value])
            with pytest.raises(SourceError, match=r"column v holds .*; expected"):
                sqlite.polled(table)
            with pytest.raises(sa.exc.OperationalError, match="user-defined function raised exception"):
                sqlite.ask(table, leaf_of(table))
