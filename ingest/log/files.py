"""Tables of a database as lines of JSON, for a copy of what is no file in the state folder.

    {"table": name, "columns": [name, …]} then a line a row: [value, …], of bytes {"b": base64}

Written in one repeatable-read transaction; read back into tables that must be empty, in one transaction. A
database that an earlier version left may lack tables and columns, and its files lack the names of columns.
"""

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.model.errors import SourceError
from ingest.log.schema import open_engine

BATCH = 2_000


def dump(url: str, tables: sa.MetaData, file: Path) -> None:
    """Write every table as of one moment."""
    engine = open_engine(url)
    level = "REPEATABLE READ" if engine.dialect.name == "postgresql" else "SERIALIZABLE"
    with (
        engine.connect().execution_options(isolation_level=level, yield_per=BATCH) as connection,
        connection.begin(),
        file.open("w", encoding="utf-8") as out,
    ):
        found = sa.inspect(connection)
        for table in (table for table in tables.sorted_tables if found.has_table(table.name)):
            there = {column["name"] for column in found.get_columns(table.name)}
            columns = [column for column in table.columns if column.name in there]
            names = [column.name for column in columns]
            out.write(json.dumps({"table": table.name, "columns": names}) + "\n")
            rows = connection.execute(sa.select(*columns))
            out.writelines(json.dumps([_said(value) for value in row]) + "\n" for row in rows)
    engine.dispose()


def load(url: str, tables: sa.MetaData, file: Path) -> None:
    """Fill tables, or raise if there is anything in them."""
    engine = open_engine(url)
    tables.create_all(engine)
    with engine.begin() as connection, file.open(encoding="utf-8") as lines:
        for table in tables.sorted_tables:
            if connection.execute(sa.select(table).limit(1)).first() is not None:
                msg = f"{engine.url!r} has a {table.name} already; restore into an empty database"
                raise SourceError(msg)
        rows: list[list[Any]] = []
        table = tables.sorted_tables[0]
        names: list[str] = []
        for line in lines:
            said = json.loads(line)
            if isinstance(said, dict) or len(rows) >= BATCH:
                _insert(connection, table, names, rows)
                rows = []
            if isinstance(said, dict):
                table = tables.tables[said["table"]]
                names = said.get("columns", table.columns.keys())
            else:
                rows.append([_value(each) for each in said])
        _insert(connection, table, names, rows)
        for each in tables.sorted_tables:
            _count_on(connection, each)
    engine.dispose()


def _insert(
    connection: sa.Connection, table: sa.Table, names: Iterable[str], rows: Iterable[list[Any]]
) -> None:
    found = [dict(zip(names, row, strict=True)) for row in rows]
    if found:
        connection.execute(sa.insert(table), found)


def _count_on(connection: sa.Connection, table: sa.Table) -> None:
    """Have PostgreSQL number the next row after those that came with their numbers."""
    column = table.autoincrement_column
    if column is None or column.autoincrement is not True or connection.dialect.name != "postgresql":
        return
    sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
    highest = sa.select(sa.func.coalesce(sa.func.max(column), 0) + 1).scalar_subquery()
    connection.execute(sa.select(sa.func.setval(sequence, highest, False)))


def _said(value: Any) -> Any:
    is_bytes = isinstance(value, bytes | memoryview)
    return {"b": base64.b64encode(bytes(value)).decode("ascii")} if is_bytes else value


def _value(said: Any) -> Any:
    return base64.b64decode(said["b"]) if isinstance(said, dict) else said
