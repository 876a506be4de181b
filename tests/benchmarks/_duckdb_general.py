"""Recomputation by DuckDB for `make bench-general`: runs in its Python, asked by lines of JSON.

{"inputs": {relation: [column, column]}, "sql": query}     makes the tables
{"changes": [[relation, sign, [a, b]], …]}                 changes them, runs the query, fetches all rows
{"rows": true}                                             the rows fetched last
"""

import time
from typing import Any

import duckdb

from tests.benchmarks._peers import serve


class Answers:
    """Tables and a query."""

    def __init__(self) -> None:
        self.database = duckdb.connect()
        self.sql = ""
        self.columns: dict[str, list[str]] = {}
        self.rows: list[tuple[int, int]] = []

    def __call__(self, question: dict[str, Any]) -> Any:
        if "sql" in question:
            for name, columns in question["inputs"].items():
                self.database.execute(f"CREATE TABLE {name} ({columns[0]} BIGINT, {columns[1]} BIGINT)")
            self.columns, self.sql = question["inputs"], question["sql"]
            return None
        return self.rows if "rows" in question else self.apply(question["changes"])

    def apply(self, changes: list[Any]) -> float:
        began = time.perf_counter()
        if len(changes) > 1:
            self.load(changes)
        else:
            ((name, sign, row),) = changes
            insert = f"INSERT INTO {name} VALUES (?, ?)"
            delete = f"DELETE FROM {name} WHERE {self.columns[name][0]} = ? AND {self.columns[name][1]} = ?"
            self.database.execute(insert if sign > 0 else delete, row)
        self.rows = self.database.execute(self.sql).fetchall()
        return time.perf_counter() - began

    def load(self, changes: list[Any]) -> None:
        for name in {change[0] for change in changes}:
            values = ", ".join(f"({a}, {b})" for of, _, (a, b) in changes if of == name)
            self.database.execute(f"INSERT INTO {name} VALUES {values}")


if __name__ == "__main__":
    serve(Answers())
