"""Whether a database changed since it was read, where it tells for the price of a word.

    SQLite        the data version of a connection: another as soon as any other connection has committed
    PostgreSQL    the snapshot: another as soon as any transaction that writes has begun or ended

Who reads the same moment again has nothing to read. Of any other database nothing is known.
"""

from typing import Any

import sqlalchemy as sa

ASKED = {"sqlite": "PRAGMA data_version", "postgresql": "SELECT CAST(pg_current_snapshot() AS text)"}
OF_CONNECTION = "smartcis_moments"

Moment = tuple[object, Any]


def moment_of(connection: sa.Connection) -> Moment | None:
    """Return what is the same as long as nothing changed, asked in the transaction that reads."""
    question = ASKED.get(connection.dialect.name)
    if question is None:
        return None
    of_connection = connection.info.setdefault(OF_CONNECTION, object())
    return of_connection, connection.exec_driver_sql(question).scalar()
