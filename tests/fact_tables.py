"""Real tables with given rows, in SQLite and PostgreSQL, and what a fragment over them answers."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type, Value
from engine.plan.leaves import StreamFragment, Table
from engine.plan.physical import Physical
from ingest.wrappers.database.columns import FactTable
from ingest.wrappers.database.connecting import open_facts
from ingest.wrappers.database.fragments import answer
from ingest.wrappers.database.schema import look_at
from ingest.wrappers.database.sql import question_of

DECLARED = {
    Type.BIGINT: sa.BigInteger(),
    Type.DOUBLE: sa.Double(),
    Type.BOOLEAN: sa.Boolean(),
    Type.TEXT: sa.Text(),
    Type.TIMESTAMP: sa.DateTime(timezone=True),
}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = (
    round((datetime(year, 1, 2, tzinfo=UTC) - EPOCH).total_seconds()) * 1_000_000 for year in (1, 9999)
)


def moment(value: Value) -> Value:
    """A timestamp as SQL takes it."""
    return str((EPOCH + timedelta(microseconds=value)).isoformat(" ")) if isinstance(value, int) else value


class Facts:
    """A database of test tables."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = open_facts(url)
        self.dialect = self.engine.dialect.name

    def create(self, name: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
        """Make a table, in place of one of that name, with those of the rows that it can hold."""
        table = sa.Table(name, sa.MetaData(), *(sa.Column(c.name, DECLARED[c.type]) for c in columns))
        plain = sa.table(name, *(sa.column(c.name) for c in columns))
        writer = sa.create_engine(self.engine.url)
        with writer.begin() as connection:
            table.drop(connection, checkfirst=True)
            table.create(connection)
            if rows:
                connection.execute(sa.insert(plain), [self._stored(columns, row) for row in rows])
        writer.dispose()
        relation = Relation(name, RelationKind.TABLE, tuple(columns), site="database:facts")
        return Table(relation, StreamFragment(name, relation.columns))

    def holds(self, columns: Sequence[Column], row: Row) -> bool:
        """Whether the database can hold a row: PostgreSQL's texts have no NUL, a moment has a year."""
        both = list(zip(columns, row, strict=True))
        moments = [v for c, v in both if c.type is Type.TIMESTAMP and isinstance(v, int)]
        has_nul = self.dialect == "postgresql" and any("\x00" in v for v in row if isinstance(v, str))
        return not has_nul and all(FIRST <= value <= LAST for value in moments)

    def _stored(self, columns: Sequence[Column], row: Row) -> dict[str, Value]:
        both = zip(columns, row, strict=True)
        return {c.name: moment(value) if c.type is Type.TIMESTAMP else value for c, value in both}

    def ask(self, plan: Physical, *tables: str) -> Counter[Row]:
        """The bag that the database answers to a fragment."""
        question = question_of(plan, self._known(tables), self.dialect)
        with self.engine.connect() as connection, connection.begin():
            return Counter(question.rows(connection))

    def answer(self, plan: Physical, *tables: str) -> Counter[Row]:
        """The bag that the wrapper says: the database's, or what is computed of its rows."""
        with self.engine.connect() as connection, connection.begin():
            return answer(plan, connection, self._known(tables))

    def _known(self, tables: Sequence[str]) -> dict[str, FactTable]:
        found = look_at(self.engine, tables, "db:facts", "database:facts")
        return {each.relation.name: each for each in found}

    def close(self) -> None:
        self.engine.dispose()


def empty_sqlite(folder: Path) -> str:
    """The address of a new database file."""
    file = folder / "facts.db"
    file.touch()
    return f"sqlite:///{file}"
