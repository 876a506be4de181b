"""The tables of alarms: those that were raised, what is shelved, who has to be told.

alarms     one a time from since to until; ``cleared`` is when somebody took it off the list before it ended
shelves    nothing is told of an alarm of this name, or of one key of it, until then
notices    an outbox: what a channel has to be told, when it is tried next, and what went wrong
"""

import sqlalchemy as sa

METADATA = sa.MetaData()
ALARMS = sa.Table(
    "alarms",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("view", sa.Text, nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("row", sa.Text, nullable=False),
    sa.Column("since", sa.BigInteger, nullable=False),
    sa.Column("until", sa.BigInteger),
    sa.Column("key", sa.Text),
    sa.Column("severity", sa.Text, server_default="medium", nullable=False),
    sa.Column("flaps", sa.Boolean, server_default=sa.false(), nullable=False),
    sa.Column("acknowledged", sa.BigInteger),
    sa.Column("acknowledged_by", sa.Text),
    sa.Column("note", sa.Text),
    sa.Column("cleared", sa.BigInteger),
    sa.Column("cleared_by", sa.Text),
    sa.Column("escalated", sa.BigInteger),
    sa.Column("why", sa.Text),
)
SHELVES = sa.Table(
    "alarm_shelves",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("view", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("key", sa.Text),
    sa.Column("until", sa.BigInteger, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)
NOTICES = sa.Table(
    "alarm_notices",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("alarm", sa.Integer, nullable=False, index=True),
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("made", sa.BigInteger, nullable=False),
    sa.Column("due", sa.BigInteger, index=True),
    sa.Column("tries", sa.Integer, server_default="0", nullable=False),
    sa.Column("sent", sa.BigInteger),
    sa.Column("problem", sa.Text),
)


def make(connection: sa.Connection) -> None:
    """Make what is missing; a table of an earlier version gets the columns that it lacks."""
    METADATA.create_all(connection)
    there = {column["name"] for column in sa.inspect(connection).get_columns(ALARMS.name)}
    for column in ALARMS.columns:
        if column.name not in there:
            said = sa.schema.CreateColumn(column).compile(connection)
            connection.execute(sa.text(f"ALTER TABLE {ALARMS.name} ADD COLUMN {said}"))
