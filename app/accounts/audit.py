"""The audit log: what was done that matters, by whom, from where, and whether it was let through.

    say(who, what, object, outcome)   →   one row, kept for a year and at most 200,000 of them

No row has a password, a token or a link. Nobody can change a row or take one away through SmartCIS.
"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from flask import has_request_context, request

from engine.model.clock import SECOND, Clock
from ingest.log.schema import IMMEDIATE, open_engine

METADATA = sa.MetaData()
AUDIT = sa.Table(
    "audit",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("at", sa.BigInteger, nullable=False, index=True),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("object", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
)
DAY = 24 * 3600 * SECOND
KEPT_DAYS, KEPT_ROWS, TRIMMED_EVERY = 365, 200_000, 500
LONGEST = 2_000


class Audit:
    """The rows in the state's database."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._database, self._clock = open_engine(url), clock
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            METADATA.create_all(connection)
        self._said = 0

    def say(self, who: str, what: str, object: str = "", outcome: str = "done") -> None:
        """Write down what somebody did; it is on the disk when this returns."""
        address = (request.remote_addr or "") if has_request_context() else ""
        row = {"at": self._clock.now(), "who": who, "what": what, "object": object[:LONGEST]}
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            connection.execute(sa.insert(AUDIT).values(**row, outcome=outcome[:LONGEST], address=address))
            self._said += 1
            if self._said % TRIMMED_EVERY == 1:
                self._trim(connection)

    def listed(self, most: int, before: int | None = None, words: str = "") -> list[dict[str, Any]]:
        """Return rows that have these words, the newest first; ``before`` is the last one that is known."""
        query = sa.select(AUDIT).order_by(AUDIT.c.id.desc()).limit(most)
        if before is not None:
            query = query.where(AUDIT.c.id < before)
        for word in words.split():
            query = query.where(sa.or_(*_have(word)))
        with self._database.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def _trim(self, connection: sa.Connection) -> None:
        last = connection.execute(sa.select(sa.func.max(AUDIT.c.id))).scalar() or 0
        old = sa.or_(AUDIT.c.at < self._clock.now() - KEPT_DAYS * DAY, AUDIT.c.id <= last - KEPT_ROWS)
        connection.execute(sa.delete(AUDIT).where(old))


def _have(word: str) -> Iterator[sa.ColumnElement[bool]]:
    for column in (AUDIT.c.who, AUDIT.c.what, AUDIT.c.object, AUDIT.c.outcome, AUDIT.c.address):
        yield column.icontains(word, autoescape=True)
