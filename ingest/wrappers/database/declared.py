"""A table of a database that was declared while all runs: polled whole, by the columns it was given."""

import sqlalchemy as sa

from engine.model.clock import Clock
from engine.model.errors import SourceError
from engine.model.relation import Relation
from ingest.declarations import Declaration
from ingest.wrappers.database.connecting import open_facts, reason_of
from ingest.wrappers.database.rows import all_rows
from ingest.wrappers.keyed import KeyedWrapper, Tables


class DeclaredTableWrapper(KeyedWrapper):
    """One table, of which a relation that was declared while the building ran has some columns."""

    def __init__(self, declaration: Declaration, url: str, clock: Clock) -> None:
        body = declaration.body or {}
        super().__init__(declaration.source, float(body["poll_seconds"]), clock)
        assert declaration.relation is not None
        self._relation, self._table = declaration.relation, str(body["table"])
        self._engine = open_facts(url)

    def describe(self) -> tuple[Relation, ...]:
        """Return the relation as it was declared."""
        return (self._relation,)

    def poll(self) -> Tables:
        """Return every row."""
        try:
            with self._engine.connect() as connection, connection.begin():
                return {self._relation.name: all_rows(connection, self._relation, self._table)}
        except sa.exc.SQLAlchemyError as error:
            msg = f"cannot read {self._table} of {self._engine.url}: {reason_of(error)}; trying again"
            raise SourceError(msg) from error
