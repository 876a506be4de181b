"""A table of a database that was declared while all runs: polled whole, by the columns it was given."""

import sqlalchemy as sa

from engine.model.clock import Clock
from engine.model.errors import SourceError
from engine.model.relation import Relation
from ingest.declarations import Declaration
from ingest.sources.polled import POLL_SECONDS
from ingest.wrappers.database.connecting import open_facts, reason_of, share
from ingest.wrappers.database.rows import all_rows
from ingest.wrappers.keyed import REST, KeyedWrapper, Tables


class DeclaredTableWrapper(KeyedWrapper):
    """One table, of which a relation that was declared while the building ran has some columns."""

    def __init__(self, declaration: Declaration, url: str, clock: Clock) -> None:
        body = declaration.body or {}
        super().__init__(declaration.source, float(body["poll_seconds"]), clock)
        assert declaration.relation is not None
        self._relation, self._table = declaration.relation, str(body["table"])
        self._engine = open_facts(url)
        self._is_read = False

    def describe(self) -> tuple[Relation, ...]:
        """Return the relation as it was declared."""
        return (self._relation,)

    def poll(self) -> Tables:
        """Return every row."""
        try:
            with self._engine.connect() as connection, connection.begin():
                share(connection, [self._table])
                rows = all_rows(connection, self._relation, self._table)
        except sa.exc.SQLAlchemyError as error:
            msg = f"cannot read {self._table} of {self._engine.url}: {reason_of(error)}; trying again"
            raise SourceError(msg) from error
        self._is_read = True
        return {self._relation.name: rows}

    def pause(self) -> float:
        """Return in how many seconds to poll: never again what is read once, soon what could not be."""
        if self._poll_seconds:
            return super().pause()
        return REST if self._is_read else POLL_SECONDS
