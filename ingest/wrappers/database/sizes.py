"""How many rows the tables on demand have, for whoever places queries: asked now and then.

    PostgreSQL   what was counted there last, for its own plans; where nothing was yet, count(*)
    SQLite       count(*)

A table that cannot be counted within the time that a statement has is not counted again.
"""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

COUNTED_THERE = "SELECT reltuples FROM pg_class WHERE oid = to_regclass(:name)"


class Sizes:
    """Of the tables of one database."""

    def __init__(self, engine: sa.Engine, tables: Sequence[str]) -> None:
        self._engine = engine
        self._tables = list(tables)

    def count(self) -> Mapping[str, int]:
        """Return the rows of each table that can be counted."""
        found: dict[str, int] = {}
        for name in list(self._tables):
            try:
                with self._engine.connect() as connection, connection.begin():
                    found[name] = rows_of(connection, name)
            except sa.exc.SQLAlchemyError:
                self._tables.remove(name)
        return found


def rows_of(connection: sa.Connection, name: str) -> int:
    """Return how many rows a table has, about."""
    if connection.dialect.name == "postgresql":
        quoted = connection.dialect.identifier_preparer.quote(name)
        counted = connection.execute(sa.text(COUNTED_THERE), {"name": quoted}).scalar()
        if counted is not None and counted > 0:
            return int(counted)
    return int(connection.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar_one())
