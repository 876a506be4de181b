"""A dialect that SmartCIS knows nothing of: SQLite's files, under another name."""

from pathlib import Path

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite


class PlainDialect(SQLiteDialect_pysqlite):
    """Reads a file of SQLite."""

    name = "plain"
    supports_statement_cache = True


def plain_url(file: Path) -> str:
    """Return the address of a file by that dialect."""
    registry.register("plain", __name__, PlainDialect.__name__)
    return f"plain:///{file}"
