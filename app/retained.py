"""Which topics hold a retained message of ours: so that they can be cleared whatever happened meanwhile."""

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from app.routes import Route
from ingest.log.schema import IMMEDIATE, open_engine

METADATA = sa.MetaData()
TOPICS = sa.Table(
    "retained_topics",
    METADATA,
    sa.Column("view", sa.Text, primary_key=True),
    sa.Column("target", sa.Text, primary_key=True),
    sa.Column("topic", sa.Text, primary_key=True),
)


class Kept(NamedTuple):
    """A topic, and which output of which view published there."""

    view: str
    target: str
    topic: str


class Retained:
    """The topics, in memory and in the state's database; used by one thread."""

    def __init__(self, url: str) -> None:
        self._database = open_engine(url)
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            METADATA.create_all(connection)
            self._kept = {Kept(*row) for row in connection.execute(sa.select(TOPICS))}

    def close(self) -> None:
        self._database.dispose()

    def of(self, route: Route) -> list[str]:
        """Return the topics that an output keeps."""
        own = (route.view, route.output.target)
        return sorted(kept.topic for kept in self._kept if kept[:2] == own)

    def orphans(self, routes: Iterable[Route]) -> list[Kept]:
        """Return what belongs to none of these outputs."""
        live = {(route.view, route.output.target) for route in routes}
        return sorted(kept for kept in self._kept if kept[:2] not in live)

    def remember(self, route: Route, topics: Iterable[str]) -> None:
        """Know of topics before anything is published there."""
        fresh = {Kept(route.view, route.output.target, topic) for topic in topics} - self._kept
        if fresh:
            self._write(sa.insert(TOPICS), fresh)
            self._kept |= fresh

    def forget(self, gone: set[Kept]) -> None:
        """Forget topics that the broker has cleared."""
        if gone:
            named = [column == sa.bindparam(f"of_{column.name}") for column in TOPICS.c]
            parameters = {Kept(*kept) for kept in gone}
            self._write(sa.delete(TOPICS).where(*named), parameters, prefix="of_")
            self._kept -= gone

    def _write(self, statement: sa.Executable, rows: set[Kept], prefix: str = "") -> None:
        values = [{f"{prefix}{name}": value for name, value in row._asdict().items()} for row in rows]
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            connection.execute(statement, values)
