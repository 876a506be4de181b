"""DuckDB as a judge of the binder: the same text over what the windows hold.

It is right on what is not recursive and on linear recursion by UNION; windows and the order among equals
are spelled for it (``tests.random_sql.theirs``).
"""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import duckdb

from engine.lang.streamsql import Query, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.values import Row, Type
from engine.plan.logical import Plan
from tests.memory_log import MemoryLog
from tests.oracle import evaluate
from tests.random_sql import CATALOG, theirs

TYPES = {Type.TIMESTAMP: "TIMESTAMP", Type.TEXT: "VARCHAR"}
EPOCH = datetime(1970, 1, 1)
SETTINGS: dict[str, Any] = {
    "threads": 1,
    "order_by_non_integer_literal": "true",
    "default_null_order": "nulls_last_on_asc_first_on_desc",
}


def connected() -> duckdb.DuckDBPyConnection:
    """A database of its own, with PostgreSQL's order of NULLs."""
    return duckdb.connect(config=SETTINGS)


DATABASE = connected()


def of_duckdb(text: str, log: MemoryLog, plan: Plan) -> Counter[Row]:
    """What DuckDB makes of the text over what its windows hold."""
    spelled, scanned = theirs(text)
    for table, (relation, window) in scanned.items():
        load(table, relation, window, log)
    kinds = [column.type for column in plan.columns]
    rows = DATABASE.execute(spelled).fetchall()
    return Counter(tuple(map(cell, row, kinds)) for row in rows)


def load(table: str, relation: str, window: str, log: MemoryLog) -> None:
    scan = parse(f"SELECT * FROM {relation}" + (f" [{window}]" if window else ""))
    assert isinstance(scan, Query)
    held = evaluate(SelectBinder(CATALOG, {}).bind(scan.select), log.readings, log.stamps[-1])
    columns = CATALOG[relation].columns
    shape = ", ".join(f"{c.name} {TYPES.get(c.type, str(c.type))}" for c in columns)
    DATABASE.execute(f"CREATE OR REPLACE TEMP TABLE {table} ({shape})")
    if held:
        rows = ", ".join(
            f"({', '.join(map(literal, row, (c.type for c in columns)))})" for row in held.elements()
        )
        DATABASE.execute(f"INSERT INTO {table} VALUES {rows}")


def literal(value: Any, kind: Type) -> str:
    if value is None:
        return "NULL"
    if kind is Type.TIMESTAMP:
        return f"make_timestamp({value})"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def cell(value: Any, kind: Type) -> Any:
    if value is None:
        return None
    if kind is Type.TIMESTAMP:
        return (value.replace(tzinfo=None) - EPOCH) // timedelta(microseconds=1)
    return {Type.BIGINT: int, Type.DOUBLE: float, Type.BOOLEAN: bool, Type.TEXT: str}[kind](value)
