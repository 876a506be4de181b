"""The devices of mapped streams that a restored engine knows, for the reader that goes on from there."""

from engine.lang.streamsql import Query, parse
from engine.model.values import Row
from engine.session import Session
from ingest.discovery.acquainted import Acquainted, acquainted
from ingest.discovery.relations import DEVICES, ENTITIES


def acquaintances(session: Session) -> Acquainted:
    """Return them, as of the offset that the session stands at."""
    return acquainted(session.stamp.offset, *(_rows(session, table.name) for table in (DEVICES, ENTITIES)))


def _rows(session: Session, table: str) -> list[Row]:
    statement = parse(f"SELECT * FROM {table}")
    assert isinstance(statement, Query)
    name = session.start(statement, {})
    try:
        return [row for row, _ in session.snapshot(name).rows]
    finally:
        session.drop(name)
