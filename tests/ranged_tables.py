"""A table that is read in ranges, in SQLite and PostgreSQL, and who follows what the log is told of it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.partitions.in_place import InPlace
from ingest.log import Log
from ingest.sources import DatabaseSource
from ingest.wrappers.database.ranges.polling import RangedDatabase
from ingest.wrappers.database.schema import reflect_database
from tests.asked_database import run
from tests.fact_tables import empty_sqlite
from tests.forgetful_shares import Forgetful

COLUMNS = "site INTEGER NOT NULL, tag VARCHAR(9) NOT NULL, worth INTEGER"
CREATE = f"CREATE TABLE assets ({COLUMNS}, PRIMARY KEY (site, tag))"

UNFIT = (
    "table {}, row site {}, tag {!r}: column worth holds {!r}; expected bigint; "
    "what was read before stands until that is mended"
)


def facts_of(request: pytest.FixtureRequest, folder: Path) -> str:
    """A database of the kind that is asked for, with the table."""
    is_server = request.param == "postgresql"
    url = str(request.getfixturevalue("postgres")) if is_server else empty_sqlite(folder)
    run(url, CREATE)
    return url


KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)]


class Followed:
    """A database with one table in ranges, and what a reader of the log makes of it."""

    def __init__(
        self,
        url: str,
        folder: Path,
        carry: Callable[[], InPlace] = Forgetful,
        tables: tuple[str, ...] = ("assets",),
    ) -> None:
        self.source = DatabaseSource("facts", url, (), 3_600, in_ranges=tables)
        self.log = Log(f"sqlite:///{folder}/log.db")
        self.url, self.carry, self._at = url, carry, 0
        self.rows: dict[tuple[int, str], int | str | None] = {}
        self.rejects: list[str] = []
        self.entries = self.interrupted = 0
        self.begin()

    def begin(self) -> None:
        self.ranged = RangedDatabase(self.source, reflect_database(self.source), self.log, self.carry)

    def poll(self) -> int:
        changed = self.ranged.poll()
        self.read()
        return changed

    def problem(self) -> str:
        self.ranged._report()
        return self.ranged.problem

    def read(self) -> None:
        """Fold the log, in which a row that goes must be there."""
        for record in self.log.read(self._at):
            self._at = record.offset
            body = json.loads(record.payload)
            self.entries += 1
            if "reject" in body:
                self.rejects.append(body["reject"]["reason"])
            for sign, _, row in body.get("changes", ()):
                key = row["site"], row["tag"]
                if sign > 0:
                    self.rows[key] = row["worth"]
                elif self.rows.get(key) == row["worth"]:
                    self.rows.pop(key, None)

    def there(self) -> dict[tuple[int, str], int | None]:
        engine = sa.create_engine(self.url)
        with engine.connect() as connection:
            found = {(a, b): c for a, b, c in connection.exec_driver_sql("SELECT * FROM assets")}
        engine.dispose()
        return found

    def close(self) -> None:
        self.ranged.stop()
        self.log.close()


def inserted(rows: Sequence[tuple[int, str, int]]) -> str:
    values = ", ".join(f"({site}, '{tag}', {worth})" for site, tag, worth in rows)
    return f"INSERT INTO assets VALUES {values}"
